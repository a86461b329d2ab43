// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/chakra/node.h"
#include "workloads/trace_model/model.h"

namespace wafertlm::trace_model {

struct GenerateOptions {
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> layers;  ///< of a rank, in place of Model::layers
  std::optional<std::uint32_t> ranks;   ///< a multiple of Model::ranks, or a divisor
  double hidden =
      1;             ///< times as wide: parameters and computations grow with its square, activations with it
  double batch = 1;  ///< times as many samples: computations and activations grow with it
};

/// Traces made from a model.
struct Generated {
  std::vector<std::vector<chakra::Node>> ranks;
  std::map<std::string, std::vector<std::uint32_t>>
      groups;                              ///< other than that of all ranks, which has no name
  std::vector<std::uint32_t> source_rank;  ///< what a rank was made after
  std::vector<std::vector<std::uint32_t>>
      source;  ///< of each node: its place in the order of that rank's graph
};

/// Dependencies point back, so nothing can form a circle. Collectives agree on all ranks, receives with their
/// sends. The same options give the same traces.
///
/// Layers: loops over layers get as many repetitions more; each stands for the learned one at the same part
/// of the loop. Ranks: the job is copied, as more data parallelism does it: groups of class dp, and that of
/// all ranks, hold the ranks of all copies, and what a rank contributes to an all-gather in them shrinks; a
/// divisor keeps the first ranks. Width and batch: bytes of class dp, weights and memory accesses are
/// parameters, all others activations; dimensions of products grow alike.
/// @throws std::invalid_argument that says what is possible.
Generated generate(const Model& model, const GenerateOptions& options = {});

/// Ways in which generate() scales the ranks: groups by family and group, as names.
class ScaledGroups {
 public:
  /// @throws std::invalid_argument
  ScaledGroups(const Model& model, std::uint32_t ranks);

  /// pg_name of the group that a kind means on a rank.
  const std::string& name(const Kind& kind, std::uint32_t rank) const;
  bool is_scaled(std::int32_t family) const { return scaled_[static_cast<std::size_t>(family)]; }
  /// The rank that a message goes to or comes from.
  std::uint32_t peer(const Kind& kind, std::uint32_t rank) const;
  std::map<std::string, std::vector<std::uint32_t>> groups() const { return groups_; }

 private:
  void add(std::size_t family, std::vector<std::uint32_t> ranks);

  std::uint32_t of_model_, ranks_;
  std::vector<bool> scaled_;
  std::map<std::string, std::vector<std::uint32_t>> groups_;
  std::vector<std::vector<std::vector<std::string>>> names_;  // by family and rank, those that hold it
};

}  // namespace wafertlm::trace_model
