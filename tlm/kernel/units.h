// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

namespace wafertlm {

/// Simulated time in whole picoseconds since the start. 64 bits hold 213 days.
using TimePs = std::uint64_t;
constexpr TimePs kNever = std::numeric_limits<TimePs>::max();
constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000ULL;
__extension__ using Uint128 = unsigned __int128;

// Strong index types: a port cannot index a table of NPUs.
enum class NpuId : std::uint32_t {};
enum class PortId : std::uint32_t {};
enum class VcId : std::uint8_t {};
enum class ClassId : std::uint8_t {};

template <typename Id>
constexpr std::size_t index_of(Id id) {
  return static_cast<std::size_t>(id);
}

/// Time for `bytes` at `bytes_per_s` (> 0), rounded up to whole picoseconds.
/// @throws std::overflow_error when the result does not fit 63 bits.
TimePs transfer_time_ps(std::uint64_t bytes, std::uint64_t bytes_per_s);

}  // namespace wafertlm
