// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/hbm/hbm_params.h"
#include "tlm/memory/requester_params.h"

namespace wafertlm::config {

/// What the flow level knows of a generation; written by `wafertlm memory table`.
struct EfficiencySpec {
  std::string name;
  std::string generation;
  std::vector<std::uint32_t> depths;
  std::vector<std::string> rows;  ///< "stacks bytes stride writes_percent efficiency…", a number per depth
};

/// The memory of one NPU, and how the NPU asks it. hbm_params() (hbm_type.h) fills in what follows from the
/// generation.
struct HbmSpec : HbmParams {
  std::optional<DramLevel> level;            ///< nullopt: flow
  std::string generation;                    ///< of dram_generations(); empty: by read and write bandwidth
  std::optional<EfficiencySpec> efficiency;  ///< of level flow with a generation
  AddressMapParams map;
  DramQueueParams queue;
  MemoryRequesterParams requests;

  /// Of the pins if there is a generation.
  std::uint64_t bytes_per_s(bool write) const;
};

}  // namespace wafertlm::config
