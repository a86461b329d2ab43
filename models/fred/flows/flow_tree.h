// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/packets/flow.h"

namespace wafertlm {

/// Switches joined to a tree, with endpoints at their ports, and the ways of flows through it.
class FlowTree {
 public:
  struct Port {
    std::optional<NpuId> endpoint;
    std::optional<std::size_t> child;  ///< switch
  };
  struct SwitchBranch {
    std::size_t at;
    FlowBranch branch;
  };

  /// A switch with `ports` ports (input and output p belong together). @return its number.
  std::size_t add_switch(std::uint32_t ports);
  void attach(NpuId endpoint, std::size_t to, PortId port);
  /// Each switch has one parent at most.
  void join(std::size_t child, PortId child_port, std::size_t parent, PortId parent_port);

  /// In which order a switch adds the inputs of a branch; without it from the lowest port up.
  void set_order(std::function<AdditionOrder(std::size_t at, const FlowBranch& branch)> order) {
    order_ = std::move(order);
  }

  /// The branches of a flow, by the shortest ways. The sum is complete at the lowest switch that has all
  /// contributors below it, or, if all receivers are within a part of that one's tree, at the lowest switch
  /// that has these below it: that one adds what comes from below to what comes down. Additions from the
  /// lowest port up.
  /// @throws std::invalid_argument: no contributors or receivers, one that is not attached.
  std::vector<SwitchBranch> branches(const std::vector<NpuId>& contributors,
                                     const std::vector<NpuId>& receivers) const;

  /// The order in which the switches of the tree add up, in positions of `contributors`.
  AdditionOrder additions(const std::vector<NpuId>& contributors,
                          const std::vector<SwitchBranch>& branches) const;

  std::size_t switches() const { return nodes_.size(); }
  std::uint32_t ports(std::size_t at) const { return static_cast<std::uint32_t>(nodes_[at].ports.size()); }
  /// Where an endpoint hangs. @throws std::invalid_argument if it does not.
  struct Attachment {
    std::size_t at;
    PortId port;
  };
  Attachment attachment(NpuId endpoint) const;
  /// The switch and its input behind an output; nullopt if it leads to an endpoint.
  std::optional<Attachment> behind(std::size_t from, PortId output) const;

 private:
  struct Node {
    std::vector<Port> ports;
    std::optional<Attachment> parent;  // the port there
    PortId up{};                       // the port here
  };
  std::size_t lowest_above(const std::vector<NpuId>& endpoints, const std::vector<std::size_t>& below) const;
  std::vector<std::size_t> count_below(const std::vector<NpuId>& endpoints) const;

  std::function<AdditionOrder(std::size_t at, const FlowBranch& branch)> order_;
  std::vector<Node> nodes_;
  std::vector<std::optional<Attachment>> attachments_;  // by endpoint
};

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
