// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

/// A port, with the direction of the cable that leads away from it.
struct Port {
  std::uint32_t node = 0;
  std::uint32_t peer_node = 0, peer_port = 0;  ///< the other end of the cable
  std::uint64_t bytes_per_s = 0;               ///< each direction
  TimePs latency_ps = 0;
};

/// Some ports.
class PortList {
 public:
  PortList(const std::uint32_t* first, std::uint32_t count) : first_(first), count_(count) {}
  const std::uint32_t* begin() const { return first_; }
  const std::uint32_t* end() const { return first_ + count_; }
  std::uint32_t size() const { return count_; }
  std::uint32_t operator[](std::size_t i) const { return first_[i]; }
  std::uint32_t front() const { return *first_; }

 private:
  const std::uint32_t* first_;
  std::uint32_t count_;
};

/// Hosts, switches and the cables between them, and the ways of packets: all shortest ones. A host is a NIC
/// with one cable. Hosts are nodes 0 … hosts() − 1, switches follow; ports are numbered over all nodes.
class Network {
 public:
  /// Nodes first, then cables, then routes.
  std::uint32_t add_hosts(std::uint32_t count);
  std::uint32_t add_switch(std::string name);
  void add_cable(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_per_s, TimePs latency_ps);
  /// All shortest ways by cables. @throws std::invalid_argument: a host without a cable or with several, or
  /// one that another cannot reach.
  void find_routes();
  /// Packets for `host` leave `from` through these ports, in place of the shortest ways.
  void set_route(std::uint32_t from, std::uint32_t host, std::vector<std::uint32_t> ports);

  std::uint32_t hosts() const { return hosts_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(ports_of_.size()); }
  std::uint32_t switches() const { return nodes() - hosts_; }
  bool is_host(std::uint32_t node) const { return node < hosts_; }
  std::string name(std::uint32_t node) const;
  std::string port_name(std::uint32_t port) const;
  const std::vector<Port>& ports() const { return ports_; }
  /// In the order in which the cables were added.
  const std::vector<std::uint32_t>& ports_of(std::uint32_t node) const { return ports_of_[node]; }
  /// The port from a to b. @throws std::invalid_argument: there is none
  std::uint32_t port_between(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t host_port(std::uint32_t host) const { return ports_of_[host].front(); }
  /// The switch that a host hangs on; itself if it hangs on a host.
  std::uint32_t switch_of(std::uint32_t host) const { return ports_[host_port(host)].peer_node; }

  /// The ports by which a packet for `host` may leave the switch.
  PortList next_ports(std::uint32_t at, std::uint32_t host) const {
    const std::uint32_t* const group = &groups_[group_of(at, host)];
    return {group + 1, *group};
  }
  /// Brings into the cache what next_ports() will look at.
  void prefetch(std::uint32_t at, std::uint32_t host) const {
    __builtin_prefetch(&group_[std::size_t{leaf_number_[host]} * switches() + (at - hosts_)]);
  }
  /// Hosts of a switch with equal cables have equal ways: no route was set.
  bool has_shortest_ways_only() const { return given_.empty(); }
  /// Cables from host to host.
  std::uint32_t distance(std::uint32_t from, std::uint32_t to) const;
  /// Ports of one way from a host to another: of several, the one that `choose` picks, given the node and how
  /// many.
  template <typename Choose>
  std::vector<std::uint32_t> path(std::uint32_t from, std::uint32_t to, Choose&& choose) const {
    std::vector<std::uint32_t> ports{host_port(from)};
    for (std::uint32_t at = ports_[ports[0]].peer_node; at != to; at = ports_[ports.back()].peer_node) {
      if (ports.size() > nodes()) throw_loop(from, to);
      const PortList next = next_ports(at, to);
      ports.push_back(next[next.size() == 1 ? 0 : choose(at, next.size())]);
    }
    return ports;
  }
  /// Ports that wait for each other if all buffers are full: a cycle of cables along which packets go on, in
  /// order. Empty: there is none, so PFC cannot lock.
  std::vector<std::uint32_t> buffer_cycle() const;

 private:
  [[noreturn]] void throw_loop(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t group_of(std::uint32_t at, std::uint32_t host) const {
    if (!given_.empty()) {
      const auto found = given_.find({at, host});
      if (found != given_.end()) return found->second;
    }
    const Port& last = ports_[host_port(host)];
    if (last.peer_node == at) return direct_[host];
    return group_[std::size_t{leaf_number_[host]} * switches() + (at - hosts_)];
  }
  std::uint32_t group_number(std::vector<std::uint32_t> ports);
  void find_routes_to(std::uint32_t leaf, std::uint32_t number);
  std::vector<std::vector<std::uint32_t>> waits() const;

  std::uint32_t hosts_ = 0;
  std::vector<std::string> switch_names_;
  std::vector<Port> ports_;
  std::vector<std::vector<std::uint32_t>> ports_of_;
  std::vector<std::uint32_t> groups_;  // one behind the other: how many ports, and those
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_groups_;  // where in groups_
  std::vector<std::uint32_t> leaf_number_,
      direct_;                        // by host: of its switch; the group of its own port there
  std::vector<std::uint32_t> group_;  // [leaf][switch]
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> given_;
};

}  // namespace wafertlm::ethernet
