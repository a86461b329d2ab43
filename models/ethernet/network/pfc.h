// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/ethernet/network/frame_format.h"
#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

// Priority flow control, IEEE 802.1Qbb.

/// 512 bit times.
constexpr std::uint32_t kQuantumBytes = 64;
constexpr std::uint32_t kMostQuanta = 65'535;

/// How long a pause of so many quanta lasts, rounded up.
TimePs pause_ps(std::uint32_t quanta, std::uint64_t bytes_per_s);

/// Quanta that the receiver of a pause frame may take until it stops sending, at a standard port speed (10,
/// 25, 40, 50, 100, 200, 400, 800 Gb/s). @throws std::invalid_argument: another speed; then say a response
/// time
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

/// What others reserve, for comparison. Lengths in bytes, `gbps` in Gb/s.
namespace headroom {
/// SONiC: MTU + cell factor · (MTU + 2dC + PHY + 64 · quanta).
double sonic_bytes(const LosslessLink& link, double mtu, double cell_factor, double phy_bytes);
/// mlx5: (301 + 2.16 · metres) · Gb/s + 2.72 · MTU.
double mlx5_bytes(double gbps, double metres, double mtu);
/// The ns-3 models: 3 d C, without a term of packets, so that packets are lost.
double ns3_bytes(const LosslessLink& link);
}  // namespace headroom

/// ECN marks before PFC pauses, whatever the queues, with a K below this (DCQCN, SIGCOMM 2015, section 4):
/// α (B − 8 n H) / (8 n (α + 1)), for n ports, 8 priorities, a buffer B, headroom H; 0 if headroom takes all
/// of it.
double ecn_before_pfc_bytes(double buffer, double headroom, double ports, double alpha);

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
