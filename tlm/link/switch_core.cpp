// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/switch_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace wafertlm {
namespace {

constexpr std::uint32_t bit(std::size_t i) { return std::uint32_t{1} << i; }

}  // namespace

SwitchCore::Output::Output(const OutputParams& params, std::size_t vcs, std::size_t words)
    : line(params.bytes_per_s), requests(vcs * words), next_input(vcs), needed(vcs) {
  credits.reserve(vcs);
  for (std::size_t vc = 0; vc < vcs; ++vc) credits.emplace_back(params.buffer_bytes);
}

SwitchCore::SwitchCore(SwitchParams params, const ClassTable& classes, const RouteFunction& routes,
                       SwitchHost& host)
    : params_(std::move(params)),
      classes_(classes),
      routes_(routes),
      host_(host),
      vcs_(classes.virtual_channels()),
      words_((params_.credit_delay_ps.size() + 63) / 64),
      queues_per_vc_(params_.input_queue == InputQueue::per_output ? params_.outputs.size() : 1) {
  for (const auto& group : classes.service_order()) {
    groups_.emplace_back();
    for (const VcId vc : group) {
      groups_.back().vcs.push_back(static_cast<std::uint32_t>(vc));
      groups_.back().mask |= bit(index_of(vc));
    }
  }
  queues_.resize(inputs() * vcs_ * queues_per_vc_);
  outputs_.reserve(params_.outputs.size());
  for (const OutputParams& output : params_.outputs) {
    outputs_.emplace_back(output, vcs_, words_);
    outputs_.back().next_vc.resize(groups_.size());
  }
}

SwitchCore::Queue& SwitchCore::queue(std::size_t input, std::size_t vc, std::size_t output) {
  return queues_[(input * vcs_ + vc) * queues_per_vc_ + (queues_per_vc_ == 1 ? 0 : output)];
}

void SwitchCore::ask_wake(std::size_t output, TimePs at) {
  if (at >= outputs_[output].wake_ps) return;
  outputs_[output].wake_ps = at;
  host_.request_wake(static_cast<PortId>(output), at);
}

void SwitchCore::charge(Output& output, Packet& waiting, TimePs from, TimePs until) const {
  const TimePs since = std::max(from, waiting.eligible_ps);
  if (since >= until) return;
  const TimePs time = until - since;
  waiting.hop_contention_ps += time;
  waiting.waits.contention_ps[index_of(output.current_class)] += time;
  output.counters.contention_wait_ps[index_of(output.current_class)] += time;
}

void SwitchCore::arrive(PortId input, Packet& packet, TimePs head_ps) {
  packet.ready_ps = head_ps + params_.pipeline_ps;
  packet.tail_ps += params_.pipeline_ps;
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
  expose(into, index_of(input), 0);
}

/// Makes the packet at the front of `queue` a contender for its output, from `not_before` on.
void SwitchCore::expose(Queue& queue, std::size_t input, TimePs not_before) {
  Packet& packet = *queue.head;
  const std::size_t out = index_of(packet.output), vc = index_of(packet.vc);
  Output& output = outputs_[out];
  packet.eligible_ps = std::max({packet.ready_ps, queue.free_ps, not_before});
  packet.hop_contention_ps = 0;
  output.requests[vc * words_ + input / 64] |= std::uint64_t{1} << input % 64;
  output.requesting_vcs |= bit(vc);
  charge(output, packet, 0, output.line.free_ps());
  ask_wake(out, std::max(packet.eligible_ps, output.line.free_ps()));
}

/// Visits the inputs with a waiting head on `vc`, from input `from` on and round; visit(input, packet)
/// returns false to stop.
template <typename Visit>
void SwitchCore::for_each_waiting(std::size_t output, std::size_t vc, std::size_t from, Visit visit) {
  const std::uint64_t* words = &outputs_[output].requests[vc * words_];
  const std::uint64_t low = (std::uint64_t{1} << from % 64) - 1;
  for (std::size_t k = 0; k <= words_; ++k) {
    const std::size_t word = (from / 64 + k) % words_;
    std::uint64_t bits = words[word];
    if (k == 0) bits &= ~low;
    if (k == words_) bits &= low;  // back in the first word: the part before `from`
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t input = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      if (!visit(input, *queue(input, vc, output).head)) return;
    }
  }
}

/// The packet that round-robin serves next on `vc`; lowers `next` to the time at which a later one becomes
/// ready.
Packet* SwitchCore::first_ready(std::size_t output, std::size_t vc, TimePs now, TimePs& next) {
  Packet* found = nullptr;
  for_each_waiting(output, vc, outputs_[output].next_input[vc], [&](std::size_t input, Packet& packet) {
    if (packet.eligible_ps > now) {
      next = std::min(next, packet.eligible_ps);
      return true;
    }
    found = &packet;
    winner_ = input;
    return false;
  });
  return found;
}

/// A virtual channel of the packet's class with room in the next buffer: the roomiest, the first of equals.
bool SwitchCore::choose_vc(Output& output, const Packet& packet, TimePs now, TimePs& next,
                           std::uint32_t& vc) {
  const TrafficClass& traffic_class = classes_[packet.traffic_class];
  const std::uint32_t end = traffic_class.first_vc + traffic_class.vcs;
  std::uint64_t best = 0;
  bool found = false;
  for (std::uint32_t candidate = traffic_class.first_vc; candidate < end; ++candidate) {
    const std::uint64_t room = output.credits[candidate].room(now);
    if (room < packet.wire_bytes || (found && room <= best)) continue;
    found = true;
    best = room;
    vc = candidate;
  }
  if (found) return true;
  for (std::uint32_t candidate = traffic_class.first_vc; candidate < end; ++candidate) {
    output.starved_vcs |= bit(candidate);
    output.needed[candidate] = packet.wire_bytes;
    next = std::min(next, output.credits[candidate].time_of_room(packet.wire_bytes));
  }
  return false;
}

bool SwitchCore::wake(PortId port, TimePs now) {
  const std::size_t out = index_of(port);
  Output& output = outputs_[out];
  if (now != output.wake_ps) return false;  // an earlier wake-up did it
  output.wake_ps = kNever;
  output.starved_vcs = 0;
  TimePs next = kNever;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if ((output.requesting_vcs & group.mask) == 0) continue;
    const std::size_t count = group.vcs.size();
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t place = (output.next_vc[g] + k) % count;
      const std::uint32_t vc = group.vcs[place];
      if ((output.requesting_vcs & bit(vc)) == 0) continue;
      Packet* packet = first_ready(out, vc, now, next);
      std::uint32_t next_vc = 0;
      if (!packet || !choose_vc(output, *packet, now, next, next_vc)) continue;
      output.next_vc[g] = static_cast<std::uint32_t>((place + 1) % count);
      output.next_input[vc] = static_cast<std::uint32_t>((winner_ + 1) % inputs());
      send(out, winner_, *packet, next_vc, now);
      return true;
    }
  }
  if (output.starved_vcs != 0 && output.blocked_since_ps == kNever) output.blocked_since_ps = now;
  if (next != kNever) ask_wake(out, next);
  return false;
}

void SwitchCore::send(std::size_t out, std::size_t input, Packet& packet, std::uint32_t vc, TimePs now) {
  Output& output = outputs_[out];
  OutputCounters& counters = output.counters;
  const std::size_t in_vc = index_of(packet.vc);

  const Line::Slot slot =
      output.line.send(packet.wire_bytes, now, packet.ready_ps == now ? packet.head_early : Line::kUnbound);
  output.current_class = packet.traffic_class;
  output.credits[vc].take(packet.wire_bytes);

  // Where this packet's time went. What was neither its own queue nor another packet was a lack of credit.
  const TimePs wait = now - packet.eligible_ps;
  const TimePs queue_wait = packet.eligible_ps - packet.ready_ps;
  const TimePs credit_wait = wait - packet.hop_contention_ps;
  packet.waits.queue_ps += queue_wait;
  packet.waits.credit_ps += credit_wait;
  counters.queue_wait_ps += queue_wait;
  counters.credit_wait_ps += credit_wait;
  TimePs& longest = counters.longest_wait_ps[index_of(packet.traffic_class)];
  longest = std::max(longest, wait);
  if (output.blocked_since_ps != kNever) {
    counters.credit_blocked_ps += now - output.blocked_since_ps;
    output.blocked_since_ps = kNever;
  }
  ++counters.packets;
  counters.payload_bytes += packet.payload_bytes;
  counters.wire_bytes += packet.wire_bytes;

  // Out of its queue; the next one comes to the front.
  Queue& from = queue(input, in_vc, out);
  from.head = packet.next;
  from.free_ps = slot.end;
  --queued_;
  std::uint64_t& word = output.requests[in_vc * words_ + input / 64];
  word &= ~(std::uint64_t{1} << input % 64);
  if (word == 0) {
    const auto first = output.requests.begin() + static_cast<std::ptrdiff_t>(in_vc * words_);
    if (std::all_of(first, first + static_cast<std::ptrdiff_t>(words_),
                    [](std::uint64_t w) { return w == 0; }))
      output.requesting_vcs &= ~bit(in_vc);
  }
  if (from.head) expose(from, input, slot.end);

  TimePs next = kNever;
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1)
    for_each_waiting(out, static_cast<std::size_t>(__builtin_ctz(vcs)), 0, [&](std::size_t, Packet& waiting) {
      charge(output, waiting, now, slot.end);
      next = std::min(next, std::max(waiting.eligible_ps, slot.end));
      return true;
    });
  if (next != kNever) ask_wake(out, next);

  const TimePs tail_out = std::max(slot.end, packet.tail_ps);
  const TimePs latency_ps = params_.outputs[out].latency_ps;
  host_.return_credit(static_cast<PortId>(input), packet, tail_out + params_.credit_delay_ps[input]);
  packet.vc = static_cast<VcId>(vc);
  packet.head_early = slot.start_early;
  packet.tail_ps = tail_out + latency_ps;
  ++packet.hops;
  host_.forward(static_cast<PortId>(out), packet, now + latency_ps);
}

void SwitchCore::credit(PortId port, VcId vc, std::uint32_t bytes, TimePs at, TimePs now) {
  const std::size_t out = index_of(port);
  Output& output = outputs_[out];
  CreditWindow& window = output.credits[index_of(vc)];
  window.give_back(bytes, at);
  if ((output.starved_vcs & bit(index_of(vc))) == 0) return;
  const TimePs room = window.time_of_room(output.needed[index_of(vc)]);
  if (room != kNever) ask_wake(out, std::max({room, now, output.line.free_ps()}));
}

std::uint64_t SwitchCore::outstanding_credits() const {
  std::uint64_t bytes = 0;
  for (const Output& output : outputs_)
    for (const CreditWindow& window : output.credits) bytes += window.outstanding();
  return bytes;
}

}  // namespace wafertlm
