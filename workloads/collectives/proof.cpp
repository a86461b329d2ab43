// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/proof.h"

#include <cstring>
#include <stdexcept>

#include "workloads/collectives/blocks.h"

namespace wafertlm {
namespace {

std::uint32_t value_of(std::uint64_t collective_id, std::uint64_t rank, std::uint64_t element) {
  std::uint64_t hash = collective_id * 0x9E3779B97F4A7C15ULL ^ (rank << 40) ^ element;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<std::uint32_t>(hash >> 32);
}

std::uint32_t sum_of(std::uint64_t collective_id, std::uint64_t ranks, std::uint64_t element) {
  std::uint32_t sum = 0;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) sum += value_of(collective_id, rank, element);
  return sum;
}

void put(std::vector<std::byte>& buffer, std::uint64_t element, std::uint32_t value) {
  std::memcpy(buffer.data() + 4 * element, &value, 4);
}

/// Calls expect(element, value) for what the definition of the collective says.
template <typename Expect>
void expected_values(const CollectiveProgram& program, std::uint64_t id, std::uint32_t rank, Expect expect) {
  const std::uint64_t p = program.group.size(), elements = program.bytes / 4;
  const Blocks blocks(program.bytes, p);
  switch (program.type) {
    case CollectiveType::all_reduce:
      for (std::uint64_t e = 0; e < elements; ++e) expect(e, sum_of(id, p, e));
      break;
    case CollectiveType::reduce_scatter:
      for (std::uint64_t e = blocks.offset(rank) / 4; e < blocks.offset(rank + 1) / 4; ++e)
        expect(e, sum_of(id, p, e));
      break;
    case CollectiveType::all_gather:
      for (std::uint64_t owner = 0; owner < p; ++owner)
        for (std::uint64_t e = blocks.offset(owner) / 4; e < blocks.offset(owner + 1) / 4; ++e)
          expect(e, value_of(id, owner, e));
      break;
    case CollectiveType::all_to_all:
      for (std::uint64_t from = 0; from < p; ++from)
        for (std::uint64_t i = 0; i < blocks.bytes(rank) / 4; ++i)
          expect((program.bytes + from * blocks.bytes(rank)) / 4 + i,
                 value_of(id, from, blocks.offset(rank) / 4 + i));
      break;
    case CollectiveType::broadcast:
      for (std::uint64_t e = 0; e < elements; ++e) expect(e, value_of(id, program.root, e));
      break;
    case CollectiveType::reduce:
      if (rank == program.root)
        for (std::uint64_t e = 0; e < elements; ++e) expect(e, sum_of(id, p, e));
      break;
  }
}

}  // namespace

std::vector<std::byte> initial_values(const CollectiveProgram& program, std::uint64_t collective_id,
                                      std::uint32_t rank) {
  if (program.bytes % 4 != 0)
    throw std::invalid_argument("functional mode adds INT32 values: " + std::to_string(program.bytes) +
                                " B are not a multiple of 4");
  std::vector<std::byte> buffer(program.buffer_bytes);
  const Blocks blocks(program.bytes, program.group.size());
  const bool own_block_only = program.type == CollectiveType::all_gather;
  const std::uint64_t first = own_block_only ? blocks.offset(rank) / 4 : 0;
  if (program.type == CollectiveType::broadcast && rank != program.root) return buffer;
  const std::uint64_t end = own_block_only ? blocks.offset(rank + 1) / 4 : program.bytes / 4;
  for (std::uint64_t e = first; e < end; ++e) put(buffer, e, value_of(collective_id, rank, e));
  if (program.type == CollectiveType::all_to_all && blocks.bytes(rank) != 0) {  // the own block stays here
    const std::uint64_t to = program.bytes + rank * blocks.bytes(rank);
    std::memcpy(buffer.data() + to, buffer.data() + blocks.offset(rank), blocks.bytes(rank));
  }
  return buffer;
}

std::string wrong_value(const CollectiveProgram& program, std::uint64_t collective_id, std::uint32_t rank,
                        const std::vector<std::byte>& buffer) {
  std::string wrong;
  expected_values(program, collective_id, rank, [&](std::uint64_t element, std::uint32_t value) {
    std::uint32_t found = 0;
    std::memcpy(&found, buffer.data() + 4 * element, 4);
    if (found != value && wrong.empty())
      wrong = std::string(to_string(program.type)) + " " + std::to_string(collective_id) + ", rank " +
              std::to_string(rank) + ", element " + std::to_string(element) + ": " + std::to_string(found) +
              " instead of " + std::to_string(value);
  });
  return wrong;
}

}  // namespace wafertlm
