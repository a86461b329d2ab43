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

}  // namespace

TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const Rectangle box(request.group, fabric);
  std::vector<std::uint32_t> at(request.group.size());
  for (std::uint32_t place = 0; place < at.size(); ++place) at[place] = place;
  // Of a vector that does not have an element for everybody this rank might see nothing.
  const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 8 * request.group.size());
  const auto plan = std::make_shared<const HierarchicalPlan>(
      request.type, box.width(), box.height(), std::move(at), bytes, request.chunks, request.split_percent);
  const HierarchicalProgram program(plan, 0);
  const std::uint64_t port = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  const auto round_ps = [&](std::uint64_t n) {
    return fabric.ends_latency_ps + (2 * n - 3) * fabric.hop_latency_ps / (n - 1);
  };
  return Timeline(program, fabric, std::min(fabric.link_bytes_per_s, port / 2),
                  {round_ps(box.width()), round_ps(box.height())})
      .run();
}

}  // namespace wafertlm
