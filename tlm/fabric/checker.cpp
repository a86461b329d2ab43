// SPDX-License-Identifier: Apache-2.0
#include "tlm/fabric/checker.h"

#include <algorithm>
#include <utility>

#include "tlm/kernel/scheduler.h"
#include "tlm/packets/message.h"

namespace wafertlm {

FabricChecker::FabricChecker(const sc_core::sc_module_name& name, const OutputParams& link,
                             const ClassTable& classes, ViolationHandler handler)
    : Checker(name, std::move(handler)),
      link_(link),
      classes_(classes),
      channels_(classes.virtual_channels()) {
  target_side.bind(static_cast<FabricForwardIf&>(forward_));
  initiator_side.bind(static_cast<FabricBackwardIf&>(backward_));
}

void FabricChecker::end_of_elaboration() {
  const Scheduler* const source = forward_.time_source();
  if (source == backward_.time_source()) scheduler_ = source;
}

TimePs FabricChecker::now() const { return scheduler_ ? scheduler_->now() : Checker::now(); }

::tlm::tlm_sync_enum FabricChecker::Forward::nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                                             sc_core::sc_time& delay) {
  if (phase == ::tlm::BEGIN_REQ)
    owner.begin_request(packet, delay.value());
  else
    owner.report(FabricRule::forward_phase, phase.get_name(), "BEGIN_REQ");
  const ::tlm::tlm_sync_enum answer = next().nb_transport_fw(packet, phase, delay);
  if (answer != ::tlm::TLM_ACCEPTED)
    owner.report(FabricRule::begin_req_answer, answer_name(answer), "TLM_ACCEPTED");
  return answer;
}

::tlm::tlm_sync_enum FabricChecker::Backward::nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                                              sc_core::sc_time& delay) {
  if (phase == ::tlm::END_REQ)
    owner.end_request(packet, owner.now() + delay.value());
  else
    owner.report(FabricRule::backward_phase, phase.get_name(), "END_REQ");
  const ::tlm::tlm_sync_enum answer = next().nb_transport_bw(packet, phase, delay);
  if (answer != ::tlm::TLM_ACCEPTED)
    owner.report(FabricRule::end_req_answer, answer_name(answer), "TLM_ACCEPTED");
  return answer;
}

void FabricChecker::show(const Packet& packet, TimePs delay_ps) const {
  SocketTransaction what;
  what.bytes = packet.payload_bytes;
  what.wire_bytes = packet.wire_bytes;
  if (packet.flow) {
    what.stream = packet.flow->key.operation;
    what.tag = packet.flow->key.number;
  } else if (packet.message) {
    what.stream = packet.message->key.operation;
    what.tag = packet.message->key.tag;
  }
  what.sequence = packet.sequence;
  what.source = static_cast<std::uint32_t>(index_of(packet.source));
  what.destination = static_cast<std::uint32_t>(index_of(packet.destination));
  what.kind = static_cast<std::uint8_t>(packet.kind);
  what.traffic_class = static_cast<std::uint8_t>(index_of(packet.traffic_class));
  what.vc = static_cast<std::uint8_t>(index_of(packet.vc));
  // Of one that is pending: as if the flits followed each other.
  what.tail_ps = PendingTimes::is_pending(packet.tail_ps)
                     ? now() + delay_ps + transfer_time_ps(packet.wire_bytes, link_.bytes_per_s)
                     : packet.tail_ps;
  observed_.observer->begun(observed_.number, &packet, now(), now() + delay_ps, what);
}

void FabricChecker::begin_request(const Packet& packet, TimePs delay_ps) {
  if (observed_.observer) show(packet, delay_ps);
  ++totals_.begun;
  totals_.payload_bytes += packet.payload_bytes;
  totals_.wire_bytes += packet.wire_bytes;
  if (packet.kind != PacketKind::data) {
    ++totals_.answers;
    totals_.answer_bytes += packet.wire_bytes;
  } else if (packet.flow) {
    check_flow(packet);
  }

  if (packet.wire_bytes == 0) report(FabricRule::bytes_on_wire, "0 B", "at least 1 B");
  if (packet.wire_bytes < packet.payload_bytes)
    report(FabricRule::wire_holds_payload, say(packet.wire_bytes, " B on the wire"),
           say("at least the payload of ", packet.payload_bytes, " B"));
  if (delay_ps != link_.latency_ps)
    report(FabricRule::delay_is_latency, say(delay_ps, " ps"), say(link_.latency_ps, " ps"));
  check_line(packet, delay_ps);
  check_channel(packet);

  const Flight flight{packet.source,     packet.destination, packet.traffic_class, packet.payload_bytes,
                      packet.wire_bytes, packet.vc,          packet.tail_ps};
  if (find_on_link(packet) != on_link_.size())
    return report(FabricRule::sent_once, "BEGIN_REQ with a packet that is on the link", "its END_REQ first");
  on_link_.push_back(&packet);
  flights_.push_back(flight);
}

std::size_t FabricChecker::find_on_link(const Packet& packet) {
  std::size_t place = 0;
  while (place < on_link_.size() && on_link_[place] != &packet) ++place;
  return place;
}

/// A start is rounded up to a whole ps, so the packet began later than start − 1 ps, and no sooner than the
/// line was free. That bounds the line's exact time from below, over any number of packets.
void FabricChecker::check_line(const Packet& packet, TimePs delay_ps) {
  const Uint128 rate = link_.bytes_per_s;
  const auto whole_ps = [&](Uint128 time) { return static_cast<TimePs>((time + rate - 1) / rate); };
  const TimePs start = now();
  if (start * rate < line_free_)
    report(FabricRule::line_rate, say("start at ", start, " ps"),
           say("not before ", whole_ps(line_free_), " ps"));
  const Uint128 began = start == 0 ? 0 : (start - 1) * rate + 1;
  line_free_ = std::max(line_free_, began) + Uint128{packet.wire_bytes} * kPsPerSecond;
  // Without the division that rounds up: a whole number lies below a rounded quotient if it lies below the
  // exact one.
  if (PendingTimes::is_pending(packet.tail_ps)) return;
  if (packet.tail_ps < delay_ps || (packet.tail_ps - delay_ps) * rate < line_free_)
    report(FabricRule::tail_after_bytes, say("tail at ", packet.tail_ps, " ps"),
           say("not before ", whole_ps(line_free_) + delay_ps, " ps"));
}

void FabricChecker::check_channel(const Packet& packet) {
  const std::size_t vc = index_of(packet.vc), type = index_of(packet.traffic_class);
  if (type >= classes_.size()) {
    report(FabricRule::class_exists, say("class ", type), say("less than ", classes_.size()));
  } else if (vc < channels_.size()) {
    const TrafficClass& entry = classes_[packet.traffic_class];
    if (packet.flow) {
      if (!classes_.has_flows() || packet.vc != classes_.flow_vc(packet.traffic_class))
        report(FabricRule::channel_of_class, say("channel ", vc),
               say("that of the flows of class ", entry.name));
    } else if (vc < entry.first_vc || vc >= entry.first_vc + entry.vcs)
      report(FabricRule::channel_of_class, say("channel ", vc),
             say(entry.first_vc, " to ", entry.first_vc + entry.vcs - 1, " of class ", entry.name));
  }
  if (vc >= channels_.size())
    return report(FabricRule::channel_exists, say("channel ", vc), say("less than ", channels_.size()));

  Channel& channel = channels_[vc];
  for (; !channel.freed.empty() && channel.freed.front().at <= now(); channel.freed.pop_front())
    channel.taken_bytes -= channel.freed.front().bytes;
  channel.taken_bytes += packet.wire_bytes;
  const std::uint64_t buffer = classes_.is_flow_channel(vc) ? link_.flow_buffer_bytes : link_.buffer_bytes;
  if (channel.taken_bytes > buffer)
    report(FabricRule::credits_not_overrun,
           say(packet.wire_bytes, " B onto ", channel.taken_bytes - packet.wire_bytes, " B on channel ", vc),
           say("at most ", buffer, " B together"));
}

/// So at every switch each output carries as many bytes as each input brought, and what is delivered is what
/// was injected times receivers over contributors: every link of a flow carries the whole vector once, or
/// whole stripes of it. With Go-Back-N what comes again, and what comes after a missing packet, is counted
/// apart.
void FabricChecker::check_flow(const Packet& packet) {
  const Flow& flow = *packet.flow;
  FlowAccount& account = flows_[flow.key];
  FlowTotals& seen = account.seen;
  account.share.resize(flow.stripes);
  const FlowShare share{flow.stripes, flow.stripe_of(packet.sequence)};
  const std::uint64_t due = share.number(account.share[share.first]);
  if (packet.sequence != due) {
    if (!flow.answers && packet.sequence < due)
      report(FabricRule::flow_in_order, say("packet ", packet.sequence), say("packet ", due));
    ++seen.repeated_packets;
    seen.repeated_bytes += packet.payload_bytes;
    return;
  }
  if (++account.share[share.first] == 1) {
    account.all_packets += share.packets(flow.packets);
    ++account.stripes;
  }
  ++seen.packets;
  seen.bytes += packet.payload_bytes;
  if (account.stripes == std::min<std::uint64_t>(flow.stripes, flow.packets)) account.all_bytes = flow.bytes;
}

void FabricChecker::end_request(const Packet& packet, TimePs at) {
  if (observed_.observer)
    observed_.observer->phase(observed_.number, &packet, SocketPhase::end_req, now(), at);
  const std::size_t place = find_on_link(packet);
  if (place == on_link_.size())
    return report(FabricRule::credit_for_packet, "END_REQ with a packet that is not on the link",
                  "one per BEGIN_REQ");
  const Flight sent = flights_[place];
  on_link_.erase(place);
  flights_.erase(place);
  ++totals_.finished;
  if (index_of(sent.vc) < channels_.size()) {
    RingQueue<Credit>& freed = channels_[index_of(sent.vc)].freed;
    std::size_t behind = freed.size();
    while (behind > 0 && freed[behind - 1].at > at) --behind;
    freed.insert(behind, {at, sent.wire_bytes});
  }

  if (packet.vc != sent.vc)
    report(FabricRule::credit_on_channel, say("channel ", index_of(packet.vc)),
           say("channel ", index_of(sent.vc)));
  if (packet.wire_bytes != sent.wire_bytes)
    report(FabricRule::credit_of_bytes, say(packet.wire_bytes, " B"), say(sent.wire_bytes, " B"));
  if (at < now())  // a difference of unsigned times that wrapped round
    report(FabricRule::credit_not_past, say("free at ", at, " ps"), "now or later");
  if (!PendingTimes::is_pending(sent.tail_ps) && at < sent.tail_ps)
    report(FabricRule::credit_after_tail, say("free at ", at, " ps"),
           say("not before the tail at ", sent.tail_ps, " ps"));
  if (packet.source != sent.source || packet.destination != sent.destination ||
      packet.traffic_class != sent.traffic_class || packet.payload_bytes != sent.payload_bytes)
    report(FabricRule::packet_constant,
           say("NPU ", index_of(packet.source), " to ", index_of(packet.destination), ", class ",
               index_of(packet.traffic_class), ", ", packet.payload_bytes, " B"),
           say("NPU ", index_of(sent.source), " to ", index_of(sent.destination), ", class ",
               index_of(sent.traffic_class), ", ", sent.payload_bytes, " B"));
}

void FabricChecker::finish() {
  for (auto& [key, account] : flows_) {
    account.seen.operation = key.operation;
    account.seen.number = key.number;
    totals_.flows.push_back(account.seen);
    if (account.seen.packets != account.all_packets ||
        account.seen.bytes != account.all_bytes.value_or(account.seen.bytes))
      report(
          FabricRule::flow_complete,
          say(account.seen.packets, " packets with ", account.seen.bytes, " B of flow ", key.number,
              " of operation ", key.operation),
          say(account.all_packets, " packets with ", account.all_bytes.value_or(account.seen.bytes), " B"));
  }
  if (!on_link_.empty())
    report(FabricRule::all_returned, say(on_link_.size(), " packets without END_REQ"), "none");
}

}  // namespace wafertlm
