// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/wormhole.h"

#include <algorithm>

namespace wafertlm {
namespace {

/// How far `number` is behind `first` in a round-robin over `count`.
std::uint32_t distance(std::uint32_t number, std::uint32_t first, std::uint32_t count) {
  return number >= first ? number - first : number + count - first;
}

}  // namespace

WormholeSwitch::WormholeSwitch(const SwitchParams& params, const ClassTable& classes,
                               const RouteFunction& routes, SwitchHost& host)
    : SwitchCore(routes),
      vcs_(classes.virtual_channels()),
      output_stride_(params.input_queue == InputQueue::per_output ? vcs_ : 0),
      input_queues_(output_stride_ ? vcs_ * static_cast<std::uint32_t>(params.outputs.size()) : vcs_),
      reader_queues_(output_stride_ ? 1 : vcs_),
      classes_(classes),
      host_(host),
      pipeline_ps_(params.pipeline_ps),
      credit_delay_ps_(params.credit_delay_ps) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const TrafficClass& one = classes[static_cast<ClassId>(c)];
    std::uint32_t above = 0;
    for (std::size_t other = 0; other < classes.size(); ++other)
      above += classes[static_cast<ClassId>(other)].priority > one.priority;
    priority_of_.push_back(above);
  }
  contenders_.resize(credit_delay_ps_.size() * input_queues_);
  readers_.resize(contenders_.size() / reader_queues_);
  nominees_.resize(readers_.size());
  channels_.reserve(params.outputs.size() * vcs_);
  for (const OutputParams& output : params.outputs) {
    outputs_.emplace_back(output);
    for (std::size_t vc = 0; vc < vcs_; ++vc) channels_.emplace_back(output.buffer_bytes);
  }
}

void WormholeSwitch::ask_wake(TimePs at) {
  if (wake_.ask(at)) host_.request_wake(PortId{0}, at);
}

void WormholeSwitch::arrive_for(PortId output, PortId input, Packet& flit, TimePs head_ps) {
  flit.ready_ps = head_ps + pipeline_ps_;
  flit.tail_ps += pipeline_ps_;
  flit.next = nullptr;
  flit.output = output;
  ++queued_;
  Contender& who = contenders_[index_of(input) * input_queues_ + index_of(flit.output) * output_stride_ +
                               index_of(flit.vc)];
  if (who.head) {
    who.tail->next = &flit;
    who.tail = &flit;
    return;
  }
  who.head = who.tail = &flit;
  set_front(who, flit.ready_ps);
  if (who.out_vc == kNone)
    ask_wake(std::max(flit.ready_ps, now_));
  else  // nothing can happen to it while its port into the crossbar or its output is busy
    ask_wake(
        std::max({flit.ready_ps, reader_of(number_of(who)).free_ps, outputs_[who.output].line.free_ps()}));
}

void WormholeSwitch::set_front(Contender& who, TimePs now) {
  Packet& flit = *who.head;
  who.output = static_cast<std::uint32_t>(flit.output);
  who.priority = priority_of_[index_of(flit.traffic_class)];
  who.cause = Cause::queue;
  who.waits_since = std::max(now, flit.ready_ps);
  const TimePs behind = who.waits_since - flit.ready_ps;  // the flits before it
  if (flit.waits) flit.waits->queue_ps += behind;
  outputs_[who.output].counters.queue_wait_ps += behind;
}

/// Since the last allocation nothing has changed: what kept a flit then has kept it until now.
void WormholeSwitch::charge_waits(TimePs now) {
  Waits unasked;
  for (Contender& who : contenders_) {
    if (!is_waiting(who, now) || who.waits_since >= now) continue;
    const TimePs time = now - who.waits_since;
    who.waits_since = now;
    Waits& waits = who.head->waits ? *who.head->waits : unasked;
    OutputCounters& counters = outputs_[who.output].counters;
    switch (who.cause) {
      case Cause::queue:
        waits.queue_ps += time;
        counters.queue_wait_ps += time;
        break;
      case Cause::credit:
        waits.credit_ps += time;
        counters.credit_wait_ps += time;
        break;
      case Cause::contention:
        waits.contention_ps[index_of(who.by)] += time;
        counters.contention_wait_ps[index_of(who.by)] += time;
        break;
    }
  }
}

/// The free channel of the class with the most room, the first of equals.
std::uint32_t WormholeSwitch::free_channel(std::size_t output, ClassId traffic_class, TimePs now) {
  const TrafficClass& of = classes_[traffic_class];
  std::uint32_t best = kNone;
  std::uint64_t most = 0;
  for (std::uint32_t vc = of.first_vc; vc < of.first_vc + of.vcs; ++vc) {
    NextChannel& candidate = channel(output, vc);
    if (candidate.held) continue;
    const std::uint64_t room = candidate.credits.available(now);
    if (best == kNone || room > most) best = vc, most = room;
  }
  return best;
}

/// Gives channels to the heads that wait for one, by priority, then in turn.
void WormholeSwitch::allocate_channels(TimePs now) {
  const auto count = static_cast<std::uint32_t>(contenders_.size());
  for (std::size_t out = 0; out < outputs_.size(); ++out) {
    Output& output = outputs_[out];
    order_.clear();
    for (std::uint32_t n = 0; n < count; ++n) {
      const Contender& who = contenders_[n];
      if (is_waiting(who, now) && who.out_vc == kNone && who.output == out) order_.push_back(n);
    }
    const std::uint32_t first = output.next_head;
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t pa = contenders_[a].priority, pb = contenders_[b].priority;
      return pa != pb ? pa < pb : distance(a, first, count) < distance(b, first, count);
    });
    for (const std::uint32_t n : order_) {
      Contender& who = contenders_[n];
      const std::uint32_t vc = free_channel(out, who.head->traffic_class, now);
      if (vc == kNone) {
        who.cause = Cause::contention;
        who.by = who.head->traffic_class;
        continue;
      }
      who.out_vc = vc;
      channel(out, vc).held = true;
      output.next_head = n + 1 == count ? 0 : n + 1;
    }
  }
}

/// Whether the front flit needs nothing but the grant; if not, why.
bool WormholeSwitch::can_go(Contender& who, TimePs now) {
  if (!is_waiting(who, now) || who.out_vc == kNone) return false;
  Output& output = outputs_[who.output];
  if (channel(who.output, who.out_vc).credits.available(now) < who.head->wire_bytes) {
    if (who.cause != Cause::credit) who.credit_since = now;
    who.cause = Cause::credit;
    return false;
  }
  if (output.line.free_ps() > now) {
    who.cause = Cause::contention;
    who.by = output.current_class;
    return false;
  }
  who.cause = Cause::queue;  // another channel of its input goes first
  return true;
}

/// The queue that a port into the crossbar puts forward, or kNone.
std::uint32_t WormholeSwitch::nominate(std::uint32_t reader, TimePs now) {
  std::uint32_t best = kNone;
  const std::uint32_t first = reader * reader_queues_;
  const auto rank = [&](std::uint32_t n) {
    return std::pair(contenders_[n].priority, distance(n - first, readers_[reader].next, reader_queues_));
  };
  for (std::uint32_t n = first; n < first + reader_queues_; ++n) {
    if (!can_go(contenders_[n], now) || readers_[reader].free_ps > now) continue;
    if (best == kNone || rank(n) < rank(best)) best = n;
  }
  return best;
}

bool WormholeSwitch::wake(PortId, TimePs now) {
  if (!wake_.take(now)) return false;
  now_ = now;
  charge_waits(now);
  allocate_channels(now);
  for (std::uint32_t r = 0; r < readers_.size(); ++r) nominees_[r] = nominate(r, now);
  const bool sent = send_winners(now);
  plan_next(now);
  return sent;
}

/// Every output takes the first of its nominees by priority, then in turn. All are chosen before the first
/// one goes, for what is told to the neighbours may come back to this switch.
bool WormholeSwitch::send_winners(TimePs now) {
  const auto count = static_cast<std::uint32_t>(contenders_.size());
  winners_.clear();
  for (std::size_t out = 0; out < outputs_.size(); ++out) {
    const auto rank = [&](std::uint32_t n) {
      return std::pair(contenders_[n].priority, distance(n, outputs_[out].next, count));
    };
    std::uint32_t best = kNone;
    for (const std::uint32_t n : nominees_)
      if (n != kNone && contenders_[n].output == out && (best == kNone || rank(n) < rank(best))) best = n;
    if (best == kNone) continue;
    winners_.push_back(best);
    for (const std::uint32_t n : nominees_)
      if (n != kNone && n != best && contenders_[n].output == out) {
        contenders_[n].cause = Cause::contention;
        contenders_[n].by = contenders_[best].head->traffic_class;
      }
  }
  for (const std::uint32_t n : winners_) send(n, now);
  return !winners_.empty();
}

void WormholeSwitch::count(PortId output, const Packet& flit, TimePs start_ps, TimePs end_ps) {
  OutputCounters& counters = outputs_[index_of(output)].counters;
  counters.packets += flit.ends_packet;
  counters.payload_bytes += flit.payload_bytes;
  counters.wire_bytes += flit.wire_bytes;
  if (observer_) observer_->sent(observed_, output, flit, start_ps, end_ps);
}

void WormholeSwitch::send(std::uint32_t number, TimePs now) {
  Contender& who = contenders_[number];
  const std::uint32_t in = number / input_queues_, out = who.output, out_vc = who.out_vc;
  Reader& reader = reader_of(number);
  Output& output = outputs_[out];
  OutputCounters& counters = output.counters;
  Packet& flit = *who.head;

  const TimePs idle_since = output.line.free_ps();
  const Line::Slot slot =
      output.line.send(flit.wire_bytes, now, flit.ready_ps == now ? flit.head_fraction : Line::kUnbound);
  reader.free_ps = slot.end;
  reader.next = (number + 1) % reader_queues_;
  output.next = number + 1 == contenders_.size() ? 0 : number + 1;
  output.current_class = flit.traffic_class;
  channel(out, out_vc).credits.take(flit.wire_bytes);

  if (who.credit_since != 0) counters.credit_blocked_ps += now - std::max(idle_since, who.credit_since);
  who.credit_since = 0;
  TimePs& longest = counters.longest_wait_ps[index_of(flit.traffic_class)];
  longest = std::max(longest, now - flit.ready_ps);
  count(static_cast<PortId>(out), flit, now, slot.end);

  if (flit.ends_packet) {
    channel(out, out_vc).held = false;
    who.out_vc = kNone;
  }
  who.head = flit.next;
  if (who.head) set_front(who, now);
  --queued_;

  const TimePs tail_out = std::max(slot.end, flit.tail_ps);
  const auto next_vc = static_cast<VcId>(out_vc);
  host_.return_credit(static_cast<PortId>(in), flit, tail_out + credit_delay_ps_[in]);
  flit.vc = next_vc;
  flit.head_fraction = slot.start_fraction;
  flit.tail_ps = tail_out + output.latency_ps;
  ++flit.hops;
  host_.forward(static_cast<PortId>(out), flit, now + output.latency_ps);
}

/// When the front flit of `who` may have a chance; kNever if a credit or the end of another packet will tell.
TimePs WormholeSwitch::next_chance(Contender& who, TimePs now, TimePs retry_ps) {
  const Packet& flit = *who.head;
  if (flit.ready_ps > now) return flit.ready_ps;
  const TimePs line_free = outputs_[who.output].line.free_ps();
  if (who.out_vc == kNone)
    return free_channel(who.output, flit.traffic_class, now) == kNone ? kNever : std::max(now + 1, line_free);
  NextChannel& to = channel(who.output, who.out_vc);
  const TimePs room = to.credits.time_of_credits(flit.wire_bytes);
  if (room == kNever) {
    to.needed = true;
    return kNever;
  }
  const TimePs at = std::max({room, line_free, reader_of(number_of(who)).free_ps});
  return at > now ? at : retry_ps;  // its port put forward another queue, which lost
}

void WormholeSwitch::plan_next(TimePs now) {
  TimePs retry = kNever;
  for (const Output& output : outputs_)
    if (output.line.free_ps() > now) retry = std::min(retry, output.line.free_ps());
  TimePs next = kNever;
  for (Contender& who : contenders_)
    if (who.head) next = std::min(next, next_chance(who, now, retry));
  if (next != kNever) ask_wake(next);
}

void WormholeSwitch::credit(PortId output, VcId vc, std::uint32_t bytes, TimePs at, TimePs) {
  NextChannel& to = channel(index_of(output), index_of(vc));
  to.credits.give_back(bytes, at);
  if (!to.needed) return;
  to.needed = false;
  ask_wake(at);
}

std::uint64_t WormholeSwitch::outstanding_credits() const {
  std::uint64_t bytes = 0;
  for (const NextChannel& to : channels_) bytes += to.credits.outstanding();
  return bytes;
}

}  // namespace wafertlm
