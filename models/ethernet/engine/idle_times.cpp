// SPDX-License-Identifier: Apache-2.0
// What packets and messages take on an idle network.
#include <algorithm>
#include <map>

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
nic::PathParams EthernetEngine::path_params(const std::vector<std::uint32_t>& ports) const {
  nic::PathParams path;
  path.base_rtt_ps = idle_ps(ports, params_.format.full_wire_bytes(), false) +
                     idle_ps(ports, params_.format.ack_wire_bytes(), true);
  path.bytes_per_s = network_.ports()[ports.front()].bytes_per_s;
  path.packet_bytes = params_.format.mtu_bytes;
  path.hops = static_cast<std::uint32_t>(ports.size() - 1);
  return path;
}

/// As ns-3's model of RDMA has it: of all cables' latencies there and back, and a packet's payload over each
/// once, at the slowest cable's rate.
double EthernetEngine::bdp_bytes(const std::vector<std::uint32_t>& ports) const {
  TimePs round_trip = 0;
  std::uint64_t slowest = ~std::uint64_t{0};
  for (const std::uint32_t number : ports) {
    const Port& port = network_.ports()[number];
    round_trip += 2 * port.latency_ps + transfer_time_ps(params_.format.mtu_bytes, port.bytes_per_s);
    slowest = std::min(slowest, port.bytes_per_s);
  }
  return static_cast<double>(slowest) * static_cast<double>(round_trip) / static_cast<double>(kPsPerSecond);
}

Way& EthernetEngine::way(std::uint32_t from, std::uint32_t to) {
  if (place_of_.empty()) {
    std::map<std::tuple<std::uint32_t, std::uint64_t, TimePs>, std::uint32_t> places;
    for (std::uint32_t host = 0; host < network_.hosts(); ++host) {
      const Port& port = network_.ports()[network_.host_port(host)];
      const auto next = static_cast<std::uint32_t>(places.size());
      place_of_.push_back(
          network_.has_shortest_ways_only()
              ? places.emplace(std::make_tuple(port.peer_node, port.bytes_per_s, port.latency_ps), next)
                    .first->second
              : host);
    }
  }
  const auto [found, is_new] = ways_.try_emplace(std::uint64_t{place_of_[from]} << 32 | place_of_[to]);
  Way& way = found->second;
  if (!is_new) return way;
  const auto ports = network_.path(from, to, [&](std::uint32_t, std::size_t ways) {
    way.count *= ways;
    return std::size_t{0};
  });
  way.path = path_params(ports);
  way.bdp_bytes = bdp_bytes(ports);
  return way;
}

TimePs EthernetEngine::alone_ps(std::uint32_t from, std::uint32_t to, std::uint32_t queue_pairs,
                                std::uint64_t bytes) {
  Way& known = way(from, to);
  if (known.bytes == bytes && known.pairs == queue_pairs) return known.alone_ps;
  const auto ports = network_.path(from, to, [](std::uint32_t, std::size_t) { return std::size_t{0}; });
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
  known.bytes = bytes;
  known.pairs = queue_pairs;
  known.alone_ps = transfer_time_ps(wire - last, slowest) + idle_ps(ports, last, false);
  return known.alone_ps;
}

}  // namespace wafertlm::ethernet
