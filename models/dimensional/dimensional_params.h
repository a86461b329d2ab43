// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/dimensions.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/units.h"

namespace wafertlm {

/// The links of one NPU in one dimension, where they differ from the others': those that it sends on, and of
/// a switch both directions.
struct OtherLink {
  NpuId npu{};
  std::uint32_t dimension = 0;
  std::uint64_t bytes_per_s = 0;
  TimePs latency_ps = 0;
};

struct DimensionalParams {
  Dimensions dimensions;
  std::vector<OtherLink> other_links;
  TimePs credit_delay_ps = 0;
  WireFormat format;
  std::uint64_t buffer_bytes = 0;  ///< per virtual channel and input; 0: auto
  bool messages = false;           ///< carries whole messages, in an engine of its own (models/messages)
};

}  // namespace wafertlm
