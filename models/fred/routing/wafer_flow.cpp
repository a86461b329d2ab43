// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/wafer_flow.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

std::vector<std::uint32_t> l1_switches_of(const std::vector<NpuId>& npus, const FredWaferShape& shape,
                                          const std::string& role) {
  if (npus.empty()) throw std::invalid_argument("a flow has no " + role);
  std::set<std::uint32_t> found;
  for (const NpuId npu : npus) {
    if (index_of(npu) >= shape.npus())
      throw std::invalid_argument("no NPU " + std::to_string(index_of(npu)) + "; the FRED wafer has 0 to " +
                                  std::to_string(shape.npus() - 1));
    found.insert(shape.l1_of(npu));
  }
  return {found.begin(), found.end()};
}

bool contains(const std::vector<std::uint32_t>& sorted, std::uint32_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

void erase(std::vector<std::uint32_t>& list, std::uint32_t value) {
  list.erase(std::remove(list.begin(), list.end(), value), list.end());
}

std::vector<NpuId> others(const Group& group, std::size_t but) {
  std::vector<NpuId> found;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (i != but) found.push_back(group[i]);
  return found;
}

/// The flows of one group, one after the other.
std::vector<std::vector<WaferFlow>> series_of(CollectiveType type, const Group& group, std::uint32_t root) {
  const std::size_t size = group.size();
  std::vector<std::vector<WaferFlow>> series;
  switch (type) {
    case CollectiveType::all_reduce:
    case CollectiveType::barrier:
      series.push_back({{group, group}});
      break;
    case CollectiveType::reduce:
      series.push_back({{group, {group[root]}}});
      break;
    case CollectiveType::broadcast:
      series.push_back({{{group[root]}, others(group, root)}});
      break;
    case CollectiveType::reduce_scatter:
      for (std::size_t i = 0; i < size; ++i) series.push_back({{group, {group[i]}}});
      break;
    case CollectiveType::all_gather:
      for (std::size_t i = 0; i < size; ++i) series.push_back({{{group[i]}, others(group, i)}});
      break;
    case CollectiveType::all_to_all:
      for (std::size_t distance = 1; distance < size; ++distance) {
        series.emplace_back();
        for (std::size_t i = 0; i < size; ++i)
          series.back().push_back({{group[i]}, {group[(i + distance) % size]}});
      }
      break;
    case CollectiveType::gather:
      for (const NpuId npu : others(group, root)) series.push_back({{{npu}, {group[root]}}});
      break;
    case CollectiveType::scatter:
      for (const NpuId npu : others(group, root)) series.push_back({{{group[root]}, {npu}}});
      break;
  }
  return series;
}

/// Which uplinks of every L1 switch are taken in one direction.
using Taken = std::vector<std::vector<bool>>;

/// The first uplink of `l1` from `wish` on that is free in all of `directions`; none if there is no such one.
std::optional<std::uint32_t> free_uplink(const std::vector<Taken*>& directions, std::uint32_t l1,
                                         std::uint32_t wish, const FredWaferShape& shape) {
  const std::uint32_t count = shape.uplinks_per_l2(), l2 = wish / count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t uplink = l2 * count + (wish + i) % count;
    if (std::none_of(directions.begin(), directions.end(),
                     [&](const Taken* direction) { return (*direction)[l1][uplink]; }))
      return uplink;
  }
  return std::nullopt;
}

struct Uplinks {
  std::uint32_t up = 0, down = 0;
};

/// Takes an uplink in the directions that are used, the same for both if one is free in both.
Uplinks take_uplinks(Taken* up, Taken* down, std::uint32_t l1, std::uint32_t wish,
                     const FredWaferShape& shape) {
  std::vector<Taken*> directions;
  for (Taken* direction : {up, down})
    if (direction) directions.push_back(direction);
  const auto common = free_uplink(directions, l1, wish, shape);
  Uplinks taken;
  const auto take = [&](Taken* direction, std::uint32_t& uplink) {
    if (!direction) return;
    const auto free = common ? common : free_uplink({direction}, l1, wish, shape);
    if (!free)
      throw std::invalid_argument(say("the ", shape.uplinks_per_l2(), " uplinks from L1[", l1, "] to L2[",
                                      wish / shape.uplinks_per_l2(), "] do not suffice for the flows"));
    uplink = *free;
    (*direction)[l1][uplink] = true;
  };
  take(up, taken.up);
  take(down, taken.down);
  return taken;
}

}  // namespace

std::vector<WaferStep> fred_steps(CollectiveType type, const std::vector<Group>& groups, std::uint32_t root) {
  std::vector<WaferStep> steps;
  for (const Group& group : groups) {
    if (group.size() < 2)
      throw std::invalid_argument(say("a group of ", group.size(), " has nothing to communicate"));
    if (root >= group.size())
      throw std::invalid_argument(say("root ", root, " of a group of ", group.size()));
    const auto series = series_of(type, group, root);
    steps.resize(std::max(steps.size(), series.size()));
    for (std::size_t j = 0; j < series.size(); ++j)
      steps[j].insert(steps[j].end(), series[j].begin(), series[j].end());
  }
  return steps;
}

FlowPath path_of(const WaferFlow& flow, const FredWaferShape& shape) {
  FlowPath path{l1_switches_of(flow.from, shape, "source"), l1_switches_of(flow.to, shape, "destination")};
  if (path.up == path.down && path.up.size() == 1) return {};
  if (path.up.size() == 1)
    erase(path.down, path.up.front());
  else if (path.down.size() == 1)
    erase(path.up, path.down.front());
  return path;
}

std::vector<SwitchFlows> switch_flows(const WaferStep& step, const std::vector<std::uint32_t>& wish,
                                      const FredWaferShape& shape) {
  std::vector<SwitchFlows> switches;
  for (std::uint32_t l1 = 0; l1 < shape.l1_switches; ++l1)
    switches.push_back({"L1[" + std::to_string(l1) + "]", 1, shape.l1_ports(l1), {}, {}});
  for (std::uint32_t l2 = 0; l2 < shape.l2_switches; ++l2)
    switches.push_back({"L2[" + std::to_string(l2) + "]", 2, shape.l2_ports(), {}, {}});
  const auto add = [&](std::uint32_t at, FredFlow flow, std::size_t wafer_flow) {
    switches[at].flows.push_back(std::move(flow));
    switches[at].wafer_flow.push_back(wafer_flow);
  };
  const auto below = [&](const std::vector<NpuId>& npus, std::uint32_t l1) {
    std::vector<std::uint32_t> ports;
    for (const NpuId npu : npus)
      if (shape.l1_of(npu) == l1) ports.push_back(shape.l1_port_of(npu));
    return ports;
  };
  Taken up(shape.l1_switches, std::vector<bool>(shape.uplinks)), down = up;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const WaferFlow& flow = step[i];
    const FlowPath path = path_of(flow, shape);
    FredFlow top;
    for (std::uint32_t l1 = 0; l1 < shape.l1_switches; ++l1) {
      const std::vector<std::uint32_t> from = below(flow.from, l1), to = below(flow.to, l1);
      const bool sends_up = contains(path.up, l1), comes_down = contains(path.down, l1);
      if (!sends_up && !comes_down) {
        if (!from.empty()) add(l1, {from, to}, i);
        continue;
      }
      const Uplinks uplinks =
          take_uplinks(sends_up ? &up : nullptr, comes_down ? &down : nullptr, l1, wish[i], shape);
      const auto l2_port = [&](std::uint32_t uplink) {
        return l1 * shape.uplinks_per_l2() + uplink % shape.uplinks_per_l2();
      };
      if (sends_up) {
        FredFlow rising{from, {shape.uplink_port(uplinks.up)}};
        if (!comes_down) rising.outputs.insert(rising.outputs.end(), to.begin(), to.end());
        add(l1, std::move(rising), i);
        top.inputs.push_back(l2_port(uplinks.up));
      }
      if (comes_down) {
        FredFlow falling{{shape.uplink_port(uplinks.down)}, to};
        if (!sends_up) falling.inputs.insert(falling.inputs.end(), from.begin(), from.end());
        add(l1, std::move(falling), i);
        top.outputs.push_back(l2_port(uplinks.down));
      }
    }
    if (!path.stays()) add(shape.l1_switches + wish[i] / shape.uplinks_per_l2(), std::move(top), i);
  }
  for (SwitchFlows& each : switches) each.flows = checked_flows(std::move(each.flows), each.ports);
  switches.erase(std::remove_if(switches.begin(), switches.end(),
                                [](const SwitchFlows& each) { return each.flows.empty(); }),
                 switches.end());
  return switches;
}

void FredWaferShape::check() const {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument("FRED wafer: " + message);
  };
  require(l1_switches >= 2, "two L1 switches or more, not " + std::to_string(l1_switches));
  require(npus_per_l1 >= 1, "an L1 switch has an NPU or more");
  require(std::uint64_t{l1_switches} * npus_per_l1 <= 65536, "at most 65536 NPUs");
  require(uplinks >= 1 && l2_switches >= 1 && planes >= 1, "one uplink, L2 switch and plane or more");
  require(uplinks % l2_switches == 0, std::to_string(uplinks) + " uplinks cannot be shared equally by " +
                                          std::to_string(l2_switches) + " L2 switches");
  require(uplinks <= 4096, "at most 4096 uplinks");
  require(io_per_l1.empty() || io_per_l1.size() == l1_switches,
          "I/O controllers are given for " + std::to_string(io_per_l1.size()) +
              " L1 switches and there are " + std::to_string(l1_switches) + "; list one number for each");
}

}  // namespace wafertlm
