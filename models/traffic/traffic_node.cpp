// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/traffic_node.h"

#include <cmath>

#include "tlm/link/switch_module.h"

namespace wafertlm {
namespace {

SwitchParams injection_port(const TrafficNodeParams& node) {
  SwitchParams params;
  params.credit_delay_ps = {0};
  params.outputs = {node.injection};
  if (node.format.by_flit) params.switching = Switching::wormhole;
  return params;
}

}  // namespace

TrafficNode::TrafficNode(const sc_core::sc_module_name& name, const TrafficNodeParams& params,
                         const ClassTable& classes, const DestinationSource& destinations, TrafficSink& sink,
                         PacketPool& pool, Scheduler& scheduler)
    : sc_module(name),
      params_(params),
      destinations_(destinations),
      sink_(sink),
      pool_(pool),
      scheduler_(scheduler),
      random_(params.seed * 0x9E3779B97F4A7C15ULL + index_of(params.npu)),
      injection_latency_(to_sc_time(params.injection.latency_ps)),
      injector_(make_switch_core(injection_port(params), classes, *this, *this)),
      log_no_packet_(std::log1p(-params.packets_per_slot)),
      surely_none_((1 - params.packets_per_slot) * (1 + 1e-9)) {
  to_fabric.bind(static_cast<FabricBackwardIf&>(*this));
  from_fabric.bind(static_cast<FabricForwardIf&>(*this));
}

void TrafficNode::end_of_elaboration() {
  fabric_ = peer_of(to_fabric);
  ejection_ = peer_of(from_fabric);
  may_run_ahead_ = fabric_->time_source() == &scheduler_;
}

/// A Bernoulli trial per slot: the number of slots until the next packet is geometric.
std::uint64_t TrafficNode::slots_without_packet() {
  if (params_.packets_per_slot >= 1) return 0;
  const double u = static_cast<double>((random_() >> 11) + 1) * 0x1p-53;  // (0, 1]
  if (u > surely_none_) return 0;  // near saturation mostly, without a logarithm
  return static_cast<std::uint64_t>(std::log(u) / log_no_packet_);
}

void TrafficNode::create_next() {
  next_slot_ += slots_without_packet();
  const TimePs at = params_.slots.begin_ps(next_slot_++);
  if (at >= params_.stop_ps) return;
  const NpuId destination = destinations_.next(params_.npu, random_);
  std::uint64_t done = 0;
  do {
    Packet& packet = pool_.acquire();
    const WireFormat::Unit unit = params_.format.unit_at(params_.payload_bytes, done);
    packet.source = params_.npu;
    packet.destination = destination;
    packet.traffic_class = params_.traffic_class;
    packet.payload_bytes = unit.payload_bytes;
    packet.wire_bytes = unit.wire_bytes;
    packet.starts_packet = unit.starts_packet;
    packet.ends_packet = unit.ends_packet;
    packet.sequence = created_;
    packet.lane = static_cast<std::uint32_t>(created_);
    packet.created_ps = packet.tail_ps = at;
    if (unit.starts_packet) sink_.created(packet);
    injector_->arrive(PortId{0}, packet, at);
    done += unit.payload_bytes;
  } while (done < params_.payload_bytes);
  ++created_;
}

void TrafficNode::forward(PortId, Packet& packet, TimePs) {
  const bool ends_packet = packet.ends_packet;
  begin_request(*this, *fabric_, packet, injection_latency_);  // the head leaves now
  if (ends_packet) create_next();
}

void TrafficNode::request_wake(PortId, TimePs at) {
  if (may_run_ahead_)
    scheduler_.schedule_run_ahead(at, *this, 0, Turn::sources);
  else
    scheduler_.schedule(at, *this, 0, Turn::sources);
}

void TrafficNode::prefetch(std::uint32_t, unsigned depth) const {
  prefetch_injection(*injector_, *fabric_, likely_, depth);
}

void TrafficNode::prefetch() const {
  __builtin_prefetch(&scheduler_);
  __builtin_prefetch(&ejection_);
  injector_->prefetch_tables();
}

::tlm::tlm_sync_enum TrafficNode::nb_transport_fw(Packet& packet, ::tlm::tlm_phase&, sc_core::sc_time&) {
  const auto receive = [this, &packet](TimePs tail_ps) {
    end_request(*this, *ejection_, packet, to_sc_time(tail_ps + params_.credit_delay_ps - scheduler_.now()));
    if (packet.ends_packet) sink_.delivered(packet, tail_ps);
    pool_.release(packet);
  };
  if (PendingTimes::is_pending(packet.tail_ps))
    scheduler_.pending().when(packet.tail_ps, receive);
  else
    receive(packet.tail_ps);
  return ::tlm::TLM_ACCEPTED;
}

::tlm::tlm_sync_enum TrafficNode::nb_transport_bw(Packet& packet, ::tlm::tlm_phase&,
                                                  sc_core::sc_time& delay) {
  const TimePs now = scheduler_.now();
  injector_->credit(PortId{0}, packet.vc, packet.wire_bytes, now + delay.value(), now);
  return ::tlm::TLM_ACCEPTED;
}

}  // namespace wafertlm
