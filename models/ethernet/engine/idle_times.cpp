// SPDX-License-Identifier: Apache-2.0
// What packets and messages take on an idle network.
#include <algorithm>

#include "models/ethernet/engine/ethernet_engine.h"

namespace wafertlm::ethernet {

/// Of a packet on an idle network.
TimePs EthernetEngine::idle_ps(const std::vector<std::uint32_t>& ports, std::uint32_t wire_bytes,
                               bool back) const {
  TimePs head = 0, tail = 0;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Port& port =
        network_.ports()[back ? network_.ports()[ports[ports.size() - 1 - i]].peer_port : ports[i]];
    if (!params_.switches.cut_through || before == 0 || port.bytes_per_s > before) head = tail;
    tail = std::max(tail, head + transfer_time_ps(wire_bytes, port.bytes_per_s));
    const TimePs more = port.latency_ps + (i + 1 < ports.size() ? params_.switches.pipeline_ps : 0);
    head += more;
    tail += more;
    before = port.bytes_per_s;
  }
  return tail;
}

/// A full packet and its ACK on an idle network.
nic::PathParams EthernetEngine::path_of(const QueuePair& pair) const {
  nic::PathParams path;
  const auto ports =
      network_.path(pair.from, pair.to, [](std::uint32_t, std::size_t) { return std::size_t{0}; });
  path.base_rtt_ps = idle_ps(ports, params_.format.full_wire_bytes(), false) +
                     idle_ps(ports, params_.format.ack_wire_bytes(), true);
  path.bytes_per_s = network_.ports()[ports.front()].bytes_per_s;
  path.packet_bytes = params_.format.mtu_bytes;
  path.hops = static_cast<std::uint32_t>(ports.size() - 1);
  return path;
}

/// As ns-3's model of RDMA has it: of all cables' latencies there and back, and a packet's payload over each
/// once, at the slowest cable's rate.
double EthernetEngine::bdp_bytes(const QueuePair& pair) const {
  TimePs round_trip = 0;
  std::uint64_t slowest = ~std::uint64_t{0};
  for (const std::uint32_t number :
       network_.path(pair.from, pair.to, [](std::uint32_t, std::size_t) { return std::size_t{0}; })) {
    const Port& port = network_.ports()[number];
    round_trip += 2 * port.latency_ps + transfer_time_ps(params_.format.mtu_bytes, port.bytes_per_s);
    slowest = std::min(slowest, port.bytes_per_s);
  }
  return static_cast<double>(slowest) * static_cast<double>(round_trip) / static_cast<double>(kPsPerSecond);
}

TimePs EthernetEngine::alone_ps(std::uint32_t number, std::uint32_t queue_pairs, std::uint64_t bytes) const {
  const QueuePair& pair = pairs_[number];
  const auto ports =
      network_.path(pair.from, pair.to, [](std::uint32_t, std::size_t) { return std::size_t{0}; });
  std::uint64_t slowest = ~std::uint64_t{0};
  for (const std::uint32_t port : ports) {
    const bool is_hosts = port == ports.front() || port == ports.back();
    if (is_hosts || params_.switches.balance == LoadBalance::ecmp)
      slowest = std::min(slowest, network_.ports()[port].bytes_per_s * (is_hosts ? 1 : queue_pairs));
  }
  const FrameFormat& format = params_.format;
  const std::uint64_t before = (format.packets(bytes) - 1) * format.mtu_bytes;
  const std::uint32_t last = format.data_wire_bytes(static_cast<std::uint32_t>(bytes - before), before == 0);
  const std::uint64_t wire = format.write_wire_bytes(bytes);
  return transfer_time_ps(wire - last, slowest) + idle_ps(ports, last, false);
}

}  // namespace wafertlm::ethernet
