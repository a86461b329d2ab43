// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm::chakra {

/// The name of the METADATA node (in PyTorch's traces: of the operator) whose inputs are process groups.
constexpr std::string_view kGroupsNode = "## process_group:init ##";

struct RecordedGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< empty: all
};

/// The groups in a text of inputs: a list of {"pg_name", "ranks"}, also within lists and quotes. A group
/// without a name or with ranks that are no numbers is left out. Nothing: there is no such list.
std::vector<RecordedGroup> recorded_groups(std::string_view inputs);

/// The groups that the first nodes of the traces in `files` define, beside the one of all ranks; those with a
/// rank that the job has not are left out. @throws TraceError: a file cannot be read, or defines a group
/// differently from another.
CommGroups recorded_groups(const std::vector<std::string>& files, std::uint32_t num_ranks);
/// The same of traces that are open; leaves them rewound.
CommGroups recorded_groups(const std::vector<std::unique_ptr<NodeSource>>& traces, std::uint32_t num_ranks);

}  // namespace wafertlm::chakra
