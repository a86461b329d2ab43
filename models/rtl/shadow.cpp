// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/shadow.h"

#include <utility>

namespace wafertlm {

RtlShadow::RtlShadow(const RtlDesign& design, RtlModel& model, RtlBenchParams params,
                     RtlScoreboardOptions options)
    : bench_(design, model, std::move(params), *this), board_(std::move(options)) {}

void RtlShadow::apply(const RtlEvent& event) {
  bench_.advance(event.now_ps);
  if (event.kind == RtlEvent::Kind::open) values_.open(event.entry);
  if (event.kind == RtlEvent::Kind::arrive) values_.arrive(event);
  if (event.kind == RtlEvent::Kind::leave) expect(event);
  bench_.apply(event);
}

void RtlShadow::expect(const RtlEvent& event) {
  auto expected = values_.leave(event.flow, event.sequence);
  if (!expected) return;
  // What the model itself carries counts; without values, what it would.
  if (!event.data.empty()) expected->data = event.data;
  expected->data.resize(event.bytes);
  board_.expect({event.flow, event.sequence, event.port, expected->arrival_ps, event.head_ps, event.tail_ps,
                 event.bytes, std::move(expected->data)});
}

void RtlShadow::finish() {
  while (bench_.next_wake_ps() != kNever) bench_.wake();
  board_.finish();
}

}  // namespace wafertlm
