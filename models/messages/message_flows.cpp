// SPDX-License-Identifier: Apache-2.0
#include "models/messages/message_flows.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/packets/npu_name.h"

namespace wafertlm {

NpuId MessageFlows::enter(const FlowKey& key, NpuId contributor, const StepSource& program,
                          const Group& group, DataType type) {
  const auto [found, is_new] = flows_.try_emplace(key);
  Open& open = found->second;
  if (is_new) {
    const FlowMembers members = program.flow(key.number);
    for (const std::uint32_t member : members.receivers) open.receivers.push_back(group[member]);
    open.missing = members.contributors.size();
    open.type = type;
    const NpuId one = open.receivers.front();
    open.members = {one, one};
    for (const auto* const list : {&members.receivers, &members.contributors})
      for (const std::uint32_t member : *list)
        if (group[member] != one) open.members.second = group[member];
  }
  const NpuId other = open.members.first != contributor ? open.members.first : open.members.second;
  if (other == contributor) throw std::logic_error(npu_name(contributor) + " is alone in an in-network flow");
  return other;
}

std::optional<MessageFlows::Sum> MessageFlows::add(const MessageRecord& message, MessageWay& way,
                                                   TimePs now) {
  const FlowKey key{message.key.operation, message.key.tag};
  const auto found = flows_.find(key);
  Open& open = found->second;
  if (open.vertex == kNoVertex) open.vertex = way.vertex;
  if (open.vertex != way.vertex)
    throw std::logic_error("in-network flow " + std::to_string(key.number) + " of collective " +
                           std::to_string(key.operation) + ": " + npu_name(message.key.source) +
                           " is at another switch than the other contributors");
  open.tail_ps = std::max(open.tail_ps, way.tail_ps);
  open.first_input = std::min(open.first_input, {message.key.source, way.input});
  if (way.data) open.data[message.key.source] = std::move(way.data);
  if (--open.missing != 0) return std::nullopt;

  Sum sum;
  sum.receivers = std::move(open.receivers);
  sum.tail_ps = open.tail_ps;
  sum.head_fraction = way.ready_ps == now ? way.head_fraction : 0;
  sum.input = open.first_input.second;
  for (auto& [npu, values] : open.data) {
    if (sum.data)
      add_values(open.type, sum.data->data(), values->data(), values->size());
    else
      sum.data = std::move(values);
  }
  flows_.erase(found);
  return sum;
}

}  // namespace wafertlm
