// SPDX-License-Identifier: Apache-2.0
// What CutThroughSwitch keeps, as counters and for acceleration.
#include <algorithm>

#include "tlm/link/cut_through.h"

namespace wafertlm {

OutputCounters CutThroughSwitch::counters(PortId port) const {
  const Output& output = outputs_[index_of(port)];
  const cut_through::PortWaits& waits = waits_[index_of(port)];
  OutputCounters counters;
  counters.credit_blocked_ps = waits.credit_blocked_ps;
  counters.queue_wait_ps = waits.queue_wait_ps;
  counters.credit_wait_ps = waits.credit_wait_ps;
  counters.down_wait_ps = waits.down_wait_ps;
  for (std::size_t c = 0; c < kMaxClasses; ++c) {
    counters.contention_wait_ps[c] = waits.of_class[c].contention_wait_ps;
    counters.longest_wait_ps[c] = waits.of_class[c].longest_wait_ps;
  }
  // What is counted only when the line pauses.
  const TimePs busy_until = output.line.is_held() ? 0 : output.line.free_ps();
  for (std::size_t i = 0; i < std::size_t{vcs_} * inputs_; ++i) {
    const Queue& waiting = output.queues[i];
    if (!waiting.head || (!per_output_ && waiting.head->output != port)) continue;
    counters.contention_wait_ps[index_of(output.current_class)] +=
        busy_until - std::min(busy_until, waiting.eligible_ps);
  }
  counters.packets = output.packets;
  counters.payload_bytes = output.payload_bytes;
  counters.wire_bytes = output.wire_bytes;
  return counters;
}

std::uint64_t CutThroughSwitch::queued() const {
  std::uint64_t packets = 0;
  for (const Queue& queue : all_queues_)
    for (const Packet* packet = queue.head; packet; packet = packet->next) ++packets;
  return packets;
}

std::uint64_t CutThroughSwitch::outstanding_credits() const {
  std::uint64_t bytes = 0;
  for (const Channel& to : channels_) bytes += to.credits.outstanding();
  return bytes;
}

void CutThroughSwitch::list_state(PortId port, StateVisitor& state) {
  if (!per_output_ || !takes_repeats_ || input_start_ps_ != 0) return state.give_up();
  Output& output = outputs_[index_of(port)];
  const std::uint64_t wire_bytes = output.wire_bytes;
  const bool is_busy = Output::list_state(output, state);
  if (is_observed_ && output.wire_bytes != wire_bytes) tell_of_repeats(output, wire_bytes, state);
  if (other_)
    other_->list_state(output, state);
  else
    round_robin_.list_state(output, state);
  for (std::size_t vc = 0; vc < vcs_ && !state.gives_up(); ++vc) {
    Channel::list_state(output.channels[vc], state);
    const bool has_requests = (output.requesting_vcs >> vc & 1) != 0;
    if (!has_requests && !is_busy) continue;
    for (std::size_t input = 0; input < inputs_; ++input) {
      Queue& from = queue(output, vc, input);
      if (state.one_of_many(input, from.head || from.free_ps > state.now())) Queue::list_state(from, state);
    }
  }
  cut_through::PortWaits::list_state(waits_[output.port], classes_.size(), state);
}

/// @param before wire bytes of the output before it was moved on or back
void CutThroughSwitch::tell_of_repeats(const Output& output, std::uint64_t before,
                                       const StateVisitor& state) {
  const StateVisitor::Repeats repeats = state.repeats();
  if (repeats.periods == 0) return;  // counts of an episode, which its observer knows
  const auto bytes = static_cast<double>(static_cast<std::int64_t>(output.wire_bytes - before));
  observer_->repeated(observed_, PortId{output.port},
                      {state.now(), repeats.period_ps, repeats.periods,
                       bytes * kPsPerSecond / static_cast<double>(output.line.bytes_per_s())});
}

void CutThroughSwitch::ask_again(PortId port) {
  if (has_trains_) return request_train(outputs_[index_of(port)]);
  const TimePs at = outputs_[index_of(port)].wake.at_ps();
  if (at != kNever) host_.request_wake(port, at);
}

}  // namespace wafertlm
