// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "workloads/collectives/hierarchical.h"

namespace wafertlm {
namespace {

/// Threadblocks 0 and 2 send along rows and columns, 1 and 3 receive what the neighbour's 0 and 2 send at the
/// same time as this rank's.
class Timeline {
 public:
  Timeline(const HierarchicalProgram& program, const FabricTraits& fabric,
           const std::array<GroupGrid::Ring, 2>& rings)
      : program_(program), fabric_(fabric), rings_(rings) {}

  TimePs run() {
    for (bool any = true; any;) {
      any = false;
      for (std::uint32_t threadblock = 0; threadblock < 4; ++threadblock)
        while (ends_[threadblock].size() < program_.steps(threadblock) && advance(threadblock)) any = true;
    }
    TimePs last = 0;
    for (const auto& ends : ends_) last = std::max(last, ends.empty() ? 0 : ends.back());
    return last;
  }

 private:
  /// False if the threadblock's next step depends on one that is not known yet.
  bool advance(std::uint32_t threadblock) {
    const auto index = ends_[threadblock].size();
    const Step step = program_.step(threadblock, static_cast<std::uint32_t>(index));
    TimePs at = index == 0 ? 0 : ends_[threadblock].back();
    if (step.after_threadblock != Step::kNone && step.after_count != 0) {
      if (ends_[step.after_threadblock].size() < step.after_count) return false;
      at = std::max(at, ends_[step.after_threadblock][step.after_count - 1]);
    }
    if (step.bytes == 0) {
      ends_[threadblock].push_back(at);
      return true;
    }
    if (step.kind == Step::Kind::send) {
      at += fabric_.step_cost_ps + fabric_.memory.send_ps(step.bytes) +
            transfer_time_ps(fabric_.format.message_wire_bytes(step.bytes),
                             rings_[threadblock / 2].bytes_per_s);
    } else {
      if (ends_[threadblock - 1].size() <= index) return false;
      at = std::max(at, ends_[threadblock - 1][index] + rings_[threadblock / 2].head_ps) +
           fabric_.receive_cost_ps + fabric_.memory.receive_ps(step.bytes, step.kind == Step::Kind::reduce);
    }
    ends_[threadblock].push_back(at);
    return true;
  }

  const HierarchicalProgram& program_;
  const FabricTraits& fabric_;
  std::array<GroupGrid::Ring, 2> rings_;     // along rows, columns
  std::array<std::vector<TimePs>, 4> ends_;  // of each threadblock's steps
};

/// Along the rows and then along the columns: the first chunk passes the phases; then every chunk takes the
/// time of the dimension that has more to carry, or the latency of its rings, or what the port takes for
/// both.
TimePs phases_ps(const CollectiveRequest& request, const GroupGrid& grid, const FabricTraits& fabric) {
  const std::uint64_t ports = fabric.port_bytes_per_s();
  const std::uint64_t passes = request.type == CollectiveType::all_reduce ? 2 : 1;
  TimePs first = 0, slowest = 0, port = 0;
  const auto phase = [&](std::uint64_t n, std::uint64_t divided_by, const GroupGrid::Ring& ring) {
    // One ring step of one chunk; 1/n of what the phase works on.
    const std::uint64_t block = fabric.format.message_wire_bytes(
        std::max<std::uint64_t>(request.bytes / request.chunks / divided_by / n, 1));
    const TimePs busy = passes * (n - 1) * transfer_time_ps(block, ring.bytes_per_s);
    const TimePs latency = (n - 1) * (fabric.message_cost_ps() + ring.head_ps);
    first += busy + passes * latency;
    slowest = std::max({slowest, busy, latency});
    port += passes * (n - 1) * transfer_time_ps(block, ports);
  };
  phase(grid.width, 1, grid.row);
  phase(grid.height, grid.width, grid.column);
  return first + (request.chunks - 1) * std::max(slowest, port);
}

}  // namespace

TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const GroupGrid grid = *fabric.topology->group_grid(request.group);
  if (grid.parts == 1) return phases_ps(request, grid, fabric);
  std::vector<std::uint32_t> at(request.group.size());
  std::iota(at.begin(), at.end(), 0U);
  // Of a vector that does not have an element for everybody this rank might see nothing.
  const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 8 * request.group.size());
  const auto plan =
      std::make_shared<const HierarchicalPlan>(request.type, grid.width, grid.height, std::move(at), bytes,
                                               request.chunks, grid.parts, request.split_percent);
  const HierarchicalProgram program(plan, 0);
  return Timeline(program, fabric, {grid.row, grid.column}).run();
}

}  // namespace wafertlm
