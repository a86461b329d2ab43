// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/definition.h"

#include "workloads/collectives/blocks.h"

namespace wafertlm {

std::vector<ByteRange> given_ranges(const CollectiveProgram& program, std::uint32_t rank) {
  if (program.is_relay(rank)) return {};
  const Blocks blocks(program.bytes, program.group.size());
  const ByteRange vector{0, program.bytes}, block{blocks.offset(rank), blocks.bytes(rank)};
  switch (program.type) {
    case CollectiveType::all_gather:
    case CollectiveType::gather:
      return {block};
    case CollectiveType::broadcast:
    case CollectiveType::scatter:
      return rank == program.root ? std::vector<ByteRange>{vector} : std::vector<ByteRange>{};
    case CollectiveType::all_to_all:
      return {vector, {program.bytes + rank * block.bytes, block.bytes}};
    case CollectiveType::all_reduce:
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce:
    case CollectiveType::barrier:
      break;
  }
  return {vector};
}

std::vector<ResultRange> result_ranges(const CollectiveProgram& program, std::uint32_t rank) {
  if (program.is_relay(rank)) return {};
  const auto p = static_cast<std::uint32_t>(program.group.size());
  const Blocks blocks(program.bytes, p);
  const auto block = [&](std::uint32_t of) { return ByteRange{blocks.offset(of), blocks.bytes(of)}; };
  const auto sum = [](const ByteRange& range) { return ResultRange{range, range.offset, true, 0}; };
  std::vector<ResultRange> results;
  const bool is_root = rank == program.root;
  switch (program.type) {
    case CollectiveType::all_reduce:
    case CollectiveType::barrier:
      results.push_back(sum({0, program.bytes}));
      break;
    case CollectiveType::reduce:
      if (is_root) results.push_back(sum({0, program.bytes}));
      break;
    case CollectiveType::reduce_scatter:
      results.push_back(sum(block(rank)));
      break;
    case CollectiveType::all_gather:
    case CollectiveType::gather:
      for (std::uint32_t from = 0; from < p && (is_root || program.type == CollectiveType::all_gather);
           ++from)
        results.push_back({block(from), block(from).offset, false, from});
      break;
    case CollectiveType::all_to_all:
      for (std::uint32_t from = 0; from < p; ++from)
        results.push_back(
            {{program.bytes + from * block(rank).bytes, block(rank).bytes}, block(rank).offset, false, from});
      break;
    case CollectiveType::broadcast:
      results.push_back({{0, program.bytes}, 0, false, program.root});
      break;
    case CollectiveType::scatter:
      results.push_back({block(rank), block(rank).offset, false, program.root});
      break;
  }
  return results;
}

}  // namespace wafertlm
