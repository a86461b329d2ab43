// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "models/fred/routing/network.h"

namespace wafertlm::test {

inline std::uint64_t rtl_header(std::uint64_t low, std::uint64_t sequence, std::uint64_t payload_bytes) {
  if (payload_bytes > 0xFFFFFF)
    throw std::invalid_argument("a packet of " + std::to_string(payload_bytes) +
                                " bytes: the header of the RTL switch has 24 bits for them");
  return low | (sequence & 0xFFFFFF) << 16 | payload_bytes << 40;
}

constexpr std::uint32_t kRtlUnicast = 0x8000;

/// Of an in-network packet, beside its head. The number is taken modulo 2²⁴.
inline std::uint64_t rtl_flow_header(std::uint32_t entry, std::uint64_t sequence,
                                     std::uint64_t payload_bytes) {
  if (entry >= kRtlUnicast)
    throw std::invalid_argument("entry " + std::to_string(entry) + " of the RTL switch");
  return rtl_header(entry, sequence, payload_bytes);
}

/// Of a unicast packet: the switch finds its way. `mark`, 0 to 15, is for whoever receives it.
inline std::uint64_t rtl_unicast_header(std::uint32_t output, std::uint32_t priority, std::uint32_t mark,
                                        std::uint64_t sequence, std::uint64_t payload_bytes) {
  if (output > 255 || priority > 7 || mark > 15)
    throw std::invalid_argument("a unicast to output " + std::to_string(output) + " of priority " +
                                std::to_string(priority) + " with mark " + std::to_string(mark));
  return rtl_header(kRtlUnicast | priority << 12 | mark << 8 | output, sequence, payload_bytes);
}

/// Cycles from a head at an input of the RTL switch to the same at an output, when nothing is in its way; the
/// same from a credit at an output to the head that it lets go.
inline std::uint32_t rtl_latency_cycles(std::uint32_t ports) { return FredNetwork::stages(ports) + 2; }

}  // namespace wafertlm::test
