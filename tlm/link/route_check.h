// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tlm/link/switch_core.h"

namespace wafertlm {

/// Builds the channel-dependency graph of all routes and looks for a cycle: a packet that holds a link while
/// it waits for the next one is a dependency, and a cycle of them can deadlock (Dally and Seitz, 1987).
class RouteCheck {
 public:
  explicit RouteCheck(std::size_t switches) : switches_(switches) {}

  void add_switch(std::size_t index, const RouteFunction& routes) { switches_[index].routes = &routes; }
  void add_link(const std::string& name, std::size_t from, PortId output, std::size_t to);
  /// A link from a switch's output to an endpoint, which always accepts.
  void add_exit(const std::string& name, std::size_t from, PortId output) {
    add_link(name, from, output, kNone);
  }

  /// A link, or a part of its channels, that routes are given of one by one; returns its number.
  std::size_t add_channel(const std::string& name);
  void add_route(const std::vector<std::size_t>& channels);

  /// Of routes that depend on the sender and on Packet::lane: walk those of `source`, whose packets come in
  /// at `switch_index`, for every lane below `lanes`, instead of those from every switch.
  void add_source(NpuId source, std::size_t switch_index, std::uint32_t lanes) {
    sources_.push_back({source, switch_index, lanes});
  }

  /// The names of the links of one cycle, in order; empty if there is none. Routes are walked from every
  /// switch, or from the sources, to the destinations 0 … destinations − 1.
  /// @throws std::logic_error if a route ends at a port without a link or does not end.
  std::vector<std::string> find_cycle(std::size_t destinations) const;
  /// @throws std::invalid_argument that prints the cycle.
  void require_no_cycle(std::size_t destinations) const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Link {
    std::string name;
    std::size_t to;  // switch, kNone for an exit
  };
  struct Switch {
    const RouteFunction* routes = nullptr;
    std::vector<std::size_t> link_of_output;
  };
  struct Source {
    NpuId npu;
    std::size_t at;
    std::uint32_t lanes;
  };
  using Follows = std::vector<std::set<std::size_t>>;  // by link

  std::size_t next_link(std::size_t at, const Packet& packet) const;
  void walk_from_switches(std::size_t destinations, Follows& follows) const;
  void walk_from_sources(std::size_t destinations, Follows& follows) const;

  std::vector<Switch> switches_;
  std::vector<Link> links_;
  std::vector<Source> sources_;
  std::set<std::pair<std::size_t, std::size_t>> given_;  // of add_route: waits for
};

}  // namespace wafertlm
