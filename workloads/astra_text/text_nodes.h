// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/astra_text/text_workload.h"

namespace wafertlm::astra_text {

/// Which ranks a pass' collectives go over, where groups may be a part of a dimension. Ranks count through
/// the dimensions, the first one fastest. In a dimension a group of k has neighbours; where the forward pass'
/// groups of m and the weight gradient's of k share it (m·k divides its size), those of the weight gradient
/// have every m-th NPU: so none of them has two NPUs of one forward group.
class PassGroups {
 public:
  /// @param group_sizes by pass and dimension, each divides its dimension's size; -1 or 1: no part
  PassGroups(const std::array<std::vector<int>, kPasses>& group_sizes, std::vector<std::uint32_t> sizes);

  /// In ascending order; the rank alone: the pass has no group.
  std::vector<std::uint32_t> members(std::size_t pass, std::uint32_t rank) const;
  /// The same for all members, by the sizes and the first of them; empty: no group.
  std::string name(std::size_t pass, std::uint32_t rank) const;

 private:
  struct Part {
    std::uint32_t size = 1, stride = 1;  ///< NPUs of a dimension, and how far apart
  };

  std::vector<std::uint32_t> sizes_;
  std::array<std::vector<Part>, kPasses> parts_;
};

/// The iteration of every rank, in the training loop no_overlap: forward in the order of the layers, then
/// backward in reverse, per layer the input gradient and the weight gradient; each computation and
/// collective waits for the one before. Collectives name the dimensions that take part (involved_dim),
/// class mp in forward and input gradient, dp in weight gradient. A collective whose pass has no group is
/// left out.
/// @param group_sizes by pass and dimension; -1: no part
/// @param sizes NPUs by dimension
/// @throws chakra::TraceError: a group is a part of a dimension, which involved_dim cannot say.
std::vector<chakra::Node> no_overlap_nodes(const TextWorkload& workload,
                                           const std::array<std::vector<int>, kPasses>& group_sizes,
                                           const std::vector<std::uint32_t>& sizes);
/// The same of one rank, whose collectives name their group (pg_name): these may be parts of a dimension.
std::vector<chakra::Node> no_overlap_nodes(const TextWorkload& workload, const PassGroups& groups,
                                           std::uint32_t rank);

/// A loop of ASTRA-sim 1.0, see TrainingJob.
struct TrainingLoop {
  std::uint32_t model_parallel = 1;    ///< ranks of a group of forward and input gradient
  bool weight_gradient_first = false;  ///< of a layer; that of layer 0 has no input gradient then
  bool first_input_collective = true;  ///< layer 0 has one for its input gradient
  std::map<std::size_t, std::size_t> forward_again;  ///< by layer that initiates it: the checkpoint
};
std::vector<chakra::Node> training_nodes(const TextWorkload& workload, const TrainingLoop& loop,
                                         const PassGroups& groups, std::uint32_t rank);

}  // namespace wafertlm::astra_text
