// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "platform/commands/optimize/kriging.h"
#include "platform/commands/optimize/looks.h"

namespace wafertlm::optimize {
namespace {

using Vector = Kriging::Vector;

/// Points that fill the unit cube evenly (Halton 1960), shifted by what the seed says.
class Halton {
 public:
  Halton(std::size_t dimensions, std::uint64_t seed) {
    for (std::size_t d = 0; d < dimensions; ++d) {  // splitmix64
      std::uint64_t z = seed * 0x9e3779b97f4a7c15U + (d + 1) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      shifts_.push_back(static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53);
    }
  }
  Vector next() {
    constexpr std::array<unsigned, 16> kPrimes = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
    ++index_;
    Vector point;
    for (std::size_t d = 0; d < shifts_.size(); ++d) {
      double value = shifts_[d], part = 1;
      for (std::uint64_t rest = index_; rest > 0; rest /= kPrimes.at(d)) {
        part /= kPrimes.at(d);
        value += part * static_cast<double>(rest % kPrimes.at(d));
      }
      point.push_back(value - std::floor(value));
    }
    return point;
  }

 private:
  Vector shifts_;
  std::uint64_t index_ = 0;
};

/// Efficient global optimisation (Jones, Schonlau and Welch 1998) in ln of the values, or of their ratio to
/// a cheap model.
class KrigingSearch {
 public:
  KrigingSearch(const Space& space, Looks& looks, const SearchOptions& options)
      : coordinates_(space), looks_(looks), options_(options), halton_(coordinates_.count(), options.seed) {}

  void run() {
    if (coordinates_.count() == 0) return;
    looks_.result.methods.emplace_back("kriging with expected improvement");
    begin();
    while (!looks_.is_full()) {
      const std::optional<Point> next = best_to_look_at();
      if (!next) return;
      const std::size_t before = looks_.result.looks.size();
      looks_.at(*next);
      if (looks_.result.looks.size() == before) return;
    }
  }

 private:
  static constexpr std::size_t kCandidates = 600, kNear = 200;

  Vector unit(const Point& point) const { return coordinates_.unit(point); }
  Point point(Vector x) const {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = coordinates_.low(i) + std::clamp(x[i], 0.0, 1.0) * (coordinates_.high(i) - coordinates_.low(i));
    return looks_.fitted(coordinates_.point(x.data()));
  }
  double trend(const Point& at) const { return options_.model ? std::log(options_.model(at)) : 0; }

  /// Enough points to tell lengths from; with a cheap model fewer.
  void begin() {
    const std::size_t wanted = options_.model ? coordinates_.count() + 1 : 2 * coordinates_.count() + 2,
                      there = looks_.result.looks.size() + options_.known.size();
    std::vector<Point> points;
    for (int turn = 0; there + points.size() < wanted && turn < 1000; ++turn) {
      Point each = point(options_.model ? around(looks_.result.best, 0.15) : halton_.next());
      if (looks_.is_allowed(each)) points.push_back(std::move(each));
    }
    looks_.at(std::move(points));
  }

  Vector around(const Point& centre, double width) {
    Vector x = unit(centre);
    const Vector offset = halton_.next();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += width * (2 * offset[i] - 1);
    return x;
  }

  void take(const SearchResult::Look& look, double worst) {
    const double value = std::isfinite(look.value) && look.value > 0 ? look.value : worst;
    Vector x = unit(look.point);
    if (std::find(points_.begin(), points_.end(), x) != points_.end()) return;
    points_.push_back(std::move(x));
    values_.push_back(std::log(value) - trend(look.point));
  }

  /// The greatest expected improvement among points that fill the space and points near the best; every
  /// second time the least mean, which ends the search of a valley.
  std::optional<Point> best_to_look_at() {
    std::vector<SearchResult::Look> all = options_.known;
    all.insert(all.end(), looks_.result.looks.begin(), looks_.result.looks.end());
    double worst = 0, least = kInfinity;
    for (const SearchResult::Look& look : all)
      if (std::isfinite(look.value) && look.value > 0) {
        worst = std::max(worst, look.value);
        least = std::min(least, look.value);
      }
    if (worst == 0) {  // nothing to learn from: on through the space
      for (int turn = 0; turn < 1000; ++turn)
        if (Point each = point(halton_.next()); is_new(each)) return each;
      return std::nullopt;
    }
    points_.clear();
    values_.clear();
    for (const SearchResult::Look& look : all) take(look, 2 * worst);
    const Kriging kriging(points_, values_);
    const bool by_mean = ++turn_ % 2 == 0;
    const auto merit = [&](const Point& at) {
      const double rest = trend(at);
      const Kriging::Prediction here = kriging.at(unit(at));
      return by_mean ? -(here.mean + rest) : kriging.expected_improvement(unit(at), std::log(least) - rest);
    };
    std::optional<Point> best;
    double most = -kInfinity;
    const auto offer = [&](const Point& each) {
      if (!is_new(each)) return;
      const double value = merit(each);
      if (value <= most) return;
      most = value;
      best = each;
    };
    for (std::size_t i = 0; i < kCandidates; ++i) offer(point(halton_.next()));
    double width = 0.2;
    for (std::size_t i = 0; i < kNear; ++i, width *= 0.97) offer(point(around(looks_.result.best, width)));
    if (best)
      for (double step = 0.1; step > 1e-3; step /= 2) climb(step, best, offer);
    return best;
  }

  /// From the best along each axis.
  template <class Offer>
  void climb(double step, const std::optional<Point>& best, const Offer& offer) {
    for (bool moved = true; moved;) {
      const Point from = *best;
      for (std::size_t i = 0; i < coordinates_.count(); ++i)
        for (const double sign : {-1.0, 1.0}) {
          Vector x = unit(*best);
          x[i] += sign * step;
          offer(point(std::move(x)));
        }
      moved = from != *best;
    }
  }

  bool is_new(const Point& each) const { return looks_.is_allowed(each) && !looks_.is_known(each); }

  Coordinates coordinates_;
  Looks& looks_;
  const SearchOptions& options_;
  Halton halton_;
  std::vector<Vector> points_;
  Vector values_;
  int turn_ = 0;
};

}  // namespace

void search_by_kriging(const Space& space, Looks& looks, const SearchOptions& options) {
  KrigingSearch(space, looks, options).run();
}

}  // namespace wafertlm::optimize
