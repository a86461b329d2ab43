// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "models/remote_memory/pool_params.h"
#include "tlm/kernel/units.h"
#include "tlm/link/line.h"

namespace wafertlm {

/// Of one server.
struct PoolCounters {
  std::uint64_t requests = 0, bytes = 0;
  TimePs busy_ps = 0, wait_ps = 0, longest_wait_ps = 0;
};

/// The servers of a remote memory. Each serves requests, loads and stores alike, in the order of the calls:
///   start = max(now, free);  free = start + stage time;  stage time = bytes / bandwidth (+ stage latency)
/// and after the last stage comes the pool's latency. So an idle pool takes latency + bytes / bandwidth, and
/// a hierarchical one, in chunks, latency + Σ stage times + (chunks - 1) × the slowest. Loads go through the
/// stages from the memory to the NPU, stores from the NPU to the memory.
///
/// PoolService::accesses, as ASTRA-sim's analytical remote memory has it: a server has one access at a time,
///   start = max(now, free);  free = start + latency + bytes / bandwidth
/// except an NPU's own, where accesses do not wait for each other.
class PoolEngine {
 public:
  /// @throws std::invalid_argument for no NPUs, nodes that do not divide them, a bandwidth or fan-in of 0.
  explicit PoolEngine(const PoolParams& params);

  std::uint32_t stages() const { return params_.kind == PoolKind::hierarchical ? kPoolStages : 1; }
  /// Puts a request into its `step`-th stage; returns when that is over.
  TimePs advance(std::uint32_t npu, bool write, std::uint64_t bytes, std::uint32_t step, TimePs now);
  /// With PoolService::accesses: an access begins, of which requests come; returns when its first byte moves.
  TimePs begin_access(std::uint32_t npu, std::uint64_t bytes, TimePs now);
  bool serves_accesses() const { return params_.service == PoolService::accesses; }
  std::uint64_t bytes_per_s() const { return params_.bytes_per_s; }
  TimePs latency_ps() const { return params_.latency_ps; }
  /// What one request takes of a stage (of a pool without stages: 0).
  TimePs stage_ps(std::uint32_t stage, std::uint64_t bytes) const;

  /// Servers of a stage: 1, one for each node or one for each NPU.
  const std::vector<PoolCounters>& counters(std::uint32_t stage) const { return counters_[stage]; }

 private:
  std::uint32_t server_of(std::uint32_t stage, std::uint32_t npu) const;
  static void count(PoolCounters& counters, std::uint64_t bytes, TimePs now, TimePs start, TimePs end);

  const PoolParams params_;
  std::array<std::vector<Line>, kPoolStages> lines_;  // without stages, only the first; carries fractions
  std::array<std::vector<TimePs>, kPoolStages> free_ps_;
  std::array<std::vector<PoolCounters>, kPoolStages> counters_;
};

}  // namespace wafertlm
