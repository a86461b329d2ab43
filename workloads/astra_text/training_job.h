// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/astra_text/text_nodes.h"

namespace wafertlm::astra_text {

/// Whether a name is that of a text workload (.txt), and not of traces.
bool is_text_workload(const std::string& path);

/// One iteration of a text workload on so many ranks, in the training loop that its first line names: DATA,
/// MODEL, HYBRID_TRANSFORMER or HYBRID_TRANSFORMER_FWD_IN_BCKWD (ASTRA-sim 1.0, Workload.cc; SimAI's are of
/// the last kind). Forward collectives block; backward, a layer's input gradient collective runs beside its
/// weight gradient's computation, and weight gradient collectives beside all that follows. With checkpoints,
/// a layer that initiates it first computes forward from the last checkpoint on. Model parallel groups are
/// neighbours, those of the weight gradient stride over them.
class TrainingJob {
 public:
  /// @throws chakra::TraceError "FILE:1: …": no such loop, or one that does not fit the number of ranks
  TrainingJob(const std::string& path, std::uint32_t ranks);

  std::vector<chakra::Node> nodes(std::uint32_t rank) const;
  std::map<std::string, std::vector<std::uint32_t>> groups() const;  ///< by name (chakra::Node::pg_name)

 private:
  TextWorkload workload_;
  std::uint32_t ranks_;
  TrainingLoop loop_;
  PassGroups groups_;
};

}  // namespace wafertlm::astra_text
