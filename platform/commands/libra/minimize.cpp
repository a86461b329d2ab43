// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "platform/commands/libra/bandwidth_problem.h"

namespace wafertlm::libra {
namespace {

using Sense = LinearConstraint::Sense;

/// The problem as SLSQP sees it: the epigraph form. Unknowns: per dimension ln(B/scale), or B/scale of one
/// that no term uses; then ln of each term that has several dimensions, whose constraints ln a − x_d ≤ y are
/// linear. Everything else in it is a sum of exponentials: convex.
class Epigraph {
 public:
  Epigraph(const BandwidthProblem& problem, std::vector<double> upper)
      : problem_(problem), terms_(problem.merged_terms()), upper_(std::move(upper)) {
    for (std::size_t d = 0; d < problem.dimensions; ++d) {
      used_.push_back(problem.uses(d));
      scale_ = std::max(scale_, upper_[d]);
    }
    logarithmic_ = used_;
    for (const Term& term : terms_) {
      const auto dimensions =
          std::count_if(term.amounts.begin(), term.amounts.end(), [](double amount) { return amount > 0; });
      bound_of_.push_back(dimensions > 1 ? problem.dimensions + bounds_++ : 0);
    }
  }

  /// From `start`, with unknowns ln(B/scale) or B/scale. The first converges in few steps where budgets bind
  /// from above, the second also where a constraint asks for more bandwidth than is of use.
  std::vector<double> solve(const std::vector<double>& start, bool logarithms) {
    for (std::size_t d = 0; d < problem_.dimensions; ++d) logarithmic_[d] = logarithms && used_[d];
    const std::size_t size = problem_.dimensions + bounds_;
    std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimizer(
        nlopt_create(NLOPT_LD_SLSQP, static_cast<unsigned>(size)), nlopt_destroy);
    std::vector<double> x(size), low(size, -100), high(size, 100), shares(problem_.dimensions);
    value_scale_ = std::max(1e-300, std::abs(problem_.value(start) - problem_.constant));
    for (std::size_t d = 0; d < problem_.dimensions; ++d) {
      const double most = upper_[d] / scale_;
      const double least = used_[d] ? kLeastShare : 0, high_share = std::max(most, 2 * least),
                   at = std::clamp(start[d] / scale_, least, high_share);
      low[d] = logarithmic_[d] ? std::log(least) : least;
      high[d] = logarithmic_[d] ? std::log(high_share) : high_share;
      x[d] = logarithmic_[d] ? std::log(at) : at;
      shares[d] = at;
    }
    for (std::size_t j = 0; j < terms_.size(); ++j)
      if (bound_of_[j] != 0) x[bound_of_[j]] = log_of_term(j, shares);
    choose_steps(start, x);
    for (std::size_t i = 0; i < size; ++i)
      for (std::vector<double>* each : {&x, &low, &high}) (*each)[i] /= step_[i];
    nlopt_set_lower_bounds(optimizer.get(), low.data());
    nlopt_set_upper_bounds(optimizer.get(), high.data());
    nlopt_set_min_objective(optimizer.get(), &Epigraph::objective, this);
    add_constraints(optimizer.get());
    nlopt_set_xtol_rel(optimizer.get(), 1e-13);
    nlopt_set_ftol_rel(optimizer.get(), 1e-15);
    nlopt_set_maxeval(optimizer.get(), kMostEvaluations);
    double value = 0;
    nlopt_optimize(optimizer.get(), x.data(), &value);  // the certificate tells how good it is
    return bandwidths_of(x.data());
  }

  std::size_t evaluations() const { return evaluations_; }

 private:
  static constexpr double kLeastShare = 1e-9;
  static constexpr int kMostEvaluations = 1000;

  std::vector<double> bandwidths_of(const double* x) const {
    std::vector<double> bandwidths;
    for (std::size_t d = 0; d < problem_.dimensions; ++d) bandwidths.push_back(scale_ * share(x, d));
    return bandwidths;
  }
  /// Unknowns are in steps of about the same curvature: that of an exponential is its value. Otherwise what
  /// takes 10^-5 of the time would hardly be looked at.
  void choose_steps(const std::vector<double>& bandwidths, const std::vector<double>& x) {
    constexpr double kLeastCurvature = 1e-10;
    const auto step = [&](double curvature) { return 1 / std::sqrt(std::max(curvature, kLeastCurvature)); };
    step_.assign(x.size(), 1);
    for (std::size_t d = 0; d < problem_.dimensions; ++d) {
      if (!used_[d]) continue;
      double part = problem_.linear_of(d) * bandwidths[d];
      for (const Term& term : terms_)
        part += term.weight * term.amounts[d] / std::max(bandwidths[d], kLeastShare * scale_);
      step_[d] = step(part / value_scale_);
      if (!logarithmic_[d]) step_[d] *= std::max(bandwidths[d] / scale_, kLeastShare);
    }
    for (std::size_t j = 0; j < terms_.size(); ++j)
      if (bound_of_[j] != 0) step_[bound_of_[j]] = step(std::exp(x[bound_of_[j]]));
  }
  double unknown(const double* x, std::size_t i) const { return x[i] * step_[i]; }
  /// B/scale, and how it and its logarithm change with the unknown.
  double share(const double* x, std::size_t d) const {
    return logarithmic_[d] ? std::exp(unknown(x, d)) : unknown(x, d);
  }
  double slope(const double* x, std::size_t d) const {
    return logarithmic_[d] ? share(x, d) * step_[d] : step_[d];
  }
  double log_share(const double* x, std::size_t d) const {
    return logarithmic_[d] ? unknown(x, d) : std::log(std::max(unknown(x, d), kLeastShare));
  }
  double log_slope(const double* x, std::size_t d) const {
    return logarithmic_[d] ? step_[d] : step_[d] / std::max(unknown(x, d), kLeastShare);
  }
  double log_of_amount(std::size_t j, std::size_t d) const {
    return std::log(terms_[j].amounts[d] * terms_[j].weight / scale_ / value_scale_);
  }
  double log_of_term(std::size_t j, const std::vector<double>& shares) const {
    double most = -100;
    for (std::size_t d = 0; d < problem_.dimensions; ++d)
      if (terms_[j].amounts[d] > 0) most = std::max(most, log_of_amount(j, d) - std::log(shares[d]));
    return most;
  }

  static double objective(unsigned size, const double* x, double* gradient, void* self) {
    return static_cast<Epigraph*>(self)->objective_at(size, x, gradient);
  }
  double objective_at(unsigned size, const double* x, double* gradient) {
    ++evaluations_;
    if (gradient) std::fill(gradient, gradient + size, 0);
    double sum = 0;
    for (std::size_t d = 0; d < problem_.dimensions; ++d) {
      const double factor = problem_.linear_of(d) * scale_ / value_scale_;
      sum += factor * share(x, d);
      if (gradient) gradient[d] += factor * slope(x, d);
    }
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      if (bound_of_[j] != 0) {
        const double part = std::exp(unknown(x, bound_of_[j]));
        sum += part;
        if (gradient) gradient[bound_of_[j]] += part * step_[bound_of_[j]];
        continue;
      }
      for (std::size_t d = 0; d < problem_.dimensions; ++d) {
        if (terms_[j].amounts[d] <= 0) continue;
        const double part = std::exp(log_of_amount(j, d) - log_share(x, d));
        sum += part;
        if (gradient) gradient[d] -= part * log_slope(x, d);
      }
    }
    return sum;
  }

  /// One value per line, all ≤ 0 (or = 0); `gradient` row by row.
  struct Lines {
    const Epigraph* self = nullptr;
    std::vector<std::pair<std::size_t, std::size_t>> bounds;  ///< term, dimension
    std::vector<std::pair<std::size_t, double>> linear;       ///< constraint, sign
  };
  static void lines(unsigned, double* values, unsigned size, const double* x, double* gradient, void* data) {
    const auto& lines = *static_cast<const Lines*>(data);
    const Epigraph& self = *lines.self;
    std::size_t row = 0;
    if (gradient) std::fill(gradient, gradient + size * (lines.bounds.size() + lines.linear.size()), 0);
    for (const auto& [j, d] : lines.bounds) {
      const std::size_t bound = self.bound_of_[j];
      values[row] = self.log_of_amount(j, d) - self.log_share(x, d) - self.unknown(x, bound);
      if (gradient) gradient[row * size + d] = -self.log_slope(x, d);
      if (gradient) gradient[row * size + bound] = -self.step_[bound];
      ++row;
    }
    for (const auto& [i, sign] : lines.linear) {
      const LinearConstraint& constraint = self.problem_.constraints[i];
      double size_of = std::abs(constraint.limit) / self.scale_;
      for (const double coefficient : constraint.coefficients)
        size_of = std::max(size_of, std::abs(coefficient));
      values[row] = -sign * constraint.limit / self.scale_ / size_of;
      for (std::size_t d = 0; d < self.problem_.dimensions; ++d) {
        const double factor = sign * constraint.coefficients[d] / size_of;
        values[row] += factor * self.share(x, d);
        if (gradient) gradient[row * size + d] = factor * self.slope(x, d);
      }
      ++row;
    }
  }
  void add_constraints(nlopt_opt optimizer) {
    inequalities_ = equalities_ = Lines{this, {}, {}};
    for (std::size_t j = 0; j < terms_.size(); ++j)
      for (std::size_t d = 0; d < problem_.dimensions; ++d)
        if (bound_of_[j] != 0 && terms_[j].amounts[d] > 0) inequalities_.bounds.emplace_back(j, d);
    for (std::size_t i = 0; i < problem_.constraints.size(); ++i) {
      const Sense sense = problem_.constraints[i].sense;
      if (sense == Sense::equal)
        equalities_.linear.emplace_back(i, 1);
      else
        inequalities_.linear.emplace_back(i, sense == Sense::at_most ? 1 : -1);
    }
    const auto count = [](const Lines& lines) {
      return static_cast<unsigned>(lines.bounds.size() + lines.linear.size());
    };
    const std::vector<double> tolerances(std::max(count(inequalities_), count(equalities_)), 1e-13);
    if (count(inequalities_) != 0)
      nlopt_add_inequality_mconstraint(optimizer, count(inequalities_), &Epigraph::lines, &inequalities_,
                                       tolerances.data());
    if (count(equalities_) != 0)
      nlopt_add_equality_mconstraint(optimizer, count(equalities_), &Epigraph::lines, &equalities_,
                                     tolerances.data());
  }

  const BandwidthProblem& problem_;
  std::vector<Term> terms_;
  std::vector<double> upper_;
  std::vector<bool> used_, logarithmic_;  ///< by dimension
  std::vector<double> step_;
  std::vector<std::size_t> bound_of_;  ///< by term: the unknown above it; 0: none, it has one dimension
  std::size_t bounds_ = 0, evaluations_ = 0;
  double scale_ = 0, value_scale_ = 1;

  Lines inequalities_, equalities_;
};

std::string listed_constraints(const BandwidthProblem& problem) {
  std::string text;
  for (const LinearConstraint& constraint : problem.constraints)
    text += (text.empty() ? "" : ", ") + constraint.text;
  return text;
}

double worst_violation(const BandwidthProblem& problem, const std::vector<double>& bandwidths) {
  double worst = 0;
  for (const LinearConstraint& constraint : problem.constraints)
    worst = std::max(worst, constraint.violation(bandwidths));
  return worst;
}

/// Of each bandwidth's upper bound the part that amount^power gives it; power 0: equal parts.
std::vector<double> shares(const BandwidthProblem& problem, const std::vector<double>& upper, double power) {
  std::vector<double> parts(problem.dimensions, 0);
  double sum = 0;
  for (std::size_t d = 0; d < problem.dimensions; ++d) {
    for (const Term& term : problem.terms) parts[d] += term.weight * term.amounts[d];
    parts[d] = power == 0 ? 1 : std::pow(parts[d], power);
    sum += parts[d];
  }
  for (std::size_t d = 0; d < problem.dimensions; ++d) parts[d] *= sum > 0 ? upper[d] / sum : 0;
  return parts;
}

}  // namespace

Optimum minimize(const BandwidthProblem& problem) {
  constexpr double kFeasible = 1e-9, kGood = 1e-9;
  const std::vector<double> upper = problem.upper_bounds();
  for (std::size_t d = 0; d < problem.dimensions; ++d)
    if (std::isinf(upper[d]))
      throw std::invalid_argument(fmt::format(
          "nothing bounds the bandwidth B{} of dimension {}; give a budget (--budget 1000), or a constraint "
          "that does",
          d, d));
  Epigraph epigraph(problem, upper);
  Optimum best;
  bool found = false;
  // SLSQP may stop where it should not: on from there with fresh second derivatives, then from elsewhere.
  for (const double power : {0.0, 0.5, 0.25, 1.0, 0.75}) {
    std::vector<double> start = shares(problem, upper, power);
    for (int turn = 0; turn < 4; ++turn) {
      Optimum next;
      start = next.bandwidths = epigraph.solve(start, turn % 2 == 0);
      if (worst_violation(problem, next.bandwidths) > kFeasible) continue;
      next.value = problem.value(next.bandwidths);
      next.lower_bound = dual_bound(problem, next.bandwidths, next.multipliers);
      const double bound = found ? std::max(best.lower_bound, next.lower_bound) : next.lower_bound;
      if (!found || next.value < best.value) best = next;
      best.lower_bound = bound;
      found = true;
      if (best.gap() < kGood) break;
    }
    if (found && best.gap() < kGood) break;
  }
  if (!found)
    throw std::invalid_argument("no bandwidths were found that fulfil all constraints together: " +
                                listed_constraints(problem));
  best.evaluations = epigraph.evaluations();
  return best;
}

}  // namespace wafertlm::libra
