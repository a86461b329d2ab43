// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/custom/program.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace wafertlm {
namespace {

/// The times at which the steps of all ranks end.
class Times {
 public:
  Times(const CustomPlan& plan, const CollectiveRequest& request, const FabricTraits& fabric)
      : plan_(plan), request_(request), fabric_(fabric), loads_(fabric.topology->link_loads()) {}

  TimePs last_ps() {
    const auto ranks = static_cast<std::uint32_t>(request_.group.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> live;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      ends_.emplace_back(plan_.threadblocks(rank));
      for (std::uint32_t threadblock = 0; threadblock < plan_.threadblocks(rank); ++threadblock)
        live.emplace_back(rank, threadblock);
    }
    sent_.resize(ranks);
    // The proof has shown that all can be done.
    while (!live.empty())
      live.erase(std::remove_if(live.begin(), live.end(),
                                [&](const auto& at) { return finishes(at.first, at.second); }),
                 live.end());
    TimePs last = loads_->busiest_ps();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      last = std::max(last,
                      transfer_time_ps(sent_[rank], fabric_.topology->npu_bytes_per_s(request_.group[rank])));
      for (const std::vector<TimePs>& threadblock : ends_[rank])
        if (!threadblock.empty()) last = std::max(last, threadblock.back());
    }
    return last;
  }

 private:
  /// Goes on as far as it can; true: to its end.
  bool finishes(std::uint32_t rank, std::uint32_t threadblock) {
    std::vector<TimePs>& ends = ends_[rank][threadblock];
    while (ends.size() < plan_.steps(rank, threadblock)) {
      const Step step = plan_.step(rank, threadblock, static_cast<std::uint32_t>(ends.size()));
      TimePs start = ends.empty() ? 0 : ends.back();
      if (step.after_threadblock != Step::kNone && step.after_count != 0) {
        const std::vector<TimePs>& other = ends_[rank][step.after_threadblock];
        if (other.size() < step.after_count) return false;
        start = std::max(start, other[step.after_count - 1]);
      }
      const auto end = end_of(rank, step, start);
      if (!end) return false;
      ends.push_back(*end);
    }
    return true;
  }

  std::optional<TimePs> end_of(std::uint32_t rank, const Step& step, TimePs start) {
    if (step.bytes == 0) return start;
    if (step.is_local()) return start + step.delay_ps;
    const NpuId own = request_.group[rank], peer = request_.group[step.peer];
    if (step.kind == Step::Kind::send) {
      const std::uint64_t wire = fabric_.format.message_wire_bytes(step.bytes);
      const TimePs bytes = transfer_time_ps(wire, fabric_.topology->path_bytes_per_s(own, peer)) +
                           fabric_.memory.send_ps(step.bytes);
      arrivals_[{rank, step.peer, step.tag}] = start + fabric_.latency_ps(own, peer) + bytes;
      loads_->add(own, peer, wire);
      sent_[rank] += wire;
      return start + fabric_.step_cost_ps + bytes;
    }
    const auto found = arrivals_.find({step.peer, rank, step.tag});
    if (found == arrivals_.end()) return std::nullopt;
    const bool reduces = step.kind == Step::Kind::reduce;
    TimePs cost = fabric_.memory.receive_ps(step.bytes, reduces);
    if (reduces && fabric_.reduction_bytes_per_s != 0)
      cost += transfer_time_ps(3 * step.bytes, fabric_.reduction_bytes_per_s);
    return std::max(start + fabric_.receive_cost_ps, found->second) + cost;
  }

  const CustomPlan& plan_;
  const CollectiveRequest& request_;
  const FabricTraits& fabric_;
  std::unique_ptr<LinkLoads> loads_;
  std::vector<std::vector<std::vector<TimePs>>> ends_;  // by rank, threadblock, step
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, TimePs> arrivals_;  // by (from, to, tag)
  std::vector<std::uint64_t> sent_;                                                     // by rank
};

}  // namespace

std::shared_ptr<const CustomPlan> custom_plan(const CollectiveRequest& request, const FabricTraits& fabric) {
  return std::make_shared<const CustomPlan>(request.custom, request.bytes, std::max(request.chunks, 1U),
                                            LocalCosts{fabric.reduction_bytes_per_s, fabric.memory});
}

TimePs custom_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  return Times(*custom_plan(request, fabric), request, fabric).last_ps();
}

}  // namespace wafertlm
