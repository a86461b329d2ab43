// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/gains.h"

#include <algorithm>
#include <functional>

namespace wafertlm {
namespace {

TimePs gain_of(const GraphRecorder::Recorded& recorded, const std::function<TimePs(std::uint32_t)>& own) {
  const RecordedGraph& graph = recorded.graph;
  const TimePs before = recorded.iteration_ps(graph.retime([&](std::uint32_t i) { return graph.own_ps(i); }));
  const TimePs after = recorded.iteration_ps(graph.retime(own));
  return before > after ? before - after : 0;
}

/// The gain if the operations of one category took no time.
TimePs category_gain(const GraphRecorder::Recorded& recorded, const std::string& category) {
  const RecordedGraph& graph = recorded.graph;
  return gain_of(recorded, [&](std::uint32_t i) {
    return recorded.categories[graph.operation(i).category] == category ? 0 : graph.own_ps(i);
  });
}

}  // namespace

std::vector<Gain> gains(const GraphRecorder::Recorded& recorded, const CriticalPath& path) {
  std::vector<Gain> all;
  for (const std::string& category : recorded.categories) {
    if (category.empty()) continue;
    const auto part = path.breakdown.find(category);
    const TimePs gain = category_gain(recorded, category);
    if (gain != 0) all.push_back({category, gain, part == path.breakdown.end() ? 0 : part->second});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Gain& a, const Gain& b) { return a.gain_ps > b.gain_ps; });
  return all;
}

}  // namespace wafertlm
