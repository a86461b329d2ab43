// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/cut_through.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tlm/kernel/pending_times.h"

namespace wafertlm {

CutThroughSwitch::CutThroughSwitch(const SwitchParams& params, const ClassTable& classes,
                                   const RouteFunction& routes, SwitchHost& host,
                                   std::unique_ptr<cut_through::Arbiter> arbiter)
    : SwitchCore(routes),
      host_(host),
      classes_(classes),
      pipeline_ps_(params.pipeline_ps),
      inputs_(static_cast<std::uint32_t>(params.credit_delay_ps.size())),
      vcs_(static_cast<std::uint8_t>(classes.virtual_channels())),
      per_output_(params.input_queue == InputQueue::per_output),
      has_rings_(!params.ring_outputs.empty()),
      input_start_ps_(params.input_start_ps),
      behind_(params.outputs.size()),
      before_(params.credit_delay_ps.size()),
      other_(std::move(arbiter)),
      requests_(params.outputs.size(), vcs_, inputs_),
      waits_(params.outputs.size()),
      round_robin_(classes, params.outputs.size(), has_rings_),
      ring_rules_(params, classes) {
  if (params.outputs.size() > std::numeric_limits<std::uint16_t>::max())
    throw std::invalid_argument("a switch of " + std::to_string(params.outputs.size()) +
                                " outputs: at most 65535 are possible");
  if (input_start_ps_ != 0 && !per_output_)
    throw std::invalid_argument(
        "an input with one queue starts one packet at a time anyway: no input_start_ps");
  if (input_start_ps_ != 0) starts_.resize(inputs_ - params.flow_lanes);
  all_outputs_.reserve(params.outputs.size());
  channels_.reserve(params.outputs.size() * vcs_);
  for (const OutputParams& output : params.outputs) {
    all_outputs_.emplace_back(output);
    for (std::size_t vc = 0; vc < vcs_; ++vc)
      channels_.emplace_back(classes.is_flow_channel(vc) ? output.flow_buffer_bytes : output.buffer_bytes);
  }
  all_queues_.resize(std::size_t{inputs_} * vcs_ * (per_output_ ? all_outputs_.size() : 1));
  for (std::size_t i = 0; i < all_queues_.size(); ++i)
    all_queues_[i].credit_delay_ps = params.credit_delay_ps[i % inputs_];
  outputs_ = all_outputs_.data();
  queues_ = all_queues_.data();
  for (std::size_t i = 0; i < all_outputs_.size(); ++i) {
    outputs_[i].port = static_cast<std::uint16_t>(i);
    outputs_[i].channels = &channels_[i * vcs_];
    outputs_[i].queues = queues_ + (per_output_ ? i * vcs_ * inputs_ : 0);
  }
}

void CutThroughSwitch::observe(LinkObserver& observer, std::size_t number) {
  observer_ = &observer;
  is_observed_ = true;
  takes_repeats_ = observer.takes_repeats();
  observed_ = number;
  has_trains_ = false;
}

void CutThroughSwitch::arrive_for(PortId output, PortId input, Packet& packet, TimePs head_ps) {
  packet.ready_ps = head_ps + pipeline_ps_;
  packet.tail_ps += pipeline_ps_;
  packet.output = output;
  Queue& into = queue(outputs_[index_of(output)], index_of(packet.vc), index_of(input));
  const bool is_head = packet.flow ? into.push_by_time(packet) : into.push(packet);
  if (is_head) expose(into, index_of(input), index_of(packet.vc));
  if (has_trains_ && behind_[index_of(output)].sink && behind_[index_of(output)].comes(packet))
    request_train(outputs_[index_of(output)]);
}

/// Notes of the packet at the front of `queue` what arbitration asks.
inline void CutThroughSwitch::set_front(Queue& queue) {
  const Packet& packet = *queue.head;
  queue.eligible_ps = queue.first_eligible_ps();
  queue.contention_ps = queue.class_contention_ps = 0;
  queue.wire_bytes = packet.wire_bytes;
  queue.head_class = packet.traffic_class;
  queue.vcs = classes_.channels_of(packet.traffic_class, packet.flow != nullptr);
  if (has_rings_)
    queue.vcs = ring_rules_.half_of(queue.vcs, static_cast<std::size_t>(&queue - queues_), packet, routes_);
  if (input_start_ps_ == 0) return;
  const std::size_t input = static_cast<std::size_t>(&queue - queues_) % inputs_;
  if (input < starts_.size()) wait_for_start(outputs_[index_of(packet.output)], queue, starts_[input]);
}

/// Its input has started another packet, which it waits for as for one on the line.
void CutThroughSwitch::wait_for_start(const Output& output, Queue& queue, const InputStart& start) {
  waits_.charge(output, start.last_class, queue, start.next_ps);
  queue.eligible_ps = std::max(queue.eligible_ps, start.next_ps);
}

[[gnu::noinline]] void CutThroughSwitch::hold_back(std::size_t input, ClassId by, TimePs now) {
  if (input >= starts_.size()) return;
  starts_[input] = {now + input_start_ps_, by};
  for (const Output& output : all_outputs_)
    for (std::size_t vc = 0; vc < vcs_; ++vc) {
      Queue& waiting = queue(output, vc, input);
      if (!waiting.head) continue;
      waits_.charge(output, output.current_class, waiting, std::min(now, output.line.free_ps()));
      waiting.eligible_ps = std::max(waiting.eligible_ps, now);
      wait_for_start(output, waiting, starts_[input]);
    }
}

/// Makes it a contender for its output.
inline void CutThroughSwitch::expose(Queue& queue, std::size_t input, std::size_t vc) {
  set_front(queue);
  Output& output = outputs_[index_of(queue.head->output)];
  requests_.add(output, vc, input);
  const TimePs start = output.earliest_start(queue);
  if (start != kNever) ask_wake(output, start);
}

bool CutThroughSwitch::wake(PortId port, TimePs now) {
  Output& output = outputs_[index_of(port)];
  if (has_trains_) return send_train(output, now);
  return output.wake.take(now) && arbitrate(output, now);  // else an earlier wake-up did it
}

/// All that is to leave until now, each packet at its time.
bool CutThroughSwitch::send_train(Output& output, TimePs now) {
  if (output.wake.due_ps() <= now) output.wake.set_due_ps(kNever);
  leaving_ = &output;
  bool has_left = false;
  while (output.wake.at_ps() <= now) has_left = arbitrate(output, output.wake.take_late()) || has_left;
  leaving_ = nullptr;
  request_train(output);
  return has_left;
}

/// Sends the packet whose turn it is, or asks for the time at which one may go.
[[gnu::always_inline]] inline bool CutThroughSwitch::arbitrate(Output& output, TimePs now) {
  for (std::uint32_t starved = std::exchange(output.starved_vcs, std::uint16_t{0}); starved != 0;
       starved &= starved - 1)
    output.channels[__builtin_ctz(starved)].needed = 0;
  TimePs next = kNever;
  const cut_through::Arbiter::Choice choice = other_ ? other_->choose(requests_, output, now, next)
                                                     : round_robin_.choose(requests_, output, now, next);
  if (choice.queue) {
    send(output, choice, now);
    return true;
  }
  if (next != kNever) ask_wake(output, next);
  return false;
}

[[gnu::always_inline]] inline void CutThroughSwitch::send(Output& output,
                                                          const cut_through::Arbiter::Choice& choice,
                                                          TimePs now) {
  Queue& from = *choice.queue;
  Packet& packet = *from.head;
  __builtin_prefetch(packet.next);  // it comes to the front

  const TimePs idle_since = output.line.free_ps();
  // Contention grows by itself as long as packets of one class follow each other without a gap.
  if (idle_since == now && output.current_class == packet.traffic_class)
    waits_.charge(output, output.current_class, from, now);
  else
    waits_.charge_all(requests_, output, idle_since, now);
  const Line::Slot slot = output.line.send(packet.wire_bytes, now,
                                           packet.ready_ps == now ? packet.head_fraction : Line::kUnbound);
  output.current_class = packet.traffic_class;
  output.channels[choice.vc].credits.take(packet.wire_bytes);

  if (now != packet.ready_ps) waits_.charge_sent(output, from, idle_since, now);

  // Out of its queue; the next one comes to the front.
  from.head = packet.next;
  from.free_ps = slot.end;
  if (from.head && from.head->output == PortId{output.port}) {
    set_front(from);
  } else {
    requests_.remove(output, choice.in_vc, choice.input);
    if (from.head) expose(from, choice.input, choice.in_vc);
  }
  count(PortId{output.port}, packet, now, slot.end);
  if (input_start_ps_ != 0) hold_back(choice.input, packet.traffic_class, now);
  plan_next(output);

  const TimePs tail_out = later_by(host_, slot.end, packet.tail_ps);
  const TimePs free_at = tail_out + from.credit_delay_ps;
  const cut_through::Before& before = before_[choice.input];
  if (before.core && !packet.flow && !PendingTimes::is_pending(free_at))
    before.core->credit(before.output, packet.vc, packet.wire_bytes, free_at, now);
  else
    host_.return_credit(static_cast<PortId>(choice.input), packet, free_at);
  packet.vc = static_cast<VcId>(choice.vc);
  packet.head_fraction = slot.start_fraction;
  packet.tail_ps = tail_out + output.latency_ps;
  ++packet.hops;
  hand_over(output, packet, now);
}

[[gnu::always_inline]] inline void CutThroughSwitch::hand_over(Output& output, Packet& packet, TimePs now) {
  cut_through::Behind& behind = behind_[output.port];
  const TimePs head_ps = now + output.latency_ps;
  if (behind.core && !packet.flow) return behind.core->arrive(behind.input, packet, head_ps);
  if (!behind.sink || packet.flow || PendingTimes::is_pending(packet.tail_ps))
    return host_.forward(PortId{output.port}, packet, head_ps);
  behind.leaves(packet);
  credit(PortId{output.port}, packet.vc, packet.wire_bytes, packet.tail_ps + behind.credit_delay_ps, now);
  behind.sink->take(packet, now);
}

void CutThroughSwitch::count(PortId port, const Packet& packet, TimePs start_ps, TimePs end_ps) {
  Output& output = outputs_[index_of(port)];
  ++output.packets;
  output.payload_bytes += packet.payload_bytes;
  output.wire_bytes += packet.wire_bytes;
  if (is_observed_) observer_->sent(observed_, port, packet, start_ps, end_ps);
}

/// After a packet began to leave: asks for the wake-up at which the first of the waiting heads can go.
[[gnu::always_inline]] inline void CutThroughSwitch::plan_next(Output& output) {
  if (output.requesting_vcs == 0) return;
  const TimePs busy_until = output.line.free_ps();
  TimePs next = kNever;
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0 && next != busy_until; vcs &= vcs - 1)
    requests_.for_each(output, static_cast<std::size_t>(__builtin_ctz(vcs)), 0,
                       [&](std::size_t, const Queue& waiting) {
                         next = std::min(next, output.earliest_start(waiting));
                         return next != busy_until;
                       });
  if (next != kNever) ask_wake(output, next);
}

void CutThroughSwitch::credit(PortId port, VcId vc, std::uint32_t bytes, TimePs at, TimePs now) {
  Channel& to = outputs_[index_of(port)].channels[index_of(vc)];
  if (to.needed != 0 || !to.credits.give_back_last(bytes, at)) credit_with_effect(port, to, bytes, at, now);
}

/// One that somebody waits for, or that overtakes others.
[[gnu::noinline]] void CutThroughSwitch::credit_with_effect(PortId port, Channel& to, std::uint32_t bytes,
                                                            TimePs at, TimePs now) {
  // Who waits for a promised credit may go earlier, if this one overtakes it.
  const bool is_early = to.credits.give_back(bytes, at);
  Output& output = outputs_[index_of(port)];
  if (is_early && output.requesting_vcs != 0)
    return ask_wake(output, std::max({at, now, output.line.free_ps()}));
  if (to.needed == 0) return;
  const TimePs room = to.credits.time_of_credits(to.needed);
  if (room == kNever) return;
  ask_wake(output, std::max({room, now, output.line.free_ps()}));
}

void CutThroughSwitch::set_rate(PortId port, std::uint64_t bytes_per_s, TimePs now) {
  if (now != 0) settle(now - 1);
  Output& output = outputs_[index_of(port)];
  if (bytes_per_s != 0) {
    output.line.set_rate(bytes_per_s);
    if (output.line.is_held()) bring_up(output, now);
    return;
  }
  if (output.line.is_held()) return;
  down_.resize(all_outputs_.size());
  down_[output.port] = {output.line.free_ps(), std::max(now, output.line.free_ps())};
  output.line.hold();
  output.wake.take_late();  // nobody goes then
}

/// The head of `waiting` has waited for what was on the line, then for the link that is down.
void CutThroughSwitch::charge_down(Output& output, Queue& waiting, TimePs now) {
  const Down& down = down_[output.port];
  waits_.charge(output, output.current_class, waiting, down.busy_until_ps);
  waits_.charge_down(output, waiting, std::max(waiting.eligible_ps, down.since_ps), now);
}

void CutThroughSwitch::bring_up(Output& output, TimePs now) {
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1)
    requests_.for_each(output, static_cast<std::size_t>(__builtin_ctz(vcs)), 0,
                       [&](std::size_t, Queue& waiting) {
                         charge_down(output, waiting, now);
                         return true;
                       });
  output.line.release(now, down_[output.port].busy_until_ps);
  plan_next(output);
}

/// They are ready now, as if they had come again. Of a link that is down.
void CutThroughSwitch::route_again(PortId port, TimePs now) {
  Output& output = outputs_[index_of(port)];
  if (!per_output_ || !output.line.is_held())
    throw std::logic_error("packets change their way only with a queue per output, at a link that is down");
  for (std::size_t vc = 0; vc < vcs_; ++vc)
    for (std::size_t input = 0; input < inputs_; ++input) {
      Queue& from = queue(output, vc, input);
      if (!from.head) continue;
      charge_down(output, from, now);
      waits_.take_along(output, from);
      requests_.remove(output, vc, input);
      Packet* const first = std::exchange(from.head, nullptr);
      for (Packet* packet = first; packet;) {
        Packet& each = *std::exchange(packet, packet->next);
        if (each.ready_ps < now) {
          if (&each != first) waits_.charge_queue(output, each, now - each.ready_ps);
          each.ready_ps = now;
          each.head_fraction = 0;
        }
        each.output = routes_.output_for(each);
        Queue& into = queue(outputs_[index_of(each.output)], vc, input);
        if (into.push(each)) expose(into, input, vc);
      }
    }
}

}  // namespace wafertlm
