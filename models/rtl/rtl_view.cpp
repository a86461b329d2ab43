// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/rtl_view.h"

#include <algorithm>
#include <ctime>

#include "tlm/packets/message.h"

namespace wafertlm {
namespace {

/// Flits behind every output and channel; 0 where there is no link.
std::vector<std::uint32_t> credits_of(const RtlViewParams& params, std::uint32_t ports,
                                      std::uint32_t channels, const ClassTable& classes) {
  std::vector<std::uint32_t> rooms(std::size_t{ports} * channels);
  for (std::size_t output = 0; output < params.outputs.size(); ++output)
    for (std::size_t c = 0; c < std::min(params.channels, channels); ++c) {
      const OutputParams& link = params.outputs[output];
      const std::uint64_t bytes =
          classes.has_flows() && classes.is_flow_channel(c) ? link.flow_buffer_bytes : link.buffer_bytes;
      rooms[output * channels + c] =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / params.flit_bytes, 1U << 30));
    }
  return rooms;
}

RtlOrigin origin_of(const Packet& packet) {
  RtlOrigin origin;
  origin.source = static_cast<std::uint32_t>(packet.source);
  origin.packet = packet.sequence;
  if (packet.flow) {
    origin.collective = packet.flow->key.operation;
    origin.step = packet.flow->key.number;
    return origin;
  }
  origin.destination = static_cast<std::uint32_t>(packet.destination);
  if (!packet.message) return origin;
  origin.collective = packet.message->key.operation;
  origin.step = packet.message->key.tag;
  return origin;
}

void require_fit(const SwitchModule& at, const RtlViewParams& params) {
  const RtlDesign& design = *params.design;
  const auto fail = [&](const std::string& why) {
    throw std::invalid_argument("the RTL design '" + design.name + "' does not fit the switch " +
                                at.basename() + ": " + why);
  };
  if (design.ports < at.inputs())
    fail("it has P=" + std::to_string(design.ports) + " ports, the switch " + std::to_string(at.inputs()));
  if (design.protocol == RtlProtocol::credit_stream && design.channels < params.channels)
    fail("it has VC=" + std::to_string(design.channels) + " virtual channels, the links of the fabric have " +
         std::to_string(params.channels) + ", those of in-network flows included");
  const Uint128 wanted = Uint128{design.flit_bytes()} * params.clock.hz;
  for (const OutputParams& link : params.outputs) {
    const Uint128 rate = link.bytes_per_s;
    const Uint128 difference = rate > wanted ? rate - wanted : wanted - rate;
    if (difference * 1000 > rate)
      fail("its ports carry flit x clock = " + std::to_string(design.flit_bytes()) + " B x " +
           std::to_string(params.clock.hz) + " Hz = " + std::to_string(static_cast<std::uint64_t>(wanted)) +
           " B/s, and a link behind the switch " + std::to_string(link.bytes_per_s) + " B/s: a clock of " +
           std::to_string(link.bytes_per_s / design.flit_bytes()) + " Hz fits");
  }
}

}  // namespace

RtlView::RtlView(SwitchModule& at, Scheduler& scheduler, PacketPool& packets, const ClassTable& classes,
                 RtlModel* model, RtlViewParams params)
    : switch_(at),
      scheduler_(scheduler),
      pool_(packets),
      classes_(classes),
      params_(std::move(params)),
      entries_(params_.design ? params_.design->flows : params_.flow_branches) {
  if (params_.design) {
    require_fit(at, params_);
    if (at.flows() && params_.design->flows == 0 && params_.mode != RtlViewMode::tlm)
      throw std::invalid_argument(
          "the RTL design '" + params_.design->name +
          "' carries no in-network flows (it has no parameter FLOWS), and the switch " + at.basename() +
          " does: in_network: false, or another design");
  }
  const std::uint32_t ports =
      params_.design ? params_.design->ports : static_cast<std::uint32_t>(at.inputs());
  const std::uint32_t channels = params_.design ? params_.design->channels : params_.channels;
  rooms_ = credits_of(params_, ports, channels, classes);
  RtlBenchParams bench{params_.clock, rooms_, params_.configuration};
  if (!params_.recording.empty()) recorder_ = std::make_unique<RtlRecorder>(params_.recording);
  RtlScoreboardOptions options;
  options.switch_name = switch_name();
  options.cycle_ps = params_.clock.period_ps();
  options.tolerance = params_.tolerance;
  options.patience_ps = params_.patience_ps;
  if (params_.mode == RtlViewMode::both) {
    shadow_ = std::make_unique<RtlShadow>(*params_.design, *model, std::move(bench), std::move(options));
  } else if (params_.mode == RtlViewMode::rtl) {
    bench_ = std::make_unique<RtlBench>(*params_.design, *model, std::move(bench),
                                        static_cast<RtlBenchHost&>(*this));
    options.has_model = false;
    board_.emplace(std::move(options));
  }
  switch_.set_view(*this);
}

RtlView::~RtlView() = default;

std::vector<RtlProperty> RtlView::properties() const {
  if (!params_.design) return {};
  return rtl_properties(params_.model ? params_.model() : RtlModelFacts{}, *params_.design, params_.clock,
                        rooms_);
}

void RtlView::begin_recording() {
  if (!recorder_ || std::exchange(records_, true)) return;
  const std::uint32_t ports =
      params_.design ? params_.design->ports : static_cast<std::uint32_t>(switch_.inputs());
  recorder_->begin({switch_name(), ports, params_.design ? params_.design->channels : params_.channels,
                    params_.flit_bytes, params_.clock.hz, params_.tolerance, rooms_,
                    params_.model ? params_.model() : RtlModelFacts{}});
}

void RtlView::emit(const RtlEvent& event) {
  begin_recording();
  if (recorder_) recorder_->write(event);
  if (shadow_) shadow_->apply(event);
  if (bench_) {
    if (event.kind == RtlEvent::Kind::open) values_.open(event.entry);
    if (event.kind == RtlEvent::Kind::arrive) values_.arrive(event);
    bench_->apply(event);
  }
  ask_wake();
}

void RtlView::ask_wake() {
  const TimePs next = shadow_ ? shadow_->next_wake_ps() : bench_ ? bench_->next_wake_ps() : kNever;
  if (next >= wake_ps_ || next == kNever) return;
  wake_ps_ = next;
  // Not leading: assertions of the RTL say the kernel's time.
  scheduler_.schedule(std::max(next, scheduler_.now()), *this, 0);
}

void RtlView::wake(std::uint32_t, TimePs now) {
  if (now < wake_ps_) return;  // an earlier request, overtaken
  wake_ps_ = kNever;
  // The clock of processor time costs as much as a small router: not at every edge.
  constexpr std::uint64_t kAll = 1000, kEvery = 16;
  const bool is_timed = ++wakes_ < kAll || wakes_ % kEvery == 0;
  const std::clock_t begin = is_timed ? std::clock() : 0;
  if (shadow_)
    shadow_->advance(now);
  else
    bench_->advance(now);
  if (is_timed)
    host_s_ += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC * (wakes_ < kAll ? 1 : kEvery);
  ask_wake();
}

/// RTL in place sends a picosecond after the edge, and where that comes to RTL it is in time for the edge:
/// else each switch of a row would cost a cycle more.
TimePs RtlView::from_edge(TimePs at) const {
  if (at == 0) return at;
  const TimePs edge_ps = params_.clock.edge_ps(params_.clock.edge_from(at - 1));
  return edge_ps + 1 == at ? edge_ps : at;
}

RtlEvent RtlView::event_of(RtlEvent::Kind kind, PortId port, const Packet& packet, TimePs now) const {
  RtlEvent event;
  event.kind = kind;
  event.now_ps = event.head_ps = now;
  event.port = static_cast<std::uint32_t>(port);
  if (!params_.design || params_.design->protocol != RtlProtocol::axi4_stream)
    event.channel = static_cast<std::uint32_t>(packet.vc);
  event.flits = flits_of(packet);
  if (kind == RtlEvent::Kind::credit) return event;
  event.bytes = packet.payload_bytes;
  event.data = packet.data.bytes();
  return event;
}

/// Of a packet that comes from RTL in place.
std::shared_ptr<RtlFlitTimes> RtlView::follow(TimePs tail_ps) {
  auto times = std::make_shared<RtlFlitTimes>();
  scheduler_.pending().follow(tail_ps, [this, times](TimePs at_ps) {
    times->at_ps.push_back(from_edge(at_ps));
    if (shadow_) shadow_->bench().flit_comes(times->at_ps.back());
    if (bench_) bench_->flit_comes(times->at_ps.back());
    ask_wake();
  });
  scheduler_.pending().when(tail_ps, [this, times](TimePs at_ps) { times->tail_ps = from_edge(at_ps); });
  return times;
}

bool RtlView::arrive(PortId input, Packet& packet, TimePs head_ps, TimePs now) {
  ++packets_seen_;
  RtlEvent event = event_of(RtlEvent::Kind::arrive, input, packet, now);
  event.head_ps = from_edge(head_ps);
  if (PendingTimes::is_pending(packet.tail_ps))
    event.flit_times = follow(packet.tail_ps);
  else
    event.tail_ps = from_edge(packet.tail_ps);
  RtlEntries::Number number;
  if (packet.flow) {
    number = entries_.at_input(*packet.flow, packet.sequence, event.port);
  } else {
    packet.output = switch_.core().route(packet);
    number =
        entries_.message(static_cast<std::uint32_t>(packet.output), classes_[packet.traffic_class].priority);
    if (!bench_) followed_[&packet] = number;
  }
  event.flow = number.flow;
  event.sequence = number.sequence;
  if (recorder_) event.origin = origin_of(packet);
  if (bench_) {
    Carried& carried = carried_[{number.flow, number.sequence}];
    if (carried.inputs.empty()) {
      carried.copies_left = packet.flow ? branches_.at(number.flow).entry.outputs.size() : 1;
      carried.vc = packet.vc;
    }
    carried.inputs.emplace_back(input, &packet);
  }
  if (packet.flow) {
    Branch& branch = branches_.at(number.flow);
    branch.held.push_back(std::move(event));
    admit(branch, now);
  } else {
    emit(event);
  }
  return bench_ != nullptr;
}

/// Lets go in what there is room for, behind every output.
void RtlView::admit(Branch& branch, TimePs now) {
  for (auto held = branch.held.begin(); held != branch.held.end();) {
    const std::uint64_t position = held->sequence - branch.entry.first;
    if (position == branch.admitted) {
      const std::uint32_t wire_bytes = held->flits * params_.flit_bytes;
      TimePs credit_ps = 0;
      for (auto& room : branch.credits)
        if (room) credit_ps = std::max(credit_ps, room->time_of_credits(wire_bytes));
      if (credit_ps != kNever) {
        for (auto& room : branch.credits) {
          if (!room) continue;
          room->available(credit_ps);
          room->take(wire_bytes);
        }
        // It is needed when the head leaves, a passage through the switch later.
        const TimePs passage_ps = params_.design ? params_.clock.edge_ps(params_.design->latency) : 0;
        branch.entrances[position] = {credit_ps > passage_ps ? credit_ps - passage_ps : 0,
                                      branch.entry.inputs.size()};
        ++branch.admitted;
      }
    }
    if (position >= branch.admitted) {
      ++held;
      continue;
    }
    held->now_ps = now;
    const auto entrance = branch.entrances.find(position);
    held->head_ps = std::max(held->head_ps, entrance->second.at_ps);
    if (--entrance->second.inputs_due == 0) branch.entrances.erase(entrance);
    held->tail_ps = std::max(held->tail_ps, held->head_ps);
    const RtlEvent event = std::move(*held);
    branch.held.erase(held);
    emit(event);
    held = branch.held.begin();
  }
}

bool RtlView::credit(PortId output, Packet& packet, TimePs at, TimePs now) {
  RtlEvent event = event_of(RtlEvent::Kind::credit, output, packet, now);
  event.head_ps = from_edge(at);
  emit(event);
  if (packet.flow) {
    const std::uint32_t number = entries_.at_output(*packet.flow, packet.sequence, event.port).flow;
    Branch& branch = branches_.at(number);
    const auto place = std::find(branch.entry.outputs.begin(), branch.entry.outputs.end(), event.port);
    auto& room = branch.credits[static_cast<std::size_t>(place - branch.entry.outputs.begin())];
    if (room) room->give_back(std::uint64_t{event.flits} * params_.flit_bytes, event.head_ps);
    admit(branch, now);
    if (bench_) {
      ++branch.credited;
      branch.done_ps = std::max(branch.done_ps, at);
      finish_if_done(branch);
    }
  }
  return bench_ != nullptr;
}

void RtlView::sent(PortId output, const Packet& packet, TimePs now) {
  RtlEvent event = event_of(RtlEvent::Kind::leave, output, packet, now);
  event.tail_ps = PendingTimes::is_pending(packet.tail_ps)
                      ? kNever
                      : packet.tail_ps - params_.outputs[index_of(output)].latency_ps;
  RtlEntries::Number number;
  if (packet.flow) {
    number = entries_.at_output(*packet.flow, packet.sequence, event.port);
  } else {
    const auto found = followed_.find(&packet);
    number = found->second;
    followed_.erase(found);
  }
  event.flow = number.flow;
  event.sequence = number.sequence;
  emit(event);
}

void RtlView::branch_opened(const Flow& flow, const FlowBranch& branch,
                            const std::vector<std::uint64_t>& credit_bytes) {
  Branch made;
  made.flow = &flow;
  made.stripe = branch.share.first;
  made.entry = entries_.open(flow, branch, static_cast<std::uint32_t>(classes_.flow_vc(flow.traffic_class)),
                             classes_[flow.traffic_class].priority);
  for (const std::uint64_t bytes : credit_bytes)
    made.credits.push_back(bytes == 0 ? std::nullopt : std::optional<CreditWindow>(bytes));
  RtlEvent event;
  event.kind = RtlEvent::Kind::open;
  event.now_ps = scheduler_.now();
  event.flow = made.entry.number;
  event.channel = made.entry.channel;
  event.entry = made.entry;
  branches_[made.entry.number] = std::move(made);
  emit(event);
}

void RtlView::flow_closed(const Flow& flow) {
  for (auto branch = branches_.begin(); branch != branches_.end();)
    branch = branch->second.flow == &flow ? branches_.erase(branch) : std::next(branch);
  entries_.close(flow);
}

void RtlView::finish_if_done(Branch& branch) {
  if (branch.gone != branch.entry.packets ||
      branch.credited != branch.entry.packets * branch.entry.outputs.size())
    return;
  switch_.flows()->branch_was_carried(*branch.flow, branch.stripe,
                                      static_cast<PortId>(branch.entry.outputs.front()), branch.done_ps);
}

/// A packet goes on when its head leaves; its tail is pending until its last flit is out. Values are those
/// that have to leave: that what leaves is wrong is known, and mended in the packet, at the tail.
void RtlView::head_out(std::uint32_t output, std::uint32_t flow, std::uint64_t sequence, TimePs) {
  const Key key{flow, sequence};
  Packet& first = *carried_.at(key).inputs.front().second;
  Leaving leaving;
  leaving.head_ps = scheduler_.now();  // an edge is worked off a picosecond later
  leaving.tail_ps = scheduler_.pending().make();
  leaving.expected = values_.leave(flow, sequence);
  Packet& packet = first.flow ? copy_of(first) : first;
  leaving.packet = &packet;
  if (!first.data.empty()) {
    if (leaving.expected) packet.data = leaving.expected->data;
    leaving.has_values = true;
  }
  leaving_[{output, key}] = std::move(leaving);
  switch_.send_for_view(static_cast<PortId>(output), packet, leaving_.at({output, key}).tail_ps);
}

void RtlView::flit_out(std::uint32_t output, std::uint32_t flow, std::uint64_t sequence) {
  const auto found = leaving_.find({output, {flow, sequence}});
  if (found != leaving_.end()) scheduler_.pending().pass(found->second.tail_ps, scheduler_.now());
}

void RtlView::packet_out(const RtlTransaction& sent, TimePs) {
  const Key key{static_cast<std::uint32_t>(sent.flow), sent.sequence};
  const auto found = leaving_.find({sent.output, key});
  if (found == leaving_.end()) return board_->observe(sent);  // a second time
  const Leaving leaving = std::move(found->second);
  leaving_.erase(found);
  if (leaving.expected) {
    RtlTransaction right = sent;
    right.data = leaving.expected->data;
    board_->expect(std::move(right));
  }
  if (leaving.has_values) leaving.packet->data = sent.data;
  board_->observe(sent);
  const TimePs tail_ps = scheduler_.now() + params_.clock.period_ps();
  switch_.count_for_view(static_cast<PortId>(sent.output), *leaving.packet, leaving.head_ps, tail_ps);
  give_room_back(key, tail_ps);
  scheduler_.pending().settle(leaving.tail_ps, tail_ps);
}

Packet& RtlView::copy_of(const Packet& first) {
  Packet& copy = pool_.acquire();
  copy.flow = first.flow;
  copy.destination = first.destination;
  copy.source = first.source;
  copy.wire_bytes = first.wire_bytes;
  copy.payload_bytes = first.payload_bytes;
  copy.traffic_class = first.traffic_class;
  copy.vc = first.vc;
  copy.hops = first.hops;
  copy.waits = first.waits;
  copy.sequence = first.sequence;
  copy.offset = first.offset;
  copy.created_ps = first.created_ps;
  return copy;
}

/// A tail has left by an output; by the last one the room at the inputs is free.
void RtlView::give_room_back(const Key& key, TimePs tail_ps) {
  const auto found = carried_.find(key);
  Carried& carried = found->second;
  carried.tail_ps = std::max(carried.tail_ps, tail_ps);
  if (--carried.copies_left != 0) return;
  const TimePs now = scheduler_.now();
  const bool is_flow = !RtlEntry::is_message(key.first);
  if (is_flow) ++branches_.at(key.first).gone;
  for (const auto& [port, packet] : carried.inputs) {
    switch_.return_for_view(port, *packet, carried.vc, carried.tail_ps);
    if (!is_flow) continue;
    Branch& branch = branches_.at(key.first);
    branch.done_ps = std::max({branch.done_ps, now, carried.tail_ps + switch_.credit_delay_ps(port)});
    pool_.release(*packet);
  }
  carried_.erase(found);
}

void RtlView::broken_rule(const RtlDivergence& broken) {
  board_->violation(broken);
  throw RtlRuleBroken("the pins of the RTL broke a rule: " + to_text(broken, switch_name(), {}) + ": " +
                      broken.expected + "; seen: " + broken.got);
}

std::uint64_t RtlView::cycles() const {
  return shadow_ ? shadow_->bench().cycles() : bench_ ? bench_->cycles() : 0;
}

void RtlView::finish() {
  const std::clock_t begin = std::clock();
  if (shadow_) shadow_->finish();
  if (board_) board_->finish();
  host_s_ += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  begin_recording();
  if (recorder_) recorder_->close();
}

void RtlView::require_rest() const {
  if (!bench_ || bench_->inside() == 0) return;
  std::string text = "packets are still in the RTL of " + switch_name() + ":";
  for (const RtlDivergence& each : bench_->pending()) text += "\n  " + each.got;
  throw std::runtime_error(text);
}

}  // namespace wafertlm
