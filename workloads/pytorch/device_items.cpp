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
      : draft_(draft),
        summary_(draft.graph.summary),
        kernels_(draft.timeline.communications.size(), Item::kNone),
        has_named_(draft.timeline.communications.size()) {}

  void add() {
    draft_.first_device_item = static_cast<std::uint32_t>(draft_.graph.items.size());
    draft_.issued.resize(draft_.timeline.streams.size());
    for (std::size_t i = 1; i < draft_.launches.size(); ++i)
      if (draft_.launches[i].correlation == draft_.launches[i - 1].correlation) ++summary_.repeated_launches;
    for (const DeviceEvent& event : draft_.timeline.device) note_named(event);
    for (const DeviceEvent& event : draft_.timeline.device) take(event);
    for (auto& stream : draft_.issued) std::stable_sort(stream.begin(), stream.end());
    count_communications();
  }

 private:
  /// A stream, or what of it runs beside it (kernels of a CUDA graph).
  struct Lane {
    std::uint16_t unit;
    std::uint32_t last;
  };

  void take(const DeviceEvent& event) {
    const std::uint32_t launch = launch_of(event);
    ++(event.bytes != 0 ? summary_.copies : summary_.kernels);
    count_launch(event, launch);
    const bool communicates = is_communication(event, launch);
    const std::uint32_t communication = communicates ? communication_of(event, launch) : 0;
    if (communicates && communication == 0) {  // never computation
      count(summary_.unknown_kernels, name_of_unknown(event));
      summary_.events.leave_out("kernel of a communication whose size is not told");
      return;
    }
    if (event.communication != 0 && event.communication != communication)
      draft_.timeline.communications[event.communication - 1].is_said_too = true;
    ++summary_.events.used;
    Lane& lane = lane_of(event);
    if (communication != 0 && kernels_[communication - 1] != Item::kNone) {
      lengthen(kernels_[communication - 1], event);
      return;
    }
    Item item;
    item.start_ns = event.start_ns;
    item.end_ns = event.end_ns;
    item.name = event.name;
    item.on_device = true;
    item.communication = communication;
    item.unit = lane.unit;
    item.before = lane.last;
    const std::uint32_t index = draft_.add(item);
    lane.last = index;
    draft_.launched_by.push_back(launch);
    issue(event, index);
    if (launch != Item::kNone) follow(draft_.launches[launch].item, index);
    if (communication == 0) return;
    kernels_[communication - 1] = index;
    const auto kind = communication_kind(draft_.timeline.communications[communication - 1].name);
    ++(kind->type == chakra::NodeType::CommColl ? summary_.collectives : summary_.messages);
  }

  void count_launch(const DeviceEvent& event, std::uint32_t launch) {
    Tally& account = summary_.launches;
    ++account.given;
    if (launch != Item::kNone) {
      ++account.used;
    } else if (event.correlation != 0 && event.correlation < draft_.first_correlation &&
               draft_.first_correlation != Item::kNone) {
      account.leave_out(kLaunchedBefore);
    } else {
      account.refuse(event.correlation == 0 ? "no correlation" : "no call of that correlation");
      count(summary_.not_launched, draft_.timeline.names[event.name]);
    }
  }

  std::string name_of_unknown(const DeviceEvent& event) const {
    const std::string& name = draft_.timeline.names[event.name];
    if (event.communication == 0) return name;
    const auto& type = draft_.timeline.communications[event.communication - 1].unknown_type;
    return type ? name + " of data type \"" + *type + "\"" : name;
  }

  void count_communications() {
    Tally& account = summary_.communications;
    const auto& all = draft_.timeline.communications;
    account.given = all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (kernels_[i] != Item::kNone)
        ++account.used;
      else if (all[i].is_said_too)
        account.leave_out("another event says the same");
      else if (!communication_kind(all[i].name))
        account.leave_out("it moves no data");
      else
        account.leave_out("no kernel did it");
    }
  }

  void issue(const DeviceEvent& event, std::uint32_t item) {
    if (event.correlation != 0) draft_.issued[event.stream].push_back({event.correlation, item});
  }

  /// A further kernel of one communication.
  void lengthen(std::uint32_t kernel, const DeviceEvent& event) {
    Item& item = draft_.graph.items[kernel];
    item.end_ns = std::max(item.end_ns, event.end_ns);
    issue(event, kernel);
    ++summary_.further_kernels;
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

  bool is_named(const DeviceEvent& event) const {
    return has_kind(event.communication) || communication_library(draft_.timeline.names[event.name]);
  }
  void note_named(const DeviceEvent& event) {
    if (!is_named(event)) return;
    const std::uint32_t launch = launch_of(event);
    const std::uint32_t around = launch == Item::kNone ? 0 : draft_.launches[launch].around;
    if (around != 0) has_named_[around - 1] = true;
  }
  bool has_kind(std::uint32_t number) const {
    return number != 0 && communication_kind(draft_.timeline.communications[number - 1].name);
  }
  bool is_told(std::uint32_t number) const {
    return has_kind(number) && draft_.timeline.communications[number - 1].has_size;
  }
  bool is_usable(std::uint32_t number) const {
    return is_told(number) && kernels_[number - 1] == Item::kNone;
  }

  /// By its arguments or its name, or because what the host called a communication launched it itself, and no
  /// kernel that is known by name.
  bool is_communication(const DeviceEvent& event, std::uint32_t launch) const {
    if (is_named(event)) return true;
    if (event.bytes != 0 || launch == Item::kNone) return false;
    const LaunchCall& call = draft_.launches[launch];
    return call.is_direct && has_kind(call.around) && !has_named_[call.around - 1];
  }

  /// 0: nothing says what it moves.
  std::uint32_t communication_of(const DeviceEvent& event, std::uint32_t launch) const {
    if (launch != Item::kNone) {
      // The operator's tensors say more than the kernel's arguments.
      const LaunchCall& call = draft_.launches[launch];
      if (is_usable(call.around)) return call.around;
      if (is_usable(event.communication)) return event.communication;
      if (call.around == 0 && is_usable(call.last)) return call.last;
      if (is_told(call.around) && is_next_kernel(call.around, event)) return call.around;
    }
    return is_usable(event.communication) ? event.communication : 0;
  }
  /// Whether the event follows the communication's last kernel on the same stream.
  bool is_next_kernel(std::uint32_t communication, const DeviceEvent& event) const {
    const auto lanes = lanes_.find(event.stream);
    if (lanes == lanes_.end() || lanes->second.empty()) return false;
    const std::uint32_t last = lanes->second.front().last;
    return last == kernels_[communication - 1] && draft_.graph.items[last].end_ns <= event.start_ns;
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
  std::vector<std::uint32_t> kernels_;  // items, by communication
  std::vector<bool> has_named_;         // likewise: a kernel that is known by name
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
