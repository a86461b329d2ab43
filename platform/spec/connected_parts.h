// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// NPUs that work, by the part of the fabric whose NPUs reach each other; the largest first.
std::vector<Group> connected_parts(std::uint32_t npus, const std::vector<NpuId>& idle,
                                   const std::function<bool(NpuId from, NpuId to)>& reaches);

/// A line for `wafertlm check` for each part but the first.
std::string describe_cut_off(const std::vector<Group>& parts);

/// Of the routes between all members of a group.
struct RouteLengths {
  std::uint64_t pairs = 0, around = 0;  ///< of them not as on the whole fabric
  std::uint64_t hops = 0, whole_hops = 0;
  double longest = 1;  ///< of a pair, times as on the whole fabric

  void add(std::uint32_t taken, std::uint32_t whole, bool is_other);
  /// "86 of 306 pairs; routes are 1.12 times as long as `those`, one 4.0 times"
  std::string text(const std::string& those) const;
};

}  // namespace wafertlm
