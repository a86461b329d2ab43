// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/in_network_cost.h"

#include <algorithm>

#include "workloads/collectives/blocks.h"

namespace wafertlm {

TimePs in_network_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::size_t p = request.group.size();
  if (p < 2 || request.bytes == 0) return 0;
  TimePs latency_ps = 0;
  std::uint64_t rate = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  const bool rooted = has_root(request.type);
  for (std::size_t a = 0; a < p; ++a)
    for (std::size_t b = rooted ? request.root : 0; b < (rooted ? request.root + 1 : p); ++b) {
      if (a == b) continue;
      latency_ps = std::max(latency_ps, fabric.latency_ps(request.group[a], request.group[b]));
      rate = std::min(rate, fabric.path_bytes_per_s(request.group[a], request.group[b]));
    }
  std::uint64_t wire = 0;
  if (request.type == CollectiveType::reduce_scatter || request.type == CollectiveType::all_gather) {
    const Blocks blocks(request.bytes, p);
    for (std::size_t k = 0; k < p; ++k)
      if (blocks.bytes(k) != 0) wire += fabric.format.message_wire_bytes(blocks.bytes(k));
  } else {
    wire = fabric.format.message_wire_bytes(request.bytes);
  }
  return latency_ps + transfer_time_ps(wire, rate);
}

}  // namespace wafertlm
