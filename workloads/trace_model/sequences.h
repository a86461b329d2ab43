// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/statistics/trace_graph.h"
#include "workloads/trace_model/model.h"

namespace wafertlm::trace_model {

/// The nodes of a rank in the order of its graph: what they are, and what they need as seen from there.
struct Sequence {
  std::vector<std::uint32_t> kinds;
  std::vector<std::vector<Reference>> after;
};

struct Sequences {
  std::vector<Kind> kinds;
  std::vector<Family> families;
  std::vector<bool> is_side;  ///< by kind: nothing waits for one of these alone, see Behaviour::sides
  std::vector<Sequence> ranks;
};

/// @throws chakra::TraceError: messages without partner, unknown groups, ranks that are not in theirs.
Sequences sequences_of(const std::vector<statistics::TraceGraph>& ranks, const chakra::CommGroups& groups);

}  // namespace wafertlm::trace_model
