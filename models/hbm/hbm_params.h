// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "models/hbm/dram/dram_params.h"
#include "models/hbm/efficiency_grid.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

struct HbmEngineParams {
  std::uint64_t read_bandwidth_bytes_per_s = 3'000'000'000'000;
  std::uint64_t write_bandwidth_bytes_per_s = 3'000'000'000'000;
  TimePs latency_ps = 100'000;  ///< pipelined: takes no bandwidth
};

struct FlowMemoryParams {
  EfficiencyTable table;
  std::uint64_t stack_bytes_per_s = 0;
  std::uint32_t stacks = 1;
  std::uint32_t access_bytes = 1;    ///< a request takes all accesses that it touches
  std::uint64_t piece_bytes = 2048;  ///< as AddressMap::piece_bytes
  std::uint32_t stack_channels = 1;  ///< pseudo-channels, which successive pieces meet in turn
};

struct HbmParams {
  HbmEngineParams timing;  ///< without `dram` and `flow` the latency, and a bandwidth per direction
  std::uint64_t capacity_bytes = 80'000'000'000;
  std::uint32_t queue_requests = 64;          ///< accepted and not answered; when full, END_REQ is withheld
  bool functional = false;                    ///< keep the data
  std::optional<DramParams> dram = {};        ///< by rows and banks
  std::optional<FlowMemoryParams> flow = {};  ///< by an efficiency table
};

}  // namespace wafertlm
