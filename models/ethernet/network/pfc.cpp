// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/network/pfc.h"

#include <iterator>

#include "models/ethernet/network/frame_format.h"

namespace wafertlm::ethernet {
namespace {

struct Allowance {
  std::uint64_t bytes_per_s;
  std::uint32_t quanta;
};

/// IEEE 802.3 annex 31B and 802.3ck, as SONiC's buffer model lists them.
constexpr Allowance kAllowances[] = {{1'250'000'000, 67},   {3'125'000'000, 80},   {5'000'000'000, 118},
                                     {6'250'000'000, 147},  {12'500'000'000, 394}, {25'000'000'000, 453},
                                     {50'000'000'000, 905}, {100'000'000'000, 905}};

}  // namespace

TimePs pause_ps(std::uint32_t quanta, std::uint64_t bytes_per_s) {
  return transfer_time_ps(std::uint64_t{quanta} * kQuantumBytes, bytes_per_s);
}

std::uint32_t response_quanta(std::uint64_t bytes_per_s) {
  for (const Allowance& each : kAllowances)
    if (bytes_per_s <= each.bytes_per_s) return each.quanta;
  return std::rbegin(kAllowances)->quanta;
}

TimePs response_ps(std::uint64_t bytes_per_s) { return pause_ps(response_quanta(bytes_per_s), bytes_per_s); }

std::uint64_t headroom_bytes(const LosslessLink& link, std::uint32_t full_wire_bytes) {
  const Uint128 in_flight = Uint128{2 * link.latency_ps + link.response_ps} * link.bytes_per_s;
  return 2 * std::uint64_t{full_wire_bytes} + kPauseWireBytes +
         static_cast<std::uint64_t>((in_flight + kPsPerSecond - 1) / kPsPerSecond);
}

}  // namespace wafertlm::ethernet
