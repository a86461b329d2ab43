// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

/// Numbers that look random, the same everywhere (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014).
namespace wafertlm::splitmix64 {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;  ///< from one state to the next

/// The number of a state.
constexpr std::uint64_t mix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ULL;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBULL;
  return state ^ (state >> 31);
}
/// The number behind a key: neighbouring keys give independent ones.
constexpr std::uint64_t mixed(std::uint64_t key) { return mix(key + kStep); }
/// In [0, 1).
constexpr double unit(std::uint64_t number) { return static_cast<double>(number >> 11) * 0x1p-53; }

}  // namespace wafertlm::splitmix64
