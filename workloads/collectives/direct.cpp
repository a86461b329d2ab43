// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/direct.h"

#include <algorithm>
#include "workloads/collectives/rank_programs.h"

namespace wafertlm {

DirectProgram::DirectProgram(CollectiveType type, std::uint32_t ranks, std::uint64_t bytes,
                             std::uint32_t root, std::uint32_t rank)
    : type_(type), ranks_(ranks), bytes_(bytes), root_(root), rank_(rank) {
  using Kind = Step::Kind;
  switch (type) {
    case CollectiveType::all_to_all:
      add(Kind::send, Data::peers_block, 0);
      add(Kind::copy, Data::own_block, 0);
      break;
    case CollectiveType::all_gather:
      add(Kind::send, Data::own_block, 0);
      add(Kind::copy, Data::peers_block, 0);
      break;
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_reduce: {
      add(Kind::reduce, Data::own_block, 0);
      add(Kind::send, Data::peers_block, 0);
      if (type == CollectiveType::reduce_scatter) break;
      add(Kind::send, Data::own_block, 1, 0);
      add(Kind::copy, Data::peers_block, 1);
      break;
    }
    case CollectiveType::broadcast:
      add(rank == root ? Kind::send : Kind::copy, Data::vector, 0);
      break;
    case CollectiveType::scatter:
      if (rank == root)
        add(Kind::send, Data::peers_block, 0);
      else
        add(Kind::copy, Data::own_block, 0);
      break;
    case CollectiveType::reduce:
      add(rank == root ? Kind::reduce : Kind::send, Data::vector, 0);
      break;
    case CollectiveType::gather:
      if (rank == root)
        add(Kind::copy, Data::peers_block, 0);
      else
        add(Kind::send, Data::own_block, 0);
      break;
    case CollectiveType::barrier:
      break;
  }
}

/// The threadblocks of one kind: to (or from) all others, or to the root only.
void DirectProgram::add(Step::Kind kind, Data data, std::uint32_t round, std::uint32_t after) {
  if (has_root(type_) && rank_ != root_) {
    const std::uint32_t distance =
        (kind == Step::Kind::send ? root_ + ranks_ - rank_ : rank_ + ranks_ - root_);
    exchanges_.push_back({kind, data, distance % ranks_, 0, 1, round, after});
    return;
  }
  const std::uint32_t peers = ranks_ - 1;
  const std::uint32_t width = kind == Step::Kind::reduce ? std::min(peers, 1U) : std::min(peers, kWindow);
  for (std::uint32_t lane = 0; lane < width; ++lane)
    exchanges_.push_back({kind, data, lane + 1, width, (peers - lane + width - 1) / width, round, after});
}

Step DirectProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const Exchange& exchange = exchanges_[threadblock];
  const Blocks blocks(bytes_, ranks_);
  const std::uint32_t distance = exchange.first + index * exchange.stride;
  Step step;
  step.kind = exchange.kind;
  step.peer = (rank_ + (step.kind == Step::Kind::send ? distance : ranks_ - distance)) % ranks_;
  step.tag = exchange.round;
  if (exchange.data == Data::vector) {
    step.bytes = bytes_;
  } else {
    const std::uint32_t block = exchange.data == Data::own_block ? rank_ : step.peer;
    step.offset = blocks.offset(block);
    step.bytes = blocks.bytes(block);
  }
  if (type_ == CollectiveType::all_to_all && step.kind == Step::Kind::copy)
    step.offset = bytes_ + step.peer * blocks.bytes(rank_);
  if (exchange.after != Step::kNone) {
    step.after_threadblock = exchange.after;
    step.after_count = exchanges_[exchange.after].steps;
  }
  return step;
}

Algorithm::Programs direct_programs(const CollectiveRequest& request, const FabricTraits& /*fabric*/) {
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    programs.push_back(
        std::make_unique<DirectProgram>(request.type, ranks_of(request), request.bytes, request.root, rank));
  return programs;
}

}  // namespace wafertlm
