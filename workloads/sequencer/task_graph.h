// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/units.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {

/// One node of a rank's trace, as the sequencer needs it.
struct Task {
  enum class Kind : std::uint8_t { none, compute, cpu, collective, send, receive, memory_load, memory_store };

  std::uint64_t id = 0;  ///< of the Chakra node
  std::string name;
  Kind kind = Kind::none;
  TimePs duration_ps = 0;
  chakra::CollectiveType collective{};
  std::uint64_t bytes = 0;  ///< collective: full vector per rank (all-gather: contribution × ranks)
  std::uint32_t peer = 0;   ///< rank, for send and receive
  std::uint64_t tag = 0;
  std::string group;                   ///< canonical name
  std::string traffic_class;           ///< of the platform's table; "" for what does not use the fabric
  std::vector<std::uint32_t> parents;  ///< positions in the list of tasks
  std::vector<std::uint32_t> children;
};

struct TaskGraphOptions {
  bool accept_missing_dependencies = false;
  std::string collective_class = "dp";  ///< for nodes that name no class
  std::string point_to_point_class = "pp";
};

/// The tasks of one rank in file order. Requires a source that chakra::validate() accepted.
/// METADATA nodes, collectives of a group with one rank, and loads and stores of no bytes become tasks of
/// kind `none`, which take no time.
std::vector<Task> load_tasks(chakra::NodeSource& source, std::uint32_t rank, const chakra::CommGroups& groups,
                             const TaskGraphOptions& options);

}  // namespace wafertlm
