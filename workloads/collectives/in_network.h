// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/program.h"
#include "workloads/collectives/blocks.h"

namespace wafertlm {

/// A collective as flows that the fabric's switches reduce and distribute:
///   all-reduce, barrier   one flow, all to all: every rank sends the vector once and receives it once
///   reduce                one flow, all to the root
///   broadcast             one flow, the root to all others
///   reduce-scatter        a flow per block in series, flow j all to rank j
///   all-gather            a flow per block, flow j rank j to all others; receivers take them in this order
/// So nothing is gained by a lone reduce-scatter (every rank sends all of the vector) or all-gather (every
/// rank receives nearly all of it).
class InNetworkProgram : public StepSource {
 public:
  InNetworkProgram(CollectiveType type, std::uint32_t ranks, std::uint64_t bytes, std::uint32_t root,
                   std::uint32_t rank)
      : type_(type), ranks_(ranks), bytes_(bytes), root_(root), rank_(rank), blocks_(bytes, ranks) {}

  std::uint32_t strands() const override { return 2; }  // what it sends, what it receives
  std::uint32_t steps(std::uint32_t strand) const override;
  Step step(std::uint32_t strand, std::uint32_t index) const override;
  FlowMembers flow(std::uint64_t tag) const override;

 private:
  bool by_blocks() const {
    return type_ == CollectiveType::reduce_scatter || type_ == CollectiveType::all_gather;
  }

  CollectiveType type_;
  std::uint32_t ranks_;
  std::uint64_t bytes_;
  std::uint32_t root_, rank_;
  Blocks blocks_;
};

}  // namespace wafertlm
