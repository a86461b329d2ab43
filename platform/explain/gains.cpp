// SPDX-License-Identifier: Apache-2.0
#include "platform/explain/gains.h"

#include <algorithm>
#include <cmath>

namespace wafertlm {
namespace {

constexpr std::size_t kMaxLinks = 16;

/// Upper bound of the time that a link is busy between two moments: buckets count whole where they begin or
/// end within, but no more than the part of them that lies within.
class BusyTime {
 public:
  BusyTime(const TimeBuckets& buckets, std::size_t link)
      : sums_(buckets.sums(link)), width_(buckets.width_ps()) {}
  TimePs between(TimePs from, TimePs to) const {
    double busy = 0;
    for (std::size_t i = from / width_; i < sums_.size() && i * width_ < to; ++i) {
      const TimePs begin = std::max<TimePs>(from, i * width_), end = std::min<TimePs>(to, (i + 1) * width_);
      busy += std::min(sums_[i], static_cast<double>(end - begin));
    }
    return static_cast<TimePs>(std::ceil(busy));
  }

 private:
  const std::vector<double>& sums_;
  TimePs width_;
};

TimePs gain_of(const GraphRecorder::Recorded& recorded, const std::function<TimePs(std::uint32_t)>& own) {
  const RecordedGraph& graph = recorded.graph;
  const TimePs before = recorded.iteration_ps(graph.retime([&](std::uint32_t i) { return graph.own_ps(i); }));
  const TimePs after = recorded.iteration_ps(graph.retime(own));
  return before > after ? before - after : 0;
}

}  // namespace

TimePs category_gain(const GraphRecorder::Recorded& recorded, const std::string& category) {
  const RecordedGraph& graph = recorded.graph;
  return gain_of(recorded, [&](std::uint32_t i) {
    return recorded.categories[graph.operation(i).category] == category ? 0 : graph.own_ps(i);
  });
}

std::vector<Gain> gains(const GraphRecorder::Recorded& recorded, const CriticalPath& path, const Usage& usage,
                        const std::vector<MachineLink>& links) {
  const RecordedGraph& graph = recorded.graph;
  std::vector<Gain> all;
  for (const std::string& category : recorded.categories) {
    if (category.empty()) continue;
    const auto part = path.breakdown.find(category);
    all.push_back({Gain::Kind::category, category, category_gain(recorded, category),
                   part == path.breakdown.end() ? 0 : part->second});
  }
  std::vector<std::size_t> busiest(links.size());
  std::vector<double> busy(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    busiest[i] = i;
    for (const double sum : usage.links().sums(i)) busy[i] += sum;
  }
  std::stable_sort(busiest.begin(), busiest.end(),
                   [&](std::size_t a, std::size_t b) { return busy[a] > busy[b]; });
  busiest.resize(std::min(busiest.size(), kMaxLinks));
  const auto uses_fabric = [&](std::uint32_t i) {
    const std::string& category = recorded.categories[graph.operation(i).category];
    return !category.empty() && category != "compute" && category != "cpu" && category != "memory";
  };
  for (const std::size_t link : busiest) {
    if (busy[link] == 0) continue;
    const BusyTime time(usage.links(), link);
    all.push_back(
        {Gain::Kind::link, links[link].name,
         gain_of(recorded,
                 [&](std::uint32_t i) {
                   const TimePs own = graph.own_ps(i);
                   if (!uses_fabric(i)) return own;
                   return own - std::min(own, time.between(graph.could_go_ps(i), graph.operation(i).end_ps));
                 }),
         0});
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](const Gain& each) { return each.gain_ps == 0; }),
            all.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Gain& a, const Gain& b) { return a.gain_ps > b.gain_ps; });
  return all;
}

}  // namespace wafertlm
