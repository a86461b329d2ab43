// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wafertlm::optimize {

using Point = std::vector<double>;  ///< a value for each axis

/// What may vary: from `from` to `to`, in logarithm if both are positive; with a step only from + n·step.
struct Axis {
  std::string name;
  double from = 0, to = 1, step = 0;

  bool is_logarithmic() const { return from > 0; }
  /// Geometric, or of the values.
  double middle(double a, double b) const;
  double rounded(double value) const;
};

/// Σ coefficient·value = limit over all axes, coefficients positive: the axes share something.
struct Budget {
  std::vector<double> coefficients;
  double limit = 0;
};

struct Space {
  std::vector<Axis> axes;
  std::optional<Budget> budget = {};
  std::optional<Budget> limit = {};  ///< the same as an upper limit: what equal shares are

  /// Equal shares of the budget or limit, else the (geometric) middle of each axis.
  Point middle() const;
};

/// Values of several points, which may be found side by side; infinity: not possible.
using Evaluate = std::function<std::vector<double>(const std::vector<Point>&)>;

/// automatic: under a budget that time falls with, cutting planes, else kriging.
enum class Method : std::uint8_t { automatic, kriging, direct };

struct SearchResult {
  struct Look {
    Point point;
    double value = 0;
  };
  Point best;
  double value = 0;
  std::vector<Look> looks;  ///< in order
  std::vector<std::string> methods;
  /// What the planes say no point is below, if there are any (exact where values are as they assume).
  std::optional<double> bound;
};

struct SearchOptions {
  std::size_t evaluations = 40;  ///< at most; a point that was looked at before costs none
  std::optional<Point> start;    ///< the middle if not given
  /// The value falls with every axis as time does with bandwidths: see cutting_planes().
  bool falls_with_bandwidth = false;
  /// A cheap model of the value, corrected by what was seen: by cutting planes as in corrected_model.cpp, by
  /// kriging, which fits the ratio of the two.
  std::function<double(const Point&)> model = {};
  Method method = Method::automatic;
  std::uint64_t seed = 1;                             ///< of the points with which kriging begins
  std::vector<SearchResult::Look> known = {};         ///< values that are there already, for kriging
  std::function<bool(const Point&)> is_allowed = {};  ///< linear constraints; empty: every point is
  std::function<bool()> is_over = {};                 ///< no time is left for more; empty: there is
};

/// The least value without gradients. `automatic` under a budget: cutting planes, then Nelder and Mead's
/// simplex from the best; else a kriging surrogate with expected improvement. `direct`: DIRECT-L over half of
/// the evaluations, then Sbplx from the best (NLopt). Whole steps: the neighbours of the best are looked at
/// last. The same input gives the same path.
SearchResult search(const Space& space, const Evaluate& evaluate, const SearchOptions& options);

/// The point within the budget that is best by the model when each axis counts for more or less than its
/// value and a constant is added, so that it meets the values of `looks` as well as it can: space mapping.
Point best_by_corrected_model(const Space& space, const std::function<double(const Point&)>& model,
                              const std::vector<SearchResult::Look>& looks, const Point& start);

/// A plane below the values: constant + Σ slope_d / share_d.
struct Plane {
  double constant = 0;
  std::vector<double> slopes;

  double at(const std::vector<double>& shares) const;
};

/// The shares (sum 1, within low and high) at which the highest of the planes is least: SLSQP in ln share.
std::vector<double> lowest_of(const std::vector<Plane>& planes, const std::vector<double>& start,
                              const std::vector<double>& low, const std::vector<double>& high);

}  // namespace wafertlm::optimize
