// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "models/rtl/design.h"

namespace wafertlm {

/// A pin that a protocol asks for.
struct RtlPinFacts {
  std::string name;
  bool is_input = false;            ///< of the module
  std::uint32_t ports = 1;          ///< side by side
  std::uint32_t bits = 1;           ///< of each
  std::vector<std::string> with{};  ///< what a port of an output shows only matters where all these are 1

  std::uint32_t width() const { return ports * bits; }
};

/// The clock is the first, the reset (low) the second.
std::vector<RtlPinFacts> rtl_pins(const RtlDesign& design);

}  // namespace wafertlm
