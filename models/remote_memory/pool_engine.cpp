// SPDX-License-Identifier: Apache-2.0
#include "models/remote_memory/pool_engine.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

PoolEngine::PoolEngine(const PoolParams& params) : params_(params) {
  const auto require = [](bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  };
  require(params.npus != 0, "a pool is for at least one NPU");
  const bool has_nodes = params.kind == PoolKind::per_node || params.kind == PoolKind::hierarchical;
  require(!has_nodes || (params.npus_per_node != 0 && params.npus % params.npus_per_node == 0),
          "nodes of a pool must divide its NPUs");
  require(params.kind != PoolKind::hierarchical || params.stages, "a hierarchical pool needs its stages");
  require(params.kind != PoolKind::hierarchical || params.service == PoolService::requests,
          "the stages of a hierarchical pool serve requests, not accesses");
  for (std::uint32_t stage = 0; stage < stages(); ++stage) {
    const std::size_t servers = server_of(stage, params.npus - 1) + 1;
    counters_[stage].resize(servers);
    free_ps_[stage].resize(servers);
    if (params.kind != PoolKind::hierarchical) {
      require(params.bytes_per_s != 0, "a pool's bandwidth must be at least 1 B/s");
      lines_[stage].assign(servers, Line(params.bytes_per_s));
    } else {
      require(params.stages->at(stage).bytes_per_s != 0, "a stage's bandwidth must be at least 1 B/s");
      require(params.stages->at(stage).fan_in != 0, "a stage's fan-in must be at least 1");
    }
  }
}

std::uint32_t PoolEngine::server_of(std::uint32_t stage, std::uint32_t npu) const {
  switch (params_.kind) {
    case PoolKind::per_npu:
      return npu;
    case PoolKind::per_node:
      return npu / params_.npus_per_node;
    case PoolKind::shared:
      return 0;
    case PoolKind::hierarchical:
      break;
  }
  return stage < 2 ? 0 : stage == 2 ? npu / params_.npus_per_node : npu;
}

TimePs PoolEngine::stage_ps(std::uint32_t stage, std::uint64_t bytes) const {
  const PoolStage& of = (*params_.stages)[stage];
  return of.latency_ps + transfer_time_ps((bytes + of.fan_in - 1) / of.fan_in, of.bytes_per_s);
}

TimePs PoolEngine::advance(std::uint32_t npu, bool write, std::uint64_t bytes, std::uint32_t step,
                           TimePs now) {
  const bool staged = params_.kind == PoolKind::hierarchical;
  const std::uint32_t stage = staged && write ? stages() - 1 - step : step;
  const std::uint32_t server = server_of(stage, npu);
  TimePs& free = free_ps_[stage][server];
  const TimePs start = std::max(now, free);
  if (staged)
    free = start + stage_ps(stage, bytes);
  else
    free = lines_[stage][server].send(bytes, start, now < free ? Line::kUnbound : 0).end;

  count(counters_[stage][server], bytes, now, start, free);
  return step + 1 == stages() ? free + params_.latency_ps : free;
}

TimePs PoolEngine::begin_access(std::uint32_t npu, std::uint64_t bytes, TimePs now) {
  const std::uint32_t server = server_of(0, npu);
  TimePs& free = free_ps_[0][server];
  const TimePs start = params_.kind == PoolKind::per_npu ? now : std::max(now, free);
  const TimePs end = start + params_.latency_ps + transfer_time_ps(bytes, params_.bytes_per_s);
  count(counters_[0][server], bytes, now, start, end);
  free = std::max(free, end);
  return start + params_.latency_ps;
}

void PoolEngine::count(PoolCounters& counters, std::uint64_t bytes, TimePs now, TimePs start, TimePs end) {
  ++counters.requests;
  counters.bytes += bytes;
  counters.busy_ps += end - start;
  counters.wait_ps += start - now;
  counters.longest_wait_ps = std::max(counters.longest_wait_ps, start - now);
}

}  // namespace wafertlm
