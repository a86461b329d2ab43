// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/run/rank_sequencer.h"

namespace wafertlm {

struct WaitChain {
  std::vector<std::string> lines;
  std::set<std::pair<std::uint32_t, const Task*>> named;  ///< (rank, task) that the lines explain
};

/// The chain of who waits for whom in a run that is stuck: from the lowest rank that waits for another one, a
/// line per step, until it comes back to where it was or nobody can be named.
WaitChain who_waits_for_whom(const std::vector<std::unique_ptr<RankSequencer>>& ranks);

/// What the machine says is pending, in terms of the job: rank r runs on NPU r, and the places in a group
/// that the machine calls ranks mean nothing to the user. Each pair of a collective is named once, those of
/// the collectives `without` not at all.
std::vector<std::string> in_ranks(const std::vector<std::string>& pending,
                                  const std::set<std::uint64_t>& without);

}  // namespace wafertlm
