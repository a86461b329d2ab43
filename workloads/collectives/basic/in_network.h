// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tlm/program/program.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/blocks.h"

namespace wafertlm {

/// In which order the blocks of a vector pass the switches, each as a flow of its own. A flow to or from an
/// NPU leaves the uplinks of that one's switch idle in one direction, so that neighbours in the order belong
/// to different switches, and as many go side by side as there are such switches (at most kMaxParallel).
struct BlockOrder {
  static constexpr std::uint32_t kMaxParallel = 8;
  std::vector<std::uint32_t> block;     ///< by place
  std::vector<std::uint32_t> place_of;  ///< by block
  std::uint32_t parallel = 1;

  BlockOrder(const Group& group, const Topology& topology);
};

/// A collective as flows that the fabric's switches reduce and distribute:
///   all-reduce, barrier   one flow, all to all: every rank sends the vector once and receives it once
///   reduce                one flow, all to the root
///   broadcast             one flow, the root to all others
///   reduce-scatter        a flow per block, all to its rank, some side by side (BlockOrder)
///   all-gather            a flow per block, its rank to all others; receivers take them in BlockOrder
/// So nothing is gained by a lone reduce-scatter (every rank sends all of the vector) or all-gather (every
/// rank receives nearly all of it).
class InNetworkProgram : public StepSource {
 public:
  /// `order`: of reduce-scatter and all-gather.
  InNetworkProgram(CollectiveType type, std::uint32_t ranks, std::uint64_t bytes, std::uint32_t root,
                   std::uint32_t rank, std::shared_ptr<const BlockOrder> order = nullptr)
      : type_(type),
        ranks_(ranks),
        bytes_(bytes),
        root_(root),
        rank_(rank),
        blocks_(bytes, ranks),
        order_(std::move(order)) {}

  std::uint32_t threadblocks() const override { return senders() + 1; }  // what it sends, what it receives
  std::uint32_t steps(std::uint32_t threadblock) const override;
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;
  FlowMembers flow(std::uint64_t tag) const override;
  const StepSource* endpoint_steps() const override { return endpoint_steps_; }
  /// `steps` must stay as long as this.
  void set_endpoint_steps(const StepSource* steps) { endpoint_steps_ = steps; }

 private:
  bool by_blocks() const {
    return type_ == CollectiveType::reduce_scatter || type_ == CollectiveType::all_gather;
  }

  /// Threadblocks that send.
  std::uint32_t senders() const {
    return type_ == CollectiveType::reduce_scatter && order_ ? order_->parallel : 1;
  }
  std::uint32_t block_at(std::uint32_t place) const { return order_ ? order_->block[place] : place; }
  std::uint32_t place_of(std::uint32_t block) const { return order_ ? order_->place_of[block] : block; }

  CollectiveType type_;
  std::uint32_t ranks_;
  std::uint64_t bytes_;
  std::uint32_t root_, rank_;
  Blocks blocks_;
  std::shared_ptr<const BlockOrder> order_;
  const StepSource* endpoint_steps_ = nullptr;
};

}  // namespace wafertlm
