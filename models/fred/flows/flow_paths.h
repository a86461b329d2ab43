// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "models/fred/flows/flow_tree.h"

namespace wafertlm {

/// The ways of a flow through a fabric: one tree of switches, or several over which its packets are striped.
class FlowPaths {
 public:
  /// Which trees serve all of these endpoints, in the order of the stripes; at least one.
  using Choice = std::function<std::vector<std::size_t>(const std::vector<NpuId>& members)>;
  /// The branches of a flow, each with its share of the packets, at switches of the fabric.
  struct Plan {
    std::vector<FlowTree::SwitchBranch> places;
    std::uint32_t stripes = 1;
  };

  FlowPaths() = default;
  /// One tree, with the fabric's numbers of switches.
  FlowPaths(FlowTree tree) {
    trees_.push_back({std::move(tree), {}});
  }  // NOLINT(google-explicit-constructor)
  /// One more. @param switches the number in the fabric of each switch of the tree.
  void add(FlowTree tree, std::vector<std::size_t> switches) {
    trees_.push_back({std::move(tree), std::move(switches)});
  }
  void set_choice(Choice choice) { choice_ = std::move(choice); }

  /// Packet k takes way (first + k) mod stripes. Branches without packets are left out.
  /// @throws std::invalid_argument as FlowTree::branches(), or what the choice throws.
  Plan plan(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers,
            std::uint64_t packets, std::uint64_t first) const;
  /// As FlowTree::additions(): of the first of the ways, which all add in the same order.
  AdditionOrder additions(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers) const;

 private:
  struct Path {
    FlowTree tree;
    std::vector<std::size_t> switches;  // empty: as in the tree
  };
  std::vector<std::size_t> ways_of(const std::vector<NpuId>& contributors,
                                   const std::vector<NpuId>& receivers) const;

  std::vector<Path> trees_;
  Choice choice_;
};

}  // namespace wafertlm
