// SPDX-License-Identifier: Apache-2.0
// NPUs that are slow, or have a part of their HBM.
#include <algorithm>

#include "models/hbm/dram/address_map.h"
#include "models/hbm/flow_memory.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/platform_spec.h"

namespace wafertlm::config {
namespace {

HbmSpec hbm_of(const PlatformSpec& platform, NpuId npu) {
  return partial_hbm(platform.npu.hbm, platform.wafer.fabric.defects.hbm_percent(npu));
}

/// Whether a memory can be made so. @throws std::invalid_argument: it cannot
void require_memory(const HbmParams& params) {
  if (params.flow) FlowMemory memory(*params.flow);
  if (params.dram) AddressMap map(params.dram->timing, params.dram->map);
}

}  // namespace

ComputeParams compute_params(const PlatformSpec& platform, NpuId npu) {
  ComputeParams params =
      compute_params(platform.npu, static_cast<std::uint32_t>(index_of(npu)), platform.run.seed);
  const DefectsSpec& defects = platform.wafer.fabric.defects;
  params.speed_percent = defects.speed_percent(npu);
  if (defects.hbm_percent(npu) == 100) return params;
  const HbmSpec hbm = hbm_of(platform, npu);
  params.memory_bytes_per_s = std::min(hbm.bytes_per_s(false), hbm.bytes_per_s(true));
  return params;
}

HbmParams hbm_params(const PlatformSpec& platform, NpuId npu) { return hbm_params(hbm_of(platform, npu)); }

std::uint64_t hbm_capacity_bytes(const PlatformSpec& platform, NpuId npu) {
  const std::uint32_t percent = platform.wafer.fabric.defects.hbm_percent(npu);
  return percent == 100 ? platform.npu.hbm.capacity_bytes
                        : partial_hbm(platform.npu.hbm, percent).capacity_bytes;
}

void check_partial_hbm(const PlatformSpec& platform, const Check& check) {
  for (const PartialHbm& part : platform.wafer.fabric.defects.hbm) {
    try {
      const HbmSpec hbm = partial_hbm(platform.npu.hbm, part.share_percent);
      require_memory(hbm_params(hbm));
      if (platform.npu.compute.operands == OperandSource::hbm &&
          platform.npu.compute.tiles.tile_bytes > hbm.capacity_bytes)
        check.fail({&part.share_percent, &platform.npu.compute.tiles.tile_bytes},
                   "a tile of operands is larger than this memory");
    } catch (const std::invalid_argument& error) {
      check.fail({&part.share_percent, &platform.npu.hbm.generation}, error.what());
    }
  }
}

}  // namespace wafertlm::config
