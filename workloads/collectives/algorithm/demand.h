// SPDX-License-Identifier: Apache-2.0
// What collectives must move, whatever the algorithm: for lower bounds.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/algorithm/blocks.h"

namespace wafertlm {

/// What a collective must move, whatever the algorithm.
struct Needs {
  std::vector<std::uint64_t> sends, receives;  ///< by rank, at least
  /// Bytes across a cut = inside blocks × ranks outside (…): how to count them.
  enum class Across { vector, blocks_of_senders, blocks_of_receivers, every_pair } across = Across::vector;
};

Needs needs_of(const CollectiveRequest& request, const Blocks& blocks);

/// Ranks and bytes of their blocks on one side of a cut.
struct CutSide {
  std::uint64_t ranks = 0, block_bytes = 0;
  bool has_root = false;

  void add(const CutSide& other) {
    ranks += other.ranks;
    block_bytes += other.block_bytes;
    has_root = has_root || other.has_root;
  }
  CutSide without(const CutSide& part) const {
    return {ranks - part.ranks, block_bytes - part.block_bytes, has_root && !part.has_root};
  }
};

/// Bytes that must go from one side to the other.
Uint128 across(const CollectiveRequest& request, Needs::Across how, const CutSide& from, const CutSide& to);

/// One of the collectives that run at the same time, with what it must move.
struct Demand {
  Demand(CollectiveRequest asked, std::uint64_t bytes)
      : request(with_bytes(std::move(asked), bytes)),
        blocks(bytes, request.group.size()),
        needs(needs_of(request, blocks)) {}

  bool sums() const {
    return request.type == CollectiveType::all_reduce || request.type == CollectiveType::barrier;
  }
  static CollectiveRequest with_bytes(CollectiveRequest request, std::uint64_t bytes) {
    request.bytes = bytes;
    return request;
  }

  CollectiveRequest request;
  Blocks blocks;
  Needs needs;
};

/// None: nothing has to move.
std::optional<Demand> demand_of(const CollectiveRequest& request);

}  // namespace wafertlm
