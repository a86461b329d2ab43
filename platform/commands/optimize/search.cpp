// SPDX-License-Identifier: Apache-2.0

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "platform/commands/libra/bandwidth_problem.h"
#include "platform/commands/optimize/looks.h"
#include "platform/commands/optimize/search.h"

namespace wafertlm::optimize {
namespace {

/// One of NLopt's searches, over so many looks.
void run_nlopt(nlopt_algorithm algorithm, const Space& space, Looks& looks, std::size_t at_most,
               Point start) {
  struct Call {
    Coordinates coordinates;
    Looks& looks;
    std::size_t stop_at;
    nlopt_opt optimizer;
  } call{Coordinates(space), looks, looks.left() - std::min(at_most, looks.left()), nullptr};
  const std::size_t count = call.coordinates.count();
  if (count == 0 || looks.left() <= call.stop_at) return;
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimizer(
      nlopt_create(algorithm, static_cast<unsigned>(count)), nlopt_destroy);
  call.optimizer = optimizer.get();
  std::vector<double> low, high, step, x = call.coordinates.of(start);
  for (std::size_t i = 0; i < count; ++i) {
    low.push_back(call.coordinates.low(i));
    high.push_back(call.coordinates.high(i));
    x[i] = std::clamp(x[i], low[i], high[i]);
    step.push_back(space.budget ? 0.7 : (high[i] - low[i]) / 6);
    if (x[i] + step[i] > high[i]) step[i] = -step[i];
  }
  nlopt_set_lower_bounds(optimizer.get(), low.data());
  nlopt_set_upper_bounds(optimizer.get(), high.data());
  nlopt_set_initial_step(optimizer.get(), step.data());
  nlopt_set_min_objective(
      optimizer.get(),
      [](unsigned, const double* at, double*, void* data) {
        auto& each = *static_cast<Call*>(data);
        const double value = each.looks.at(each.coordinates.point(at));
        if (each.looks.left() <= each.stop_at) nlopt_force_stop(each.optimizer);
        return std::isinf(value) ? 1e300 : value;
      },
      &call);
  nlopt_set_xtol_rel(optimizer.get(), 1e-4);
  nlopt_set_maxeval(optimizer.get(), static_cast<int>(50 * at_most + 100));
  double value = 0;
  nlopt_optimize(optimizer.get(), x.data(), &value);
  looks.result.methods.emplace_back(algorithm == NLOPT_GN_DIRECT_L ? "DIRECT-L"
                                    : algorithm == NLOPT_LN_SBPLX  ? "Sbplx"
                                                                   : "Nelder-Mead");
}

std::vector<double> shares_of(const Space& space, const Point& point) {
  std::vector<double> shares;
  for (std::size_t d = 0; d < point.size(); ++d)
    shares.push_back(point[d] * space.budget->coefficients[d] / space.budget->limit);
  return shares;
}

Point point_of(const Space& space, const std::vector<double>& shares) {
  Point point;
  for (std::size_t d = 0; d < shares.size(); ++d)
    point.push_back(shares[d] * space.budget->limit / space.budget->coefficients[d]);
  return point;
}

/// Cutting planes (Kelley) for a value T that bandwidths lower: in 1/B it is convex and, between kinks, a
/// plane c + Σ g_d/B_d with slopes of 0 or more. All bandwidths halved tells c; a neighbour per dimension the
/// slopes. The next point is where the highest plane is lowest.
class CuttingPlanes {
 public:
  CuttingPlanes(const Space& space, Looks& looks, const std::function<double(const Point&)>& model)
      : space_(space), looks_(looks), model_(model) {
    for (const Axis& axis : space.axes) {
      const double unit = space.budget->coefficients[low_.size()] / space.budget->limit;
      low_.push_back(std::max(axis.from * unit, 1e-4));
      high_.push_back(std::min(axis.to * unit, 1.0));
    }
  }

  void run(const Point& start) {
    const double first = looks_.at(start);
    if (model_) {
      constexpr double kWide = 0.1;  // beyond a kink at which the model's optimum may lie
      looks_.at(around(shares_of(space_, start), kWide));
      ask_model();
    }
    if (looks_.is_full()) return;
    Point half = start;
    for (double& value : half) value /= 2;
    constant_ = std::max(0.0, 2 * first - looks_.probe(half));
    looks_.result.methods.emplace_back("cutting planes");
    // Equal shares are often on a kink, where neighbours tell no plane.
    std::vector<double> aside = shares_of(space_, start);
    double sum = 0;
    for (std::size_t d = 0; d < aside.size(); ++d) sum += aside[d] *= 1 + 0.08 / static_cast<double>(d + 1);
    for (double& share : aside) share /= sum;
    Point at = point_of(space_, aside);
    while (!looks_.is_full() && add_plane(at)) {
      if (model_) ask_model();
      const std::vector<double> next = lowest_of(planes_, shares_of(space_, looks_.result.best), low_, high_);
      double bound = 0;
      for (const Plane& plane : planes_) bound = std::max(bound, plane.at(next));
      looks_.result.bound = bound;
      if (bound >= looks_.result.value * (1 - kGood)) return;
      at = point_of(space_, next);
      const std::size_t before = looks_.result.looks.size();
      looks_.at(at);
      if (looks_.result.looks.size() == before) return;
    }
  }

 private:
  static constexpr double kStep = 0.01, kGood = 1e-4;

  /// Looks at what the model, corrected by all looks, takes for the best, until it has nothing new.
  void ask_model() {
    for (int turn = 0; turn < 3 && !looks_.is_full(); ++turn) {
      const std::size_t before = looks_.result.looks.size();
      looks_.at(best_by_corrected_model(space_, model_, looks_.result.looks, looks_.result.best));
      if (looks_.result.looks.size() == before) return;
    }
  }

  /// With a little less of each axis but the last, and so more of the others.
  std::vector<Point> around(const std::vector<double>& here, double step) const {
    std::vector<Point> points;
    for (std::size_t d = 0; d + 1 < here.size(); ++d) {
      std::vector<double> shares = here;
      shares[d] *= 1 - step;
      for (double& share : shares) share /= 1 - step * here[d];
      points.push_back(point_of(space_, shares));
    }
    return points;
  }

  bool add_plane(const Point& at) {
    const std::vector<double> here = shares_of(space_, at);
    std::vector<Point> points = around(here, kStep);
    points.insert(points.begin(), at);
    const std::vector<double> values = looks_.at(points);
    std::vector<std::vector<double>> columns(here.size());
    std::vector<double> right;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (std::isinf(values[i]) || values[i] <= 0) return false;
      const std::vector<double> shares = shares_of(space_, points[i]);
      for (std::size_t d = 0; d < here.size(); ++d) columns[d].push_back(1 / shares[d] / values[i]);
      right.push_back((values[i] - constant_) / values[i]);
    }
    planes_.push_back({constant_, libra::non_negative_least_squares(columns, right)});
    return true;
  }

  const Space& space_;
  Looks& looks_;
  const std::function<double(const Point&)>& model_;
  std::vector<double> low_, high_;
  std::vector<Plane> planes_;
  double constant_ = 0;
};

/// One step up and down along each axis with steps, from the best, until none is better.
void look_at_neighbours(const Space& space, Looks& looks) {
  while (!looks.is_full()) {
    std::vector<Point> neighbours;
    for (std::size_t i = 0; i < space.axes.size(); ++i)
      for (const double sign : {-1.0, 1.0}) {
        if (space.axes[i].step == 0) continue;
        Point point = looks.result.best;
        point[i] = space.axes[i].rounded(point[i] + sign * space.axes[i].step);
        neighbours.push_back(std::move(point));
      }
    const double before = looks.result.value;
    looks.at(std::move(neighbours));
    if (!(looks.result.value < before)) return;
  }
}

}  // namespace

SearchResult search(const Space& space, const Evaluate& evaluate, const SearchOptions& options) {
  Looks looks(space, evaluate, options);
  const Point start = options.start.value_or(space.middle());
  const bool has_steps =
      std::any_of(space.axes.begin(), space.axes.end(), [](const Axis& axis) { return axis.step > 0; });
  const bool planes = space.budget && space.axes.size() > 1 && options.falls_with_bandwidth && !has_steps;
  if (options.method == Method::automatic && planes) {
    CuttingPlanes(space, looks, options.model).run(start);
    // What is left: a plane found at a kink may have hidden the best.
    run_nlopt(NLOPT_LN_NELDERMEAD, space, looks, looks.left(), looks.result.best);
    return looks.result;
  }
  looks.at(start);
  if (options.method == Method::direct) {
    run_nlopt(NLOPT_GN_DIRECT_L, space, looks, looks.left() / 2, start);
    run_nlopt(NLOPT_LN_SBPLX, space, looks, has_steps ? looks.left() * 2 / 3 : looks.left(),
              looks.result.best);
  } else {
    search_by_kriging(space, looks, options);
  }
  if (has_steps) look_at_neighbours(space, looks);
  return looks.result;
}

double Axis::rounded(double value) const {
  if (step <= 0) return std::clamp(value, from, to);
  const double most = std::floor((to - from) / step + 1e-9);  // `to` need not be a whole number of steps
  return std::min(from + step * std::clamp(std::round((value - from) / step), 0.0, most), to);
}

double Axis::middle(double a, double b) const { return is_logarithmic() ? std::sqrt(a * b) : (a + b) / 2; }

Point Space::middle() const {
  Point point;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::optional<Budget>& shared = budget ? budget : limit;
    if (shared)
      point.push_back(shared->limit / shared->coefficients[i] / static_cast<double>(axes.size()));
    else
      point.push_back(axes[i].middle(axes[i].from, axes[i].to));
    point.back() = axes[i].rounded(point.back());
  }
  return point;
}

}  // namespace wafertlm::optimize
