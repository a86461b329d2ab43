// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

// Priority flow control, IEEE 802.1Qbb.

/// 512 bit times.
constexpr std::uint32_t kQuantumBytes = 64;

/// How long a pause of so many quanta lasts, rounded up.
TimePs pause_ps(std::uint32_t quanta, std::uint64_t bytes_per_s);

/// Quanta that the receiver of a pause frame may take until it stops sending: of the next standard port speed
/// (10, 25, 40, 50, 100, 200, 400, 800 Gb/s); above, where no allowance is published, of the last one.
std::uint32_t response_quanta(std::uint64_t bytes_per_s);
TimePs response_ps(std::uint64_t bytes_per_s);

/// A link as the buffer behind it sees it.
struct LosslessLink {
  std::uint64_t bytes_per_s = 0;
  TimePs latency_ps = 0;   ///< one way
  TimePs response_ps = 0;  ///< from the end of a pause frame at the sender until it has stopped
};

/// What arrives at most behind the packet that crossed XOFF: a full packet that goes out before the pause
/// frame, the pause frame, its way, the response, a full packet that has just begun, and its way: 2 · MTU on
/// the wire + 84 + C (2 d + t_response), rounded up.
std::uint64_t headroom_bytes(const LosslessLink& link, std::uint32_t full_wire_bytes);

/// Who is told to pause: the latest frame counts, and a pause ends by itself.
class PauseTimer {
 public:
  /// 0 quanta: go on.
  void receive(std::uint32_t quanta, std::uint64_t bytes_per_s, TimePs now) {
    until_ps_ = quanta == 0 ? 0 : now + pause_ps(quanta, bytes_per_s);
  }
  bool is_paused(TimePs now) const { return now < until_ps_; }
  TimePs until_ps() const { return until_ps_; }

 private:
  TimePs until_ps_ = 0;
};

}  // namespace wafertlm::ethernet
