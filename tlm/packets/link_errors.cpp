// SPDX-License-Identifier: Apache-2.0
#include "tlm/packets/link_errors.h"

#include <cmath>

namespace wafertlm {
namespace {

/// The finaliser of SplitMix64.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace

LinkErrors::LinkErrors(const BitErrors& errors, std::uint64_t link)
    : log_good_(std::log1p(-errors.rate)),
      state_(mix(errors.seed + 1) ^ mix(~link)),
      clean_bits_(next_gap()) {}

std::uint64_t LinkErrors::next_gap() {
  state_ += 0x9E3779B97F4A7C15ULL;
  if (log_good_ == 0) return ~std::uint64_t{0};                                 // never
  constexpr double kUnit = 1.0 / 9007199254740992.0;                            // 2^-53
  const double uniform = (static_cast<double>(mix(state_) >> 11) + 1) * kUnit;  // in (0, 1]
  const double gap = std::floor(std::log(uniform) / log_good_);
  return gap < 1.8e19 ? static_cast<std::uint64_t>(gap) : ~std::uint64_t{0};
}

void LinkErrors::spoil(Packet& packet, std::uint64_t bits) {
  packet.corrupt = true;
  ++spoiled_;
  // The payload comes last.
  const std::uint64_t payload_at = bits - packet.data.size() * 8;
  std::uint64_t at = 0;  // bits that have crossed
  while (bits - at > clean_bits_) {
    at += clean_bits_;
    if (at >= payload_at) packet.data[(at - payload_at) / 8] ^= std::byte{1} << (at - payload_at) % 8;
    ++at;
    clean_bits_ = next_gap();
  }
  clean_bits_ -= bits - at;
}

}  // namespace wafertlm
