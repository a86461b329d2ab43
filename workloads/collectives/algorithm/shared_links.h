// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tlm/program/program.h"
#include "tlm/shape/fabric_traits.h"

namespace wafertlm {

/// What the busiest link takes for all messages and flows of collectives that run at the same time: bytes
/// over bandwidth, of the links between routers or switches and of the NPUs' ports. Groups that share a link
/// are not done before. 0 if there are more than kMaxSharedSteps steps to count.
TimePs shared_links_ps(const std::vector<const CollectiveProgram*>& programs, const FabricTraits& fabric);

constexpr std::uint64_t kMaxSharedSteps = 4'000'000;

}  // namespace wafertlm
