// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/ethernet_fabric.h"

#include <algorithm>
#include <tuple>

#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

namespace {

ethernet::EthernetParams watched(ethernet::EthernetParams params) {
  params.watch_queues = true;
  return params;
}

/// Of a server's switch: packets wait where they go to, and nothing else happens to them.
ethernet::EthernetParams inside_params(const EthernetFabricParams& of) {
  ethernet::EthernetParams params;
  params.format.mtu_bytes = of.engine.format.mtu_bytes;
  params.format.overhead_bytes = of.shape.server_header_bytes;
  params.switches.loss = ethernet::Loss::drop;
  constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 50;
  params.switches.buffer_bytes = kNoLimit;
  params.switches.threshold.dynamic = false;
  params.switches.threshold.xoff_bytes = kNoLimit;
  params.nics.transport.ack_every = 1'000'000;
  params.seed = of.engine.seed;
  return params;
}

}  // namespace

EthernetFabric::EthernetFabric(const sc_core::sc_module_name& name, const EthernetFabricParams& params,
                               const ClassTable& classes, Scheduler& scheduler)
    : Fabric(name),
      params_(params),
      places_(ethernet_places(params.shape, params.link_latency_ps)),
      scheduler_(scheduler),
      network_(places_.network.hosts(), params_.format, classes, scheduler),
      engine_(places_.network, watched(params_.engine), *this) {
  network_.carried_by(*this);
  if (places_.inside) {
    ethernet::MessageListener& listener = *this;
    inside_.emplace(*places_.inside, inside_params(params_), listener);
  }
  for (std::uint32_t port = 0; port < places_.ports(); ++port)
    links_.push_back({places_.port_name(port), port, PortId{0}, false});
}

// ---------------------------------------------------------------- messages

/// The engine gets what starts at an instant in an order that does not depend on who was built first.
void EthernetFabric::carry(const CarriedMessage& message, TimePs now) {
  if (starting_.empty()) scheduler_.schedule_run_ahead(now, *this, kSends);
  starting_[message.key.source].push_back(message);
}

void EthernetFabric::wake(std::uint32_t what, TimePs now) {
  if (what == kEngine && !wake_.take(now)) return;
  if (what == kSends) {
    const auto order = [](const CarriedMessage& m) {
      return std::make_tuple(m.key.operation, m.key.tag, m.destination);
    };
    for (auto of = starting_.begin(); of != starting_.end(); of = starting_.erase(of)) {
      std::stable_sort(of->second.begin(), of->second.end(),
                       [&](const auto& a, const auto& b) { return order(a) < order(b); });
      for (const CarriedMessage& message : of->second) start(message, now);
    }
  }
  engine_.run(now);
  TimePs next = engine_.next_ps();
  if (inside_) {
    inside_->run(now);
    next = std::min(next, inside_->next_ps());
  }
  if (next != kNever && wake_.ask(next)) scheduler_.schedule_run_ahead(next, *this, kEngine);
}

void EthernetFabric::start(const CarriedMessage& message, TimePs now) {
  const std::uint32_t flight = take_number(flights_, free_flights_);
  // A write without bytes is a packet all the same, as large on the wire as that of a byte.
  const std::uint64_t bytes = std::max<std::uint64_t>(message.bytes, 1);
  const auto from = static_cast<std::uint32_t>(index_of(message.key.source)),
             to = static_cast<std::uint32_t>(index_of(message.destination));
  flights_[flight] = {message.record, 1, 1, 1, 0, from, to, bytes, now};
  if (places_.same_server(message.key.source, message.destination))
    return inside_->send(inside_pair(message.key.source, message.destination), bytes, flight, now);
  const std::uint64_t packets = params_.engine.format.packets(bytes);
  const auto parts = static_cast<std::uint8_t>(std::min<std::uint64_t>(params_.nics.queue_pairs, packets));
  const bool has_own = params_.engine.nics.connects_per_message;
  Flight& of = flights_[flight];
  of.to_leave = of.to_arrive = of.to_acknowledge = parts;
  of.to_close = has_own ? parts : 0;
  std::uint64_t sent = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::uint64_t end =
        part + 1 == parts ? bytes : packets * (part + 1) / parts * params_.engine.format.mtu_bytes;
    if (has_own)
      engine_.send_alone(places_.host_of[from], places_.host_of[to], end - sent, flight, now,
                         message.key.operation);
    else
      engine_.send(connections_[connection(message.key.source, message.destination)].queue_pairs[part],
                   end - sent, flight, now, message.key.operation);
    sent = end;
  }
}

std::uint32_t EthernetFabric::connection(NpuId from, NpuId to) {
  const std::uint64_t key = std::uint64_t{index_of(from)} * npus() + index_of(to);
  const auto [place, is_new] = connection_of_.emplace(key, 0);
  if (!is_new) return place->second;
  const auto source = static_cast<std::uint32_t>(index_of(from)),
             destination = static_cast<std::uint32_t>(index_of(to));
  place->second = connections_.add(source, destination);
  for (std::uint32_t i = 0; i < params_.nics.queue_pairs; ++i)
    connections_.add_queue_pair(place->second,
                                engine_.open(places_.host_of[source], places_.host_of[destination]));
  return place->second;
}

std::uint32_t EthernetFabric::inside_pair(NpuId from, NpuId to) {
  const std::uint64_t key = std::uint64_t{index_of(from)} * npus() + index_of(to);
  const auto [place, is_new] = inside_pairs_.emplace(key, 0);
  if (is_new)
    place->second =
        inside_->open(static_cast<std::uint32_t>(index_of(from)), static_cast<std::uint32_t>(index_of(to)));
  return place->second;
}

void EthernetFabric::on_left(std::uint64_t flight, TimePs at) {
  if (--flights_[flight].to_leave == 0) network_.message_left(flights_[flight].record, at);
}

void EthernetFabric::on_delivered(std::uint64_t flight, TimePs now) {
  Flight& of = flights_[flight];
  if (--of.to_arrive == 0 && !params_.engine.nics.completes_with_ack) complete(of, now);
}

void EthernetFabric::on_acknowledged(std::uint64_t flight, TimePs now) {
  Flight& of = flights_[flight];
  if (--of.to_acknowledge != 0) return;
  if (params_.engine.nics.completes_with_ack) complete(of, now);
  if (of.to_close == 0) free_flights_.push_back(static_cast<std::uint32_t>(flight));
}

void EthernetFabric::on_closed(std::uint64_t flight, const ethernet::QueuePairCounters& counters) {
  Flight& of = flights_[flight];
  ethernet::QueuePairCounters all = counters;
  if (params_.nics.queue_pairs > 1) all = closing_[flight] += counters;
  if (--of.to_close != 0) return;
  closing_.erase(flight);
  ethernet::Connection alone;
  alone.from = of.from;
  alone.to = of.to;
  alone.counters = all;
  alone.completed(of.bytes, of.time_ps, alone_ps(of));
  connections_.keep_if_slow(alone);
  free_flights_.push_back(static_cast<std::uint32_t>(flight));
}

TimePs EthernetFabric::alone_ps(const Flight& of) {
  return engine_.alone_ps(places_.host_of[of.from], places_.host_of[of.to], params_.nics.queue_pairs,
                          of.bytes);
}

void EthernetFabric::complete(Flight& of, TimePs now) {
  of.time_ps = now - of.time_ps;
  const NpuId from{of.from}, to{of.to};
  if (!places_.same_server(from, to)) {
    const TimePs alone = alone_ps(of);
    connections_.completed(of.time_ps, alone);
    if (of.to_close == 0) connections_[connection(from, to)].completed(of.bytes, of.time_ps, alone);
  }
  network_.message_arrived(of.record, now);
}

void EthernetFabric::on_paused(std::uint32_t port, const ethernet::PauseOrigin& origin, TimePs from,
                               TimePs to) {
  if (keeps_pauses_) pauses_.push_back({port, origin, from, to});
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
  if (from != to && places_.same_server(from, to)) return 2 * params_.shape.server_latency_ps;
  const auto ports = places_.network.path(places_.host_of[index_of(from)], places_.host_of[index_of(to)],
                                          [](std::uint32_t, std::size_t) { return std::size_t{0}; });
  TimePs sum = (ports.size() - 1) * params_.engine.switches.pipeline_ps;
  for (const std::uint32_t port : ports) sum += places_.network.ports()[port].latency_ps;
  return sum;
}

std::string EthernetFabric::keeps_unlisted() const {
  if (params_.engine.nics.connects_per_message) return "every message is hashed anew";
  const nic::SchemeNeeds needs = nic::needs_of(params_.engine.nics.scheme);
  return needs.remembers ? std::string("congestion control ") + needs.name + " remembers earlier messages"
                         : "";
}

/// Connections come last, since there may be more of them later.
void EthernetFabric::list_state(StateVisitor& state) {
  state.require(starting_.empty());
  network_.list_state(state);
  wake_.list_state(state);
  engine_.list_state(state);
  if (inside_) inside_->list_state(state);
  connections_.list_state(state);
  for (std::uint32_t of = 0; of < connections_.all().size(); ++of) {
    connections_.list_state(of, state);
    for (const std::uint32_t queue_pair : connections_[of].queue_pairs)
      engine_.list_counters(queue_pair, state);
  }
}

OutputCounters EthernetFabric::counters(const FabricLink& link) const {
  const auto outer = places_.network.ports().size();
  const ethernet::PortCounters port = link.from < outer
                                          ? engine_.counters(static_cast<std::uint32_t>(link.from))
                                          : inside_->counters(static_cast<std::uint32_t>(link.from - outer));
  return {port.packets, port.payload_bytes, port.wire_bytes};
}

}  // namespace wafertlm
