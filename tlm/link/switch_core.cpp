// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/switch_core.h"

#include <algorithm>
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

SwitchCore::SwitchCore(SwitchParams params, const ClassTable& classes, const RouteFunction& routes,
                       SwitchHost& host)
    : host_(host),
      routes_(routes),
      classes_(classes),
      vcs_(classes.virtual_channels()),
      per_output_(params.input_queue == InputQueue::per_output),
      pipeline_ps_(params.pipeline_ps),
      credit_delay_ps_(std::move(params.credit_delay_ps)),
      queues_(inputs() * vcs_ * (per_output_ ? params.outputs.size() : 1)) {
  for (const auto& group : classes.service_order()) {
    groups_.emplace_back();
    for (const VcId vc : group) {
      groups_.back().vcs.push_back(static_cast<std::uint32_t>(vc));
      groups_.back().mask |= bit(index_of(vc));
    }
  }
  next_vc_.resize(params.outputs.size() * groups_.size());
  outputs_.reserve(params.outputs.size());
  channels_.reserve(params.outputs.size() * vcs_);
  for (const OutputParams& output : params.outputs) {
    outputs_.emplace_back(output);
    for (std::size_t vc = 0; vc < vcs_; ++vc) {
      channels_.emplace_back(output.buffer_bytes);
      channels_.back().more_requests.resize((inputs() - 1) / 64);
    }
  }
}

void SwitchCore::set_request(std::size_t output, std::size_t vc, std::size_t input) {
  Channel& to = channel(output, vc);
  (input < 64 ? to.requests : to.more_requests[input / 64 - 1]) |= wide_bit(input % 64);
  outputs_[output].requesting_vcs |= bit(vc);
}

void SwitchCore::clear_request(std::size_t output, std::size_t vc, std::size_t input) {
  Channel& to = channel(output, vc);
  (input < 64 ? to.requests : to.more_requests[input / 64 - 1]) &= ~wide_bit(input % 64);
  if (to.requests == 0 && std::all_of(to.more_requests.begin(), to.more_requests.end(),
                                      [](std::uint64_t word) { return word == 0; }))
    outputs_[output].requesting_vcs &= ~bit(vc);
}

/// Visits the queues with a waiting head on `vc`, from input `from` on and round; visit(input, queue) returns
/// false to stop.
template <typename Visit>
void SwitchCore::for_each_waiting(std::size_t output, std::size_t vc, std::size_t from, Visit visit) {
  const Channel& asked = channel(output, vc);
  Queue* const queues = &queue(0, vc, output);
  const std::size_t words = 1 + asked.more_requests.size();
  const std::uint64_t low = wide_bit(from % 64) - 1;
  std::size_t word = from / 64;
  for (std::size_t k = 0; k <= words; ++k) {
    std::uint64_t bits = word == 0 ? asked.requests : asked.more_requests[word - 1];
    if (k == 0) bits &= ~low;
    if (k == words) bits &= low;  // back in the first word: the part before `from`
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t input = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      if (!visit(input, queues[input])) return;
    }
    word = next_round<std::size_t>(word, words);
  }
}

void SwitchCore::ask_wake(std::size_t output, TimePs at) {
  Output& of = outputs_[output];
  if (at >= of.wake_ps) return;
  const bool is_coming = at == of.spare_wake_ps;
  if (is_coming || of.wake_ps != kNever) of.spare_wake_ps = of.wake_ps;
  of.wake_ps = at;
  if (!is_coming) host_.request_wake(static_cast<PortId>(output), at);
}

/// The head of `waiting` waits for the packet that is on the line from `from` until `until`.
void SwitchCore::charge(Output& output, Queue& waiting, TimePs from, TimePs until) {
  const TimePs since = std::max(from, waiting.eligible_ps);
  if (since >= until) return;
  if (waiting.contended_class != output.current_class) {
    waiting.head->waits.contention_ps[index_of(waiting.contended_class)] += waiting.class_contention_ps;
    waiting.class_contention_ps = 0;
    waiting.contended_class = output.current_class;
  }
  waiting.contention_ps += until - since;
  waiting.class_contention_ps += until - since;
  output.counters.contention_wait_ps[index_of(output.current_class)] += until - since;
}

void SwitchCore::arrive(PortId input, Packet& packet, TimePs head_ps) {
  packet.ready_ps = head_ps + pipeline_ps_;
  packet.tail_ps += pipeline_ps_;
  packet.output = routes_.output_for(packet);
  packet.next = nullptr;
  ++queued_;
  Queue& into = queue(index_of(input), index_of(packet.vc), index_of(packet.output));
  if (into.head) {
    into.tail->next = &packet;
    into.tail = &packet;
    return;
  }
  into.head = into.tail = &packet;
  expose(into, index_of(input), index_of(packet.vc), 0);
}

/// Makes the packet at the front of `queue` a contender for its output, from `not_before` on.
void SwitchCore::expose(Queue& queue, std::size_t input, std::size_t vc, TimePs not_before) {
  const Packet& packet = *queue.head;
  const std::size_t out = index_of(packet.output);
  queue.eligible_ps = std::max({packet.ready_ps, queue.free_ps, not_before});
  queue.contention_ps = queue.class_contention_ps = 0;
  queue.wire_bytes = packet.wire_bytes;
  queue.head_class = packet.traffic_class;
  set_request(out, vc, input);
  charge(outputs_[out], queue, 0, outputs_[out].line.free_ps());
  const TimePs start = earliest_start(out, queue);
  if (start != kNever) ask_wake(out, start);
}

/// The queue that round-robin serves next on `vc`; lowers `next` to the time at which a later one becomes
/// ready.
SwitchCore::Queue* SwitchCore::first_ready(std::size_t output, std::size_t vc, TimePs now, TimePs& next) {
  Queue* found = nullptr;
  for_each_waiting(output, vc, channel(output, vc).next_input, [&](std::size_t, Queue& waiting) {
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
bool SwitchCore::choose_vc(std::size_t output, const Queue& waiting, TimePs now, std::uint32_t& vc) {
  const TrafficClass& traffic_class = classes_[waiting.head_class];
  std::uint64_t best = 0;
  bool found = false;
  for (std::uint32_t k = 0; k < traffic_class.vcs; ++k) {
    const std::uint64_t room = channel(output, traffic_class.first_vc + k).credits.room(now);
    if (room < waiting.wire_bytes || (found && room <= best)) continue;
    found = true;
    best = room;
    vc = traffic_class.first_vc + k;
  }
  return found;
}

/// When a waiting head can go, as far as known: kNever if that depends on credits not yet promised, which
/// then wake the output.
TimePs SwitchCore::earliest_start(std::size_t output, const Queue& waiting) {
  const TrafficClass& traffic_class = classes_[waiting.head_class];
  TimePs room = kNever;
  for (std::uint32_t k = 0; k < traffic_class.vcs; ++k)
    room =
        std::min(room, channel(output, traffic_class.first_vc + k).credits.time_of_room(waiting.wire_bytes));
  Output& from = outputs_[output];
  if (room != kNever) return std::max({room, waiting.eligible_ps, from.line.free_ps()});
  for (std::uint32_t vc = traffic_class.first_vc; vc < traffic_class.first_vc + traffic_class.vcs; ++vc) {
    std::uint32_t& needed = channel(output, vc).needed;
    needed = (from.starved_vcs & bit(vc)) != 0 ? std::min(needed, waiting.wire_bytes) : waiting.wire_bytes;
    from.starved_vcs |= bit(vc);
  }
  return kNever;
}

bool SwitchCore::wake(PortId port, TimePs now) {
  const std::size_t out = index_of(port);
  Output& output = outputs_[out];
  if (now != output.wake_ps) {  // an earlier wake-up did it
    if (now == output.spare_wake_ps) output.spare_wake_ps = kNever;
    return false;
  }
  output.wake_ps = kNever;
  output.starved_vcs = 0;
  TimePs next = kNever;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if ((output.requesting_vcs & group.mask) == 0) continue;
    std::uint32_t& next_vc = next_vc_[out * groups_.size() + g];
    std::size_t place = next_vc;
    for (std::size_t k = 0; k < group.vcs.size();
         ++k, place = next_round<std::size_t>(place, group.vcs.size())) {
      const std::uint32_t in_vc = group.vcs[place];
      if ((output.requesting_vcs & bit(in_vc)) == 0) continue;
      Queue* const found = first_ready(out, in_vc, now, next);
      if (!found) continue;
      std::uint32_t vc = 0;
      if (!choose_vc(out, *found, now, vc)) {
        // It is not overtaken on its channel, or large packets could wait for ever.
        next = std::min(next, earliest_start(out, *found));
        continue;
      }
      const auto input = static_cast<std::size_t>(found - &queue(0, in_vc, out));
      next_vc = next_round<std::uint32_t>(place, group.vcs.size());
      channel(out, in_vc).next_input = next_round<std::uint32_t>(input, inputs());
      send(out, input, *found, in_vc, vc, now);
      return true;
    }
  }
  if (next != kNever) ask_wake(out, next);
  return false;
}

void SwitchCore::send(std::size_t out, std::size_t input, Queue& from, std::uint32_t in_vc, std::uint32_t vc,
                      TimePs now) {
  Output& output = outputs_[out];
  OutputCounters& counters = output.counters;
  Packet& packet = *from.head;

  const TimePs idle_since = output.line.free_ps();
  const Line::Slot slot =
      output.line.send(packet.wire_bytes, now, packet.ready_ps == now ? packet.head_early : Line::kUnbound);
  output.current_class = packet.traffic_class;
  channel(out, vc).credits.take(packet.wire_bytes);

  // Where this packet's time went. What was neither its own queue nor another packet was a lack of credit.
  const TimePs wait = now - packet.ready_ps;
  if (wait != 0) {
    const TimePs queue_wait = from.eligible_ps - packet.ready_ps;
    const TimePs credit_wait = wait - queue_wait - from.contention_ps;
    packet.waits.queue_ps += queue_wait;
    packet.waits.credit_ps += credit_wait;
    packet.waits.contention_ps[index_of(from.contended_class)] += from.class_contention_ps;
    counters.queue_wait_ps += queue_wait;
    counters.credit_wait_ps += credit_wait;
    counters.credit_blocked_ps += now - std::max(idle_since, from.eligible_ps);
    TimePs& longest = counters.longest_wait_ps[index_of(packet.traffic_class)];
    longest = std::max(longest, now - from.eligible_ps);
  }
  ++counters.packets;
  counters.payload_bytes += packet.payload_bytes;
  counters.wire_bytes += packet.wire_bytes;

  // Out of its queue; the next one comes to the front.
  from.head = packet.next;
  from.free_ps = slot.end;
  --queued_;
  clear_request(out, in_vc, input);
  if (from.head) expose(from, input, in_vc, slot.end);
  plan_next(out, now);

  const TimePs tail_out = std::max(slot.end, packet.tail_ps);
  host_.return_credit(static_cast<PortId>(input), packet, tail_out + credit_delay_ps_[input]);
  packet.vc = static_cast<VcId>(vc);
  packet.head_early = slot.start_early;
  packet.tail_ps = tail_out + output.latency_ps;
  ++packet.hops;
  host_.forward(static_cast<PortId>(out), packet, now + output.latency_ps);
}

/// After a packet began to leave at `now`: asks for the wake-up at which the first of the waiting heads can
/// go, and charges them for the transmission.
void SwitchCore::plan_next(std::size_t out, TimePs now) {
  Output& output = outputs_[out];
  const TimePs busy_until = output.line.free_ps();
  TimePs next = kNever;
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1)
    for_each_waiting(out, static_cast<std::size_t>(__builtin_ctz(vcs)), 0, [&](std::size_t, Queue& waiting) {
      charge(output, waiting, now, busy_until);
      if (next > busy_until) next = std::min(next, earliest_start(out, waiting));
      return true;
    });
  if (next != kNever) ask_wake(out, next);
}

void SwitchCore::credit(PortId port, VcId vc, std::uint32_t bytes, TimePs at, TimePs now) {
  const std::size_t out = index_of(port);
  Output& output = outputs_[out];
  Channel& to = channel(out, index_of(vc));
  to.credits.give_back(bytes, at);
  if ((output.starved_vcs & bit(index_of(vc))) == 0) return;
  const TimePs room = to.credits.time_of_room(to.needed);
  if (room != kNever) ask_wake(out, std::max({room, now, output.line.free_ps()}));
}

std::uint64_t SwitchCore::outstanding_credits() const {
  std::uint64_t bytes = 0;
  for (const Channel& to : channels_) bytes += to.credits.outstanding();
  return bytes;
}

}  // namespace wafertlm
