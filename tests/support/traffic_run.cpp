// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traffic_run.h"
#include "platform/fabrics/mesh/mesh_kind.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace wafertlm {

TrafficRun::TrafficRun(const sc_core::sc_module_name& name, const config::PlatformSpec& spec,
                       const TrafficRunOptions& options)
    : sc_module(name), wafer(spec, options.reverse), hot_percent_(options.hot_percent) {
  wafer.packets.keep_waits();
  const MeshParams mesh = mesh_params(wafer.spec().wafer);
  const DestinationSource& destinations = *this;
  TrafficSink& sink = *this;
  for (std::uint32_t k = 0; k < wafer.npus(); ++k) {
    const std::uint32_t n = options.reverse ? wafer.npus() - 1 - k : k;
    TrafficNodeParams params;
    params.npu = static_cast<NpuId>(n);
    params.payload_bytes = mesh.format.packet_bytes;
    params.format = mesh.format;
    params.traffic_class = static_cast<ClassId>(n % wafer.classes.size());
    params.slots = {mesh.format.full_wire_bytes(), mesh.injection_bytes_per_s};
    params.packets_per_slot = options.load;
    params.stop_ps = options.stop_ps;
    params.credit_delay_ps = mesh.credit_delay_ps;
    params.injection = wafer.fabric().injection_link();
    params.seed = options.seed;
    TrafficNode& node = nodes_.emplace_back(("node_" + std::to_string(n)).c_str(), params, wafer.classes,
                                            destinations, sink, wafer.packets, wafer.scheduler);
    wafer.fabric().attach(params.npu, node.to_fabric, node.from_fabric);
  }
}

NpuId TrafficRun::next(NpuId source, std::mt19937_64& random) const {
  if (uniform_below(random, 100) < hot_percent_) return NpuId{0};
  const auto other = 1 + uniform_below(random, wafer.npus() - 1);
  return static_cast<NpuId>((index_of(source) + other) % wafer.npus());
}

void TrafficRun::delivered(const Packet& packet, TimePs tail_ps) {
  log_.push_back({static_cast<std::uint32_t>(packet.source), static_cast<std::uint32_t>(packet.destination),
                  packet.sequence, packet.traffic_class, packet.created_ps, tail_ps, *packet.waits});
}

std::vector<TrafficRun::Delivery> TrafficRun::log() const {
  std::vector<Delivery> sorted = log_;
  std::sort(sorted.begin(), sorted.end(), [](const Delivery& a, const Delivery& b) {
    return std::tie(a.source, a.sequence) < std::tie(b.source, b.sequence);
  });
  return sorted;
}

std::uint64_t TrafficRun::hash() const {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  const auto add = [&hash](std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) hash = (hash ^ (value & 0xFF)) * 0x100000001B3ULL;
  };
  for (const Delivery& entry : log()) {
    for (const std::uint64_t value :
         {std::uint64_t{entry.source}, entry.sequence, std::uint64_t{entry.destination}, entry.created_ps,
          entry.tail_ps, entry.waits.queue_ps, entry.waits.credit_ps})
      add(value);
    for (const TimePs value : entry.waits.contention_ps) add(value);
  }
  return hash;
}

std::uint64_t TrafficRun::created_packets() const {
  std::uint64_t sum = 0;
  for (const TrafficNode& node : nodes_) sum += node.created_packets();
  return sum;
}

void TrafficRun::require_rest() {
  if (created_packets() != log_.size())
    throw std::logic_error(std::to_string(log_.size()) + " of " + std::to_string(created_packets()) +
                           " packets arrived");
  for (const TrafficNode& node : nodes_)
    if (node.injector().queued() != 0 || node.injector().outstanding_credits() != 0)
      throw std::logic_error(std::string(node.name()) + " is not at rest");
  wafer.require_rest();
}

}  // namespace wafertlm
