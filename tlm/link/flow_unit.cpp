// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/flow_unit.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "tlm/link/flow_leg.h"
#include "tlm/link/switch_view.h"

namespace wafertlm {
namespace {

template <typename... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace

FlowUnit::FlowUnit(const FlowUnitParams& params, PacketPool& packets, FlowUnitHost& host)
    : params_(params),
      packets_(packets),
      host_(host),
      changes_cost_(params.phase_rule || params.phase_change_ps != 0),
      legs_in_lane_(params.lanes) {}

FlowUnit::~FlowUnit() = default;

void FlowUnit::open(const Flow& flow, const FlowLeg& leg, const std::vector<std::uint64_t>& room_bytes) {
  if (leg.inputs.empty() || leg.outputs.empty() || room_bytes.size() != leg.outputs.size() ||
      leg.order.size() + 1 != leg.inputs.size() || leg.share.packets(flow.packets) == 0)
    throw std::logic_error(
        "a leg of a flow needs inputs, outputs with their room, packets, and an order of additions");
  if (leg.share.stride != flow.stripes || flow.stripes > params_.stripes)
    throw std::logic_error(text_of("a leg of every ", leg.share.stride, "th packet of a flow with ",
                                   flow.stripes, " stripes; a switch here knows ", params_.stripes));
  const std::size_t inputs = params_.credit_delay_ps.size();
  const std::size_t slots = (std::size_t{flow.slot} + 1) * params_.stripes;
  by_input_.resize(std::max(by_input_.size(), slots * inputs));
  by_output_.resize(std::max(by_output_.size(), slots * params_.outputs));

  auto made = std::make_unique<Leg>();
  made->flow = &flow;
  made->share = leg.share;
  made->packets = leg.share.packets(flow.packets);
  made->order = leg.order;
  made->from_above = leg.from_above;
  made->lane = next_lane_;
  next_lane_ = (next_lane_ + 1) % params_.lanes;
  if (++legs_in_lane_[made->lane] == 2) ++shared_lanes_;
  const auto take = [&](Place& place, std::size_t index) {
    if (place.leg) throw std::logic_error("two legs of a flow share a port of a switch");
    place = {made.get(), static_cast<std::uint32_t>(index)};
  };
  for (const PortId port : leg.inputs) {
    take(by_input_[table_index(flow, leg.share.first, inputs, port)], made->inputs.size());
    made->inputs.emplace_back();
    made->inputs.back().port = port;
  }
  for (std::size_t i = 0; i < leg.outputs.size(); ++i) {
    take(by_output_[table_index(flow, leg.share.first, params_.outputs, leg.outputs[i])], i);
    LegOutput& output = made->outputs.emplace_back();
    output.port = leg.outputs[i];
    output.reserved = room_bytes[i] != 0;
    output.room = CreditWindow(room_bytes[i]);
  }
  legs_.push_back(std::move(made));
  if (view_) view_->leg_opened(flow, leg, room_bytes);
}

void FlowUnit::close(const Flow& flow) {
  if (view_) view_->flow_closed(flow);
  for (const auto& leg : legs_) {
    if (leg->flow != &flow) continue;
    if (!leg->done && !flow.answers)
      throw std::logic_error("a flow was closed before all of its packets had passed");
    if (--legs_in_lane_[leg->lane] == 1) --shared_lanes_;
    for (const LegInput& input : leg->inputs)
      by_input_[table_index(flow, leg->share.first, params_.credit_delay_ps.size(), input.port)] = {};
    for (const LegOutput& output : leg->outputs)
      by_output_[table_index(flow, leg->share.first, params_.outputs, output.port)] = {};
  }
  legs_.erase(std::remove_if(legs_.begin(), legs_.end(), [&](const auto& leg) { return leg->flow == &flow; }),
              legs_.end());
}

void FlowUnit::arrive(PortId port, Packet& packet, TimePs head_ps, TimePs now) {
  if (packet.kind != PacketKind::data) {
    answers_.emplace(std::pair(packet.tail_ps, port), &packet);
    return host_.request_flow_wake(packet.tail_ps);
  }
  const std::size_t place = table_index(*packet.flow, packet.flow->stripe_of(packet.sequence),
                                        params_.credit_delay_ps.size(), port);
  Leg* const leg = place < by_input_.size() ? by_input_[place].leg : nullptr;
  if (!leg)
    throw std::logic_error(text_of("a packet of flow ", packet.flow->key.number, " of operation ",
                                   packet.flow->key.operation, " came to input ", index_of(port),
                                   ", which no leg of the flow has"));
  LegInput& input = leg->inputs[by_input_[place].index];
  const std::uint64_t position = leg->share.position(packet.sequence);
  if (packet.flow->answers) {
    if (!is_due(*leg, input, packet, now)) return;
  } else if (position < input.arrived) {
    throw std::logic_error(text_of("packet ", packet.sequence, " of a flow came where ",
                                   leg->share.number(input.arrived), " was due"));
  }
  input.arrived = position + 1;
  input.bytes += packet.payload_bytes;
  input.queue.push_back({&packet, head_ps, position});
  ++queued_;
  if (params_.phase_rule && phase_ != priority_of(*leg)) {
    // This may be what the others of its phase wait for.
    for (const auto& other : legs_)
      if (priority_of(*other) == priority_of(*leg)) advance(*other, now);
    return;
  }
  advance(*leg, now);
}

std::uint32_t FlowUnit::priority_of(const Leg& leg) const {
  return params_.priority[index_of(leg.flow->traffic_class)];
}

/// Whether the switch is, or can be, set for the phase of `leg`, which has all it needs.
bool FlowUnit::enter_phase(const Leg& leg, TimePs now) {
  const std::uint32_t phase = priority_of(leg);
  if (phase_ == phase) return true;
  const bool comes_down = leg.from_above && leg.inputs.size() == 1;
  if (params_.phase_rule && phase_ && phase > *phase_ && !comes_down)
    for (const auto& other : legs_) {
      if (priority_of(*other) != phase) continue;
      for (const LegInput& input : other->inputs)
        if (input.port != other->from_above && input.queue.size() == other->combined.size() &&
            input.arrived < other->packets)
          return false;
    }
  if (phase_) {
    ++phase_changes_;
    set_ps_ = std::max(now, last_head_ps_) + params_.phase_change_ps;
  }
  phase_ = phase;
  return true;
}

void FlowUnit::credit(PortId port, const Packet& packet, TimePs at, TimePs now) {
  if (packet.flow->answers) packet.flow->rest_ps = std::max(packet.flow->rest_ps, at);
  if (packet.kind != PacketKind::data) return;
  const Place& place = output_place(packet, port);
  Leg& leg = *place.leg;
  LegOutput& output = leg.outputs[place.index];
  if (output.reserved) output.room.give_back(packet.wire_bytes, at);
  output.last_credit_ps = std::max(output.last_credit_ps, at);
  ++output.credited;
  if (leg.ready == leg.inputs.size()) advance(leg, now);
  finish_if_done(leg);
}

/// Combines what can be.
void FlowUnit::advance(Leg& leg, TimePs now) {
  while (leg.has_all()) {
    const std::uint32_t bytes = leg.inputs.front().queue[leg.combined.size()].packet->wire_bytes;
    TimePs room_ps = 0;
    for (const LegOutput& output : leg.outputs) {
      if (output.reserved) room_ps = std::max(room_ps, output.room.time_of_room(bytes));
      if (room_ps == kNever) return;
    }
    if (changes_cost_ && !enter_phase(leg, now)) return;
    combine(leg, room_ps, now);
  }
}

Packet& FlowUnit::make_packet(const Flow& flow) {
  if (flow.answers) ++flow.in_flight;
  Packet& packet = packets_.acquire();
  packet.flow = &flow;
  return packet;
}

/// The room of `packet`, which came to `input`, is free at `at`; it goes back to the pool.
void FlowUnit::release_room(PortId input, Packet& packet, TimePs at) {
  const Flow& flow = *packet.flow;
  host_.return_flow_credit(input, packet, at);
  if (!flow.answers) return;
  flow.rest_ps = std::max(flow.rest_ps, at);
  if (--flow.in_flight == 0) host_.leg_done(flow, flow.rest_ps);
}

/// The next packet of every input becomes one, whose copies may start when `room_ps` is there.
void FlowUnit::combine(Leg& leg, TimePs room_ps, TimePs now) {
  const std::size_t place = leg.combined.size();
  TimePs head_ps =
      std::max(now, room_ps) > params_.pipeline_ps ? std::max(now, room_ps) - params_.pipeline_ps : 0;
  TimePs tail_ps = 0;
  std::uint32_t head_early = 0;
  const Packet* last = nullptr;
  bool corrupt = false;
  for (const LegInput& input : leg.inputs) {
    const LegInput::Waiting& waiting = input.queue[place];
    const Packet& packet = *waiting.packet;
    corrupt = corrupt || packet.corrupt;
    if (waiting.head_ps > head_ps) {
      head_ps = waiting.head_ps;
      head_early = packet.head_early;
    } else if (waiting.head_ps == head_ps) {
      head_early = std::min(head_early, packet.head_early);
    }
    if (packet.tail_ps >= tail_ps) {
      tail_ps = packet.tail_ps;
      last = &packet;
    }
  }
  if (changes_cost_) last_head_ps_ = head_ps = std::max(head_ps, set_ps_);
  for (const Addition& addition : leg.order) {
    Packet& into = *leg.inputs[addition.into].queue[place].packet;
    const Packet& from = *leg.inputs[addition.from].queue[place].packet;
    if (into.payload_bytes != from.payload_bytes)
      throw std::logic_error("packets of one flow and number have different lengths");
    if (!into.data.empty())
      add_values(leg.flow->data_type, into.data.data(), from.data.data(), into.data.size());
  }
  const Packet& sum = *leg.inputs[leg.order.empty() ? 0 : leg.order.back().into].queue[place].packet;

  leg.set_number(leg.inputs.front().queue[place].position + 1);
  leg.combined.push_back({static_cast<std::uint32_t>(leg.outputs.size()), 0});
  for (LegOutput& output : leg.outputs) {
    if (output.reserved) {
      output.room.room(room_ps);  // it will be there when the copy starts
      output.room.take(sum.wire_bytes);
    }
    Packet& copy = make_packet(*leg.flow);
    copy.destination = sum.destination;
    copy.source = sum.source;
    copy.wire_bytes = sum.wire_bytes;
    copy.payload_bytes = sum.payload_bytes;
    copy.traffic_class = sum.traffic_class;
    copy.vc = sum.vc;
    copy.tail_ps = tail_ps;
    copy.head_early = head_early;
    copy.hops = last->hops;
    copy.waits = last->waits;
    copy.sequence = sum.sequence;
    copy.offset = sum.offset;
    copy.created_ps = last->created_ps;
    copy.data = sum.data;
    copy.corrupt = corrupt;
    output.bytes += copy.payload_bytes;
    host_.send_copy(output.port, leg.lane, copy, head_ps);
  }
}

const FlowUnit::Place& FlowUnit::output_place(const Packet& copy, PortId output) const {
  return by_output_[table_index(*copy.flow, copy.flow->stripe_of(copy.sequence), params_.outputs, output)];
}

void FlowUnit::copy_left(const Packet& copy, TimePs tail_out_ps) {
  if (copy.kind != PacketKind::data) return;
  const Place& place = output_place(copy, copy.output);
  Leg& leg = *place.leg;
  Leg::Combined& packet = leg.combined[leg.outputs[place.index].left++ - leg.gone];
  packet.tail_out_ps = std::max(packet.tail_out_ps, tail_out_ps);
  if (--packet.copies_left != 0) return;
  // Each output sends the packets in order, so this is the oldest one.
  const TimePs tail_ps = packet.tail_out_ps;
  leg.combined.pop_front();
  ++leg.gone;
  for (LegInput& input : leg.inputs) {
    Packet& done = *input.queue.front().packet;
    input.queue.pop_front();
    --queued_;
    const TimePs at = tail_ps + params_.credit_delay_ps[index_of(input.port)];
    leg.done_ps = std::max(leg.done_ps, at);
    release_room(input.port, done, at);
  }
}

void FlowUnit::finish_if_done(Leg& leg) {
  if (leg.flow->answers || leg.gone != leg.packets) return;
  for (const LegOutput& output : leg.outputs) {
    if (output.credited != leg.packets) return;
    leg.done_ps = std::max(leg.done_ps, output.last_credit_ps);
  }
  leg.done = true;
  host_.leg_done(*leg.flow, leg.done_ps);
}

void FlowUnit::leg_was_carried(const Flow& flow, std::uint32_t stripe, PortId output, TimePs at) {
  Leg& leg = *by_output_[table_index(flow, stripe, params_.outputs, output)].leg;
  leg.done = true;
  leg.gone = leg.packets;
  host_.leg_done(flow, at);
}

std::map<FlowKey, std::vector<FlowLegCounters>> FlowUnit::counters() const {
  std::map<FlowKey, std::vector<FlowLegCounters>> all;
  for (const auto& leg : legs_) {
    FlowLegCounters& of = all[leg->flow->key].emplace_back();
    for (const LegInput& input : leg->inputs) of.bytes_in.push_back(input.bytes);
    for (const LegOutput& output : leg->outputs) of.bytes_out.push_back(output.bytes);
  }
  return all;
}

std::vector<std::string> FlowUnit::pending(const std::string& switch_name) const {
  std::vector<std::string> lines;
  for (const auto& leg : legs_) {
    if (leg->done) continue;
    std::string text =
        text_of(switch_name, ": flow ", leg->flow->key.number, " of collective ", leg->flow->key.operation,
                " has passed ", leg->gone, " of ", leg->packets, " packets");
    for (const PortId port : missing_inputs(*leg->flow))
      text += text_of("; waits for input ", index_of(port));
    lines.push_back(std::move(text));
  }
  return lines;
}

std::vector<PortId> FlowUnit::missing_inputs(const Flow& flow) const {
  std::vector<PortId> ports;
  for (const auto& leg : legs_) {
    if (leg->flow != &flow || leg->done) continue;
    for (const LegInput& input : leg->inputs)
      if (!leg->has_next(input) && leg->number < leg->packets) ports.push_back(input.port);
  }
  return ports;
}

std::vector<FlowKey> FlowUnit::flows_at(PortId port) const {
  std::vector<FlowKey> flows;
  for (const auto& leg : legs_)
    for (const LegInput& input : leg->inputs)
      if (input.port == port && !input.queue.empty()) flows.push_back(leg->flow->key);
  std::sort(flows.begin(), flows.end());
  return flows;
}

}  // namespace wafertlm
