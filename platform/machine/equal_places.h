// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm {

struct CollectiveProgram;
namespace config {
struct PlatformSpec;
}

/// Whether one NPU is simulated and stands for all.
struct Places {
  bool one_for_all = false;
  std::string
      why_all;  ///< all are simulated though the wiring is the same at all; empty: it is not, or one is
};

/// The fabric's wiring is the same at all NPUs, so that one might stand for all.
bool has_equal_wiring(const config::PlatformSpec& spec);
/// What makes its NPUs differ, or needs all of them; empty: nothing. Requires has_equal_wiring().
std::string why_places_differ(const config::PlatformSpec& spec);
/// In both all ranks do the same, and it is the same in both but for the group.
bool are_alike(const CollectiveProgram& a, const CollectiveProgram& b);

}  // namespace wafertlm
