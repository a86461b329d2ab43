// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/entries.h"

#include <set>
#include <stdexcept>
#include <string>

namespace wafertlm {

RtlEntry RtlEntries::open(const Flow& flow, const FlowBranch& branch, std::uint32_t channel,
                          std::uint32_t priority) {
  RtlEntry made;
  if (next_.size() < max_branches_) {
    made.number = static_cast<std::uint32_t>(next_.size());
    first_.push_back(0);
    next_.push_back(0);
  } else if (!free_.empty()) {
    made.number = free_.front();
    free_.pop_front();
  } else {
    throw std::runtime_error("more branches of in-network flows at a switch at the same time than the " +
                             std::to_string(max_branches_) +
                             " that its RTL has entries for (parameter FLOWS)");
  }
  made.channel = channel;
  made.priority = priority;
  made.data_type = flow.data_type;
  made.order = branch.order;
  made.packets = branch.share.packets(flow.packets);
  made.first = first_[made.number] = next_[made.number];
  next_[made.number] += made.packets;
  if (branch.from_above) made.from_above = 1 + static_cast<std::uint32_t>(*branch.from_above);
  const OpenBranch open{made.number, branch.share};
  for (const PortId port : branch.inputs) {
    made.inputs.push_back(static_cast<std::uint32_t>(port));
    inputs_[{&flow, branch.share.first, made.inputs.back()}] = open;
  }
  for (const PortId port : branch.outputs) {
    made.outputs.push_back(static_cast<std::uint32_t>(port));
    outputs_[{&flow, branch.share.first, made.outputs.back()}] = open;
  }
  return made;
}

void RtlEntries::close(const Flow& flow) {
  std::set<std::uint32_t> closed;
  for (auto* const branches : {&inputs_, &outputs_})
    for (auto place = branches->lower_bound({&flow, 0, 0});
         place != branches->end() && std::get<0>(place->first) == &flow;) {
      closed.insert(place->second.entry);
      place = branches->erase(place);
    }
  free_.insert(free_.end(), closed.begin(), closed.end());
}

RtlEntries::Number RtlEntries::find(const std::map<PortKey, OpenBranch>& branches, const Flow& flow,
                                    std::uint64_t sequence, std::uint32_t port) const {
  const auto found = branches.find({&flow, flow.stripe_of(sequence), port});
  if (found == branches.end()) throw std::logic_error("a packet of a flow that has no branch at this port");
  const OpenBranch& branch = found->second;
  return {branch.entry, first_[branch.entry] + branch.share.position(sequence)};
}

}  // namespace wafertlm
