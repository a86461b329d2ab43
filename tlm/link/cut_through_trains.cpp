// SPDX-License-Identifier: Apache-2.0
// Neighbours of CutThroughSwitch, and trains; see cut_through_trains.h.
#include "tlm/link/cut_through_trains.h"

#include <algorithm>

#include "tlm/link/cut_through.h"

namespace wafertlm {

void CutThroughSwitch::lead_to(PortId output, SwitchCore& next, PortId input, bool gives_back) {
  auto* const core = dynamic_cast<CutThroughSwitch*>(&next);
  if (!core) return;
  behind_[index_of(output)].core = core;
  behind_[index_of(output)].input = input;
  if (gives_back) core->before_[index_of(input)] = {this, output};
}

void CutThroughSwitch::lead_to(PortId output, PacketSink& sink) {
  behind_[index_of(output)].sink = &sink;
  behind_[index_of(output)].credit_delay_ps = sink.credit_delay_ps();
}

bool CutThroughSwitch::form_trains() {
  if (!per_output_ || is_observed_ || input_start_ps_ != 0 || other_) return false;
  // With a choice of channels a packet that waits for one does not look at what another one is promised.
  for (std::size_t c = 0; c < classes_.size(); ++c)
    if (classes_.channels_of(static_cast<ClassId>(c), false).count != 1) return false;
  TimePs credit_delay_ps = kNever;
  for (std::size_t input = 0; input < inputs_; ++input)
    credit_delay_ps = std::min(credit_delay_ps, queues_[input].credit_delay_ps);
  for (std::size_t i = 0; i < all_outputs_.size(); ++i) {
    cut_through::Behind& behind = behind_[i];
    TimePs known_ps = 0;  // from a start until somebody else may look at what comes of it
    if (behind.sink) known_ps = credit_delay_ps;
    if (behind.core) known_ps = std::min(credit_delay_ps, outputs_[i].latency_ps + behind.core->pipeline_ps_);
    behind.lookahead_ps = known_ps == 0 ? 0 : known_ps - 1;
    has_trains_ = has_trains_ || behind.lookahead_ps != 0;
  }
  return has_trains_;
}

void CutThroughSwitch::settle(TimePs now) {
  if (!has_trains_) return;
  for (Output& output : all_outputs_)
    if (output.wake.at_ps() <= now) send_train(output, now);
}

void CutThroughSwitch::ask_for_train(Output& output, TimePs at) {
  if (output.wake.ask_for_late(at) && leaving_ != &output) request_train(output);
}

/// Sees to it that a wake-up comes in time.
void CutThroughSwitch::request_train(Output& output) {
  const TimePs at = output.wake.at_ps();
  if (output.wake.due_ps() <= at || at == kNever) return;
  const cut_through::Behind& behind = behind_[output.port];
  const TimePs by = std::min(at + behind.lookahead_ps, std::max(at, behind.first_end_ps));
  if (output.wake.due_ps() <= by && host_.may_be_late()) return;
  output.wake.set_due_ps(host_.request_late_wake(PortId{output.port}, at, by));
}

}  // namespace wafertlm
