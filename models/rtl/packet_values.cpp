// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/packet_values.h"

#include <algorithm>

namespace wafertlm {

void RtlPacketValues::arrive(const RtlEvent& event) {
  const bool is_message = RtlEntry::is_message(event.flow);
  const RtlEntry* const entry = is_message ? nullptr : &entries_.at(event.flow);
  Sum& sum = sums_[{event.flow, event.sequence}];
  if (sum.values.empty()) {
    sum.inputs_due = entry ? entry->inputs.size() : 1;
    sum.outputs_due = entry ? entry->outputs.size() : 1;
    sum.values.resize(sum.inputs_due);
    sum.bytes = event.bytes;
  }
  sum.arrival_ps = std::max(sum.arrival_ps, event.head_ps);
  --sum.inputs_due;
  const auto input =
      entry ? std::find(entry->inputs.begin(), entry->inputs.end(), event.port) - entry->inputs.begin() : 0;
  sum.values.at(static_cast<std::size_t>(input)) =
      event.data.empty() ? made_up_data(entry ? entry->data_type : DataType::int32, event.flow,
                                        event.sequence, event.port, event.bytes)
                         : event.data;
}

void RtlPacketValues::add(const RtlEntry& entry, Sum& sum) const {
  const std::size_t unit = bytes_of(entry.data_type);
  for (auto& each : sum.values) each.resize((each.size() + unit - 1) / unit * unit);
  for (const Addition& addition : entry.order)
    add_values(entry.data_type, sum.values[addition.into].data(), sum.values[addition.from].data(),
               sum.values[addition.into].size());
  const std::size_t result = entry.order.empty() ? 0 : entry.order.back().into;
  if (result != 0) std::swap(sum.values[0], sum.values[result]);
  sum.values.resize(1);
}

std::optional<RtlPacketValues::Result> RtlPacketValues::leave(std::uint32_t flow, std::uint64_t sequence) {
  const auto found = sums_.find({flow, sequence});
  if (found == sums_.end() || found->second.inputs_due != 0) return std::nullopt;
  Sum& sum = found->second;
  if (!std::exchange(sum.is_added, true) && !RtlEntry::is_message(flow)) add(entries_.at(flow), sum);
  Result result{sum.arrival_ps, sum.values[0]};
  result.data.resize(sum.bytes);
  if (--sum.outputs_due == 0) sums_.erase(found);
  return result;
}

}  // namespace wafertlm
