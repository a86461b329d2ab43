// SPDX-License-Identifier: Apache-2.0
#include "tlm/program/data_type.h"

#include <cstring>

namespace wafertlm {
namespace {

template <typename Word, typename Add>
void add_words(std::byte* to, const std::byte* from, std::size_t bytes, Add add) {
  for (std::size_t i = 0; i + sizeof(Word) <= bytes; i += sizeof(Word)) {
    Word a, b;
    std::memcpy(&a, to + i, sizeof(Word));
    std::memcpy(&b, from + i, sizeof(Word));
    a = add(a, b);
    std::memcpy(to + i, &a, sizeof(Word));
  }
}

bool is_nan(std::uint16_t bf16) { return (bf16 & 0x7FFF) > 0x7F80; }
bool is_infinite(std::uint16_t bf16) { return (bf16 & 0x7FFF) == 0x7F80; }

}  // namespace

const char* to_string(DataType type) { return type == DataType::int32 ? "int32" : "bf16"; }

float bf16_to_float(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

std::uint16_t bf16_from_float(float value) {
  std::uint32_t wide = 0;
  std::memcpy(&wide, &value, sizeof wide);
  if ((wide & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>(wide >> 16 | 0x40);  // NaN
  const std::uint32_t to_even = wide >> 16 & 1;
  return static_cast<std::uint16_t>((wide + 0x7FFF + to_even) >> 16);
}

void add_values(DataType type, std::byte* to, const std::byte* from, std::size_t bytes) {
  if (type == DataType::int32)
    add_words<std::uint32_t>(to, from, bytes, [](std::uint32_t a, std::uint32_t b) { return a + b; });
  else
    add_words<std::uint16_t>(to, from, bytes, [](std::uint16_t a, std::uint16_t b) {
      // Which NaN comes of two, and of infinities with two signs, C++ leaves open.
      if (is_nan(a) || is_nan(b)) return static_cast<std::uint16_t>((is_nan(a) ? a : b) | 0x40);
      if (is_infinite(a) && is_infinite(b) && a != b) return std::uint16_t{0xFFC0};
      return bf16_from_float(bf16_to_float(a) + bf16_to_float(b));
    });
}

}  // namespace wafertlm
