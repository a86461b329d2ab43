// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <string>

namespace wafertlm::test {

struct RandomPlatform {
  std::string path;  ///< of its file
  std::uint32_t npus = 0;
  std::uint32_t packet_bytes = 0;
  bool has_io = false;           ///< streams can come from outside
  bool has_remote = false;       ///< loads and stores go to a remote memory
  bool has_dma_engines = false;  ///< of an NPU they share a port
};

/// A number from `first` to `last`.
inline std::uint64_t between(std::mt19937_64& random, std::uint64_t first, std::uint64_t last) {
  return first + random() % (last - first + 1);
}
inline bool one_in(std::mt19937_64& random, std::uint64_t n) { return random() % n == 0; }
/// One of a list.
template <typename List>
const auto& pick_of(std::mt19937_64& random, const List& list) {
  return list[random() % std::size(list)];
}

/// Writes a platform of 2 to 20 NPUs: a mesh, one or several wafers, FRED A to D, dimensions or a graph, with
/// links, buffers, packets and costs of all sorts, with I/O controllers or remote memory now and then.
RandomPlatform write_random_platform(const std::string& folder, std::mt19937_64& random);

/// One that carries whole messages: dimensions, or an Ethernet of 2 to 24 NPUs, with servers now and then,
/// and congestion controls that remember and that do not.
RandomPlatform write_random_message_platform(const std::string& folder, std::mt19937_64& random);

}  // namespace wafertlm::test
