// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/splitmix64.h"
#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

/// Which of several equal ways a packet takes.
enum class LoadBalance : std::uint8_t {
  ecmp,      ///< by a hash of the five-tuple: a queue pair keeps its way
  flowlet,   ///< the same, and another way after a gap
  spray,     ///< another way for each packet, by chance
  in_turn,   ///< all ways of a queue pair in turn, packet by packet: source routes
  adaptive,  ///< the shortest queue at each switch
};

/// Of the five-tuple: addresses, and the UDP source port, which differs by queue pair.
inline std::uint64_t five_tuple_hash(std::uint32_t source, std::uint32_t destination,
                                     std::uint32_t queue_pair) {
  return splitmix64::mix(splitmix64::mix((std::uint64_t{source} << 32) | destination) +
                         splitmix64::kStep * (queue_pair + 1));
}

/// A switch's choice among `ways`; each has a seed of its own, else all would choose alike.
inline std::uint32_t hashed_way(std::uint64_t hash, std::uint64_t switch_seed, std::uint32_t ways) {
  return static_cast<std::uint32_t>((Uint128{splitmix64::mix(hash ^ switch_seed)} * ways) >> 64);
}

}  // namespace wafertlm::ethernet
