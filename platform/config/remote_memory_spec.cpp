// SPDX-License-Identifier: Apache-2.0
#include "platform/config/remote_memory_spec.h"

#include <algorithm>

#include "models/remote_memory/pool_engine.h"

namespace wafertlm::config {

PoolParams pool_params(const RemoteMemorySpec& spec, std::uint32_t npus) {
  PoolParams params = spec;
  params.npus = npus;
  return params;
}

std::uint32_t RemoteMemorySpec::requests_under_way() const {
  if (outstanding) return static_cast<std::uint32_t>(*outstanding);
  const PoolEngine pool(pool_params(*this, std::max(1U, npus_per_node)));
  TimePs all = latency_ps, slowest = 1;
  if (stages) {
    for (std::uint32_t stage = 0; stage < kPoolStages; ++stage) {
      const TimePs time = pool.stage_ps(stage, request_bytes);
      all += time;
      slowest = std::max(slowest, time);
    }
  } else {
    slowest = std::max<TimePs>(slowest, transfer_time_ps(request_bytes, bytes_per_s));
    all += slowest;
  }
  return static_cast<std::uint32_t>(std::clamp<TimePs>(all / slowest + 2, 16, 1024));
}

std::uint32_t engine_group(const RemoteMemorySpec& spec, std::uint32_t npus) {
  if (spec.kind == PoolKind::per_npu) return 1;
  return spec.kind == PoolKind::per_node ? spec.npus_per_node : npus;
}

ProviderEngineParams provider_params(const MemoryEngineSpec& spec) {
  // A region's bounds are in the network card: they take no time of their own.
  return {spec.validation, spec.validation == Validation::page ? spec.validate_ps : 0};
}

RequesterEngineParams requester_params(const MemoryEngineSpec& spec, std::uint64_t bytes) {
  RequesterEngineParams params = spec;
  params.pages = bytes / spec.page_bytes;
  if (spec.placement == Placement::by_npu) params.providers = 1;
  if (spec.placement == Placement::blocked) params.stripe_pages = 0;
  if (spec.validation == Validation::region) params.validate_ps = 0;
  return params;
}

}  // namespace wafertlm::config
