// SPDX-License-Identifier: Apache-2.0
#include "platform/config/remote_memory_spec.h"

#include <algorithm>

#include "models/remote_memory/pool_engine.h"

namespace wafertlm::config {

PoolParams pool_params(const RemoteMemorySpec& spec, std::uint32_t npus) {
  PoolParams params;
  params.kind = spec.kind;
  params.service = spec.service;
  params.npus = npus;
  params.npus_per_node = spec.npus_per_node.value_or(1);
  params.bytes_per_s = spec.bandwidth_bytes_per_s.value_or(0);
  params.latency_ps = spec.latency_ps;
  if (!spec.stages) return params;
  const auto stage = [](const PoolStageSpec& of) {
    return PoolStage{of.bandwidth_bytes_per_s, of.latency_ps, of.fan_in};
  };
  params.stages = {stage(spec.stages->memory), stage(spec.stages->out_switch), stage(spec.stages->in_switch),
                   stage(spec.stages->npu_link)};
  return params;
}

std::uint32_t RemoteMemorySpec::requests_under_way() const {
  if (outstanding) return static_cast<std::uint32_t>(*outstanding);
  const PoolEngine pool(pool_params(*this, npus_per_node.value_or(1)));
  TimePs all = latency_ps, slowest = 1;
  if (stages) {
    for (std::uint32_t stage = 0; stage < kPoolStages; ++stage) {
      const TimePs time = pool.stage_ps(stage, request_bytes);
      all += time;
      slowest = std::max(slowest, time);
    }
  } else {
    slowest = std::max<TimePs>(slowest, transfer_time_ps(request_bytes, *bandwidth_bytes_per_s));
    all += slowest;
  }
  return static_cast<std::uint32_t>(std::clamp<TimePs>(all / slowest + 2, 16, 1024));
}

std::uint32_t engine_group(const RemoteMemorySpec& spec, std::uint32_t npus) {
  if (spec.kind == PoolKind::per_npu) return 1;
  return spec.kind == PoolKind::per_node ? *spec.npus_per_node : npus;
}

ProviderEngineParams provider_params(const MemoryEngineSpec& spec) {
  // A region's bounds are in the network card: they take no time of their own.
  return {spec.validation, spec.validation == Validation::page ? spec.validate_ps : 0};
}

RequesterEngineParams requester_params(const MemoryEngineSpec& spec, std::uint64_t bytes) {
  RequesterEngineParams params;
  params.page_bytes = spec.page_bytes;
  params.pages = bytes / spec.page_bytes;
  if (spec.placement != Placement::by_npu) params.providers = spec.providers;
  params.stripe_pages = spec.placement == Placement::blocked ? 0 : spec.stripe_pages;
  params.outstanding = spec.outstanding;
  params.dma = spec.dma;
  params.validate_ps = spec.validation == Validation::page ? spec.validate_ps : 0;
  params.encrypt = spec.cipher_mode != CipherMode::none;
  params.cut_through = spec.cipher_mode == CipherMode::cut_through;
  params.integrity = spec.integrity;
  params.cipher = spec.cipher;
  params.mac = spec.mac;
  params.tree_arity = spec.tree_arity;
  params.cached_levels = spec.tree_cached_levels;
  params.hiding = spec.hiding;
  params.dummies = spec.dummies;
  params.spare_slots = spec.spare_pages;
  params.bucket_blocks = spec.bucket_blocks;
  return params;
}

}  // namespace wafertlm::config
