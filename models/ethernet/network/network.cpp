// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/network/network.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm::ethernet {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::size_t kMaxCables = std::size_t{1} << 20;  // five times what a fat tree of 65536 hosts has

}  // namespace

std::uint32_t Network::add_hosts(std::uint32_t count) {
  if (switches() != 0) throw std::logic_error("hosts come before switches");
  const std::uint32_t first = hosts_;
  hosts_ += count;
  ports_of_.resize(hosts_);
  return first;
}

std::uint32_t Network::add_switch(std::string name) {
  switch_names_.push_back(std::move(name));
  ports_of_.emplace_back();
  return nodes() - 1;
}

void Network::add_cable(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_per_s, TimePs latency_ps) {
  if (a == b || a >= nodes() || b >= nodes()) throw std::invalid_argument("a cable needs two different ends");
  if (bytes_per_s == 0) throw std::invalid_argument("a cable without bandwidth");
  if (ports_.size() >= 2 * kMaxCables) throw std::invalid_argument("more than 2^20 cables");
  const auto first = static_cast<std::uint32_t>(ports_.size());
  ports_.push_back({a, b, first + 1, bytes_per_s, latency_ps});
  ports_.push_back({b, a, first, bytes_per_s, latency_ps});
  ports_of_[a].push_back(first);
  ports_of_[b].push_back(first + 1);
}

std::string Network::name(std::uint32_t node) const {
  return is_host(node) ? "host" + std::to_string(node) : switch_names_[node - hosts_];
}

std::string Network::port_name(std::uint32_t port) const {
  return name(ports_[port].node) + "->" + name(ports_[port].peer_node);
}

std::uint32_t Network::port_between(std::uint32_t a, std::uint32_t b) const {
  for (const std::uint32_t port : ports_of_[a])
    if (ports_[port].peer_node == b) return port;
  throw std::invalid_argument("there is no cable between " + name(a) + " and " + name(b));
}

std::uint32_t Network::group_number(std::vector<std::uint32_t> ports) {
  const auto [found, is_new] = known_groups_.emplace(ports, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) {
    groups_.push_back(static_cast<std::uint32_t>(ports.size()));
    groups_.insert(groups_.end(), ports.begin(), ports.end());
  }
  return found->second;
}

void Network::set_route(std::uint32_t from, std::uint32_t host, std::vector<std::uint32_t> ports) {
  for (const std::uint32_t port : ports)
    if (ports_[port].node != from) throw std::invalid_argument("a route through a port of another node");
  given_[{from, host}] = group_number(std::move(ports));
}

void Network::find_routes() {
  std::vector<std::uint32_t> number_of(nodes(), kNone);
  std::uint32_t leaves = 0;
  leaf_number_.resize(hosts_);
  direct_.resize(hosts_);
  for (std::uint32_t host = 0; host < hosts_; ++host) {
    if (ports_of_[host].size() != 1)
      throw std::invalid_argument(
          name(host) + " has " + std::to_string(ports_of_[host].size()) +
          " cables; a host is a NIC with one (give a node with several NICs as several hosts)");
    direct_[host] = group_number({ports_[host_port(host)].peer_port});
    std::uint32_t& number = number_of[switch_of(host)];
    if (number == kNone) number = leaves++;
    leaf_number_[host] = number;
  }
  group_.assign(std::size_t{leaves} * switches(), 0);
  for (std::uint32_t node = 0; node < nodes(); ++node)
    if (number_of[node] != kNone && !is_host(node)) find_routes_to(node, number_of[node]);
}

void Network::find_routes_to(std::uint32_t leaf, std::uint32_t number) {
  std::vector<std::uint32_t> distance(nodes(), kNone), queue{leaf};
  distance[leaf] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const std::uint32_t port : ports_of_[queue[i]]) {
      const std::uint32_t next = ports_[port].peer_node;
      if (is_host(next) || distance[next] != kNone) continue;
      distance[next] = distance[queue[i]] + 1;
      queue.push_back(next);
    }
  for (std::uint32_t node = hosts_; node < nodes(); ++node) {
    if (node == leaf) continue;
    std::vector<std::uint32_t> ports;
    for (const std::uint32_t port : ports_of_[node]) {
      const std::uint32_t next = ports_[port].peer_node;
      if (!is_host(next) && distance[node] != kNone && distance[next] + 1 == distance[node])
        ports.push_back(port);
    }
    const bool has_hosts = std::any_of(ports_of_[node].begin(), ports_of_[node].end(),
                                       [&](std::uint32_t port) { return is_host(ports_[port].peer_node); });
    if (ports.empty() && has_hosts)
      throw std::invalid_argument("there is no way from " + name(node) + " to " + name(leaf));
    group_[std::size_t{number} * switches() + (node - hosts_)] = group_number(std::move(ports));
  }
}

std::uint32_t Network::distance(std::uint32_t from, std::uint32_t to) const {
  return static_cast<std::uint32_t>(
      path(from, to, [](std::uint32_t, std::size_t) { return std::size_t{0}; }).size());
}

void Network::throw_loop(std::uint32_t from, std::uint32_t to) const {
  throw std::invalid_argument("the routes from " + name(from) + " to " + name(to) + " go in a circle");
}

/// By port: the ports for which packets that come over its cable wait.
std::vector<std::vector<std::uint32_t>> Network::waits() const {
  std::vector<std::vector<std::uint32_t>> all(ports_.size());
  // Hosts of a switch differ only where routes were given.
  std::vector<bool> seen_leaf(nodes());
  for (std::uint32_t host = 0; host < hosts_; ++host) {
    const bool is_given = std::any_of(given_.begin(), given_.end(),
                                      [&](const auto& each) { return each.first.second == host; });
    if (seen_leaf[switch_of(host)] && !is_given) continue;
    seen_leaf[switch_of(host)] = true;
    std::vector<bool> carries(ports_.size());
    std::vector<std::uint32_t> queue;
    for (std::uint32_t from = 0; from < hosts_; ++from)
      if (from != host) queue.push_back(host_port(from));
    while (!queue.empty()) {
      const std::uint32_t port = queue.back(), at = ports_[port].peer_node;
      queue.pop_back();
      if (is_host(at)) continue;
      for (const std::uint32_t next : next_ports(at, host)) {
        if (is_host(ports_[next].peer_node)) continue;  // hosts always take packets
        all[port].push_back(next);
        if (!carries[next]) queue.push_back(next);
        carries[next] = true;
      }
    }
  }
  for (auto& each : all) {
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
  }
  return all;
}

std::vector<std::uint32_t> Network::buffer_cycle() const {
  const auto next = waits();
  enum : std::uint8_t { fresh, open, closed };
  std::vector<std::uint8_t> state(ports_.size(), fresh);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;  // with how many successors were looked at
  for (std::uint32_t start = 0; start < ports_.size(); ++start) {
    if (state[start] != fresh) continue;
    stack.assign(1, {start, 0});
    state[start] = open;
    while (!stack.empty()) {
      auto& [port, looked] = stack.back();
      if (looked == next[port].size()) {
        state[port] = closed;
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = next[port][looked++];
      if (state[to] == open) {
        std::vector<std::uint32_t> cycle;
        for (const auto& each : stack) cycle.push_back(each.first);
        cycle.erase(cycle.begin(), std::find(cycle.begin(), cycle.end(), to));
        return cycle;
      }
      if (state[to] == closed) continue;
      state[to] = open;
      stack.emplace_back(to, 0);
    }
  }
  return {};
}

}  // namespace wafertlm::ethernet
