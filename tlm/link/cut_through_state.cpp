// SPDX-License-Identifier: Apache-2.0
// What CutThroughSwitch keeps, as counters and for acceleration.
#include <algorithm>

#include "tlm/link/cut_through.h"
#include "tlm/link/packet_state.h"

namespace wafertlm {

OutputCounters CutThroughSwitch::counters(PortId port) const {
  const Output& output = outputs_[index_of(port)];
  const PortWaits& waits = waits_[index_of(port)];
  OutputCounters counters;
  counters.credit_blocked_ps = waits.credit_blocked_ps;
  counters.queue_wait_ps = waits.queue_wait_ps;
  counters.credit_wait_ps = waits.credit_wait_ps;
  for (std::size_t c = 0; c < kMaxClasses; ++c) {
    counters.contention_wait_ps[c] = waits.of_class[c].contention_wait_ps;
    counters.longest_wait_ps[c] = waits.of_class[c].longest_wait_ps;
  }
  // What is counted only when the line pauses.
  for (std::size_t i = 0; i < std::size_t{vcs_} * inputs_; ++i) {
    const Queue& waiting = output.queues[i];
    if (!waiting.head || (!per_output_ && waiting.head->output != port)) continue;
    counters.contention_wait_ps[index_of(output.current_class)] +=
        output.line.free_ps() - std::min(output.line.free_ps(), waiting.eligible_ps);
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

void CutThroughSwitch::list_packets(Queue& queue, StateVisitor& state) {
  state.moment(queue.free_ps);
  state.moment(queue.eligible_ps);
  state.value(queue.contention_ps);
  state.value(queue.class_contention_ps << 8 | index_of(queue.contended_class));
  for (Packet* packet = queue.head; packet; packet = packet->next) list_packet(*packet, state);
}

void CutThroughSwitch::list_state(PortId port, StateVisitor& state) {
  if (!per_output_ || is_observed_ || input_start_ps_ != 0) return state.give_up();
  Output& output = outputs_[index_of(port)];
  state.value(std::uint64_t{output.requesting_vcs} << 8 | index_of(output.current_class));
  output.wake.list_state(state);
  const bool is_busy = output.line.free_ps() > state.now();
  output.line.list_state(state, output.requesting_vcs != 0);
  const std::size_t groups = classes_.service_order().size();
  for (std::size_t g = 0; g < groups; ++g)
    if (classes_.service_order()[g].size > 1) state.value(next_vc_[output.port * groups + g]);
  for (std::size_t vc = 0; vc < vcs_ && !state.gives_up(); ++vc) {
    Channel& channel = output.channels[vc];
    state.value(std::uint64_t{channel.next_input} << 32 | channel.needed);
    channel.credits.list_state(state);
    const bool has_requests = (output.requesting_vcs >> vc & 1) != 0;
    if (!has_requests && !is_busy) continue;
    for (std::size_t input = 0; input < inputs_; ++input) {
      Queue& from = queue(output, vc, input);
      if (from.head) {
        state.value(input);
        list_packets(from, state);
      } else if (from.free_ps > state.now()) {
        state.value(input);
        state.moment(from.free_ps);
      }
    }
  }
  state.count(output.packets);
  state.count(output.payload_bytes);
  state.count(output.wire_bytes);
  PortWaits& waits = waits_[output.port];
  state.count(waits.credit_blocked_ps);
  state.count(waits.queue_wait_ps);
  state.count(waits.credit_wait_ps);
  TimePs longest = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    longest += waits.of_class[c].longest_wait_ps;  // each only grows, so that an equal sum is enough
    state.count(waits.of_class[c].contention_wait_ps);
  }
  state.value(longest);
}

void CutThroughSwitch::list_rest(PortId port, RestVisitor& state) {
  if (!per_output_ || is_observed_ || input_start_ps_ != 0) return state.give_up();
  Output& output = outputs_[index_of(port)];
  state.require(output.requesting_vcs == 0 && output.starved_vcs == 0);
  output.wake.list_rest(state);
  output.line.list_rest(state);
  const bool is_busy = output.line.free_ps() > state.now();
  if (is_busy) state.value(output.current_class);
  const std::size_t groups = classes_.service_order().size();
  for (std::size_t g = 0; g < groups; ++g)
    if (classes_.service_order()[g].size > 1) state.value(next_vc_[output.port * groups + g]);
  for (std::size_t vc = 0; vc < vcs_; ++vc) {
    state.value(output.channels[vc].next_input);
    output.channels[vc].credits.list_rest(state);
    if (!is_busy) continue;
    for (std::size_t input = 0; input < inputs_; ++input) state.deadline(queue(output, vc, input).free_ps);
  }
  state.count(output.packets);
  state.count(output.payload_bytes);
  state.count(output.wire_bytes);
  PortWaits& waits = waits_[output.port];
  state.count(waits.credit_blocked_ps);
  state.count(waits.queue_wait_ps);
  state.count(waits.credit_wait_ps);
  for (std::size_t c = 0; c < classes_.size(); ++c) state.count(waits.of_class[c].contention_wait_ps);
}

void CutThroughSwitch::ask_again(PortId port) {
  const TimePs at = outputs_[index_of(port)].wake.at_ps();
  if (at != kNever) host_.request_wake(port, at);
}

}  // namespace wafertlm
