// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/text_nodes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::astra_text {
namespace {

/// By pass: which dimensions take part, or the name of the group; both empty: none.
struct Group {
  std::vector<bool> dimensions;
  std::string name;
};
using Involved = std::array<Group, kPasses>;

Involved involved_in(const TextWorkload& workload, const std::array<std::vector<int>, kPasses>& group_sizes,
                     const std::vector<std::uint32_t>& sizes) {
  Involved involved;
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    std::vector<bool> dimensions;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const int group = group_sizes[pass][d];
      if (group > 1 && static_cast<std::uint32_t>(group) != sizes[d])
        throw chakra::TraceError(workload.source + ": groups of " + std::to_string(group) + " of the " +
                                 std::to_string(sizes[d]) + " NPUs of dimension " + std::to_string(d) + " (" +
                                 to_string(static_cast<Pass>(pass)) +
                                 ") cannot be written as one trace, whose collectives take whole dimensions; "
                                 "`wafertlm libra --simulate` writes "
                                 "one for each rank");
      dimensions.push_back(group > 1);
    }
    if (std::find(dimensions.begin(), dimensions.end(), true) != dimensions.end())
      involved[pass].dimensions = std::move(dimensions);
  }
  return involved;
}

class Chain {
 public:
  explicit Chain(Involved involved) : involved_(std::move(involved)) {}

  void add(const Layer& layer, Pass pass) {
    const Phase& phase = layer.phases[static_cast<std::size_t>(pass)];
    const std::string name = layer.name + " " + to_string(pass);
    if (phase.compute_ns > 0) {
      chakra::Node& node = next(name, chakra::NodeType::Comp);
      node.duration_ps = static_cast<std::uint64_t>(std::llround(phase.compute_ns * 1000));
    }
    const Group& group = involved_[static_cast<std::size_t>(pass)];
    if (!phase.communicates || (group.dimensions.empty() && group.name.empty())) return;
    chakra::Node& node = next(name + " collective", chakra::NodeType::CommColl);
    node.comm_type = phase.collective;
    node.comm_size = phase.bytes;
    node.involved_dim = group.dimensions;
    node.pg_name = group.name;
    node.comm_class = pass == Pass::weight_gradient ? "dp" : "mp";
  }
  std::vector<chakra::Node> nodes;

 private:
  chakra::Node& next(std::string name, chakra::NodeType type) {
    chakra::Node node;
    node.id = nodes.size();
    node.name = std::move(name);
    node.type = type;
    if (!nodes.empty()) node.data_deps = {nodes.back().id};
    nodes.push_back(std::move(node));
    return nodes.back();
  }

  Involved involved_;
};

std::vector<chakra::Node> nodes_of(const TextWorkload& workload, Involved involved) {
  Chain chain(std::move(involved));
  for (const Layer& layer : workload.layers) chain.add(layer, Pass::forward);
  for (auto layer = workload.layers.rbegin(); layer != workload.layers.rend(); ++layer) {
    chain.add(*layer, Pass::input_gradient);
    chain.add(*layer, Pass::weight_gradient);
  }
  return std::move(chain.nodes);
}

}  // namespace

std::vector<chakra::Node> no_overlap_nodes(const TextWorkload& workload,
                                           const std::array<std::vector<int>, kPasses>& group_sizes,
                                           const std::vector<std::uint32_t>& sizes) {
  return nodes_of(workload, involved_in(workload, group_sizes, sizes));
}

std::vector<chakra::Node> no_overlap_nodes(const TextWorkload& workload, const PassGroups& groups,
                                           std::uint32_t rank) {
  Involved involved;
  for (std::size_t pass = 0; pass < kPasses; ++pass) involved[pass].name = groups.name(pass, rank);
  return nodes_of(workload, std::move(involved));
}

}  // namespace wafertlm::astra_text
