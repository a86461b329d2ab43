// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/priced.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>

namespace wafertlm::libra {
namespace {

using Sense = LinearConstraint::Sense;

constexpr double kGood = 1e-8;
constexpr int kMostSplits = 400;

BandwidthProblem cost_of_network(const BandwidthProblem& time, const Price& price) {
  BandwidthProblem cost{time.dimensions, 0, price.per_bandwidth, {}, time.constraints};
  return cost;
}

/// The least time at a network cost of at most `cost`, and its tangent: below T*(γ) for every γ.
struct Sample {
  double cost = 0;
  Optimum least;

  double tangent(double at) const { return least.lower_bound - least.multipliers.back() * (at - cost); }
};

class TimeByCost {
 public:
  TimeByCost(BandwidthProblem time, const Price& price) : time_(std::move(time)) {
    time_.constraints.push_back({price.per_bandwidth, Sense::at_most, 0, "cost"});
  }
  Sample at(double cost) {
    time_.constraints.back().limit = cost;
    Sample sample{cost, minimize(time_)};
    evaluations += sample.least.evaluations;
    return sample;
  }
  std::size_t evaluations = 0;

 private:
  BandwidthProblem time_;
};

/// Between two samples, and a lower bound of (γ + fixed)·T*(γ) there.
struct Interval {
  double low = 0, high = 0;
  Sample at_high;
  double bound = 0, split = 0;
};
bool operator<(const Interval& a, const Interval& b) { return a.bound > b.bound; }

/// Each tangent times (γ + fixed) is concave: least at the ends of where that tangent is the higher one.
Interval bounded(double low, const Sample* at_low, const Sample& at_high, double fixed) {
  Interval interval{low, at_high.cost, at_high, 0, std::sqrt(low * at_high.cost)};
  const auto best_tangent = [&](double cost) {
    const double second = at_low != nullptr ? at_low->tangent(cost) : 0;
    return std::max({0.0, second, at_high.tangent(cost)});
  };
  const auto product = [&](double cost) { return (cost + fixed) * best_tangent(cost); };
  interval.bound = std::min(product(interval.low), product(interval.high));
  if (at_low == nullptr) return interval;
  const double slopes = at_low->least.multipliers.back() - at_high.least.multipliers.back();
  const double cross = at_high.cost - (at_low->tangent(at_high.cost) - at_high.least.lower_bound) / -slopes;
  if (slopes != 0 && cross > interval.low && cross < interval.high) {
    interval.bound = std::min(interval.bound, product(cross));
    interval.split = cross;
  }
  return interval;
}

}  // namespace

double Price::of(const std::vector<double>& bandwidths) const {
  double total = fixed;
  for (std::size_t d = 0; d < bandwidths.size(); ++d) total += per_bandwidth[d] * bandwidths[d];
  return total;
}

Optimum minimize_time_cost(const BandwidthProblem& time, const Price& price) {
  const Optimum fastest = minimize(time);
  const Optimum cheapest = minimize(cost_of_network(time, price));
  TimeByCost least(time, price);
  least.evaluations = fastest.evaluations + cheapest.evaluations;
  const double high = price.of(fastest.bandwidths) - price.fixed;
  if (price.fixed == 0 && cheapest.value <= 1e-6 * high)
    throw std::invalid_argument(fmt::format(
        "time x cost has no optimum: it falls for ever as all bandwidths shrink together, because computing "
        "takes {:.6g} ms whatever they are and a network of no bandwidth costs nothing. Give the price of "
        "the NPUs (--npu-cost), meet the budget instead of staying below it (\"sum = ...\"), set a floor "
        "(\"B0 >= 10\"), or minimise the cost under a time limit (--objective cost --time-at-most 800ms)",
        time.constant / 1e6));
  Optimum best;
  best.value = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Sample& sample) {
    const double value = price.of(sample.least.bandwidths) * sample.least.value;
    if (value >= best.value) return;
    best = sample.least;
    best.value = value;
  };
  const Sample at_high = least.at(high);
  offer(at_high);
  std::priority_queue<Interval> open;
  const double low = std::max(cheapest.lower_bound, 0.0);
  if (low > 0 || price.fixed > 0)
    open.push(bounded(std::max(low, 1e-9 * high), nullptr, at_high, price.fixed));
  double bound = best.value;
  for (int split = 0; !open.empty(); ++split) {
    const Interval interval = open.top();
    bound = std::min(best.value, interval.bound);
    if (interval.bound >= best.value * (1 - kGood) || split == kMostSplits) break;
    open.pop();
    if (interval.split <= cheapest.value * (1 + 1e-12)) continue;
    const Sample sample = least.at(interval.split);
    offer(sample);
    open.push(bounded(interval.low, nullptr, sample, price.fixed));
    open.push(bounded(interval.split, &sample, interval.at_high, price.fixed));
  }
  best.lower_bound = bound;
  best.multipliers.resize(time.constraints.size());
  best.evaluations = least.evaluations;
  return best;
}

Optimum minimize_cost(const BandwidthProblem& time, const Price& price, double limit_ns) {
  const Optimum fastest = minimize(time);
  if (fastest.lower_bound > limit_ns)
    throw std::invalid_argument(
        fmt::format("no bandwidths that fulfil the constraints take {:.6g} ms or less: the fastest take "
                    "{:.6g} ms; allow more time, or raise the budget",
                    limit_ns / 1e6, fastest.value / 1e6));
  TimeByCost least(time, price);
  // T* is convex and falls: where a tangent reaches the limit is below the cost that is looked for, and the
  // costs that are known to be enough come down to it.
  const Optimum cheapest = minimize(cost_of_network(time, price));
  double low = std::max(0.0, cheapest.lower_bound), high = price.of(fastest.bandwidths) - price.fixed;
  Optimum best = fastest;
  double at = high;
  for (int turn = 0; turn < 200 && high - low > kGood * high; ++turn) {
    if (at <= cheapest.value * (1 + 1e-12)) at = cheapest.value * (1 + 1e-12);
    const Sample sample = least.at(at);
    if (sample.least.value <= limit_ns) {
      high = std::min(high, price.of(sample.least.bandwidths) - price.fixed);
      best = sample.least;
    }
    const double slope = sample.least.multipliers.back();
    if (slope > 0) low = std::max(low, at + (sample.least.lower_bound - limit_ns) / slope);
    if (low >= high) break;
    // From the tangent's side the costs come near from below: a little more than that is enough, mostly.
    at = std::min(high, low + std::max(0.25 * kGood * high, 1e-3 * (high - low)));
    if (turn % 8 == 7) at = std::sqrt(std::max(low, 1e-9 * high) * high);
  }
  best.value = high + price.fixed;
  best.lower_bound = std::min(low, high) + price.fixed;
  best.multipliers.resize(time.constraints.size());
  best.evaluations = least.evaluations + fastest.evaluations;
  return best;
}

}  // namespace wafertlm::libra
