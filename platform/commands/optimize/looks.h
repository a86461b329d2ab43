// SPDX-License-Identifier: Apache-2.0
// What the searches share: the points that were looked at, and coordinates without constraints.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "platform/commands/optimize/search.h"

namespace wafertlm::optimize {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The points that were looked at; a budget of evaluations.
class Looks {
 public:
  Looks(const Space& space, const Evaluate& evaluate, const SearchOptions& options)
      : space_(space), evaluate_(evaluate), options_(options), budget_(options.evaluations) {}

  /// Values of points, new ones found side by side; infinity for those that the budget does not reach.
  std::vector<double> at(std::vector<Point> points) {
    std::vector<Point> fresh;
    for (Point& point : points) {
      point = fitted(std::move(point));
      if (known(point) == nullptr && fresh.size() < left() && is_allowed(point) &&
          std::find(fresh.begin(), fresh.end(), point) == fresh.end())
        fresh.push_back(point);
    }
    if (!fresh.empty()) {
      const std::vector<double> values = evaluate_(fresh);
      for (std::size_t i = 0; i < fresh.size(); ++i) add(fresh[i], values[i]);
    }
    std::vector<double> values;
    for (const Point& point : points) {
      const auto* const look = known(point);
      values.push_back(look != nullptr ? look->value : kInfinity);
    }
    return values;
  }
  double at(const Point& point) { return at(std::vector<Point>{point}).front(); }
  /// A value off the axes' ranges, which tells something but is no candidate.
  double probe(const Point& point) {
    --budget_;
    return evaluate_({point}).front();
  }

  bool is_full() const { return left() == 0; }
  std::size_t left() const {
    if (options_.is_over && options_.is_over()) return 0;
    return budget_ > result.looks.size() ? budget_ - result.looks.size() : 0;
  }
  /// Whether it may be looked at; others cost no evaluation.
  bool is_allowed(const Point& point) const { return !options_.is_allowed || options_.is_allowed(point); }
  bool is_known(const Point& point) const { return known(point) != nullptr; }
  /// The nearest point with whole steps, within the ranges.
  Point fitted(Point point) const {
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = fitted(i, point[i]);
    return point;
  }
  SearchResult result;

 private:
  double fitted(std::size_t i, double value) const {
    return space_.budget && space_.axes[i].step == 0 ? value : space_.axes[i].rounded(value);
  }
  const SearchResult::Look* known(const Point& point) const {
    for (const auto& look : result.looks) {
      bool same = true;
      for (std::size_t i = 0; i < point.size(); ++i)
        same = same && std::abs(look.point[i] - point[i]) <= 1e-4 * std::abs(point[i]) + 1e-12;
      if (same) return &look;
    }
    return nullptr;
  }
  void add(const Point& point, double value) {
    result.looks.push_back({point, value});
    if (!result.best.empty() && !(value < result.value)) return;
    result.best = point;
    result.value = value;
  }

  const Space& space_;
  const Evaluate& evaluate_;
  const SearchOptions& options_;
  std::size_t budget_;
};

/// Points as NLopt sees them: under a budget ln of each share over the last; else ln or the value.
class Coordinates {
 public:
  explicit Coordinates(const Space& space) : space_(space) {}
  std::size_t count() const { return space_.axes.size() - (space_.budget ? 1 : 0); }

  Point point(const double* x) const {
    Point point;
    if (!space_.budget) {
      for (std::size_t i = 0; i < count(); ++i)
        point.push_back(space_.axes[i].is_logarithmic() ? std::exp(x[i]) : x[i]);
      return point;
    }
    double sum = 1;
    for (std::size_t i = 0; i < count(); ++i) sum += std::exp(x[i]);
    for (std::size_t i = 0; i <= count(); ++i)
      point.push_back((i < count() ? std::exp(x[i]) : 1) / sum * space_.budget->limit /
                      space_.budget->coefficients[i]);
    return point;
  }
  std::vector<double> of(const Point& point) const {
    std::vector<double> x;
    for (std::size_t i = 0; i < count(); ++i)
      if (space_.budget)
        x.push_back(std::log(point[i] * space_.budget->coefficients[i] / point.back() /
                             space_.budget->coefficients.back()));
      else
        x.push_back(space_.axes[i].is_logarithmic() ? std::log(point[i]) : point[i]);
    return x;
  }
  /// From 0 to 1 between low() and high().
  std::vector<double> unit(const Point& point) const {
    std::vector<double> x = of(point);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - low(i)) / (high(i) - low(i));
    return x;
  }
  double low(std::size_t i) const {
    if (space_.budget) return -kWidest;
    return space_.axes[i].is_logarithmic() ? std::log(space_.axes[i].from) : space_.axes[i].from;
  }
  double high(std::size_t i) const {
    if (space_.budget) return kWidest;
    return space_.axes[i].is_logarithmic() ? std::log(space_.axes[i].to) : space_.axes[i].to;
  }

 private:
  static constexpr double kWidest = 6;  // shares of 1 to 400
  const Space& space_;
};

/// Kriging with expected improvement (see kriging_search.cpp) over all looks that are left.
void search_by_kriging(const Space& space, Looks& looks, const SearchOptions& options);

}  // namespace wafertlm::optimize
