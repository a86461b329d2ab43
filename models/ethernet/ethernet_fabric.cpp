// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/ethernet_fabric.h"

#include <algorithm>
#include <tuple>

namespace wafertlm {

EthernetFabric::EthernetFabric(const sc_core::sc_module_name& name, const EthernetFabricParams& params,
                               const ClassTable& classes, Scheduler& scheduler)
    : Fabric(name),
      params_(params),
      places_(ethernet_places(params.shape, params.link_latency_ps)),
      scheduler_(scheduler),
      network_(places_.network.hosts(), params_.format, classes, scheduler),
      engine_(places_.network, params_.engine, *this) {
  network_.carried_by(*this);
  for (std::uint32_t port = 0; port < places_.network.ports().size(); ++port)
    links_.push_back({places_.port_name(port), port, PortId{0}, false});
}

// ---------------------------------------------------------------- messages

/// The engine gets what starts at an instant in an order that does not depend on who was built first.
void EthernetFabric::carry(const CarriedMessage& message, TimePs now) {
  if (starting_.empty()) scheduler_.schedule_run_ahead(now, *this, kSends);
  starting_.push_back(message);
}

void EthernetFabric::wake(std::uint32_t what, TimePs now) {
  if (what == kEngine && !wake_.take(now)) return;
  if (what == kSends) {
    const auto order = [](const CarriedMessage& m) {
      return std::make_tuple(m.key.source, m.key.operation, m.key.tag, m.destination);
    };
    std::stable_sort(starting_.begin(), starting_.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (const CarriedMessage& message : starting_) start(message, now);
    starting_.clear();
  }
  engine_.run(now);
  const TimePs next = engine_.next_ps();
  if (next != kNever && wake_.ask(next)) scheduler_.schedule_run_ahead(next, *this, kEngine);
}

void EthernetFabric::start(const CarriedMessage& message, TimePs now) {
  if (free_flights_.empty()) {
    free_flights_.push_back(static_cast<std::uint32_t>(flights_.size()));
    flights_.emplace_back();
  }
  const std::uint32_t flight = free_flights_.back();
  free_flights_.pop_back();
  // A write without bytes is a packet all the same, as large on the wire as that of a byte.
  const std::uint64_t bytes = std::max<std::uint64_t>(message.bytes, 1);
  const std::uint64_t packets = params_.engine.format.packets(bytes);
  const auto parts = static_cast<std::uint32_t>(std::min<std::uint64_t>(params_.nics.queue_pairs, packets));
  flights_[flight] = {message.record, parts, parts};
  const std::uint32_t first = first_queue_pair(message.key.source, message.destination);
  std::uint64_t sent = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::uint64_t end =
        part + 1 == parts ? bytes : packets * (part + 1) / parts * params_.engine.format.mtu_bytes;
    engine_.send(first + part, end - sent, flight, now);
    sent = end;
  }
}

std::uint32_t EthernetFabric::first_queue_pair(NpuId from, NpuId to) {
  const std::uint64_t key = std::uint64_t{index_of(from)} * npus() + index_of(to);
  const auto [place, is_new] = queue_pairs_.emplace(key, 0);
  if (!is_new) return place->second;
  for (std::uint32_t i = 0; i < params_.nics.queue_pairs; ++i) {
    const std::uint32_t pair = engine_.open(places_.host_of[index_of(from)], places_.host_of[index_of(to)]);
    if (i == 0) place->second = pair;
  }
  return place->second;
}

void EthernetFabric::on_left(std::uint64_t flight, TimePs at) {
  if (--flights_[flight].to_leave == 0) network_.message_left(flights_[flight].record, at);
}

void EthernetFabric::on_delivered(std::uint64_t flight, TimePs now) {
  if (--flights_[flight].to_arrive != 0) return;
  const std::uint32_t record = flights_[flight].record;
  free_flights_.push_back(static_cast<std::uint32_t>(flight));
  network_.message_arrived(record, now);
}

// ---------------------------------------------------------------- what all fabrics have

void EthernetFabric::attach(NpuId, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) {
  to_fabric.get_base_port().bind(no_packets_);
  from_fabric.get_base_port().bind(no_packets_);
}

/// Between an NPU and its NIC there is no wire.
OutputParams EthernetFabric::injection_link() const {
  constexpr std::uint64_t kNoWire = (std::uint64_t{1} << 53) - 1;
  return {kNoWire, 0, std::uint64_t{1} << 60};
}

std::string EthernetFabric::switch_of(NpuId endpoint) const {
  return "nic" + std::to_string(index_of(endpoint));
}

TimePs EthernetFabric::head_latency_ps(NpuId from, NpuId to) const {
  const std::uint32_t cables =
      places_.network.distance(places_.host_of[index_of(from)], places_.host_of[index_of(to)]);
  return cables * params_.link_latency_ps + (cables - 1) * params_.engine.switches.pipeline_ps;
}

OutputCounters EthernetFabric::counters(const FabricLink& link) const {
  const ethernet::PortCounters port = engine_.counters(static_cast<std::uint32_t>(link.from));
  OutputCounters counters;
  counters.packets = port.packets;
  counters.payload_bytes = port.payload_bytes;
  counters.wire_bytes = port.wire_bytes;
  return counters;
}

}  // namespace wafertlm
