// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <tuple>

#include "workloads/trace_model/perturb.h"
#include "workloads/trace_model/slot_values.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using chakra::NodeType;

/// Computations that are changed alike: of one unit, with durations (or operations) within half a percent.
struct Alike {
  bool computes = false, cpu = false;
  std::uint32_t unit = 0;
  std::int64_t value = 0;
  friend bool operator<(const Alike& a, const Alike& b) {
    return std::tie(a.computes, a.cpu, a.unit, a.value) < std::tie(b.computes, b.cpu, b.unit, b.value);
  }
};

/// A slot's occurrences in the first job.
struct Total {
  double duration = 0, operations = 0, nodes = 0;
  const Node* first = nullptr;
};

std::vector<Total> totals_of(const Jobs& jobs, const Shape& shape) {
  std::vector<Total> totals(shape.behaviour.slots.size() + shape.behaviour.side_slots.size());
  for (const std::uint32_t rank : shape.behaviour.ranks) {
    const statistics::TraceGraph& graph = jobs.front()[rank];
    for (std::size_t at = 0; at < graph.order.size(); ++at) {
      const Node& node = graph.nodes[graph.order[at]];
      Total& total = totals[shape.slot_of[at]];
      total.duration += static_cast<double>(node.duration_ps);
      total.operations += operations_of(node);
      ++total.nodes;
      if (total.first == nullptr) total.first = &node;
    }
  }
  return totals;
}

}  // namespace

Changes::Changes(const Jobs& jobs, const std::vector<Shape>& shapes, const LearnOptions& options)
    : bound_(options.bound), half_(0.999 * half_of(options.bound)) {
  balance_bytes(jobs, mixed(options.seed, 1));
  balance_slots(jobs, shapes, mixed(options.seed, 2));
}

void Changes::balance_bytes(const Jobs& jobs, std::uint64_t seed) {
  std::map<std::uint64_t, double> weights;
  for (const auto& job : jobs)
    for (const statistics::TraceGraph& rank : job)
      for (const Node& node : rank.nodes)
        if (const std::uint64_t bytes = bytes_of(node)) weights[bytes] += static_cast<double>(bytes);
  std::vector<double> list;
  for (const auto& [bytes, weight] : weights) list.push_back(weight);
  const std::vector<double> factors = balanced_factors(list, bound_, seed);
  std::size_t i = 0;
  for (const auto& [bytes, weight] : weights) of_bytes_[bytes] = factors[i++];
}

void Changes::balance_slots(const Jobs& jobs, const std::vector<Shape>& shapes, std::uint64_t seed) {
  std::map<Alike, double> weights;
  std::vector<std::vector<Alike>> alike(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (const Total& total : totals_of(jobs, shapes[i])) {
      const Node& node = *total.first;
      const double value = total.duration > 0 ? total.duration : total.operations;
      const Alike key{node.type == NodeType::Comp || node.is_launch(), node.is_cpu_op, node.unit,
                      value > 0 ? std::llround(200 * std::log(value / total.nodes)) : -1};
      weights[key] += value;
      alike[i].push_back(key);
    }
  // The computations of each unit are balanced among themselves.
  std::map<Alike, double> factors;
  for (auto first = weights.begin(); first != weights.end();) {
    auto last = first;
    std::vector<double> list;
    for (; last != weights.end() && std::tie(last->first.computes, last->first.cpu, last->first.unit) ==
                                        std::tie(first->first.computes, first->first.cpu, first->first.unit);
         ++last)
      list.push_back(last->second);
    const std::vector<double> of_unit =
        balanced_factors(list, half_, mixed(seed, 2 * first->first.unit + (first->first.cpu ? 1 : 0)));
    for (std::size_t i = 0; first != last; ++first, ++i) factors[first->first] = of_unit[i];
  }
  for (const auto& keys : alike) {
    auto& of = of_slot_.emplace_back();
    for (const Alike& key : keys) of.push_back(factors[key]);
  }
}

std::uint64_t Changes::bytes(std::uint64_t value) const {
  const auto found = of_bytes_.find(value);
  return found == of_bytes_.end()
             ? value
             : changed(value, found->second, bound_, value % 4 == 0 && value > 400 ? 4 : 1);
}

}  // namespace wafertlm::trace_model
