// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/hierarchical_cost.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "workloads/collectives/hierarchical.h"
#include "workloads/collectives/shape.h"

namespace wafertlm {
namespace {

/// Strands 0 and 2 send along rows and columns, 1 and 3 receive what the neighbour's 0 and 2 send at the same
/// time as this rank's.
class Timeline {
 public:
  Timeline(const HierarchicalProgram& program, const FabricTraits& fabric, std::uint64_t bytes_per_s,
           const std::array<TimePs, 2>& latency_ps)
      : program_(program), fabric_(fabric), bytes_per_s_(bytes_per_s), latency_ps_(latency_ps) {}

  TimePs run() {
    for (bool any = true; any;) {
      any = false;
      for (std::uint32_t strand = 0; strand < 4; ++strand)
        while (ends_[strand].size() < program_.steps(strand) && advance(strand)) any = true;
    }
    TimePs last = 0;
    for (const auto& ends : ends_) last = std::max(last, ends.empty() ? 0 : ends.back());
    return last;
  }

 private:
  /// False if the strand's next step depends on one that is not known yet.
  bool advance(std::uint32_t strand) {
    const auto index = ends_[strand].size();
    const Step step = program_.step(strand, static_cast<std::uint32_t>(index));
    TimePs at = index == 0 ? 0 : ends_[strand].back();
    if (step.after_strand != Step::kNone && step.after_count != 0) {
      if (ends_[step.after_strand].size() < step.after_count) return false;
      at = std::max(at, ends_[step.after_strand][step.after_count - 1]);
    }
    if (step.bytes == 0) {
      ends_[strand].push_back(at);
      return true;
    }
    if (step.kind == Step::Kind::send) {
      at += fabric_.step_cost_ps + fabric_.memory.send_ps(step.bytes) +
            transfer_time_ps(fabric_.format.message_wire_bytes(step.bytes), bytes_per_s_);
    } else {
      if (ends_[strand - 1].size() <= index) return false;
      at = std::max(at, ends_[strand - 1][index] + latency_ps_[strand / 2]) + fabric_.receive_cost_ps +
           fabric_.memory.receive_ps(step.bytes, step.kind == Step::Kind::reduce);
    }
    ends_[strand].push_back(at);
    return true;
  }

  const HierarchicalProgram& program_;
  const FabricTraits& fabric_;
  std::uint64_t bytes_per_s_;
  std::array<TimePs, 2> latency_ps_;         // of a round along rows, columns
  std::array<std::vector<TimePs>, 4> ends_;  // of each strand's steps
};

/// In a tree of switches: the first chunk passes the phases; then every chunk takes the time of the dimension
/// that has more to carry, or the latency of its rings, or what the port takes for both.
TimePs on_switches_ps(const CollectiveRequest& request, const GroupGrid& grid, const FabricTraits& fabric) {
  const FredTraits& fred = fabric.fred;
  const std::uint64_t ports = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  // All members on an L1 switch send up at once; the ring leaves and enters an L2 switch once for each.
  std::uint64_t up = std::min(ports, fred.l1_uplink_bytes_per_s / grid.width);
  if (fred.l2_switches > 1) up = std::min(up, fred.l2_uplink_bytes_per_s / grid.width);
  const std::uint64_t passes = request.type == CollectiveType::all_reduce ? 2 : 1;
  TimePs first = 0, slowest = 0, port = 0;
  const auto phase = [&](std::uint64_t n, std::uint64_t divided_by, std::uint64_t rate, TimePs round_ps) {
    // One ring step of one chunk; 1/n of what the phase works on.
    const std::uint64_t block = fabric.format.message_wire_bytes(
        std::max<std::uint64_t>(request.bytes / request.chunks / divided_by / n, 1));
    const TimePs busy = passes * (n - 1) * transfer_time_ps(block, rate);
    const TimePs latency = (n - 1) * (fabric.step_cost_ps + round_ps + fabric.receive_cost_ps);
    first += busy + passes * latency;
    slowest = std::max({slowest, busy, latency});
    port += passes * (n - 1) * transfer_time_ps(block, ports);
  };
  phase(grid.width, 1, ports, fred.turn_latency_ps.front());
  phase(grid.height, grid.width, up, fred.turn_latency_ps.back());
  return first + (request.chunks - 1) * std::max(slowest, port);
}

}  // namespace

TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const GroupGrid grid = *grid_of(request.group, fabric);
  if (!fabric.is_mesh()) return on_switches_ps(request, grid, fabric);
  std::vector<std::uint32_t> at(request.group.size());
  for (std::uint32_t place = 0; place < at.size(); ++place) at[place] = place;
  // Of a vector that does not have an element for everybody this rank might see nothing.
  const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 8 * request.group.size());
  const auto plan =
      std::make_shared<const HierarchicalPlan>(request.type, grid.width, grid.height, std::move(at), bytes,
                                               request.chunks, grid.parts, request.split_percent);
  const HierarchicalProgram program(plan, 0);
  const std::uint64_t port = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  const auto round_ps = [&](std::uint64_t n) {
    return fabric.ends_latency_ps + (2 * n - 3) * fabric.hop_latency_ps / (n - 1);
  };
  return Timeline(program, fabric, std::min(fabric.link_bytes_per_s, port / 2),
                  {round_ps(grid.width), round_ps(grid.height)})
      .run();
}

}  // namespace wafertlm
