// SPDX-License-Identifier: Apache-2.0
#include "workloads/astra_text/text_nodes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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

  using Id = std::optional<std::uint64_t>;

  /// The computation, then the collective; what follows waits for it.
  void add(const Layer& layer, Pass pass) {
    compute(layer, pass);
    if (const Id collective = start(layer, pass)) after_ = {*collective};
  }
  void compute(const Layer& layer, Pass pass) {
    const Phase& phase = layer.phases[static_cast<std::size_t>(pass)];
    if (phase.compute_ns <= 0) return;
    chakra::Node& node = next(name_of(layer, pass), chakra::NodeType::Comp);
    node.duration_ps = static_cast<std::uint64_t>(std::llround(phase.compute_ns * 1000));
    after_ = {node.id};
  }
  /// The collective, for which what follows does not wait; none: the pass has none.
  Id start(const Layer& layer, Pass pass) {
    const Phase& phase = layer.phases[static_cast<std::size_t>(pass)];
    const Group& group = involved_[static_cast<std::size_t>(pass)];
    if (!phase.communicates || (group.dimensions.empty() && group.name.empty())) return std::nullopt;
    chakra::Node& node = next(name_of(layer, pass) + " collective", chakra::NodeType::CommColl);
    node.comm_type = phase.collective;
    node.comm_size = phase.bytes;
    node.involved_dim = group.dimensions;
    node.pg_name = group.name;
    node.comm_class = pass == Pass::weight_gradient ? "dp" : "mp";
    return node.id;
  }
  void wait(const Id& collective) {
    if (collective) after_.push_back(*collective);
  }
  std::vector<chakra::Node> nodes;

 private:
  static std::string name_of(const Layer& layer, Pass pass) { return layer.name + " " + to_string(pass); }
  chakra::Node& next(std::string name, chakra::NodeType type) {
    chakra::Node node;
    node.id = nodes.size();
    node.name = std::move(name);
    node.type = type;
    node.data_deps = after_;
    nodes.push_back(std::move(node));
    return nodes.back();
  }

  Involved involved_;
  std::vector<std::uint64_t> after_;  // what the next node waits for
};

Involved named(const PassGroups& groups, std::uint32_t rank) {
  Involved involved;
  for (std::size_t pass = 0; pass < kPasses; ++pass) involved[pass].name = groups.name(pass, rank);
  return involved;
}

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
  return nodes_of(workload, named(groups, rank));
}

std::vector<chakra::Node> training_nodes(const TextWorkload& workload, const TrainingLoop& loop,
                                         const PassGroups& groups, std::uint32_t rank) {
  Chain chain(named(groups, rank));
  for (const Layer& layer : workload.layers) chain.add(layer, Pass::forward);
  for (std::size_t i = workload.layers.size(); i-- > 0;) {
    const Layer& layer = workload.layers[i];
    const auto again = loop.forward_again.find(i);
    if (again != loop.forward_again.end())
      for (std::size_t j = again->second; j < i; ++j) chain.add(workload.layers[j], Pass::forward);
    const auto weight_gradient = [&] {
      chain.compute(layer, Pass::weight_gradient);
      chain.start(layer, Pass::weight_gradient);
    };
    if (loop.weight_gradient_first) weight_gradient();
    if (i > 0 || !loop.weight_gradient_first) chain.compute(layer, Pass::input_gradient);
    Chain::Id input_gradient;
    if (i > 0 || loop.first_input_collective) input_gradient = chain.start(layer, Pass::input_gradient);
    if (!loop.weight_gradient_first) weight_gradient();
    chain.wait(input_gradient);
  }
  return std::move(chain.nodes);
}

PassGroups::PassGroups(const std::array<std::vector<int>, kPasses>& group_sizes,
                       std::vector<std::uint32_t> sizes)
    : sizes_(std::move(sizes)) {
  const auto size_of = [&](Pass pass, std::size_t d) {
    return static_cast<std::uint32_t>(std::max(1, group_sizes[static_cast<std::size_t>(pass)][d]));
  };
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    const std::uint32_t model = size_of(Pass::forward, d), data = size_of(Pass::weight_gradient, d);
    for (std::size_t pass = 0; pass < kPasses; ++pass)
      parts_[pass].push_back({size_of(static_cast<Pass>(pass), d), 1});
    if (sizes_[d] % (model * data) == 0)
      parts_[static_cast<std::size_t>(Pass::weight_gradient)].back().stride = model;
  }
}

std::vector<std::uint32_t> PassGroups::members(std::size_t pass, std::uint32_t rank) const {
  std::vector<std::uint32_t> found = {rank};
  std::uint32_t stride = 1;  // of the dimension, in ranks
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    const Part& part = parts_[pass][d];
    const std::uint32_t own = rank / stride % sizes_[d] / part.stride % part.size;
    std::vector<std::uint32_t> with;
    for (std::uint32_t i = 0; i < part.size; ++i)
      for (const std::uint32_t each : found)
        with.push_back(each + i * part.stride * stride - own * part.stride * stride);
    found = std::move(with);
    stride *= sizes_[d];
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string PassGroups::name(std::size_t pass, std::uint32_t rank) const {
  const std::vector<std::uint32_t> ranks = members(pass, rank);
  if (ranks.size() < 2) return "";
  std::string text = "groups";
  for (const Part& part : parts_[pass])
    text += "_" + std::to_string(part.size) + (part.stride == 1 ? "" : "by" + std::to_string(part.stride));
  return text + "_of_rank_" + std::to_string(ranks.front());
}

}  // namespace wafertlm::astra_text
