// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tlm/rtl/view_mode.h"
#include "tlm/units.h"

namespace wafertlm::config {

/// Which switches have RTL beside them, or in their place.
struct RtlSpec {
  std::string switches;  ///< their name, or a pattern with *
  RtlViewMode view = RtlViewMode::both;
  std::optional<std::string> design;      ///< of those that wafertlm_add_rtl() has added
  std::optional<std::uint64_t> clock_hz;  ///< nullopt: the links' speed / the bits of a flit
  std::optional<TimePs> tolerance_ps;     ///< with both; nullopt: times are not compared
  TimePs window_ps = 100'000;             ///< of waveforms around the first divergence
  std::optional<std::string> record;      ///< a file; of several switches each its own
  std::uint64_t flit_bytes = 0;           ///< of a recording without a design
};

}  // namespace wafertlm::config
