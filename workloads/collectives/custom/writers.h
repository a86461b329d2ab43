// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workloads/chakra/node.h"
#include "workloads/collectives/custom/program_chunks.h"

namespace wafertlm {

/// The text of an MSCCL program (README.md).
std::string msccl_text(const ChunkedProgram& program, const std::string& name);

/// Traces of the ranks, as ASTRA-sim's custom collectives are: a node for each send and receive of a chunk,
/// and a computation for each reduction, behind what the rank did before it in the same thread. The tag of a
/// message is the number of its chunk within its block.
std::vector<std::vector<chakra::Node>> chakra_nodes(const ChunkedProgram& program);

}  // namespace wafertlm
