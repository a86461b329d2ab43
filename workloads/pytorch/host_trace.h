// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/pytorch/communication.h"
#include "workloads/pytorch/names.h"

namespace wafertlm::pytorch {

/// An operator of a PyTorch execution trace.
struct HostNode {
  std::uint64_t id = 0, parent = 0;
  std::uint64_t function_id = 0;    ///< rf_id; 0: none
  std::uint32_t name = 0;           ///< in the names of the timeline that it was read with
  std::uint32_t thread = 0;         ///< as PyTorch numbers them, from 1; 0: the process
  std::uint32_t communication = 0;  ///< 1 + its index; 0: none
  bool is_root = false;             ///< stands for a process or a thread
};

/// The trace of PyTorch's ExecutionTraceObserver, of one rank.
struct HostTrace {
  std::string file, schema;
  std::uint64_t pid = 0;        ///< 0: not told
  std::vector<HostNode> nodes;  ///< by id, which is the order in which they began
  std::vector<Communication> communications;
  std::map<std::string, std::vector<std::uint32_t>> groups;  ///< process groups that it declares
  std::uint64_t duplicate_ids = 0;                           ///< nodes with an id that another one has
  std::uint64_t missing_parents = 0;                         ///< nodes whose parent is not in the file
};

/// Reads one; schemas 1.0.1 to 1.1.x. `names` are those of the timeline. @throws chakra::TraceError naming
/// file and byte: no execution trace, another schema, a node without id or name.
HostTrace read_host_trace(const std::string& path, Names& names);

/// What the arguments of a `record_param_comms` say: its inputs and outputs as JSON texts, and its attributes
/// by name. @throws std::invalid_argument
Communication read_communication(const std::string& inputs, const std::string& outputs,
                                 const std::map<std::string, std::string>& attributes);

}  // namespace wafertlm::pytorch
