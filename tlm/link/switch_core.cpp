// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/switch_core.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tlm/link/wormhole.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t bit(std::size_t i) { return std::uint32_t{1} << i; }
constexpr std::uint64_t wide_bit(std::size_t i) { return std::uint64_t{1} << i; }

template <typename Index>
Index next_round(std::size_t i, std::size_t count) {
  return static_cast<Index>(i + 1 == count ? 0 : i + 1);
}

}  // namespace

SwitchCore::SwitchCore(const SwitchParams& params, const ClassTable& classes, const RouteFunction& routes,
                       SwitchHost& host)
    : routes_(routes),
      host_(host),
      classes_(classes),
      pipeline_ps_(params.pipeline_ps),
      inputs_(static_cast<std::uint32_t>(params.credit_delay_ps.size())),
      vcs_(static_cast<std::uint8_t>(classes.virtual_channels())),
      per_output_(params.input_queue == InputQueue::per_output) {
  if (params.switching == Switching::wormhole) {
    wormhole_ = std::make_unique<WormholeSwitch>(params, classes, routes, host);
    return;
  }
  if (params.outputs.size() > std::numeric_limits<std::uint16_t>::max())
    throw std::invalid_argument("a switch of " + std::to_string(params.outputs.size()) +
                                " outputs: at most 65535 are possible");
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
  set_ring_rules(params);
  waits_.resize(all_outputs_.size());
  next_vc_.resize(all_outputs_.size() * classes.service_order().size());
  more_requests_.resize(channels_.size() * (words() - 1));
}

SwitchCore::~SwitchCore() = default;

void SwitchCore::set_ring_rules(const SwitchParams& params) {
  if (params.ring_outputs.empty()) return;
  if (!per_output_) throw std::invalid_argument("rings need a queue per output");
  for (std::size_t c = 0; c < classes_.size(); ++c)
    if (classes_[static_cast<ClassId>(c)].vcs % 2 != 0)
      throw std::invalid_argument("rings need an even number of channels for each class; class " +
                                  classes_[static_cast<ClassId>(c)].name + " has " +
                                  std::to_string(classes_[static_cast<ClassId>(c)].vcs));
  has_rings_ = true;
  ring_rules_.resize(all_queues_.size(), RingRule::any);
  for (std::size_t i = 0; i < all_queues_.size(); ++i) {
    const RingPort out = params.ring_outputs[i / (std::size_t{inputs_} * vcs_)];
    if (out.ring == 0) continue;
    const std::size_t input = i % inputs_;
    const bool stays = input < params.ring_inputs.size() && params.ring_inputs[input].ring == out.ring;
    ring_rules_[i] = out.dateline ? RingRule::upper : stays ? RingRule::keep : RingRule::lower;
  }
}

std::size_t SwitchCore::outputs() const { return wormhole_ ? wormhole_->outputs() : all_outputs_.size(); }

OutputCounters SwitchCore::counters(PortId port) const {
  if (wormhole_) return wormhole_->counters(port);
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

std::uint64_t SwitchCore::bytes_per_s(PortId output) const {
  return wormhole_ ? wormhole_->bytes_per_s(output) : outputs_[index_of(output)].line.bytes_per_s();
}

std::uint64_t SwitchCore::queued() const {
  if (wormhole_) return wormhole_->queued();
  std::uint64_t packets = 0;
  for (const Queue& queue : all_queues_)
    for (const Packet* packet = queue.head; packet; packet = packet->next) ++packets;
  return packets;
}

void SwitchCore::observe(LinkObserver& observer, std::size_t number) {
  if (wormhole_) wormhole_->observe(observer, number);
  observer_ = &observer;
  is_observed_ = true;
  observed_ = number;
}

inline void SwitchCore::set_request(Output& output, std::size_t vc, std::size_t input) {
  (input < 64 ? output.channels[vc].requests : more_requests(output, vc)[input / 64 - 1]) |=
      wide_bit(input % 64);
  output.requesting_vcs = static_cast<std::uint16_t>(output.requesting_vcs | bit(vc));
}

inline void SwitchCore::clear_request(Output& output, std::size_t vc, std::size_t input) {
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
[[gnu::always_inline]] inline void SwitchCore::for_each_waiting(const Output& output, std::size_t vc,
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
void SwitchCore::for_each_of_many(const Output& output, std::size_t vc, std::size_t from,
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

inline void SwitchCore::ask_wake(Output& output, TimePs at) {
  if (at >= output.wake_ps) return;
  const bool is_coming = at == output.spare_wake_ps;
  if (is_coming || output.wake_ps != kNever) output.spare_wake_ps = output.wake_ps;
  output.wake_ps = at;
  if (!is_coming) host_.request_wake(PortId{output.port}, at);
}

/// The head of `waiting` has waited for packets of current_class, which were on the line without a gap, until
/// `until`.
inline void SwitchCore::charge(Output& output, Queue& waiting, TimePs until) {
  if (waiting.eligible_ps >= until) return;
  const TimePs time = until - waiting.eligible_ps;
  if (waiting.contended_class != output.current_class) {
    if (Boxed<Waits>& waits = waiting.head->waits; waits)
      waits->contention_ps[index_of(waiting.contended_class)] += waiting.class_contention_ps;
    waiting.class_contention_ps = 0;
    waiting.contended_class = output.current_class;
  }
  waiting.contention_ps += time;
  waiting.class_contention_ps += time;
  waits_[output.port].of_class[index_of(output.current_class)].contention_wait_ps += time;
}

/// The line was busy until `until`, and goes on at `from` or with another class.
void SwitchCore::charge_all(Output& output, TimePs until, TimePs from) {
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1)
    for_each_waiting(output, static_cast<std::size_t>(__builtin_ctz(vcs)), 0,
                     [&](std::size_t, Queue& waiting) {
                       charge(output, waiting, until);
                       waiting.eligible_ps = std::max(waiting.eligible_ps, from);
                       return true;
                     });
}

void SwitchCore::arrive(PortId input, Packet& packet, TimePs head_ps) {
  if (wormhole_) return wormhole_->arrive(input, packet, head_ps);
  arrive_for(routes_.output_for(packet), input, packet, head_ps);
}

void SwitchCore::arrive_for(PortId output, PortId input, Packet& packet, TimePs head_ps) {
  packet.ready_ps = head_ps + pipeline_ps_;
  packet.tail_ps += pipeline_ps_;
  packet.output = output;
  packet.next = nullptr;
  Queue& into = queue(outputs_[index_of(packet.output)], index_of(packet.vc), index_of(input));
  if (into.head) {
    into.tail->next = &packet;
    into.tail = &packet;
    return;
  }
  into.head = into.tail = &packet;
  expose(into, index_of(input), index_of(packet.vc));
}

/// Towards a ring: one half of the class's channels, see RingPort.
inline void SwitchCore::keep_to_half(Queue& queue) const {
  const RingRule rule = ring_rules_[static_cast<std::size_t>(&queue - queues_)];
  if (rule == RingRule::any) return;
  const auto half = static_cast<std::uint8_t>(queue.vcs.count / 2);
  const bool crossed =
      rule == RingRule::upper ||
      (rule == RingRule::keep && index_of(queue.head->vc) >= std::size_t{queue.vcs.first} + half);
  if (crossed) queue.vcs.first = static_cast<std::uint8_t>(queue.vcs.first + half);
  queue.vcs.count = half;
}

/// Notes of the packet at the front of `queue` what arbitration asks.
inline void SwitchCore::set_front(Queue& queue) {
  const Packet& packet = *queue.head;
  queue.eligible_ps = std::max(packet.ready_ps, queue.free_ps);
  queue.contention_ps = queue.class_contention_ps = 0;
  queue.wire_bytes = packet.wire_bytes;
  queue.head_class = packet.traffic_class;
  queue.vcs = classes_.channels_of(packet.traffic_class, packet.flow != nullptr);
  if (has_rings_) keep_to_half(queue);
}

/// Makes it a contender for its output.
inline void SwitchCore::expose(Queue& queue, std::size_t input, std::size_t vc) {
  set_front(queue);
  Output& output = outputs_[index_of(queue.head->output)];
  set_request(output, vc, input);
  const TimePs start = earliest_start(output, queue);
  if (start != kNever) ask_wake(output, start);
}

/// The queue that round-robin serves next on `vc`; lowers `next` to the time at which a later one becomes
/// ready.
inline SwitchCore::Queue* SwitchCore::first_ready(const Output& output, std::size_t vc, TimePs now,
                                                  TimePs& next) {
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

/// A virtual channel of the packet's class with room in the next buffer: the roomiest, the first of equals.
inline bool SwitchCore::choose_vc(const Output& output, const Queue& waiting, TimePs now, std::uint32_t& vc) {
  vc = waiting.vcs.first;
  if (waiting.vcs.count == 1) return output.channels[vc].credits.has_room_at(now, waiting.wire_bytes);
  std::uint64_t best = output.channels[vc].credits.room(now);
  for (std::uint32_t other = vc + 1; other < waiting.vcs.first + std::uint32_t{waiting.vcs.count}; ++other) {
    const std::uint64_t room = output.channels[other].credits.room(now);
    if (room <= best) continue;
    best = room;
    vc = other;
  }
  return best >= waiting.wire_bytes;
}

/// When a waiting head can go, as far as known: kNever if that depends on credits not yet promised, which
/// then wake the output.
inline TimePs SwitchCore::earliest_start(Output& output, const Queue& waiting) {
  const TimePs start = std::max(waiting.eligible_ps, output.line.free_ps());
  const CreditWindow& credits = output.channels[waiting.vcs.first].credits;
  if (credits.has_room(waiting.wire_bytes)) return start;
  if (waiting.vcs.count == 1 && credits.is_next_enough(waiting.wire_bytes))
    return std::max(start, credits.next_return_ps());
  const TimePs room = time_of_room(output, waiting);
  return std::max(room, start);
}

/// kNever: not promised yet; the credit will wake the output.
[[gnu::noinline]] TimePs SwitchCore::time_of_room(Output& output, const Queue& waiting) {
  const std::uint32_t first = waiting.vcs.first, end = first + waiting.vcs.count;
  TimePs room = kNever;
  for (std::uint32_t vc = first; vc < end; ++vc)
    room = std::min(room, output.channels[vc].credits.time_of_room(waiting.wire_bytes));
  if (room != kNever) return room;
  for (std::uint32_t vc = first; vc < end; ++vc) {
    std::uint32_t& needed = output.channels[vc].needed;
    needed = needed == 0 ? waiting.wire_bytes : std::min(needed, waiting.wire_bytes);
    output.starved_vcs = static_cast<std::uint16_t>(output.starved_vcs | bit(vc));
  }
  return kNever;
}

/// Sends a packet that came on `in_vc`, if there is one that can go now.
[[gnu::always_inline]] inline bool SwitchCore::serve(Output& output, std::uint32_t in_vc, TimePs now,
                                                     TimePs& next) {
  std::uint32_t vc = 0;
  // Towards a ring packets of one channel may go out on different ones: who is blocked on one half must not
  // hold up another that goes round on the other half, or the dateline is of no use.
  const auto first_that_can_go = [&]() __attribute__((noinline)) {
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
  };
  Queue* const found = has_rings_ ? first_that_can_go() : first_ready(output, in_vc, now, next);
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

bool SwitchCore::wake(PortId port, TimePs now) {
  if (wormhole_) return wormhole_->wake(now);
  Output& output = outputs_[index_of(port)];
  if (now != output.wake_ps) {  // an earlier wake-up did it
    if (now == output.spare_wake_ps) output.spare_wake_ps = kNever;
    return false;
  }
  output.wake_ps = kNever;
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
[[gnu::noinline]] bool SwitchCore::serve_group(Output& output, std::size_t g, TimePs now, TimePs& next) {
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

[[gnu::always_inline]] inline void SwitchCore::send(Output& output, std::size_t input, Queue& from,
                                                    std::uint32_t in_vc, std::uint32_t vc, TimePs now) {
  Packet& packet = *from.head;
  __builtin_prefetch(packet.next);  // it comes to the front

  const TimePs idle_since = output.line.free_ps();
  // Contention grows by itself as long as packets of one class follow each other without a gap.
  const TimePs eligible_ps = std::max(packet.ready_ps, from.free_ps);
  if (idle_since == now && output.current_class == packet.traffic_class)
    charge(output, from, now);
  else
    charge_all(output, idle_since, now);
  const Line::Slot slot =
      output.line.send(packet.wire_bytes, now, packet.ready_ps == now ? packet.head_early : Line::kUnbound);
  output.current_class = packet.traffic_class;
  output.channels[vc].credits.take(packet.wire_bytes);

  // Where this packet's time went. What was neither its own queue nor another packet was a lack of credit.
  const TimePs wait = now - packet.ready_ps;
  if (wait != 0) {
    const TimePs queue_wait = eligible_ps - packet.ready_ps;
    const TimePs credit_wait = wait - queue_wait - from.contention_ps;
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
  ++output.packets;
  output.payload_bytes += packet.payload_bytes;
  output.wire_bytes += packet.wire_bytes;
  if (is_observed_) observer_->sent(observed_, PortId{output.port}, packet, now, slot.end);

  // Out of its queue; the next one comes to the front.
  from.head = packet.next;
  from.free_ps = slot.end;
  if (from.head && from.head->output == PortId{output.port}) {
    set_front(from);
  } else {
    clear_request(output, in_vc, input);
    if (from.head) expose(from, input, in_vc);
  }
  plan_next(output);

  const TimePs tail_out = std::max(slot.end, packet.tail_ps);
  host_.return_credit(static_cast<PortId>(input), packet, tail_out + from.credit_delay_ps);
  packet.vc = static_cast<VcId>(vc);
  packet.head_early = slot.start_early;
  packet.tail_ps = tail_out + output.latency_ps;
  ++packet.hops;
  host_.forward(PortId{output.port}, packet, now + output.latency_ps);
}

void SwitchCore::count(PortId port, const Packet& packet, TimePs start_ps, TimePs end_ps) {
  Output& output = outputs_[index_of(port)];
  ++output.packets;
  output.payload_bytes += packet.payload_bytes;
  output.wire_bytes += packet.wire_bytes;
  if (is_observed_) observer_->sent(observed_, port, packet, start_ps, end_ps);
}

/// After a packet began to leave: asks for the wake-up at which the first of the waiting heads can go.
[[gnu::always_inline]] inline void SwitchCore::plan_next(Output& output) {
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

void SwitchCore::credit(PortId port, VcId vc, std::uint32_t bytes, TimePs at, TimePs now) {
  if (wormhole_) return wormhole_->credit(port, vc, bytes, at);
  Channel& to = channel(index_of(port), index_of(vc));
  if (to.needed != 0 || !to.credits.give_back_last(bytes, at)) credit_with_effect(port, to, bytes, at, now);
}

/// One that somebody waits for, or that overtakes others.
[[gnu::noinline]] void SwitchCore::credit_with_effect(PortId port, Channel& to, std::uint32_t bytes,
                                                      TimePs at, TimePs now) {
  // Who waits for a promised credit may go earlier, if this one overtakes it.
  const bool is_early = to.credits.give_back(bytes, at);
  Output& output = outputs_[index_of(port)];
  if (is_early && output.requesting_vcs != 0)
    return ask_wake(output, std::max({at, now, output.line.free_ps()}));
  if (to.needed == 0) return;
  const TimePs room = to.credits.time_of_room(to.needed);
  if (room == kNever) return;
  ask_wake(output, std::max({room, now, output.line.free_ps()}));
}

std::uint64_t SwitchCore::outstanding_credits() const {
  if (wormhole_) return wormhole_->outstanding_credits();
  std::uint64_t bytes = 0;
  for (const Channel& to : channels_) bytes += to.credits.outstanding();
  return bytes;
}

void SwitchCore::prefetch_output(PortId port) const {
  if (wormhole_) return;
  const auto* const lines = reinterpret_cast<const char*>(&outputs_[index_of(port)]);
  for (std::size_t k = 0; k < sizeof(Output); k += 64) __builtin_prefetch(lines + k);
  __builtin_prefetch(&channel(index_of(port), 0));
}

void SwitchCore::prefetch_contenders(PortId port) const {
  if (wormhole_) return;
  const Output& output = outputs_[index_of(port)];
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1) {
    const auto vc = static_cast<std::size_t>(__builtin_ctz(vcs));
    const Channel& asked = output.channels[vc];
    for (std::uint64_t bits = asked.requests; bits != 0; bits &= bits - 1)
      __builtin_prefetch(&queue(output, vc, static_cast<std::size_t>(__builtin_ctzll(bits))));
    asked.credits.prefetch();
  }
}

SwitchCore::Winner SwitchCore::likely_winner(PortId port) const {
  if (wormhole_) return {};
  const Output& output = outputs_[index_of(port)];
  if (output.requesting_vcs == 0) return {};
  const auto vc = static_cast<std::size_t>(__builtin_ctz(output.requesting_vcs));
  const std::uint64_t requests = output.channels[vc].requests;
  const std::uint32_t from = output.channels[vc].next_input % 64;
  for (std::uint64_t bits = requests >> from | requests << (64 - from) % 64; bits != 0; bits &= bits - 1) {
    const auto input = (from + static_cast<std::uint32_t>(__builtin_ctzll(bits))) % 64;
    const Queue& waiting = queue(output, vc, input);
    if (waiting.eligible_ps > output.wake_ps) continue;
    return {input, waiting.head};
  }
  return {};
}

void SwitchCore::prefetch_arrival(PortId input, const Packet& packet) const {
  if (wormhole_) return;
  const std::size_t out = index_of(routes_.output_for(packet)), vc = index_of(packet.vc);
  __builtin_prefetch(queues_ + ((per_output_ ? out * vcs_ : 0) + vc) * inputs_ + index_of(input));
  __builtin_prefetch(&channel(out, vc));
  const auto* const line = reinterpret_cast<const char*>(&outputs_[out]);
  __builtin_prefetch(line);
  __builtin_prefetch(line + 64);
}

}  // namespace wafertlm
