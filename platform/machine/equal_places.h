// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "tlm/remote/part.h"

namespace wafertlm {

class OperationLogs;
struct CollectiveProgram;
namespace config {
struct PlatformSpec;
}

/// Which NPUs are simulated: all, one that stands for all, or those of a part's wafers.
struct Places {
  bool one_for_all = false;
  std::string
      why_all;  ///< all are simulated though the wiring is the same at all; empty: it is not, or one is
  std::optional<Part> part = {};
  /// Of a part: its operations write into these logs; of one without wafers: they are played from them.
  OperationLogs* logs = nullptr;
};

/// The fabric's wiring is the same at all NPUs, so that one might stand for all.
bool has_equal_wiring(const config::PlatformSpec& spec);
/// What makes its NPUs differ, or needs all of them; empty: nothing. Requires has_equal_wiring().
std::string why_places_differ(const config::PlatformSpec& spec);
/// In both all ranks do the same, and it is the same in both but for the group.
bool are_alike(const CollectiveProgram& a, const CollectiveProgram& b);

}  // namespace wafertlm
