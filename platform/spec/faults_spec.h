// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm::config {

/// A part that fails, or gets slower, while the simulation runs; a link or an NPU.
struct RunFaultSpec {
  TimePs at_ps = 0;
  std::optional<TimePs> for_ps;  ///< then it is as before; nullopt: it stays so
  /// "5-6" both directions, "5->6" one: numbers of routers, or names of switches as in results' links.
  std::string link;
  std::optional<std::uint32_t> rate_percent;  ///< of the link's bandwidth; 0: it is down
  std::optional<NpuId> npu;
  std::optional<std::uint32_t> speed_percent;  ///< of what the NPU computes
  bool dies = false;                           ///< the NPU

  /// Names of the link's directions as in results: "router5->router6". Empty: it is no link.
  std::vector<std::string> ways() const;
  /// "link 5-6", "NPU 3".
  std::string part() const;
  /// The part is gone, for good.
  bool is_loss() const { return dies || (rate_percent == 0 && !for_ps); }
  TimePs end_ps() const { return for_ps ? at_ps + *for_ps : kNever; }
};

/// What follows when a part is lost for good.
enum class OnFault : std::uint8_t {
  wait,     ///< packets wait for the link
  reroute,  ///< packets go around it
  stop,     ///< the run ends
};

}  // namespace wafertlm::config
