// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/fred/geometry/fred_geometry.h"

namespace wafertlm {

struct DeadChips {
  struct Uplink {
    std::uint32_t l1_switch = 0, chip = 0, port = 0;  ///< up, of a chip of an L1 switch
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> l1;  ///< (L1 switch, chip of it)
  std::vector<std::uint32_t> l2;
  std::vector<Uplink> uplinks;  ///< between an L1 and an L2 chip, both directions

  bool any() const { return !l1.empty() || !l2.empty() || !uplinks.empty(); }
};

/// The chips that a FRED wafer of two levels is made of, with ports of one speed.
struct FredChipParams {
  std::uint64_t port_bytes_per_s = 600'000'000'000;
  std::uint32_t chips_per_l1 = 0;  ///< every NPU and controller has a port on each chip of its L1 switch
  std::uint32_t up_ports = 0;      ///< of an L1 chip
  std::uint32_t l2_links = 2;      ///< between an L1 chip and an L2 chip that are joined; divides up_ports
  DeadChips dead;

  /// @throws std::invalid_argument that says which number does not fit.
  void check(const FredGeometry& geometry) const;
};

/// Which port is joined to which. A *way* is one of the places where packets can go up: way w is chip
/// w mod chips_per_l1 of every L1 switch and there up-port w / chips_per_l1, so that successive ways are on
/// different chips. Up-port u of chip c leads to L2 chip c · (up_ports / l2_links) + u / l2_links, and there
/// to the port l2_links · (L1 switch) + u mod l2_links: a way meets in one L2 chip, whatever the L1 switch.
///
/// Numbers of switches: the L1 chips by L1 switch, the L2 chips, then the *ports* of every endpoint: what
/// shares its packets out among the chips and brings them together again.
class ChipWiring {
 public:
  ChipWiring(const FredGeometry& geometry, const FredChipParams& chips);

  std::uint32_t ways() const { return chips_.chips_per_l1 * chips_.up_ports; }
  std::uint32_t chip_of(std::uint32_t way) const { return way % chips_.chips_per_l1; }
  std::uint32_t up_port_of(std::uint32_t way) const { return way / chips_.chips_per_l1; }
  std::uint32_t l2_of(std::uint32_t way) const {
    return chip_of(way) * (chips_.up_ports / chips_.l2_links) + up_port_of(way) / chips_.l2_links;
  }

  std::uint32_t l1_chips() const { return geometry_.l1_switches * chips_.chips_per_l1; }
  std::uint32_t l2_chips() const { return chips_.chips_per_l1 * chips_.up_ports / chips_.l2_links; }
  std::uint32_t switches() const { return l1_chips() + l2_chips() + geometry_.endpoints(); }
  std::uint32_t l1_chip(std::uint32_t l1, std::uint32_t chip) const {
    return l1 * chips_.chips_per_l1 + chip;
  }
  std::uint32_t l2_chip(std::uint32_t l2) const { return l1_chips() + l2; }
  std::uint32_t ports_of(NpuId endpoint) const {
    return l1_chips() + l2_chips() + static_cast<std::uint32_t>(endpoint);
  }

  /// Of a chip: its NPUs, up, its controllers.
  std::uint32_t l1_chip_ports(std::uint32_t l1) const {
    return geometry_.npus_per_l1 + chips_.up_ports + io_of_[l1];
  }
  std::uint32_t port_of(NpuId endpoint) const { return port_of_[static_cast<std::size_t>(endpoint)]; }
  std::uint32_t up_port(std::uint32_t way) const { return geometry_.npus_per_l1 + up_port_of(way); }
  std::uint32_t l2_ports() const { return geometry_.l1_switches * chips_.l2_links; }
  std::uint32_t l2_port(std::uint32_t l1, std::uint32_t way) const {
    return l1 * chips_.l2_links + up_port_of(way) % chips_.l2_links;
  }
  /// Of an endpoint's ports: the endpoint itself, then the chips.
  static constexpr std::uint32_t kEndpointPort = 0;
  std::uint32_t chip_port(std::uint32_t way) const { return 1 + chip_of(way); }
  std::uint32_t endpoint_ports() const { return 1 + chips_.chips_per_l1; }

  bool is_alive_l1(std::uint32_t l1, std::uint32_t chip) const { return alive_l1_[l1_chip(l1, chip)]; }
  bool is_alive_l2(std::uint32_t l2) const { return alive_l2_[l2]; }
  bool is_alive_uplink(std::uint32_t l1, std::uint32_t way) const {
    return alive_uplink_[std::size_t{l1} * ways() + way];
  }

  const FredGeometry& geometry() const { return geometry_; }

 private:
  FredGeometry geometry_;
  FredChipParams chips_;
  std::vector<std::uint32_t> io_of_;                      // by L1 switch
  std::vector<std::uint32_t> port_of_;                    // by endpoint, on its L1 chips
  std::vector<bool> alive_l1_, alive_l2_, alive_uplink_;  // uplinks by L1 switch and way
};

/// Over which ways of a ChipWiring the packets between some L1 switches are striped: those whose chips and
/// uplinks live. Within one L1 switch a way is just a chip of it.
class Stripes {
 public:
  /// @throws std::invalid_argument: two L1 switches, or the endpoints of one, without a living way.
  explicit Stripes(const ChipWiring& wiring);

  const std::vector<std::uint32_t>& between(std::uint32_t l1, std::uint32_t other) const {
    return pairs_[std::size_t{l1} * l1_switches_ + other];
  }
  /// The way of a packet with this Packet::lane.
  std::uint32_t way(std::uint32_t l1, std::uint32_t other, std::uint32_t lane) const {
    const std::vector<std::uint32_t>& ways = between(l1, other);
    return ways[lane % ways.size()];
  }
  /// Those that serve all of these L1 switches. @throws std::invalid_argument if none does.
  std::vector<std::uint32_t> among(const std::vector<std::uint32_t>& l1_switches) const;
  /// The most that a pair has.
  std::uint32_t most() const { return most_; }

 private:
  std::vector<std::uint32_t> living(const std::vector<std::uint32_t>& l1_switches) const;

  ChipWiring wiring_;
  std::size_t l1_switches_;
  std::uint32_t most_ = 0;
  std::vector<std::vector<std::uint32_t>> pairs_;
};

}  // namespace wafertlm
