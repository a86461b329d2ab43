// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"
#include "workloads/chakra/node.h"

namespace wafertlm::trace_model {

/// What nodes of one sort have in common, without sizes and times.
struct Kind {
  chakra::NodeType type = chakra::NodeType::Comp;
  std::optional<chakra::CollectiveType> collective;
  bool cpu = false, io_stream = false, delay = false;
  std::uint32_t unit = 0;
  std::string traffic_class;
  std::int32_t family = -1;  ///< of a collective: its place in Model::families
  std::uint32_t nth = 0;     ///< which group of the family, of those that hold the rank
  std::uint32_t peer = 0;    ///< of a message: the other rank is this far above, modulo all ranks
  std::uint32_t lane = 0;    ///< of a message: those of a pair and lane arrive in the order of sending
  std::optional<std::uint32_t> priority;
  std::vector<bool> dims;

  friend bool operator<(const Kind& a, const Kind& b);
};

/// A dependency: on the node of a kind that came so many before (1: the last), or on all of that kind that
/// nothing depends on yet.
struct Reference {
  static constexpr std::uint32_t kOpen = 0;
  std::uint32_t kind = 0, back = kOpen;
  friend bool operator<(const Reference& a, const Reference& b) {
    return std::pair(a.kind, a.back) < std::pair(b.kind, b.back);
  }
  friend bool operator==(const Reference& a, const Reference& b) {
    return a.kind == b.kind && a.back == b.back;
  }
};

/// Values of the occurrences of a slot, in order: each so many times.
template <typename Value>
using Runs = std::vector<std::pair<Value, std::uint32_t>>;

/// How long the occurrences of a slot take: means of equally long stretches, quantiles of what single ones
/// are relative to these, and of what single ranks are relative to their mean. Quantiles are equally spaced,
/// the first is the least and the last the most; none: no difference.
struct Durations {
  std::vector<std::uint64_t> stretches_ps;
  std::vector<double> spread, ranks;
};

/// A node of the repeated pattern.
struct Slot {
  std::uint32_t kind = 0;
  std::vector<Reference> after;
  Durations durations;
  Runs<std::uint64_t> bytes;  ///< of a communication or memory access
  Runs<std::uint64_t> operations, touched;
  Runs<std::vector<MatrixProduct>> products;
};

/// A slot, or steps that are repeated.
struct Step {
  std::uint32_t slot = 0;  ///< in Behaviour::slots, if there is no body
  std::uint32_t times = 1;
  std::uint32_t layers = 0;  ///< its repetitions are layers, so many times all of a rank's; 0: they are not
  std::vector<Step> body;
};

/// So many nodes of a side slot in a row, each `skip` nodes of the steps after the one before.
struct SideRun {
  std::uint32_t skip = 0, slot = 0, times = 1;
};

/// Ranks that do the same.
struct Behaviour {
  std::vector<std::uint32_t> ranks;
  std::vector<double> pace;  ///< of these ranks: their computations relative to the mean; none: all 1
  std::vector<Slot> slots;   ///< in the order of the steps' leaves
  std::vector<Step> steps;
  /// Communications that nothing, or only a common end waits for: they come at any place between the steps.
  std::vector<Slot> side_slots;
  std::vector<SideRun> sides;
};

/// Groups of ranks that do the same.
using Family = std::vector<std::vector<std::uint32_t>>;

/// What is learned of traces. Holds no name, and no value that was not changed.
struct Model {
  std::uint32_t ranks = 0;
  double bound = 0;               ///< sizes and durations are within this part of the source's
  TimePs grid_ps = 1;             ///< on which the source has its durations (statistics::DurationGrid)
  std::uint32_t layers = 0;       ///< of a rank; 0: no period was found
  std::uint32_t layer_nodes = 0;  ///< of the longest loop over layers
  std::vector<Kind> kinds;
  std::vector<Family> families;
  std::vector<Behaviour> behaviours;

  std::size_t slot_count() const;
};

/// Nodes that the steps stand for; the second also where that is more than 64 bits hold.
std::uint64_t length(const std::vector<Step>& steps);
double float_length(const std::vector<Step>& steps);

/// All ranks in groups of `size`, whose members are `stride` apart.
Family regular_family(std::uint32_t ranks, std::uint32_t size, std::uint32_t stride);

}  // namespace wafertlm::trace_model
