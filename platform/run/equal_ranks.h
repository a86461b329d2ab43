// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/equal_places.h"

namespace wafertlm {

struct Job;
namespace config {
struct PlatformSpec;
}

/// Ranks that do the same, each in groups of its own, so that rank 0 may stand for all.
struct EqualRanks {
  Places places;
  /// By CommGroups::number(), of rank 0's groups: the groups in their place at all ranks, itself among them.
  std::vector<std::vector<std::uint32_t>> groups_like = {};
};

/// Compares the traces of all ranks, node by node. Whether their collectives have equal places is seen when
/// they are planned (JobRun).
EqualRanks equal_ranks(const config::PlatformSpec& platform, const Job& job);

}  // namespace wafertlm
