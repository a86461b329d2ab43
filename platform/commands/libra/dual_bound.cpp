// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/commands/libra/bandwidth_problem.h"

namespace wafertlm::libra {
namespace {

using Sense = LinearConstraint::Sense;

/// The multipliers of one attempt: shares of each term's weight over dimensions, and one per constraint
/// (of at_most and equal for Σ a·B ≤ b; of at_least negative).
struct Multipliers {
  std::vector<std::vector<double>> shares;
  std::vector<double> of_constraints;
};

/// min over B in (0, most] of amount/B + price·B.
double least(double amount, double price, double most) {
  if (price > 0) return 2 * std::sqrt(amount * price);
  if (std::isinf(most)) return price < 0 ? -most : 0;
  return (amount > 0 ? amount / most : 0) + price * most;
}

/// The dual function: for any shares that sum to the weights and multipliers of the right sign a lower bound.
double dual_value(const BandwidthProblem& problem, const std::vector<Term>& terms,
                  const std::vector<double>& upper, const Multipliers& multipliers) {
  double bound = problem.constant;
  for (std::size_t d = 0; d < problem.dimensions; ++d) {
    double amount = 0, price = problem.linear_of(d);
    for (std::size_t j = 0; j < terms.size(); ++j) amount += multipliers.shares[j][d] * terms[j].amounts[d];
    for (std::size_t i = 0; i < problem.constraints.size(); ++i)
      price += multipliers.of_constraints[i] * problem.constraints[i].coefficients[d];
    bound += least(amount, price, upper[d]);
  }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    bound -= multipliers.of_constraints[i] * problem.constraints[i].limit;
  return bound;
}

/// Solves the conditions at `bandwidths`: shares only where a dimension is within `tolerance` of the slowest,
/// multipliers only of constraints that bind: Σ_j share·amount/B_d = B_d·(linear + Σ_i m·a) for all d; of a
/// dimension that no term uses 0 = linear + Σ_i m·a.
class Conditions {
 public:
  Conditions(const BandwidthProblem& problem, const std::vector<Term>& terms,
             const std::vector<double>& bandwidths, double tolerance)
      : problem_(problem), terms_(terms), bandwidths_(bandwidths), tolerance_(tolerance) {}

  Multipliers solve() {
    right_.assign(problem_.dimensions + terms_.size(), 0);
    const double largest = *std::max_element(bandwidths_.begin(), bandwidths_.end());
    for (std::size_t d = 0; d < problem_.dimensions; ++d) {
      size_.push_back(problem_.uses(d) ? bandwidths_[d] : largest);
      right_[d] = problem_.linear_of(d) * size_[d];
      if (!problem_.uses(d) && bandwidths_[d] <= tolerance_ * largest) add_slack(d);
    }
    for (std::size_t j = 0; j < terms_.size(); ++j) add_term(j);
    for (std::size_t i = 0; i < problem_.constraints.size(); ++i) add_constraint(i);
    const std::vector<double> x = non_negative_least_squares(columns_, right_);
    Multipliers found{{terms_.size(), std::vector<double>(problem_.dimensions, 0)},
                      std::vector<double>(problem_.constraints.size(), 0)};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Unknown& each = unknowns_[c];
      if (each.kind == Unknown::Kind::share) found.shares[each.index][each.dimension] = x[c];
      if (each.kind == Unknown::Kind::multiplier) found.of_constraints[each.index] += each.scale * x[c];
    }
    for (std::size_t j = 0; j < terms_.size(); ++j) make_exact(found.shares[j], terms_[j]);
    return found;
  }

 private:
  struct Unknown {
    enum class Kind : std::uint8_t { share, multiplier, slack };
    Kind kind = Kind::share;
    std::size_t index = 0, dimension = 0;
    double scale = 1;
  };

  /// A bandwidth that is 0 may be worth less than it costs.
  void add_slack(std::size_t d) {
    std::vector<double> column(right_.size(), 0);
    column[d] = 1;
    columns_.push_back(std::move(column));
    unknowns_.push_back({Unknown::Kind::slack, 0, d, 1});
  }
  void add_term(std::size_t j) {
    constexpr double kStrict = 100;  // against the other conditions
    const Term& term = terms_[j];
    double slowest = 0;
    for (std::size_t d = 0; d < problem_.dimensions; ++d)
      if (term.amounts[d] > 0) slowest = std::max(slowest, term.amounts[d] / bandwidths_[d]);
    right_[problem_.dimensions + j] = kStrict * slowest * term.weight;
    for (std::size_t d = 0; d < problem_.dimensions; ++d) {
      if (term.amounts[d] <= 0 || term.amounts[d] / bandwidths_[d] < slowest * (1 - tolerance_)) continue;
      std::vector<double> column(right_.size(), 0);
      column[d] = term.amounts[d] / bandwidths_[d];
      column[problem_.dimensions + j] = kStrict * slowest;
      columns_.push_back(std::move(column));
      unknowns_.push_back({Unknown::Kind::share, j, d, 1});
    }
  }
  void add_constraint(std::size_t i) {
    const LinearConstraint& constraint = problem_.constraints[i];
    if (!constraint.binds(bandwidths_, tolerance_)) return;
    double size = 0;
    for (std::size_t d = 0; d < problem_.dimensions; ++d)
      size = std::max(size, std::abs(constraint.coefficients[d] * size_[d]));
    if (size == 0) return;
    const auto add = [&](double sign) {
      std::vector<double> column(right_.size(), 0);
      for (std::size_t d = 0; d < problem_.dimensions; ++d)
        column[d] = -sign * constraint.coefficients[d] * size_[d] / size;
      columns_.push_back(std::move(column));
      unknowns_.push_back({Unknown::Kind::multiplier, i, 0, sign / size});
    };
    if (constraint.sense != Sense::at_least) add(1);
    if (constraint.sense != Sense::at_most) add(-1);
  }
  void make_exact(std::vector<double>& shares, const Term& term) const {
    double sum = 0;
    for (const double share : shares) sum += share;
    if (sum > 0) {
      for (double& share : shares) share *= term.weight / sum;
      return;
    }
    std::size_t slowest = 0;
    for (std::size_t d = 0; d < shares.size(); ++d)
      if (term.amounts[d] * bandwidths_[slowest] > term.amounts[slowest] * bandwidths_[d]) slowest = d;
    shares[slowest] = term.weight;
  }

  const BandwidthProblem& problem_;
  const std::vector<Term>& terms_;
  const std::vector<double>& bandwidths_;
  double tolerance_;
  std::vector<double> size_;  ///< by dimension: what its condition is multiplied by
  std::vector<double> right_;
  std::vector<std::vector<double>> columns_;
  std::vector<Unknown> unknowns_;
};

}  // namespace

double dual_bound(const BandwidthProblem& problem, const std::vector<double>& bandwidths,
                  std::vector<double>& multipliers) {
  const std::vector<Term> terms = problem.merged_terms();
  const std::vector<double> upper = problem.upper_bounds();
  double best = -std::numeric_limits<double>::infinity();
  // Each attempt gives a bound that holds; how near the solver came decides which is the best.
  for (const double tolerance : {1e-11, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3}) {
    const Multipliers found = Conditions(problem, terms, bandwidths, tolerance).solve();
    const double bound = dual_value(problem, terms, upper, found);
    if (!(bound > best)) continue;
    best = bound;
    multipliers = found.of_constraints;
  }
  return best;
}

}  // namespace wafertlm::libra
