// SPDX-License-Identifier: Apache-2.0
#include "tlm/rtl/shadow.h"

#include <algorithm>
#include <utility>

namespace wafertlm {

RtlShadow::RtlShadow(const RtlDesign& design, RtlModel& model, RtlBenchParams params,
                     RtlScoreboardOptions options)
    : bench_(design, model, std::move(params), *this), board_(std::move(options)) {}

void RtlShadow::apply(const RtlEvent& event) {
  bench_.advance(event.now_ps);
  if (event.kind == RtlEvent::Kind::open) entries_[event.entry.number] = event.entry;
  if (event.kind == RtlEvent::Kind::arrive) take_in(event);
  if (event.kind == RtlEvent::Kind::leave) expect(event);
  bench_.apply(event);
}

void RtlShadow::take_in(const RtlEvent& event) {
  static const RtlEntry message = {0, 0, 0, 0, 0, 0, {0}, {0}, {}, DataType::int32};
  const bool is_message = RtlEntry::is_message(event.flow);
  const RtlEntry& entry = is_message ? message : entries_.at(event.flow);
  Sum& sum = sums_[{event.flow, event.sequence}];
  if (sum.values.empty()) {
    sum.values.resize(entry.inputs.size());
    sum.outputs_due = entry.outputs.size();
  }
  sum.arrival_ps = std::max(sum.arrival_ps, event.head_ps);
  const auto input =
      is_message ? 0 : std::find(entry.inputs.begin(), entry.inputs.end(), event.port) - entry.inputs.begin();
  sum.values.at(static_cast<std::size_t>(input)) =
      event.data.empty() ? made_up_data(entry.data_type, event.flow, event.sequence, event.port, event.bytes)
                         : event.data;
}

void RtlShadow::expect(const RtlEvent& event) {
  const auto found = sums_.find({event.flow, event.sequence});
  if (found == sums_.end()) return;
  Sum& sum = found->second;
  if (!sum.is_added && !RtlEntry::is_message(event.flow)) {
    const RtlEntry& entry = entries_.at(event.flow);
    sum.is_added = true;
    const std::size_t unit = bytes_of(entry.data_type);
    for (auto& each : sum.values) each.resize((each.size() + unit - 1) / unit * unit);
    for (const Addition& addition : entry.order)
      add_values(entry.data_type, sum.values[addition.into].data(), sum.values[addition.from].data(),
                 sum.values[addition.into].size());
    const std::size_t result = entry.order.empty() ? 0 : entry.order.back().into;
    if (result != 0) std::swap(sum.values[0], sum.values[result]);
    sum.values.resize(1);
  }
  RtlTransaction out{event.flow, event.sequence, event.port, sum.arrival_ps, event.head_ps, event.bytes};
  // What the model itself carries counts; without values, what it would.
  out.data = event.data.empty() ? sum.values[0] : event.data;
  out.data.resize(event.bytes);
  board_.expect(std::move(out));
  if (--sum.outputs_due == 0) sums_.erase(found);
}

void RtlShadow::finish() {
  while (bench_.next_wake_ps() != kNever) bench_.wake();
  board_.finish();
}

}  // namespace wafertlm
