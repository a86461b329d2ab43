// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace wafertlm {

/// What the values of a collective are in functional mode.
enum class DataType : std::uint8_t {
  int32,  ///< sums wrap around
  bf16,   ///< every sum is rounded to the nearest, ties to even
};
constexpr DataType kDataTypes[] = {DataType::int32, DataType::bf16};
const char* to_string(DataType type);

constexpr std::uint32_t bytes_of(DataType type) { return type == DataType::int32 ? 4 : 2; }

float bf16_to_float(std::uint16_t bits);
/// Rounds to the nearest, ties to even; a NaN stays one.
std::uint16_t bf16_from_float(float value);

/// to[i] += from[i]. `bytes` is a multiple of bytes_of(type); the two do not overlap.
void add_values(DataType type, std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace wafertlm
