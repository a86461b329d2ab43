// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/wormhole.h"

#include <algorithm>
#include <tuple>

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
      link_cycle_ps_(params.link_cycle_ps),
      speedup_(params.internal_speedup),
      va_ps_(std::min(params.head_pipeline_ps, params.link_cycle_ps / params.internal_speedup)),
      head_ps_(params.head_pipeline_ps),
      credit_delay_ps_(params.credit_delay_ps),
      last_credit_ps_(params.credit_delay_ps.size()) {
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
  flit.tail_ps += flit.starts_packet ? pipeline_ps_ : pipeline_ps_ - head_ps_;
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
  set_front(who, flit.ready_ps - head_ps_);
  if (who.out_vc == kNone)
    ask_wake(std::max(who.stage_ps, now_));
  else  // nothing can happen to it while its port into the crossbar or its output is busy
    ask_wake(std::max(
        {who.stage_ps, now_, reader_of(number_of(who)).free_ps, outputs_[who.output].crossbar_free_ps}));
}

/// `since`: the flit before has left (of heads: the read is over), or nothing was there and this one has
/// come.
void WormholeSwitch::set_front(Contender& who, TimePs since) {
  Packet& flit = *who.head;
  const bool is_head = who.out_vc == kNone;
  who.output = static_cast<std::uint32_t>(flit.output);
  who.priority = priority_of_[index_of(flit.traffic_class)];
  who.cause = Cause::queue;
  who.stage_ps = is_head ? std::max(flit.ready_ps, since + head_ps_) - va_ps_
                         : std::max(flit.ready_ps - head_ps_, since);
  who.waits_since = std::max(flit.ready_ps, is_head ? since + head_ps_ : since);
  const TimePs behind = who.waits_since - flit.ready_ps;  // the flits before it
  if (flit.waits) flit.waits->queue_ps += behind;
  outputs_[who.output].counters.queue_wait_ps += behind;
}

/// Since the last allocation nothing has changed: what kept a flit then has kept it until now.
void WormholeSwitch::charge_waits(TimePs now) {
  Waits unasked;
  for (Contender& who : contenders_) {
    if (!who.head || who.waits_since >= now) continue;
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

/// The next free channel of the class. A source's port knows its only link and passes over full ones; VA of a
/// router does not look at credits.
std::uint32_t WormholeSwitch::free_channel(const Contender& who, TimePs now) {
  const TrafficClass& of = classes_[who.head->traffic_class];
  std::uint32_t full = kNone;
  for (std::uint32_t i = 0, turn = who.next_vc % of.vcs; i < of.vcs; ++i, ++turn) {
    const std::uint32_t vc = of.first_vc + (turn < of.vcs ? turn : turn - of.vcs);
    NextChannel& candidate = channel(who.output, vc);
    if (candidate.held) continue;
    if (link_cycle_ps_ != 0 || candidate.credits.available(now) >= who.head->wire_bytes) return vc;
    if (full == kNone) full = vc;
  }
  return full;
}

/// VA. Every head that waits for a channel asks for one, every channel takes the first by priority, then in
/// turn. Returns whether one was given.
bool WormholeSwitch::allocate_channels(TimePs now) {
  const auto count = static_cast<std::uint32_t>(contenders_.size());
  asked_.clear();
  for (std::uint32_t n = 0; n < count; ++n) {
    Contender& who = contenders_[n];
    if (!asks_for_channel(who, now)) continue;
    who.cause = Cause::contention;
    who.by = who.head->traffic_class;
    const std::uint32_t vc = free_channel(who, now);
    if (vc == kNone) continue;
    NextChannel& to = channel(who.output, vc);
    const auto rank = [&](std::uint32_t one) {
      return std::pair(contenders_[one].priority, distance(one, to.next_head, count));
    };
    if (to.asked_by == kNone) asked_.push_back(who.output * vcs_ + vc);
    if (to.asked_by == kNone || rank(n) < rank(to.asked_by)) to.asked_by = n;
  }
  for (const std::uint32_t number : asked_) {
    NextChannel& to = channels_[number];
    Contender& who = contenders_[to.asked_by];
    who.out_vc = number % vcs_;
    who.next_vc = who.out_vc - classes_[who.head->traffic_class].first_vc + 1;
    who.stage_ps = now + va_ps_;
    to.held = true;
    to.next_head = to.asked_by + 1 == count ? 0 : to.asked_by + 1;
    to.asked_by = kNone;
  }
  return !asked_.empty();
}

/// Whether the front flit needs nothing but the grant; if not, why.
bool WormholeSwitch::can_go(Contender& who, TimePs now) {
  if (!who.head || who.out_vc == kNone || who.stage_ps > now) return false;
  Output& output = outputs_[who.output];
  if (channel(who.output, who.out_vc).credits.available(now) < who.head->wire_bytes) {
    if (who.cause != Cause::credit) who.credit_since = now;
    who.cause = Cause::credit;
    return false;
  }
  if (output.crossbar_free_ps > now) {
    who.cause = Cause::contention;
    who.by = output.current_class;
    return false;
  }
  who.cause = Cause::queue;  // another channel of its input goes first
  return true;
}

/// The queue that a port into the crossbar puts forward, or kNone: of one output, then of one channel.
std::uint32_t WormholeSwitch::nominate(std::uint32_t reader, TimePs now) {
  std::uint32_t best = kNone;
  const Reader& port = readers_[reader];
  const std::uint32_t first = reader * reader_queues_;
  const auto outputs = static_cast<std::uint32_t>(outputs_.size());
  const auto rank = [&](std::uint32_t n) {
    return std::tuple(contenders_[n].priority, distance(contenders_[n].output, port.next_output, outputs),
                      distance(n - first, port.next, reader_queues_));
  };
  for (std::uint32_t n = first; n < first + reader_queues_; ++n) {
    if (!can_go(contenders_[n], now) || port.free_ps > now) continue;
    if (best == kNone || rank(n) < rank(best)) best = n;
  }
  return best;
}

bool WormholeSwitch::wake(PortId, TimePs now) {
  if (!wake_.take(now)) return false;
  now_ = now;
  send_departures(now);
  charge_waits(now);
  // Where VA takes no time, who lost asks again at once.
  while (allocate_channels(now) && va_ps_ == 0) continue;
  for (std::uint32_t r = 0; r < readers_.size(); ++r) nominees_[r] = nominate(r, now);
  const bool sent = send_winners(now);
  plan_next(now);
  return sent;
}

/// Every output takes the first of its nominees by priority, then in turn. All are chosen before the first
/// one goes, for what is told to the neighbours may come back to this switch.
bool WormholeSwitch::send_winners(TimePs now) {
  const auto count = static_cast<std::uint32_t>(readers_.size());
  winners_.clear();
  for (std::size_t out = 0; out < outputs_.size(); ++out) {
    const auto rank = [&](std::uint32_t n) {
      return std::pair(contenders_[n].priority, distance(n / reader_queues_, outputs_[out].next, count));
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

/// The first moment from `at` on that is whole link cycles before or after the flit could have gone.
TimePs WormholeSwitch::whole_cycles_after_ready(const Packet& flit, TimePs at) const {
  if (at <= flit.ready_ps) return flit.ready_ps - (flit.ready_ps - at) / link_cycle_ps_ * link_cycle_ps_;
  return flit.ready_ps + (at - flit.ready_ps + link_cycle_ps_ - 1) / link_cycle_ps_ * link_cycle_ps_;
}

/// Occupies the crossbar from now on, and the line when it is free.
WormholeSwitch::Departure WormholeSwitch::across(Contender& who, Reader& reader, TimePs now) {
  Output& output = outputs_[who.output];
  Packet& flit = *who.head;
  const TimePs start =
      speedup_ == 1 ? now : std::max(whole_cycles_after_ready(flit, now), output.line.free_ps());
  const Line::Slot slot =
      output.line.send(flit.wire_bytes, start, flit.ready_ps == start ? flit.head_fraction : Line::kUnbound);
  reader.free_ps = output.crossbar_free_ps =
      speedup_ == 1 ? slot.end : now + (slot.end - start + speedup_ - 1) / speedup_;
  return {&flit, start, slot.end, slot.start_fraction};
}

/// When upstream knows of the room of a flit that goes across now.
TimePs WormholeSwitch::credit_time(std::size_t input, const Packet& flit, const Departure& departure,
                                   TimePs now) {
  if (speedup_ == 1) return std::max(departure.end_ps, flit.tail_ps) + credit_delay_ps_[input];
  TimePs& last = last_credit_ps_[input];
  const TimePs left = whole_cycles_after_ready(
      flit, std::max(flit.tail_ps, outputs_[index_of(flit.output)].crossbar_free_ps));
  last = std::max(left, last + link_cycle_ps_);
  return std::max(last, now) + credit_delay_ps_[input];
}

void WormholeSwitch::send(std::uint32_t number, TimePs now) {
  Contender& who = contenders_[number];
  const std::uint32_t in = number / input_queues_, out = who.output, out_vc = who.out_vc;
  Reader& reader = reader_of(number);
  Output& output = outputs_[out];
  OutputCounters& counters = output.counters;
  Packet& flit = *who.head;

  const TimePs idle_since = output.line.free_ps();
  const Departure departure = across(who, reader, now);
  const TimePs behind_crossbar = departure.start_ps - now;
  if (flit.waits) flit.waits->contention_ps[index_of(output.current_class)] += behind_crossbar;
  counters.contention_wait_ps[index_of(output.current_class)] += behind_crossbar;
  reader.next = (number + 1) % reader_queues_;
  reader.next_output = out + 1 == outputs_.size() ? 0 : out + 1;
  output.next = (number / reader_queues_ + 1) % static_cast<std::uint32_t>(readers_.size());
  output.current_class = flit.traffic_class;
  channel(out, out_vc).credits.take(flit.wire_bytes);

  if (who.credit_since != 0 && now > idle_since)
    counters.credit_blocked_ps += now - std::max(idle_since, who.credit_since);
  who.credit_since = 0;
  TimePs& longest = counters.longest_wait_ps[index_of(flit.traffic_class)];
  if (departure.start_ps > flit.ready_ps) longest = std::max(longest, departure.start_ps - flit.ready_ps);

  if (flit.ends_packet) {
    channel(out, out_vc).held = false;
    who.out_vc = kNone;
  }
  who.head = flit.next;
  if (who.head) set_front(who, who.out_vc == kNone ? reader.free_ps : now);
  host_.return_credit(static_cast<PortId>(in), flit, credit_time(in, flit, departure, now));
  flit.vc = static_cast<VcId>(out_vc);
  if (departure.start_ps == now)
    depart(out, departure);
  else
    output.departures.push_back(departure);
}

void WormholeSwitch::depart(std::size_t output, const Departure& departure) {
  Packet& flit = *departure.flit;
  const TimePs latency_ps = outputs_[output].latency_ps;
  --queued_;
  count(static_cast<PortId>(output), flit, departure.start_ps, departure.end_ps);
  flit.head_fraction = departure.start_fraction;
  flit.tail_ps = std::max(departure.end_ps, flit.tail_ps) + latency_ps;
  ++flit.hops;
  host_.forward(static_cast<PortId>(output), flit, departure.start_ps + latency_ps);
}

void WormholeSwitch::send_departures(TimePs now) {
  for (std::size_t out = 0; out < outputs_.size(); ++out) {
    RingQueue<Departure>& waiting = outputs_[out].departures;
    while (!waiting.empty() && waiting.front().start_ps <= now) {
      const Departure first = waiting.front();
      waiting.pop_front();
      depart(out, first);
    }
  }
}

/// When the front flit of `who` may have a chance; kNever if a credit or the end of another packet will tell.
TimePs WormholeSwitch::next_chance(Contender& who, TimePs now, TimePs retry_ps) {
  const Packet& flit = *who.head;
  if (who.stage_ps > now) return who.stage_ps;
  const TimePs output_free = outputs_[who.output].crossbar_free_ps;
  if (who.out_vc == kNone) {
    if (free_channel(who, now) == kNone) return kNever;
    return va_ps_ != 0 ? now + va_ps_ : std::max(now + 1, output_free);
  }
  NextChannel& to = channel(who.output, who.out_vc);
  const TimePs room = to.credits.time_of_credits(flit.wire_bytes);
  if (room == kNever) {
    to.needed = true;
    return kNever;
  }
  const TimePs at = std::max({room, output_free, reader_of(number_of(who)).free_ps});
  return at > now ? at : retry_ps;  // its port put forward another queue, which lost
}

void WormholeSwitch::plan_next(TimePs now) {
  TimePs retry = kNever, next = kNever;
  for (const Output& output : outputs_) {
    if (output.crossbar_free_ps > now) retry = std::min(retry, output.crossbar_free_ps);
    if (!output.departures.empty()) next = std::min(next, output.departures.front().start_ps);
  }
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
