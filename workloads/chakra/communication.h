// SPDX-License-Identifier: Apache-2.0
// Shared by validate.cpp (one rank) and job.cpp (all ranks).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/chakra/validate.h"

namespace wafertlm::chakra {

/// What other ranks must agree with.
struct Communication {
  std::uint64_t node = 0;  ///< id
  std::uint64_t bytes = 0;
  std::uint32_t group = 0;  ///< CommGroups::number(); collectives only
  std::uint32_t peer = 0;   ///< sends and receives only, as is the tag
  std::uint32_t tag = 0;
  NodeType type = NodeType::CommColl;
  CollectiveType collective = CollectiveType::AllReduce;
  bool io_stream = false;
  std::uint8_t traffic_class = 0;  ///< index in RankCheck::classes
};

struct RankCheck {
  TraceSummary summary;
  std::vector<Communication> communications;  ///< parents first; where that leaves a choice, in file order
  std::vector<std::string> classes;           ///< traffic classes that they name, or count as
};

RankCheck check_rank(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
                     const ValidateOptions& options);

/// describe() of the nodes with these ids, in this order: reads the source once more, for error messages.
std::vector<std::string> describe_nodes(NodeSource& source, const std::vector<std::uint64_t>& ids);

}  // namespace wafertlm::chakra
