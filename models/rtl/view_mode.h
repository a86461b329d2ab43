// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

enum class RtlViewMode : std::uint8_t {
  tlm,   ///< the model alone; for recordings
  rtl,   ///< the RTL carries the packets
  both,  ///< the model does, and the RTL gets the same ones
};

}  // namespace wafertlm
