// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/flow_unit.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/kernel/pending_times.h"
#include "tlm/kernel/say.h"
#include "tlm/link/flow_branch.h"
#include "tlm/link/switch_view.h"

namespace wafertlm {

FlowUnit::FlowUnit(const FlowUnitParams& params, PacketPool& packets, FlowUnitHost& host)
    : params_(params),
      packets_(packets),
      host_(host),
      changes_cost_(params.phase_rule || params.phase_change_ps != 0),
      branches_in_lane_(params.lanes) {}

FlowUnit::~FlowUnit() = default;

void FlowUnit::open(const Flow& flow, const FlowBranch& branch,
                    const std::vector<std::uint64_t>& credit_bytes) {
  if (branch.inputs.empty() || branch.outputs.empty() || credit_bytes.size() != branch.outputs.size() ||
      branch.order.size() + 1 != branch.inputs.size() || branch.share.packets(flow.packets) == 0)
    throw std::logic_error(
        "a branch of a flow needs inputs, outputs with their room, packets, and an order of additions");
  if (branch.share.stride != flow.stripes || flow.stripes > params_.stripes)
    throw std::logic_error(say("a branch of every ", branch.share.stride, "th packet of a flow with ",
                               flow.stripes, " stripes; a switch here knows ", params_.stripes));
  const std::size_t inputs = params_.credit_delay_ps.size();
  const std::size_t slots = (std::size_t{flow.slot} + 1) * params_.stripes;
  by_input_.resize(std::max(by_input_.size(), slots * inputs));
  by_output_.resize(std::max(by_output_.size(), slots * params_.outputs));

  auto made = std::make_unique<Branch>();
  made->flow = &flow;
  made->share = branch.share;
  made->packets = branch.share.packets(flow.packets);
  made->order = branch.order;
  made->from_above = branch.from_above;
  // The lane with the fewest branches, the first of these.
  made->lane = static_cast<std::uint32_t>(
      std::min_element(branches_in_lane_.begin(), branches_in_lane_.end()) - branches_in_lane_.begin());
  if (++branches_in_lane_[made->lane] == 2) ++shared_lanes_;
  const auto take = [&](BranchPort& place, std::size_t index) {
    if (place.branch) throw std::logic_error("two branches of a flow share a port of a switch");
    place = {made.get(), static_cast<std::uint32_t>(index)};
  };
  for (const PortId port : branch.inputs) {
    take(by_input_[table_index(flow, branch.share.first, inputs, port)], made->inputs.size());
    made->inputs.emplace_back();
    made->inputs.back().port = port;
  }
  for (std::size_t i = 0; i < branch.outputs.size(); ++i) {
    take(by_output_[table_index(flow, branch.share.first, params_.outputs, branch.outputs[i])], i);
    BranchOutput& output = made->outputs.emplace_back();
    output.port = branch.outputs[i];
    output.reserved = credit_bytes[i] != 0;
    output.credits = CreditWindow(credit_bytes[i]);
  }
  branches_.push_back(std::move(made));
  if (view_) view_->branch_opened(flow, branch, credit_bytes);
}

void FlowUnit::close(const Flow& flow) {
  if (view_) view_->flow_closed(flow);
  for (const auto& branch : branches_) {
    if (branch->flow != &flow) continue;
    if (!branch->done && !flow.answers)
      throw std::logic_error("a flow was closed before all of its packets had passed");
    if (--branches_in_lane_[branch->lane] == 1) --shared_lanes_;
    for (const BranchInput& input : branch->inputs)
      by_input_[table_index(flow, branch->share.first, params_.credit_delay_ps.size(), input.port)] = {};
    for (const BranchOutput& output : branch->outputs)
      by_output_[table_index(flow, branch->share.first, params_.outputs, output.port)] = {};
  }
  branches_.erase(std::remove_if(branches_.begin(), branches_.end(),
                                 [&](const auto& branch) { return branch->flow == &flow; }),
                  branches_.end());
}

void FlowUnit::arrive(PortId port, Packet& packet, TimePs head_ps, TimePs now) {
  if (packet.kind != PacketKind::data) {
    answers_.emplace(std::pair(packet.tail_ps, port), &packet);
    return host_.request_flow_wake(packet.tail_ps);
  }
  const std::size_t place = table_index(*packet.flow, packet.flow->stripe_of(packet.sequence),
                                        params_.credit_delay_ps.size(), port);
  Branch* const branch = place < by_input_.size() ? by_input_[place].branch : nullptr;
  if (!branch)
    throw std::logic_error(say("a packet of flow ", packet.flow->key.number, " of operation ",
                               packet.flow->key.operation, " came to input ", index_of(port),
                               ", which no branch of the flow has"));
  BranchInput& input = branch->inputs[by_input_[place].index];
  const std::uint64_t position = branch->share.position(packet.sequence);
  if (packet.flow->answers) {
    if (!is_due(*branch, input, packet, now)) return;
  } else if (position < input.arrived) {
    throw std::logic_error(say("packet ", packet.sequence, " of a flow came where ",
                               branch->share.number(input.arrived), " was due"));
  }
  input.arrived = position + 1;
  input.queue.push_back({&packet, head_ps, position});
  ++queued_;
  if (params_.phase_rule && phase_ != priority_of(*branch)) {
    // This may be what the others of its phase wait for.
    for (const auto& other : branches_)
      if (priority_of(*other) == priority_of(*branch)) advance(*other, now);
    return;
  }
  advance(*branch, now);
}

std::uint32_t FlowUnit::priority_of(const Branch& branch) const {
  return params_.priority[index_of(branch.flow->traffic_class)];
}

/// Whether the switch is, or can be, set for the phase of `branch`, which has all it needs.
bool FlowUnit::enter_phase(const Branch& branch, TimePs now) {
  const std::uint32_t phase = priority_of(branch);
  if (phase_ == phase) return true;
  const bool comes_down = branch.from_above && branch.inputs.size() == 1;
  if (params_.phase_rule && phase_ && phase > *phase_ && !comes_down)
    for (const auto& other : branches_) {
      if (priority_of(*other) != phase) continue;
      for (const BranchInput& input : other->inputs)
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
  const BranchPort& place = branch_at(packet, port);
  Branch& branch = *place.branch;
  BranchOutput& output = branch.outputs[place.index];
  if (output.reserved) output.credits.give_back(packet.wire_bytes, at);
  output.last_credit_ps = std::max(output.last_credit_ps, at);
  ++output.credited;
  if (branch.ready == branch.inputs.size()) advance(branch, now);
  finish_if_done(branch);
}

/// Combines what can be.
void FlowUnit::advance(Branch& branch, TimePs now) {
  while (branch.has_all()) {
    const std::uint32_t bytes = branch.inputs.front().queue[branch.combined.size()].packet->wire_bytes;
    TimePs credit_ps = 0;
    for (const BranchOutput& output : branch.outputs) {
      if (output.reserved) credit_ps = std::max(credit_ps, output.credits.time_of_credits(bytes));
      if (credit_ps == kNever) return;
    }
    if (changes_cost_ && !enter_phase(branch, now)) return;
    combine(branch, credit_ps, now);
  }
}

Packet& FlowUnit::make_packet(const Flow& flow) {
  if (flow.answers) ++flow.in_flight;
  Packet& packet = packets_.acquire();
  packet.flow = &flow;
  return packet;
}

/// The room of `packet`, which came to `input`, is free at `at`; it goes back to the pool.
void FlowUnit::return_credits(PortId input, Packet& packet, TimePs at) {
  const Flow& flow = *packet.flow;
  host_.return_flow_credit(input, packet, at);
  if (!flow.answers) return;
  flow.rest_ps = std::max(flow.rest_ps, at);
  if (--flow.in_flight == 0) host_.branch_done(flow, flow.rest_ps);
}

/// The next packet of every input becomes one, whose copies may start when `credit_ps` is there.
void FlowUnit::combine(Branch& branch, TimePs credit_ps, TimePs now) {
  const std::size_t place = branch.combined.size();
  TimePs head_ps = std::max({now, credit_ps, params_.pipeline_ps}) - params_.pipeline_ps;
  TimePs tail_ps = 0;
  std::uint32_t head_fraction = 0;
  const Packet* last = nullptr;
  bool corrupt = false;
  for (const BranchInput& input : branch.inputs) {
    const BranchInput::Waiting& waiting = input.queue[place];
    const Packet& packet = *waiting.packet;
    corrupt = corrupt || packet.corrupt;
    if (waiting.head_ps > head_ps) {
      head_ps = waiting.head_ps;
      head_fraction = packet.head_fraction;
    } else if (waiting.head_ps == head_ps) {
      head_fraction = std::min(head_fraction, packet.head_fraction);
    }
    if (!last || packet.tail_ps >= last->tail_ps) last = &packet;
    tail_ps = later_by(host_, tail_ps, packet.tail_ps);
  }
  if (changes_cost_) last_head_ps_ = head_ps = std::max(head_ps, set_ps_);
  for (const Addition& addition : branch.order) {
    Packet& into = *branch.inputs[addition.into].queue[place].packet;
    const Packet& from = *branch.inputs[addition.from].queue[place].packet;
    if (into.payload_bytes != from.payload_bytes)
      throw std::logic_error("packets of one flow and number have different lengths");
    if (!into.data.empty())
      add_values(branch.flow->data_type, into.data.data(), from.data.data(), into.data.size());
  }
  const Packet& sum = *branch.inputs[branch.order.empty() ? 0 : branch.order.back().into].queue[place].packet;

  branch.set_number(branch.inputs.front().queue[place].position + 1);
  branch.combined.push_back({static_cast<std::uint32_t>(branch.outputs.size()), 0});
  for (BranchOutput& output : branch.outputs) {
    if (output.reserved) output.credits.take_ahead(sum.wire_bytes);  // they are there when the copy starts
    Packet& copy = make_packet(*branch.flow);
    copy.destination = sum.destination;
    copy.source = sum.source;
    copy.wire_bytes = sum.wire_bytes;
    copy.payload_bytes = sum.payload_bytes;
    copy.traffic_class = sum.traffic_class;
    copy.vc = sum.vc;
    copy.tail_ps = tail_ps;
    copy.head_fraction = head_fraction;
    copy.hops = last->hops;
    copy.waits = last->waits;
    copy.sequence = sum.sequence;
    copy.offset = sum.offset;
    copy.created_ps = last->created_ps;
    copy.data = sum.data;
    copy.corrupt = corrupt;
    host_.send_copy(output.port, branch.lane, copy, head_ps);
  }
}

const FlowUnit::BranchPort& FlowUnit::branch_at(const Packet& copy, PortId output) const {
  return by_output_[table_index(*copy.flow, copy.flow->stripe_of(copy.sequence), params_.outputs, output)];
}

void FlowUnit::copy_left(const Packet& copy, TimePs tail_out_ps) {
  if (copy.kind != PacketKind::data) return;
  const BranchPort& place = branch_at(copy, copy.output);
  Branch& branch = *place.branch;
  Branch::Combined& packet = branch.combined[branch.outputs[place.index].left++ - branch.gone];
  packet.tail_out_ps = later_by(host_, packet.tail_out_ps, tail_out_ps);
  if (--packet.copies_left != 0) return;
  // Each output sends the packets in order, so this is the oldest one.
  const TimePs tail_ps = packet.tail_out_ps;
  branch.combined.pop_front();
  ++branch.gone;
  for (BranchInput& input : branch.inputs) {
    Packet& done = *input.queue.front().packet;
    input.queue.pop_front();
    --queued_;
    const TimePs at = tail_ps + params_.credit_delay_ps[index_of(input.port)];
    branch.done_ps = later_by(host_, branch.done_ps, at);
    return_credits(input.port, done, at);
  }
}

void FlowUnit::finish_if_done(Branch& branch) {
  if (branch.flow->answers || branch.gone != branch.packets) return;
  for (const BranchOutput& output : branch.outputs) {
    if (output.credited != branch.packets) return;
    branch.done_ps = later_by(host_, branch.done_ps, output.last_credit_ps);
  }
  branch.done = true;
  host_.branch_done(*branch.flow, branch.done_ps);
}

void FlowUnit::branch_was_carried(const Flow& flow, std::uint32_t stripe, PortId output, TimePs at) {
  Branch& branch = *by_output_[table_index(flow, stripe, params_.outputs, output)].branch;
  branch.done = true;
  branch.gone = branch.packets;
  host_.branch_done(flow, at);
}

std::vector<PortId> FlowUnit::outputs_behind(const Flow& flow, PortId input) const {
  std::vector<PortId> outputs;
  for (const auto& branch : branches_) {
    if (branch->flow != &flow) continue;
    if (std::none_of(branch->inputs.begin(), branch->inputs.end(),
                     [&](const BranchInput& each) { return each.port == input; }))
      continue;
    for (const BranchOutput& output : branch->outputs) outputs.push_back(output.port);
  }
  return outputs;
}

void FlowUnit::list_state(PortId port, StateVisitor& state) {
  if (view_ || changes_cost_) return state.give_up();
  state.require(branches_.empty() && queued_ == 0 && answers_.empty());
  for (const auto& branch : branches_) {
    if (branch->flow->answers) return state.give_up();
    if (branch->is_untouched()) continue;  // a flow may be admitted while other messages are ahead
    for (std::size_t i = 0; i < branch->outputs.size(); ++i) {
      if (branch->outputs[i].port != port) continue;
      BranchOutput::list_state(branch->outputs[i], state);
      if (i == 0) Branch::list_state(*branch, state);
    }
  }
}

std::vector<std::string> FlowUnit::pending(const std::string& switch_name) const {
  std::vector<std::string> lines;
  for (const auto& branch : branches_) {
    if (branch->done) continue;
    std::string text =
        say(switch_name, ": flow ", branch->flow->key.number, " of collective ", branch->flow->key.operation,
            " has passed ", branch->gone, " of ", branch->packets, " packets");
    for (const PortId port : missing_inputs(*branch->flow)) text += say("; waits for input ", index_of(port));
    lines.push_back(std::move(text));
  }
  return lines;
}

std::vector<PortId> FlowUnit::missing_inputs(const Flow& flow) const {
  std::vector<PortId> ports;
  for (const auto& branch : branches_) {
    if (branch->flow != &flow || branch->done) continue;
    for (const BranchInput& input : branch->inputs)
      if (!branch->has_next(input) && branch->number < branch->packets) ports.push_back(input.port);
  }
  return ports;
}

std::vector<FlowKey> FlowUnit::flows_at(PortId port) const {
  std::vector<FlowKey> flows;
  for (const auto& branch : branches_)
    for (const BranchInput& input : branch->inputs)
      if (input.port == port && !input.queue.empty()) flows.push_back(branch->flow->key);
  std::sort(flows.begin(), flows.end());
  return flows;
}

}  // namespace wafertlm
