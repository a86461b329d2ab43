// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/link_loads.h"

#include <algorithm>

#include "tlm/shape/topology.h"

namespace wafertlm {

void LinkLoads::add_all_pairs(const Group& group, std::uint64_t bytes) {
  for (const NpuId from : group)
    for (const NpuId to : group)
      if (from != to) add(from, to, bytes);
}

RouteLoads::RouteLoads(const Topology& topology) : topology_(topology), bytes_(topology.links()) {}

void RouteLoads::add(NpuId from, NpuId to, std::uint64_t bytes) {
  route_.clear();
  topology_.append_route(from, to, route_);
  for (const std::size_t link : route_) bytes_[link] += bytes;
}

void RouteLoads::add_flow(const Group& contributors, const Group& receivers, std::uint64_t bytes) {
  route_.clear();
  for (const NpuId from : contributors)
    for (const NpuId to : receivers) topology_.append_route(from, to, route_);
  std::sort(route_.begin(), route_.end());
  route_.erase(std::unique(route_.begin(), route_.end()), route_.end());
  for (const std::size_t link : route_) bytes_[link] += bytes;
}

std::uint64_t RouteLoads::busiest_bytes() const {
  return bytes_.empty() ? 0 : *std::max_element(bytes_.begin(), bytes_.end());
}

TimePs RouteLoads::busiest_ps() const {
  TimePs busiest = 0;
  for (std::size_t number = 0; number < bytes_.size(); ++number) {
    if (bytes_[number] == 0) continue;
    const TopologyLink link = topology_.link(number);
    busiest = std::max(busiest, link.head_ps + transfer_time_ps(bytes_[number], link.bytes_per_s));
  }
  return busiest;
}

}  // namespace wafertlm
