// SPDX-License-Identifier: Apache-2.0
// What FlowAdmission says in words: names of flows, conflicts, who waits for whom.
#include <algorithm>

#include "models/fred/flows/flow_request.h"
#include "tlm/checking.h"

namespace wafertlm {

std::string FlowAdmission::name(const Request& request) const {
  return say("in-network flow ", request.key.number, " of collective ", request.key.operation, " (class ",
             classes_[request.traffic_class].name, ", ", request.contributors.size(), " to ",
             request.receivers.size(), " NPUs)");
}

std::string FlowAdmission::name(const FlowKey& key) const {
  for (const auto& request : active_)
    if (request->key == key) return name(*request);
  return say("in-network flow ", key.number, " of collective ", key.operation);
}

std::string FlowAdmission::refusal(const Request& request, const FlowRouteConflict& conflict) const {
  std::string others;
  for (const FlowKey& key : conflict.beside) others += (others.empty() ? "" : ", ") + name(key);
  const std::string place = conflict.at < fabric_.switch_names.size() ? fabric_.switch_names[conflict.at]
                                                                      : say("switch ", conflict.at);
  return say(name(request), " cannot be routed through ", place, " beside ", others, " (", conflict.reason,
             "): raise middle_switches, or let flow_conflict be block or decompose");
}

/// A flow waits for another one if a packet of it has not come to an input whose buffer the other one's
/// packets fill. Follows these until one comes again.
std::vector<std::string> FlowAdmission::cycle() const {
  std::map<FlowKey, std::map<FlowKey, std::string>> waits_for;
  for (const auto& request : active_)
    for (std::size_t at = 0; request->flow && at < fabric_.units.size(); ++at)
      for (const PortId input : fabric_.units[at]->missing_inputs(*request->flow))
        for (const FlowKey& other : fabric_.units[at]->flows_at(input))
          if (!(other == request->key))
            waits_for[request->key].emplace(other, say("input ", index_of(input), " of switch ", at));
  for (const auto& start : waits_for) {
    std::vector<FlowKey> way{start.first};
    while (true) {
      const auto next = waits_for.find(way.back());
      if (next == waits_for.end()) break;
      const FlowKey to = next->second.begin()->first;
      const auto again = std::find(way.begin(), way.end(), to);
      if (again == way.end()) {
        way.push_back(to);
        continue;
      }
      std::string text = "cycle of waiting:";
      for (auto flow = again; flow != way.end(); ++flow) {
        const FlowKey& holder = flow + 1 == way.end() ? *again : flow[1];
        text += say(flow == again ? " flow " : "; flow ", flow->number, " of collective ", flow->operation,
                    " waits for room at ", waits_for[*flow].at(holder), ", which flow ", holder.number,
                    " of collective ", holder.operation, " fills");
      }
      return {text};
    }
  }
  return {};
}

std::vector<std::string> FlowAdmission::pending() const {
  std::vector<std::string> lines = cycle();
  for (const auto& [key, request] : gathering_) {
    std::string text = name(*request) + " waits for";
    for (const NpuId npu : request->contributors)
      if (std::none_of(request->entered.begin(), request->entered.end(),
                       [&](const Request::Party& party) { return party.npu == npu; }))
        text += say(" NPU ", index_of(npu));
    lines.push_back(text + " to enter");
  }
  for (const auto& [operation, asked] : asking_) {
    if (asked->decided) continue;
    std::string text = say("collective ", operation, " waits for the NPUs that begin it:");
    for (const NpuId npu : asked->contributors)
      if (std::none_of(asked->entered.begin(), asked->entered.end(),
                       [&](const Request::Party& party) { return party.npu == npu; }))
        text += say(" ", index_of(npu));
    lines.push_back(text);
  }
  for (const auto& request : ready_) lines.push_back(name(*request) + " waits for room or a route");
  for (std::size_t at = 0; at < fabric_.units.size(); ++at)
    for (std::string& line : fabric_.units[at]->pending(say("switch ", at))) lines.push_back(std::move(line));
  return lines;
}

}  // namespace wafertlm
