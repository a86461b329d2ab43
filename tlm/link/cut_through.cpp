// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/cut_through.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace wafertlm {
namespace {

constexpr std::uint32_t bit(std::size_t i) { return std::uint32_t{1} << i; }
constexpr std::uint64_t wide_bit(std::size_t i) { return std::uint64_t{1} << i; }

template <typename Index>
Index next_round(std::size_t i, std::size_t count) {
  return static_cast<Index>(i + 1 == count ? 0 : i + 1);
}

}  // namespace

CutThroughSwitch::CutThroughSwitch(const SwitchParams& params, const ClassTable& classes,
                                   const RouteFunction& routes, SwitchHost& host)
    : SwitchCore(routes),
      host_(host),
      classes_(classes),
      pipeline_ps_(params.pipeline_ps),
      inputs_(static_cast<std::uint32_t>(params.credit_delay_ps.size())),
      vcs_(static_cast<std::uint8_t>(classes.virtual_channels())),
      per_output_(params.input_queue == InputQueue::per_output),
      has_rings_(!params.ring_outputs.empty()),
      input_start_ps_(params.input_start_ps),
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
  waits_.resize(all_outputs_.size());
  next_vc_.resize(all_outputs_.size() * classes.service_order().size());
  more_requests_.resize(channels_.size() * (words() - 1));
}

void CutThroughSwitch::observe(LinkObserver& observer, std::size_t number) {
  observer_ = &observer;
  is_observed_ = true;
  observed_ = number;
}

inline void CutThroughSwitch::set_request(Output& output, std::size_t vc, std::size_t input) {
  (input < 64 ? output.channels[vc].requests : more_requests(output, vc)[input / 64 - 1]) |=
      wide_bit(input % 64);
  output.requesting_vcs = static_cast<std::uint16_t>(output.requesting_vcs | bit(vc));
}

inline void CutThroughSwitch::clear_request(Output& output, std::size_t vc, std::size_t input) {
  std::uint64_t& requests = output.channels[vc].requests;
  (input < 64 ? requests : more_requests(output, vc)[input / 64 - 1]) &= ~wide_bit(input % 64);
  if (requests != 0) return;
  if (many_inputs()) {
    const std::uint64_t* const more = more_requests(output, vc);
    if (std::any_of(more, more + words() - 1, [](std::uint64_t word) { return word != 0; })) return;
  }
  output.requesting_vcs = static_cast<std::uint16_t>(output.requesting_vcs & ~bit(vc));
}

/// Visits the queues with a waiting head on `vc`, from input `from` on and round; visit(input, queue) returns
/// false to stop.
template <typename Visit>
[[gnu::always_inline]] inline void CutThroughSwitch::for_each_waiting(const Output& output, std::size_t vc,
                                                                      std::size_t from, const Visit& visit) {
  if (many_inputs()) return for_each_of_many(output, vc, from, visit);
  Queue* const queues = &queue(output, vc, 0);
  const std::uint64_t requests = output.channels[vc].requests;
  // Turned so that `from` comes first.
  for (std::uint64_t bits = requests >> from | requests << (64 - from) % 64; bits != 0; bits &= bits - 1) {
    const std::size_t input = (from + static_cast<std::size_t>(__builtin_ctzll(bits))) % 64;
    if (!visit(input, queues[input])) return;
  }
}

/// The same with more inputs than a word has bits.
template <typename Visit>
void CutThroughSwitch::for_each_of_many(const Output& output, std::size_t vc, std::size_t from,
                                        const Visit& visit) {
  Queue* const queues = &queue(output, vc, 0);
  const std::uint64_t low = wide_bit(from % 64) - 1;
  std::size_t word = from / 64;
  const std::size_t words = this->words();
  for (std::size_t k = 0; k <= words; ++k) {
    std::uint64_t bits = word == 0 ? output.channels[vc].requests : more_requests(output, vc)[word - 1];
    if (k == 0) bits &= ~low;
    if (k == words) bits &= low;  // back in the first word: the part before `from`
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t input = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      if (!visit(input, queues[input])) return;
    }
    word = next_round<std::size_t>(word, words);
  }
}

/// The head of `waiting` has waited for packets of class `by` until `until`.
inline void CutThroughSwitch::charge(const Output& output, ClassId by, Queue& waiting, TimePs until) {
  if (waiting.eligible_ps >= until) return;
  const TimePs time = until - waiting.eligible_ps;
  if (waiting.contended_class != by) {
    if (OptionalBox<Waits>& waits = waiting.head->waits; waits)
      waits->contention_ps[index_of(waiting.contended_class)] += waiting.class_contention_ps;
    waiting.class_contention_ps = 0;
    waiting.contended_class = by;
  }
  waiting.contention_ps += time;
  waiting.class_contention_ps += time;
  waits_[output.port].of_class[index_of(by)].contention_wait_ps += time;
}

/// The line was busy until `until`, and goes on at `from` or with another class.
void CutThroughSwitch::charge_all(Output& output, TimePs until, TimePs from) {
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1)
    for_each_waiting(output, static_cast<std::size_t>(__builtin_ctz(vcs)), 0,
                     [&](std::size_t, Queue& waiting) {
                       charge(output, output.current_class, waiting, until);
                       waiting.eligible_ps = std::max(waiting.eligible_ps, from);
                       return true;
                     });
}

void CutThroughSwitch::arrive_for(PortId output, PortId input, Packet& packet, TimePs head_ps) {
  packet.ready_ps = head_ps + pipeline_ps_;
  packet.tail_ps += pipeline_ps_;
  packet.output = output;
  Queue& into = queue(outputs_[index_of(output)], index_of(packet.vc), index_of(input));
  const bool is_head = packet.flow ? into.push_by_time(packet) : into.push(packet);
  if (is_head) expose(into, index_of(input), index_of(packet.vc));
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
    queue.vcs = ring_rules_.half_of(queue.vcs, static_cast<std::size_t>(&queue - queues_), packet.vc);
  if (input_start_ps_ == 0) return;
  const std::size_t input = static_cast<std::size_t>(&queue - queues_) % inputs_;
  if (input < starts_.size()) wait_for_start(outputs_[index_of(packet.output)], queue, starts_[input]);
}

/// Its input has started another packet, which it waits for as for one on the line.
void CutThroughSwitch::wait_for_start(const Output& output, Queue& queue, const InputStart& start) {
  charge(output, start.last_class, queue, start.next_ps);
  queue.eligible_ps = std::max(queue.eligible_ps, start.next_ps);
}

[[gnu::noinline]] void CutThroughSwitch::hold_back(std::size_t input, ClassId by, TimePs now) {
  if (input >= starts_.size()) return;
  starts_[input] = {now + input_start_ps_, by};
  for (const Output& output : all_outputs_)
    for (std::size_t vc = 0; vc < vcs_; ++vc) {
      Queue& waiting = queue(output, vc, input);
      if (!waiting.head) continue;
      charge(output, output.current_class, waiting, std::min(now, output.line.free_ps()));
      waiting.eligible_ps = std::max(waiting.eligible_ps, now);
      wait_for_start(output, waiting, starts_[input]);
    }
}

/// Makes it a contender for its output.
inline void CutThroughSwitch::expose(Queue& queue, std::size_t input, std::size_t vc) {
  set_front(queue);
  Output& output = outputs_[index_of(queue.head->output)];
  set_request(output, vc, input);
  const TimePs start = earliest_start(output, queue);
  if (start != kNever) ask_wake(output, start);
}

/// The queue that round-robin serves next on `vc`; lowers `next` to the time at which a later one becomes
/// ready.
inline CutThroughSwitch::Queue* CutThroughSwitch::first_ready(const Output& output, std::size_t vc,
                                                              TimePs now, TimePs& next) {
  Queue* found = nullptr;
  for_each_waiting(output, vc, output.channels[vc].next_input, [&](std::size_t, Queue& waiting) {
    if (waiting.eligible_ps > now) {
      next = std::min(next, waiting.eligible_ps);
      return true;
    }
    found = &waiting;
    return false;
  });
  return found;
}

/// A virtual channel of the packet's class with room in the next buffer: the one with the most, the first of
/// equals.
inline bool CutThroughSwitch::choose_vc(const Output& output, const Queue& waiting, TimePs now,
                                        std::uint32_t& vc) {
  vc = waiting.vcs.first;
  if (waiting.vcs.count == 1) return output.channels[vc].credits.has_credits_at(now, waiting.wire_bytes);
  std::uint64_t best = output.channels[vc].credits.available(now);
  for (std::uint32_t other = vc + 1; other < waiting.vcs.first + std::uint32_t{waiting.vcs.count}; ++other) {
    const std::uint64_t room = output.channels[other].credits.available(now);
    if (room <= best) continue;
    best = room;
    vc = other;
  }
  return best >= waiting.wire_bytes;
}

/// When a waiting head can go, as far as known: kNever if that depends on credits not yet promised, which
/// then wake the output.
inline TimePs CutThroughSwitch::earliest_start(Output& output, const Queue& waiting) {
  const TimePs start = std::max(waiting.eligible_ps, output.line.free_ps());
  const CreditWindow& credits = output.channels[waiting.vcs.first].credits;
  if (credits.has_credits(waiting.wire_bytes)) return start;
  if (waiting.vcs.count == 1 && credits.is_next_enough(waiting.wire_bytes))
    return std::max(start, credits.next_return_ps());
  const TimePs room = time_of_credits(output, waiting);
  return std::max(room, start);
}

/// kNever: not promised yet; the credit will wake the output.
[[gnu::noinline]] TimePs CutThroughSwitch::time_of_credits(Output& output, const Queue& waiting) {
  const std::uint32_t first = waiting.vcs.first, end = first + waiting.vcs.count;
  TimePs room = kNever;
  for (std::uint32_t vc = first; vc < end; ++vc)
    room = std::min(room, output.channels[vc].credits.time_of_credits(waiting.wire_bytes));
  if (room != kNever) return room;
  for (std::uint32_t vc = first; vc < end; ++vc) {
    std::uint32_t& needed = output.channels[vc].needed;
    needed = needed == 0 ? waiting.wire_bytes : std::min(needed, waiting.wire_bytes);
    output.starved_vcs = static_cast<std::uint16_t>(output.starved_vcs | bit(vc));
  }
  return kNever;
}

/// The same of those that have room in the next buffer, on channel `vc`. Towards a ring packets of one
/// channel may go out on different ones: who is blocked on one half must not hold up another that goes round
/// on the other half, or the dateline is of no use.
[[gnu::noinline]] CutThroughSwitch::Queue* CutThroughSwitch::first_that_can_go(Output& output,
                                                                               std::size_t in_vc, TimePs now,
                                                                               TimePs& next,
                                                                               std::uint32_t& vc) {
  Queue* found = nullptr;
  std::uint32_t blocked = 0;  // bit per channel that a range begins with
  for_each_waiting(output, in_vc, output.channels[in_vc].next_input, [&](std::size_t, Queue& waiting) {
    if (waiting.eligible_ps > now) {
      next = std::min(next, waiting.eligible_ps);
    } else if ((blocked & bit(waiting.vcs.first)) == 0) {
      if (choose_vc(output, waiting, now, vc)) {
        found = &waiting;
        return false;
      }
      blocked |= bit(waiting.vcs.first);
      next = std::min(next, earliest_start(output, waiting));
    }
    return true;
  });
  return found;
}

/// Sends a packet that came on `in_vc`, if there is one that can go now.
[[gnu::always_inline]] inline bool CutThroughSwitch::serve(Output& output, std::uint32_t in_vc, TimePs now,
                                                           TimePs& next) {
  std::uint32_t vc = 0;
  Queue* const found =
      has_rings_ ? first_that_can_go(output, in_vc, now, next, vc) : first_ready(output, in_vc, now, next);
  if (!found) return false;
  if (!has_rings_ && !choose_vc(output, *found, now, vc)) {
    // It is not overtaken on its channel, or large packets could wait for ever.
    next = std::min(next, earliest_start(output, *found));
    return false;
  }
  const auto input = static_cast<std::size_t>(found - &queue(output, in_vc, 0));
  output.channels[in_vc].next_input = next_round<std::uint32_t>(input, inputs_);
  send(output, input, *found, in_vc, vc, now);
  return true;
}

bool CutThroughSwitch::wake(PortId port, TimePs now) {
  Output& output = outputs_[index_of(port)];
  if (!output.wake.take(now)) return false;  // an earlier wake-up did it
  for (std::uint32_t starved = std::exchange(output.starved_vcs, std::uint16_t{0}); starved != 0;
       starved &= starved - 1)
    output.channels[__builtin_ctz(starved)].needed = 0;
  TimePs next = kNever;
  const std::vector<ServiceGroup>& groups = classes_.service_order();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::uint32_t requesting = output.requesting_vcs & groups[g].mask;
    if (requesting == 0) continue;
    if (groups[g].size == 1 ? serve(output, static_cast<std::uint32_t>(__builtin_ctz(requesting)), now, next)
                            : serve_group(output, g, now, next))
      return true;
  }
  if (next != kNever) ask_wake(output, next);
  return false;
}

/// The channels of one priority take turns.
[[gnu::noinline]] bool CutThroughSwitch::serve_group(Output& output, std::size_t g, TimePs now,
                                                     TimePs& next) {
  const ServiceGroup& group = classes_.service_order()[g];
  std::uint32_t& next_vc = next_vc_[output.port * classes_.service_order().size() + g];
  std::size_t place = next_vc;
  for (std::size_t k = 0; k < group.size; ++k, place = next_round<std::size_t>(place, group.size)) {
    const std::size_t vc = index_of(group.vcs[place]);
    if ((output.requesting_vcs & bit(vc)) == 0) continue;
    if (!serve(output, static_cast<std::uint32_t>(vc), now, next)) continue;
    next_vc = next_round<std::uint32_t>(place, group.size);
    return true;
  }
  return false;
}

/// Where the time of a packet went that leaves now, later than it was ready, on a line that was idle since
/// `idle_since`. What was neither its own queue nor another packet was a lack of credit.
[[gnu::always_inline]] inline void CutThroughSwitch::charge_sent(const Output& output, const Queue& from,
                                                                 TimePs idle_since, TimePs now) {
  Packet& packet = *from.head;
  const TimePs eligible_ps = from.first_eligible_ps();
  const TimePs queue_wait = eligible_ps - packet.ready_ps;
  const TimePs credit_wait = now - eligible_ps - from.contention_ps;
  if (packet.waits) {
    packet.waits->queue_ps += queue_wait;
    packet.waits->credit_ps += credit_wait;
    packet.waits->contention_ps[index_of(from.contended_class)] += from.class_contention_ps;
  }
  PortWaits& waits = waits_[output.port];
  waits.queue_wait_ps += queue_wait;
  waits.credit_wait_ps += credit_wait;
  waits.credit_blocked_ps += now - std::max(idle_since, eligible_ps);
  TimePs& longest = waits.of_class[index_of(packet.traffic_class)].longest_wait_ps;
  longest = std::max(longest, now - eligible_ps);
}

[[gnu::always_inline]] inline void CutThroughSwitch::send(Output& output, std::size_t input, Queue& from,
                                                          std::uint32_t in_vc, std::uint32_t vc, TimePs now) {
  Packet& packet = *from.head;
  __builtin_prefetch(packet.next);  // it comes to the front

  const TimePs idle_since = output.line.free_ps();
  // Contention grows by itself as long as packets of one class follow each other without a gap.
  if (idle_since == now && output.current_class == packet.traffic_class)
    charge(output, output.current_class, from, now);
  else
    charge_all(output, idle_since, now);
  const Line::Slot slot = output.line.send(packet.wire_bytes, now,
                                           packet.ready_ps == now ? packet.head_fraction : Line::kUnbound);
  output.current_class = packet.traffic_class;
  output.channels[vc].credits.take(packet.wire_bytes);

  if (now != packet.ready_ps) charge_sent(output, from, idle_since, now);

  // Out of its queue; the next one comes to the front.
  from.head = packet.next;
  from.free_ps = slot.end;
  if (from.head && from.head->output == PortId{output.port}) {
    set_front(from);
  } else {
    clear_request(output, in_vc, input);
    if (from.head) expose(from, input, in_vc);
  }
  count(PortId{output.port}, packet, now, slot.end);
  if (input_start_ps_ != 0) hold_back(input, packet.traffic_class, now);
  plan_next(output);

  const TimePs tail_out = std::max(slot.end, packet.tail_ps);
  host_.return_credit(static_cast<PortId>(input), packet, tail_out + from.credit_delay_ps);
  packet.vc = static_cast<VcId>(vc);
  packet.head_fraction = slot.start_fraction;
  packet.tail_ps = tail_out + output.latency_ps;
  ++packet.hops;
  host_.forward(PortId{output.port}, packet, now + output.latency_ps);
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
    for_each_waiting(output, static_cast<std::size_t>(__builtin_ctz(vcs)), 0,
                     [&](std::size_t, const Queue& waiting) {
                       next = std::min(next, earliest_start(output, waiting));
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

}  // namespace wafertlm
