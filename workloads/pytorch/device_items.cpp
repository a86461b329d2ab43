// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "workloads/pytorch/graph_draft.h"

namespace wafertlm::pytorch {
namespace {

/// The streams' items, and the calls that launched them.
class DeviceItems {
 public:
  explicit DeviceItems(Draft& draft)
      : draft_(draft), summary_(draft.graph.summary), used_(draft.timeline.communications.size()) {}

  void add() {
    draft_.first_device_item = static_cast<std::uint32_t>(draft_.graph.items.size());
    draft_.issued.resize(draft_.timeline.streams.size());
    for (std::size_t i = 1; i < draft_.launches.size(); ++i)
      if (draft_.launches[i].correlation == draft_.launches[i - 1].correlation) ++summary_.repeated_launches;
    for (DeviceEvent& event : draft_.timeline.device) take(event);
    for (auto& stream : draft_.issued) std::stable_sort(stream.begin(), stream.end());
  }

 private:
  /// A stream, or what of it runs beside it (kernels of a CUDA graph).
  struct Lane {
    std::uint16_t unit;
    std::uint32_t last;
  };

  void take(const DeviceEvent& event) {
    Item item;
    item.start_ns = event.start_ns;
    item.end_ns = event.end_ns;
    item.name = event.name;
    item.on_device = true;
    const std::uint32_t launch = launch_of(event);
    item.communication = communication_of(event, launch);
    Lane& lane = lane_of(event);
    item.unit = lane.unit;
    item.before = lane.last;
    const std::uint32_t index = draft_.add(item);
    lane.last = index;
    draft_.launched_by.push_back(launch);
    if (event.correlation != 0) draft_.issued[event.stream].push_back({event.correlation, index});
    ++(event.bytes != 0 ? summary_.copies : summary_.kernels);
    if (launch == Item::kNone) {
      if (event.correlation != 0 && event.correlation < draft_.first_correlation)
        ++summary_.launched_before;
      else
        ++summary_.not_launched[draft_.timeline.names[event.name]];
      return;
    }
    ++summary_.launched;
    follow(draft_.launches[launch].item, index);
  }

  /// After the call; if it began while the call was under way, after what was before the call.
  void follow(std::uint32_t call, std::uint32_t index) {
    const Item& launching = draft_.graph.items[call];
    if (draft_.graph.items[index].start_ns >= launching.end_ns)
      draft_.add_edge(call, index);
    else if (launching.before != Item::kNone)
      draft_.add_edge(launching.before, index);
  }

  /// Of calls with one correlation the last that began before the event.
  std::uint32_t launch_of(const DeviceEvent& event) const {
    if (event.correlation == 0) return Item::kNone;
    const auto& all = draft_.launches;
    const auto first = std::lower_bound(
        all.begin(), all.end(), event.correlation,
        [](const LaunchCall& call, std::uint32_t correlation) { return call.correlation < correlation; });
    std::uint32_t found = Item::kNone;
    for (auto call = first; call != all.end() && call->correlation == event.correlation; ++call)
      if (found == Item::kNone || draft_.graph.items[call->item].start_ns <= event.start_ns)
        found = static_cast<std::uint32_t>(call - all.begin());
    return found;
  }

  std::uint32_t communication_of(const DeviceEvent& event, std::uint32_t launch) {
    const auto usable = [this](std::uint32_t number) {
      return number != 0 && !used_[number - 1] &&
             communication_kind(draft_.timeline.communications[number - 1].name);
    };
    std::uint32_t found = usable(event.communication) ? event.communication : 0;
    if (!is_communication_kernel(draft_.timeline.names[event.name]) && found == 0) return 0;
    if (launch != Item::kNone) {
      // The operator's tensors say more than the kernel's arguments.
      const LaunchCall& call = draft_.launches[launch];
      if (usable(call.around))
        found = call.around;
      else if (found == 0 && call.around == 0 && usable(call.last))
        found = call.last;
    }
    if (found == 0) {
      ++summary_.unknown_kernels[draft_.timeline.names[event.name]];
      return 0;
    }
    used_[found - 1] = true;
    const auto kind = communication_kind(draft_.timeline.communications[found - 1].name);
    ++(kind->type == chakra::NodeType::CommColl ? summary_.collectives : summary_.messages);
    return found;
  }

  Lane& lane_of(const DeviceEvent& event) {
    auto& lanes = lanes_[event.stream];
    for (Lane& lane : lanes) {
      Item& last = draft_.graph.items[lane.last];
      if (last.end_ns <= event.start_ns) return lane;
      if (last.end_ns - event.start_ns > draft_.timeline.resolution_ns || last.start_ns > event.start_ns)
        continue;
      ++summary_.shortened;
      last.end_ns = event.start_ns;
      return lane;
    }
    std::string name = draft_.timeline.streams[event.stream];
    if (!lanes.empty()) name += " lane " + std::to_string(lanes.size() + 1);
    draft_.graph.units.push_back(std::move(name));
    lanes.push_back({static_cast<std::uint16_t>(draft_.graph.units.size()), Item::kNone});
    return lanes.back();
  }

  Draft& draft_;
  GraphSummary& summary_;
  std::vector<bool> used_;  // communications
  std::map<std::uint16_t, std::vector<Lane>> lanes_;
};

}  // namespace

std::optional<std::uint32_t> Draft::last_before(std::uint16_t stream, std::uint32_t correlation) const {
  const auto& all = issued[stream];
  const auto behind = std::lower_bound(all.begin(), all.end(), Issued{correlation, 0});
  if (behind == all.begin()) return std::nullopt;
  return std::prev(behind)->item;
}

void add_device_items(Draft& draft) { DeviceItems(draft).add(); }

}  // namespace wafertlm::pytorch
