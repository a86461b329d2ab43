// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/in_network.h"

namespace wafertlm {

TimePs in_network_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::size_t p = request.group.size();
  TimePs latency_ps = 0;
  std::uint64_t rate = fabric.port_bytes_per_s();
  const bool rooted = has_root(request.type);
  for (std::size_t a = 0; a < p; ++a)
    for (std::size_t b = rooted ? request.root : 0; b < (rooted ? request.root + 1 : p); ++b) {
      if (a == b) continue;
      latency_ps = std::max(latency_ps, fabric.latency_ps(request.group[a], request.group[b]));
      rate = std::min(rate, fabric.topology->path_bytes_per_s(request.group[a], request.group[b]));
    }
  if (request.type != CollectiveType::reduce_scatter && request.type != CollectiveType::all_gather)
    return latency_ps + transfer_time_ps(fabric.format.message_wire_bytes(request.bytes), rate);
  // A flow per block. Every port carries all of them, an uplink only those that go beyond it.
  const bool reduces = request.type == CollectiveType::reduce_scatter;
  const Blocks blocks(request.bytes, p);
  const auto links = fabric.topology->link_loads();
  std::uint64_t wire = 0;
  for (std::size_t k = 0; k < p; ++k) {
    if (blocks.bytes(k) == 0) continue;
    const std::uint64_t bytes = fabric.format.message_wire_bytes(blocks.bytes(k));
    const Group one{request.group[k]};
    links->add_flow(reduces ? request.group : one, reduces ? one : request.group, bytes);
    wire += bytes;
  }
  const std::uint64_t port = fabric.port_bytes_per_s();
  return std::max(latency_ps + transfer_time_ps(wire, port), links->busiest_ps());
}

}  // namespace wafertlm
