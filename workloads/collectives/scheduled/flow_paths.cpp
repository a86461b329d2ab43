// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/scheduled/flow_paths.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace wafertlm {
namespace {

/// More parts than this are not tried: they move less than a hundredth.
constexpr std::uint32_t kMostParts = 8;
/// Ways that are looked for again, at most.
constexpr std::size_t kMostSearched = 60'000;

double eighth_power(double x) {
  const double squared = x * x, fourth = squared * squared;
  return fourth * fourth;
}

/// Ways of the parts of all blocks, and what is busy.
class PathBalance {
 public:
  PathBalance(const RankLinks& links, std::uint32_t parts)
      : links_(links),
        parts_(parts),
        paths_(std::size_t{links.ranks} * links.ranks * parts),
        loads_(links.links.size(), 0),
        out_(links.ranks, 0),
        in_(links.ranks, 0) {}

  void start(const Group& group, const Topology& topology);
  /// Rounds as long as they help; @return ways searched.
  std::size_t improve(std::size_t most_searched);
  /// Seconds for a byte of every part.
  double busiest() const;
  ExchangePaths result() const { return {parts_, paths_, loads_}; }

 private:
  double busy(std::uint32_t link, std::uint32_t more) const;
  double cost(std::uint32_t link, double limit) const {
    return busy(link, 1) * eighth_power(busy(link, 1) / limit) + 1e-6 * limit;
  }
  std::vector<std::uint32_t> cheapest(std::uint32_t from, std::uint32_t to, double limit) const;
  void put(std::size_t part, std::vector<std::uint32_t> path);
  void take(std::size_t part);

  const RankLinks& links_;
  std::uint32_t parts_;
  std::vector<std::vector<std::uint32_t>> paths_;
  std::vector<std::uint32_t> loads_;     // by link
  std::vector<std::uint32_t> out_, in_;  // by rank
};

/// Of the link or a port at its ends.
double PathBalance::busy(std::uint32_t link, std::uint32_t more) const {
  const RankLinks::Link& ends = links_.links[link];
  const auto seconds = [&](std::uint32_t load, std::uint64_t rate) {
    return static_cast<double>(load + more) / static_cast<double>(rate);
  };
  return std::max({seconds(loads_[link], ends.bytes_per_s),
                   seconds(out_[ends.from], links_.ports_out[ends.from]),
                   seconds(in_[ends.to], links_.ports_in[ends.to])});
}

double PathBalance::busiest() const {
  double most = 0;
  for (std::uint32_t link = 0; link < loads_.size(); ++link) most = std::max(most, busy(link, 0));
  return most;
}

void PathBalance::put(std::size_t part, std::vector<std::uint32_t> path) {
  for (const std::uint32_t link : path) {
    ++loads_[link];
    ++out_[links_.links[link].from];
    ++in_[links_.links[link].to];
  }
  paths_[part] = std::move(path);
}

void PathBalance::take(std::size_t part) {
  for (const std::uint32_t link : paths_[part]) {
    --loads_[link];
    --out_[links_.links[link].from];
    --in_[links_.links[link].to];
  }
  paths_[part].clear();
}

/// Dijkstra's algorithm.
std::vector<std::uint32_t> PathBalance::cheapest(std::uint32_t from, std::uint32_t to, double limit) const {
  std::vector<double> at(links_.ranks, -1);
  std::vector<std::uint32_t> last(links_.ranks, 0);
  std::vector<bool> settled(links_.ranks, false);
  using Reached = std::pair<double, std::uint32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  open.emplace(at[from] = 0, from);
  while (!settled[to]) {
    const auto [here, rank] = open.top();
    open.pop();
    if (settled[rank]) continue;
    settled[rank] = true;
    for (const std::uint32_t link : links_.out[rank]) {
      const std::uint32_t next = links_.links[link].to;
      const double there = here + cost(link, limit);
      if (settled[next] || (at[next] >= 0 && at[next] <= there)) continue;
      at[next] = there;
      last[next] = link;
      open.emplace(there, next);
    }
  }
  std::vector<std::uint32_t> path;
  for (std::uint32_t rank = to; rank != from; rank = links_.links[last[rank]].from)
    path.push_back(last[rank]);
  std::reverse(path.begin(), path.end());
  return path;
}

void PathBalance::start(const Group& group, const Topology& topology) {
  std::map<std::size_t, std::uint32_t> by_number;  // the fabric's links
  for (std::uint32_t link = 0; link < links_.links.size(); ++link) {
    const RankLinks::Link& ends = links_.links[link];
    by_number[topology.route(group[ends.from], group[ends.to]).front()] = link;
  }
  double slowest = 0;
  for (const RankLinks::Link& link : links_.links)
    slowest = std::max(slowest, 1 / static_cast<double>(link.bytes_per_s));
  for (std::uint32_t from = 0; from < links_.ranks; ++from)
    for (std::uint32_t to = 0; to < links_.ranks; ++to) {
      if (from == to) continue;
      std::vector<std::uint32_t> path;
      std::uint32_t at = from;
      for (const std::size_t number : topology.route(group[from], group[to])) {
        const auto found = by_number.find(number);
        if (found == by_number.end() || links_.links[found->second].from != at) break;
        path.push_back(found->second);
        at = links_.links[found->second].to;
      }
      const std::size_t first = (std::size_t{from} * links_.ranks + to) * parts_;
      for (std::uint32_t part = 0; part < parts_; ++part)
        put(first + part, at == to ? path : cheapest(from, to, std::max(busiest(), slowest)));
    }
}

std::size_t PathBalance::improve(std::size_t most_searched) {
  constexpr double kBusy = 0.98, kWorth = 0.999;
  std::size_t searched = 0;
  for (double limit = busiest(); searched < most_searched; limit = busiest()) {
    const PathBalance before = *this;
    for (std::size_t part = 0; part < paths_.size() && searched < most_searched; ++part) {
      if (std::none_of(paths_[part].begin(), paths_[part].end(),
                       [&](std::uint32_t link) { return busy(link, 0) >= kBusy * limit; }))
        continue;
      ++searched;
      std::vector<std::uint32_t> path = paths_[part];
      take(part);
      const auto cost_of = [&](const std::vector<std::uint32_t>& links) {
        double sum = 0;
        for (const std::uint32_t link : links) sum += cost(link, limit);
        return sum;
      };
      const std::size_t pair = part / parts_;
      std::vector<std::uint32_t> other = cheapest(static_cast<std::uint32_t>(pair / links_.ranks),
                                                  static_cast<std::uint32_t>(pair % links_.ranks), limit);
      put(part, cost_of(other) < cost_of(path) * kWorth ? std::move(other) : std::move(path));
    }
    if (busiest() < limit * kWorth) continue;
    if (busiest() > limit) {
      loads_ = before.loads_;
      out_ = before.out_;
      in_ = before.in_;
      paths_ = before.paths_;
    }
    break;
  }
  return searched;
}

}  // namespace

ExchangePaths flow_paths(const RankLinks& links, const Group& group, const Topology& topology) {
  constexpr double kWorth = 0.99;
  ExchangePaths best;
  double shortest = 0;
  std::size_t searched = 0;
  for (std::uint32_t parts = 1; parts <= kMostParts; parts *= 2) {
    PathBalance balance(links, parts);
    balance.start(group, topology);
    searched += balance.improve(kMostSearched - std::min(kMostSearched, searched));
    const double time = balance.busiest() / parts;
    if (parts == 1 || time < shortest * kWorth) {
      best = balance.result();
      shortest = time;
    }
    if (searched >= kMostSearched || std::size_t{links.ranks} * links.ranks * parts > 8192) break;
  }
  return best;
}

}  // namespace wafertlm
