// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/learn.h"

#include <algorithm>
#include <utility>

#include "workloads/chakra/trace_error.h"
#include "workloads/statistics/duration_grid.h"
#include "workloads/trace_model/fold.h"
#include "workloads/trace_model/slot_values.h"

namespace wafertlm::trace_model {
namespace {

/// How much there is to write down.
std::size_t effort(const std::vector<Shape>& shapes) {
  std::size_t count = 0;
  for (const Shape& shape : shapes)
    count += shape.behaviour.slots.size() + shape.behaviour.side_slots.size() + shape.behaviour.sides.size();
  return count;
}

/// Whether all values are kept in their order: each slot has few occurrences, or equal ones.
bool keeps_all(const Shape& shape, const Jobs& jobs) {
  std::vector<std::size_t> count(shape.behaviour.slots.size() + shape.behaviour.side_slots.size());
  std::vector<const chakra::Node*> first(count.size());
  std::vector<bool> differs(count.size());
  for (const std::uint32_t rank : shape.behaviour.ranks)
    for (const auto& job : jobs) {
      const statistics::TraceGraph& graph = job[rank];
      for (std::size_t at = 0; at < graph.order.size(); ++at) {
        const chakra::Node& node = graph.nodes[graph.order[at]];
        const std::uint32_t slot = shape.slot_of[at];
        if (&job == &jobs.front() && rank == shape.behaviour.ranks.front()) ++count[slot];
        if (first[slot] == nullptr) first[slot] = &node;
        differs[slot] = differs[slot] || node.duration_ps != first[slot]->duration_ps ||
                        bytes_of(node) != bytes_of(*first[slot]) || node.products != first[slot]->products ||
                        operations_of(node) != operations_of(*first[slot]);
      }
    }
  for (std::size_t slot = 0; slot < count.size(); ++slot)
    if (differs[slot] && count[slot] > kMostStretches) return false;
  return true;
}

/// Repetitions of kinds alone, where that is much simpler and no value is lost, or values tell too much
/// apart.
std::vector<Shape> simplest_shapes(const Sequences& sequences, const Jobs& jobs) {
  constexpr std::size_t kTooMuch = 1000;
  std::vector<Shape> by_values, by_kinds;
  for (const bool with_sides : {true, false}) {
    std::vector<Shape> shapes = shapes_of(sequences, jobs, {true, with_sides});
    if (by_values.empty() || effort(shapes) < effort(by_values)) by_values = std::move(shapes);
  }
  for (const bool with_sides : {true, false}) {
    std::vector<Shape> shapes = shapes_of(sequences, jobs, {false, with_sides});
    const bool is_lossless =
        std::all_of(shapes.begin(), shapes.end(), [&](const Shape& shape) { return keeps_all(shape, jobs); });
    if (!is_lossless && effort(by_values) <= kTooMuch) continue;
    if (by_kinds.empty() || effort(shapes) < effort(by_kinds)) by_kinds = std::move(shapes);
  }
  return by_kinds.empty() || 2 * effort(by_values) <= 5 * effort(by_kinds) ? by_values : by_kinds;
}

void require_alike(const Jobs& jobs, const Sequences& first, const chakra::CommGroups& groups) {
  for (std::size_t job = 1; job < jobs.size(); ++job) {
    const std::string& name = jobs[job].front().name;
    if (jobs[job].size() != jobs.front().size())
      throw chakra::TraceError(name + ": of a job of " + std::to_string(jobs[job].size()) +
                               " ranks, and the first has " + std::to_string(jobs.front().size()) +
                               "; a model is learned from runs of one job");
    const Sequences other = sequences_of(jobs[job], groups);
    for (std::size_t rank = 0; rank < other.ranks.size(); ++rank) {
      const Sequence &a = first.ranks[rank], &b = other.ranks[rank];
      bool same = a.kinds.size() == b.kinds.size() && a.after == b.after;
      for (std::size_t at = 0; same && at < a.kinds.size(); ++at) {
        const Kind &x = first.kinds[a.kinds[at]], &y = other.kinds[b.kinds[at]];
        same = !(x < y) && !(y < x);
      }
      if (!same)
        throw chakra::TraceError(jobs[job][rank].name + ": does other operations than " +
                                 jobs.front()[rank].name + ", or in another order; learn from it by itself");
    }
  }
}

}  // namespace

Model learn(const Jobs& jobs, const chakra::CommGroups& groups, const LearnOptions& options) {
  const Sequences sequences = sequences_of(jobs.front(), groups);
  require_alike(jobs, sequences, groups);
  std::vector<Shape> shapes = simplest_shapes(sequences, jobs);
  Model model;
  model.ranks = static_cast<std::uint32_t>(jobs.front().size());
  model.bound = options.bound;
  statistics::DurationGrid durations;
  for (const auto& job : jobs)
    for (const statistics::TraceGraph& graph : job)
      for (const chakra::Node& node : graph.nodes) durations.add(node.duration_ps);
  model.grid_ps = durations.step_ps();
  model.kinds = sequences.kinds;
  model.families = sequences.families;
  const Changes changes(jobs, shapes, options);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    fill_values(shapes[i], i, jobs, changes);
    model.behaviours.push_back(std::move(shapes[i].behaviour));
  }
  const Layers layers = mark_layers(model.behaviours, model.kinds);
  model.layers = layers.count;
  model.layer_nodes = layers.nodes;
  return model;
}

}  // namespace wafertlm::trace_model
