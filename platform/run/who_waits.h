// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "platform/run/rank_sequencer.h"

namespace wafertlm {

/// The chain of who waits for whom in a run that is stuck: from the lowest rank that waits for another one, a
/// line per step, until it comes back to where it was or nobody can be named.
std::vector<std::string> who_waits_for_whom(const std::vector<std::unique_ptr<RankSequencer>>& ranks);

}  // namespace wafertlm
