// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace wafertlm::libra {

/// Σ coefficient_d · B_d, compared with a limit.
struct LinearConstraint {
  enum class Sense : std::uint8_t { at_most, equal, at_least };
  std::vector<double> coefficients;  ///< by dimension
  Sense sense = Sense::at_most;
  double limit = 0;
  std::string text;  ///< as the user wrote it

  double sum(const std::vector<double>& bandwidths) const;
  /// Holds with equality, to a relative `tolerance`.
  bool binds(const std::vector<double>& bandwidths, double tolerance) const;
  /// By how much it is violated, relative to its terms; 0: it holds.
  double violation(const std::vector<double>& bandwidths) const;
};

/// weight · max_d amounts_d / B_d: equal collectives.
struct Term {
  double weight = 1;
  std::vector<double> amounts;  ///< by dimension, bytes
};

/// f(B) = constant + Σ linear_d · B_d + Σ terms over bandwidths B_d ≥ 0 under linear constraints: convex.
/// Bandwidths in GB/s (bytes/ns), amounts in bytes, f in ns.
struct BandwidthProblem {
  std::size_t dimensions = 0;
  double constant = 0;
  std::vector<double> linear;  ///< empty: 0
  std::vector<Term> terms;
  std::vector<LinearConstraint> constraints;

  double value(const std::vector<double>& bandwidths) const;
  double linear_of(std::size_t dimension) const { return linear.empty() ? 0 : linear[dimension]; }
  bool uses(std::size_t dimension) const;
  /// The same terms, proportional ones as one.
  std::vector<Term> merged_terms() const;
  /// The most that the constraints let each bandwidth be; infinity: nothing bounds it.
  std::vector<double> upper_bounds() const;
};

/// An optimum and what proves it.
struct Optimum {
  std::vector<double> bandwidths;
  double value = 0;
  double lower_bound = 0;           ///< no bandwidths that fulfil the constraints give less: by duality
  std::vector<double> multipliers;  ///< by constraint: what a little more of its limit would save
  std::size_t evaluations = 0;

  /// Relative.
  double gap() const { return value == 0 ? 0 : (value - lower_bound) / value; }
};

/// Its minimum: SLSQP (NLopt) on the epigraph form in ln B, the certificate by `dual_bound`.
/// @throws std::invalid_argument: nothing bounds a bandwidth that is used, or no bandwidths fulfil the
/// constraints.
Optimum minimize(const BandwidthProblem& problem);

/// A lower bound of all values of `problem` by Lagrange duality, near-exact if `bandwidths` is near the
/// optimum. Multipliers from the conditions of Karush, Kuhn and Tucker by non-negative least squares.
/// `multipliers` is filled.
double dual_bound(const BandwidthProblem& problem, const std::vector<double>& bandwidths,
                  std::vector<double>& multipliers);

/// argmin |A x − b| over x ≥ 0 (Lawson and Hanson); A by columns.
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& columns,
                                               const std::vector<double>& right);

}  // namespace wafertlm::libra
