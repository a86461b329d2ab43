// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/statistics/trace_graph.h"
#include "workloads/trace_model/model.h"
#include "workloads/trace_model/sequences.h"

namespace wafertlm::trace_model {

/// Runs of one job: the same ranks, differing in durations and sizes only.
using Jobs = std::vector<std::vector<statistics::TraceGraph>>;

/// The bytes that a communication or memory access moves.
std::uint64_t bytes_of(const chakra::Node& node);
/// Operations, by num_ops or by the products.
double operations_of(const chakra::Node& node);

/// A behaviour without values: its slots have kinds and dependencies only.
struct Shape {
  Behaviour behaviour;
  /// Of each node of the order of its ranks: the slot, or slots.size() + the side slot.
  std::vector<std::uint32_t> slot_of;
};

struct ShapeOptions {
  bool with_values = true;  ///< what is repeated has near values, too
  bool with_sides = true;   ///< nodes of Sequences::is_side are kept beside the steps, else within them
};

/// Ranks with equal sequences of tokens together, folded. A token is a kind, its dependencies, and the
/// with `with_values` the neighbourhoods of its duration, bytes and operations: values of a kind are of one
/// if no gap of more than 25 % is between them, nor one of 2 % where they are 50 % above the least.
std::vector<Shape> shapes_of(const Sequences& sequences, const Jobs& jobs, const ShapeOptions& options);

}  // namespace wafertlm::trace_model
