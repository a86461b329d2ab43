// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/bandwidth_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wafertlm::libra {

double LinearConstraint::sum(const std::vector<double>& bandwidths) const {
  double total = 0;
  for (std::size_t d = 0; d < coefficients.size(); ++d) total += coefficients[d] * bandwidths[d];
  return total;
}

namespace {

/// What a difference is compared with: also of two small bandwidths that of the largest.
double size_of_terms(const LinearConstraint& constraint, const std::vector<double>& bandwidths) {
  const double largest = *std::max_element(bandwidths.begin(), bandwidths.end());
  double size = std::abs(constraint.limit);
  for (const double coefficient : constraint.coefficients)
    size = std::max(size, std::abs(coefficient) * largest);
  return size;
}

}  // namespace

bool LinearConstraint::binds(const std::vector<double>& bandwidths, double tolerance) const {
  return sense == Sense::equal ||
         std::abs(sum(bandwidths) - limit) <= tolerance * size_of_terms(*this, bandwidths);
}

double LinearConstraint::violation(const std::vector<double>& bandwidths) const {
  const double over = sum(bandwidths) - limit, size = size_of_terms(*this, bandwidths);
  if (size == 0) return 0;
  switch (sense) {
    case Sense::at_most:
      return std::max(0.0, over) / size;
    case Sense::at_least:
      return std::max(0.0, -over) / size;
    default:
      return std::abs(over) / size;
  }
}

double BandwidthProblem::value(const std::vector<double>& bandwidths) const {
  double total = constant;
  for (std::size_t d = 0; d < dimensions; ++d) total += linear_of(d) * bandwidths[d];
  for (const Term& term : terms) {
    double most = 0;
    for (std::size_t d = 0; d < dimensions; ++d)
      if (term.amounts[d] > 0) most = std::max(most, term.amounts[d] / bandwidths[d]);
    total += term.weight * most;
  }
  return total;
}

bool BandwidthProblem::uses(std::size_t dimension) const {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const Term& term) { return term.amounts[dimension] > 0; });
}

std::vector<Term> BandwidthProblem::merged_terms() const {
  std::vector<Term> merged;
  for (Term term : terms) {
    const double most = *std::max_element(term.amounts.begin(), term.amounts.end());
    if (most == 0 || term.weight == 0) continue;
    for (double& amount : term.amounts) amount /= most;
    term.weight *= most;
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Term& other) {
      for (std::size_t d = 0; d < dimensions; ++d)
        if (std::abs(other.amounts[d] - term.amounts[d]) > 1e-14) return false;
      return true;
    });
    if (same == merged.end())
      merged.push_back(std::move(term));
    else
      same->weight += term.weight;
  }
  return merged;
}

std::vector<double> BandwidthProblem::upper_bounds() const {
  using Sense = LinearConstraint::Sense;
  std::vector<double> bounds(dimensions, std::numeric_limits<double>::infinity());
  // Σ a·B ≤ b bounds B_d by (b − Σ over a < 0 of a·bound) / a_d; each pass reaches one dimension further.
  const auto bound_by = [&](const LinearConstraint& constraint, double sign) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (sign * constraint.coefficients[d] <= 0) continue;
      double room = sign * constraint.limit;
      for (std::size_t other = 0; other < dimensions; ++other)
        if (other != d && sign * constraint.coefficients[other] < 0)
          room -= sign * constraint.coefficients[other] * bounds[other];
      bounds[d] = std::min(bounds[d], std::max(0.0, room / (sign * constraint.coefficients[d])));
    }
  };
  for (std::size_t pass = 0; pass <= dimensions; ++pass)
    for (const LinearConstraint& constraint : constraints) {
      if (constraint.sense != Sense::at_least) bound_by(constraint, 1);
      if (constraint.sense != Sense::at_most) bound_by(constraint, -1);
    }
  return bounds;
}

}  // namespace wafertlm::libra
