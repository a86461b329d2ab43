// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost_parts.h"
#include "workloads/collectives/ring.h"

namespace wafertlm {

/// A ring step waits for the one before at the rank before it, so after K steps the latencies of K
/// consecutive ring edges have added up, and K blocks have been sent one after the other. With chunks the
/// link stays busy while a chunk is under way, if there are enough of them.
TimePs ring_ps(const CollectiveRequest& request, const FabricTraits& fabric, std::uint32_t directions) {
  const std::vector<std::uint32_t> order = fabric.topology->ring_order(request.group);
  const auto p = static_cast<std::uint64_t>(order.size());
  const std::uint64_t steps = (request.type == CollectiveType::all_reduce ? 2 : 1) * (p - 1);
  const std::uint64_t block = Blocks(request.bytes, p).bytes(0);
  const std::uint64_t chunk = Blocks(Blocks(block, directions).bytes(0), request.chunks).bytes(0);

  const auto loads = fabric.topology->link_loads();
  SlowestPath slowest(*fabric.topology);
  std::vector<TimePs> latency(p);
  TimePs longest = 0, once_round = 0;
  // Whole blocks of the shortest length: no more than the steps below count.
  const std::uint64_t passed = Blocks(request.bytes, p).bytes(p - 1) * steps;
  const bool reduces = request.type != CollectiveType::all_gather;
  const bool gathers = request.type != CollectiveType::reduce_scatter;
  // All-reduce reduces in one half of its steps and copies in the other: no step is as long as the longer.
  const TimePs memory =
      fabric.memory.send_ps(chunk) +
      (fabric.memory.receive_ps(chunk, reduces) + fabric.memory.receive_ps(chunk, reduces && !gathers)) / 2;
  for (std::uint64_t i = 0; i < p; ++i) {
    const NpuId from = request.group[order[i]], to = request.group[order[(i + 1) % p]];
    latency[i] = fabric.latency_ps(from, to) + memory;
    longest = std::max(longest, latency[i]);
    once_round += latency[i];
    slowest.add(from, to);
    loads->add(from, to, passed - (directions - 1) * (passed / 2));
    if (directions == 2) loads->add(to, from, passed / 2);
  }
  // The worst of all windows of steps mod p edges, and the whole rounds.
  TimePs window = 0;
  for (std::uint64_t k = 0; k < steps % p; ++k) window += latency[k];
  TimePs path = window;
  for (std::uint64_t start = 0; start + 1 < p; ++start) {
    window += latency[(start + steps % p) % p] - latency[start];
    path = std::max(path, window);
  }
  path += steps / p * once_round;
  // Both directions of a pair run over the same link.
  const std::uint64_t rate =
      std::min(slowest.bytes_per_s() / (p == 2 ? directions : 1), fabric.port_bytes_per_s() / directions);
  const TimePs chunk_ps = message_ps(fabric, chunk, rate);
  // A threadblock's next chunk waits for the costs of the one before.
  const TimePs pace = std::max(chunk_ps + fabric.step_cost_ps + fabric.memory.send_ps(chunk),
                               fabric.receive_cost_ps + fabric.memory.receive_ps(chunk, reduces));
  return std::max({path + steps * chunk_ps + (request.chunks - 1) * pace,
                   longest + steps * request.chunks * chunk_ps, loads->busiest_ps()});
}

}  // namespace wafertlm
