// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "workloads/collectives/cost_parts.h"
#include "workloads/collectives/halving_doubling.h"

namespace wafertlm {

/// Round after round; a rank sends when it has what came in the round before, and not before its last
/// message has left. No round is shorter than its busiest link.
TimePs halving_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint32_t>(request.group.size());
  auto plan = std::make_shared<const HalvingPlan>(request.type, p, request.bytes);
  std::vector<HalvingProgram> programs;
  for (std::uint32_t rank = 0; rank < p; ++rank) programs.emplace_back(plan, rank);
  // Fold in, exchanges, fold out: what each rank sends in them.
  const std::uint32_t exchanges = programs[0].steps(0) - (plan->has_folded(0) ? 1 : 0);
  std::vector<TimePs> ready(p, 0);  // has received what it sends next, and sent what it had
  const auto round = [&](auto send_of, bool reduces) {
    const auto loads = fabric.topology->link_loads();
    std::vector<TimePs> next = ready;
    TimePs memories = 0;
    for (std::uint32_t rank = 0; rank < p; ++rank) {
      const Step send = send_of(rank);
      if (send.bytes == 0) continue;
      const NpuId from = request.group[rank], to = request.group[send.peer];
      loads->add(from, to, send.bytes);
      const TimePs bytes = message_ps(fabric, send.bytes, fabric.topology->path_bytes_per_s(from, to)) +
                           fabric.memory.send_ps(send.bytes);
      memories = std::max(memories,
                          fabric.memory.send_ps(send.bytes) + fabric.memory.receive_ps(send.bytes, reduces));
      next[rank] = std::max(next[rank], ready[rank] + fabric.step_cost_ps + bytes);
      next[send.peer] = std::max(next[send.peer], ready[rank] + fabric.latency_ps(from, to) + bytes +
                                                      fabric.memory.receive_ps(send.bytes, reduces));
    }
    // Who shares a link with others is as late as they are.
    const TimePs first = *std::min_element(ready.begin(), ready.end()),
                 busiest = loads->busiest_ps() + memories;
    ready = std::move(next);
    const TimePs last = *std::max_element(ready.begin(), ready.end());
    if (first + busiest > last)
      for (TimePs& at : ready) at += first + busiest - last;
  };
  const bool scatters = request.type != CollectiveType::all_gather;
  round([&](std::uint32_t rank) { return plan->folded_out(rank) ? programs[rank].step(0, 0) : Step(); },
        scatters);
  for (std::uint32_t index = 0; index < exchanges; ++index)
    round([&](std::uint32_t rank) { return plan->folded_out(rank) ? Step() : programs[rank].step(0, index); },
          scatters && index < plan->rounds);
  round(
      [&](std::uint32_t rank) { return plan->has_folded(rank) ? programs[rank].step(0, exchanges) : Step(); },
      false);
  return *std::max_element(ready.begin(), ready.end());
}

}  // namespace wafertlm
