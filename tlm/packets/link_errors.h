// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/packets/bit_errors.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

/// The bit errors of one link. Counts the bits up to the next wrong one (their number has a geometric
/// distribution), so that a packet without errors costs a subtraction. The sequence depends on the seed, the
/// link's number and the bits that have crossed the link, on nothing else.
class LinkErrors {
 public:
  /// Requires 0 <= errors.rate < 1.
  LinkErrors(const BitErrors& errors, std::uint64_t link);

  /// `packet` crosses the link. If bits of it become wrong it is marked, and in functional mode those in the
  /// payload are flipped. The header is taken as protected: a wrong packet still goes where it should.
  void cross(Packet& packet) {
    const std::uint64_t bits = std::uint64_t{packet.wire_bytes} * 8;
    if (bits <= clean_bits_) {
      clean_bits_ -= bits;
      return;
    }
    spoil(packet, bits);
  }
  std::uint64_t spoiled() const { return spoiled_; }

 private:
  void spoil(Packet& packet, std::uint64_t bits);
  std::uint64_t next_gap();

  double log_good_;  // ln(1 − rate)
  std::uint64_t state_;
  std::uint64_t clean_bits_;
  std::uint64_t spoiled_ = 0;
};

}  // namespace wafertlm
