// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/proof.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "workloads/collectives/algorithm/blocks.h"

namespace wafertlm {
namespace {

/// The value of an element as its bits, in the low bytes.
std::uint32_t value_of(DataType type, std::uint64_t collective_id, std::uint64_t rank,
                       std::uint64_t element) {
  std::uint64_t hash = collective_id * 0x9E3779B97F4A7C15ULL ^ (rank << 40) ^ element;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBULL;
  const auto bits = static_cast<std::uint32_t>(hash >> 32);
  if (type == DataType::int32) return bits;
  const std::uint32_t exponent = 126 + (bits >> 8 & 1);  // 0.5 to 1, or 1 to 2
  return (bits >> 31) << 15 | exponent << 7 | (bits & 0x7F);
}

std::uint32_t read(const std::vector<std::byte>& buffer, std::uint64_t offset, std::uint32_t bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, buffer.data() + offset, bytes);
  return value;
}

double real(std::uint32_t bf16) {
  return static_cast<double>(bf16_to_float(static_cast<std::uint16_t>(bf16)));
}

bool adds_bf16(const CollectiveProgram& program) {
  const CollectiveType type = program.type;
  return program.data_type == DataType::bf16 &&
         (type == CollectiveType::all_reduce || type == CollectiveType::reduce_scatter ||
          type == CollectiveType::reduce || type == CollectiveType::barrier);
}

}  // namespace

std::vector<BufferPiece> given_ranges(const CollectiveProgram& program, std::uint32_t rank) {
  if (program.is_relay(rank)) return {};
  const Blocks blocks(program.bytes, program.group.size());
  const BufferPiece vector{0, program.bytes}, block{blocks.offset(rank), blocks.bytes(rank)};
  switch (program.type) {
    case CollectiveType::all_gather:
    case CollectiveType::gather:
      return {block};
    case CollectiveType::broadcast:
    case CollectiveType::scatter:
      return rank == program.root ? std::vector<BufferPiece>{vector} : std::vector<BufferPiece>{};
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
  const auto block = [&](std::uint32_t of) { return BufferPiece{blocks.offset(of), blocks.bytes(of)}; };
  const auto sum = [](const BufferPiece& range) { return ResultRange{range, range.offset, true, 0}; };
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

std::vector<std::byte> initial_values(const CollectiveProgram& program, std::uint64_t collective_id,
                                      std::uint32_t rank) {
  const std::uint32_t size = bytes_of(program.data_type);
  if (program.bytes % size != 0)
    throw std::invalid_argument(
        fmt::format("functional mode carries {} values: {} B are not a multiple of {}",
                    to_string(program.data_type), program.bytes, size));
  std::vector<std::byte> buffer(program.buffer_bytes);
  for (const BufferPiece& range : given_ranges(program, rank))
    for (std::uint64_t at = range.offset; at < range.offset + range.bytes; at += size) {
      // The received vector of an all-to-all repeats what the sent one holds.
      const bool own_block = at >= program.bytes;
      const std::uint64_t source =
          own_block ? Blocks(program.bytes, program.group.size()).offset(rank) + at - range.offset : at;
      const std::uint32_t value = value_of(program.data_type, collective_id, rank, source / size);
      std::memcpy(buffer.data() + at, &value, size);
    }
  return buffer;
}

UntimedStart untimed_start(const CollectiveProgram& program, std::uint64_t collective_id) {
  UntimedStart start;
  for (std::uint32_t rank = 0; rank < program.group.size(); ++rank) {
    start.buffers.push_back(initial_values(program, collective_id, rank));
    start.holds.push_back(given_ranges(program, rank));
  }
  return start;
}

ExpectedValues::ExpectedValues(const CollectiveProgram& program, std::uint64_t collective_id)
    : program_(program), id_(collective_id) {
  if (adds_bf16(program)) reference_ = run_untimed(program, untimed_start(program, collective_id));
}

const ExpectedValues::Sum& ExpectedValues::sum_of(std::uint64_t element) const {
  const auto [place, is_new] = sums_.try_emplace(element);
  Sum& sum = place->second;
  if (!is_new) return sum;
  for (std::uint32_t rank = 0; rank < program_.group.size(); ++rank) {
    if (program_.is_relay(rank)) continue;
    const std::uint32_t value = value_of(program_.data_type, id_, rank, element);
    if (program_.data_type == DataType::int32) {
      sum.int32 += value;
    } else {  // exact: at most 1024 values of 8 bits within a factor of 4
      sum.bf16 += real(value);
      sum.magnitudes += std::abs(real(value));
    }
  }
  return sum;
}

/// What is wrong with an element of a sum, in words.
std::string ExpectedValues::wrong_sum(std::uint64_t element, std::uint32_t found) const {
  const Sum& sum = sum_of(element);
  if (program_.data_type == DataType::int32)
    return found == sum.int32 ? "" : std::to_string(found) + " instead of " + std::to_string(sum.int32);
  const double unit = std::ldexp(1 + std::ldexp(1, -15), -8);
  const double error =
      (std::pow(1 + unit, static_cast<double>(program_.group.size() - 1)) - 1) * sum.magnitudes;
  if (std::abs(real(found) - sum.bf16) <= error) return "";
  return fmt::format("{:f} is farther than {:f} from the sum {:f}", real(found), error, sum.bf16);
}

/// What is wrong with the value `found` at byte `at`, in words; empty if nothing is.
std::string ExpectedValues::difference(std::uint32_t rank, const ResultRange& result, std::uint64_t at,
                                       std::uint32_t found) const {
  const std::uint32_t size = bytes_of(program_.data_type);
  const std::uint64_t element = (result.source_offset + at - result.range.offset) / size;
  if (!result.sum) {
    const std::uint32_t value = value_of(program_.data_type, id_, result.from, element);
    if (found == value) return "";
    if (program_.data_type == DataType::bf16)
      return std::to_string(real(found)) + " instead of " + std::to_string(real(value));
    return std::to_string(found) + " instead of " + std::to_string(value);
  }
  if (!reference_.empty() && found != read(reference_[rank], at, size))
    return fmt::format("{:f} instead of {:f}, which the order of the program gives", real(found),
                       real(read(reference_[rank], at, size)));
  return wrong_sum(element, found);
}

std::string ExpectedValues::wrong_value(std::uint32_t rank, const std::vector<std::byte>& buffer,
                                        std::vector<std::uint64_t>* elements) const {
  const std::uint32_t size = bytes_of(program_.data_type);
  std::string first;
  for (const ResultRange& result : result_ranges(program_, rank))
    for (std::uint64_t at = result.range.offset; at < result.range.offset + result.range.bytes; at += size) {
      const std::string wrong = difference(rank, result, at, read(buffer, at, size));
      if (wrong.empty()) continue;
      if (first.empty())
        first = fmt::format("{} {}, rank {}, element {}: {}", to_string(program_.type), id_, rank, at / size,
                            wrong);
      if (!elements) return first;
      elements->push_back(at / size);
    }
  return first;
}

std::string wrong_value(const CollectiveProgram& program, std::uint64_t collective_id, std::uint32_t rank,
                        const std::vector<std::byte>& buffer, std::vector<std::uint64_t>* elements) {
  return ExpectedValues(program, collective_id).wrong_value(rank, buffer, elements);
}

}  // namespace wafertlm
