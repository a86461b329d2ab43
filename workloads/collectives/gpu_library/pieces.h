// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/kernel/units.h"
#include "tlm/program/program.h"
#include "tlm/shape/gpu_library.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/gpu_library/servers.h"

namespace wafertlm {

/// All channels of a GPU do the same at the same time, each with its part of the vector and of the link, so a
/// program has one threadblock where the library has `channels`: its pieces are theirs together.

/// Data of a channel's buffer slot: Simple has 4 MiB in 8 slots, LL 512 KiB of which half is flags, LL128
/// 120 of 128 B of 4.7 MiB (NCCL 2.30.7, src/include/device.h).
constexpr std::uint64_t kSimpleSlot = 512 * 1024, kLlSlot = 32 * 1024, kLl128Slot = 576'000;
/// Of a ring: Simple moves four slots at a time, in two slices, of at least so much.
constexpr std::uint64_t kSimpleChunk = 4 * kSimpleSlot, kLeastSlice = 2 * kSimpleSlot / 32;

/// A multiple of what every element has.
constexpr std::uint64_t whole_elements(std::uint64_t bytes) {
  return std::max<std::uint64_t>(bytes / 4 * 4, 4);
}

inline std::uint64_t pieces_in(std::uint64_t bytes, std::uint64_t each) {
  return std::max<std::uint64_t>((bytes + each - 1) / each, 1);
}

/// Piece `number` of consecutive ones of `each` bytes, the last one shorter.
inline BufferPiece piece_of(const BufferPiece& whole, std::uint64_t each, std::uint64_t number) {
  const std::uint64_t from = std::min(number * each, whole.bytes);
  return {whole.offset + from, std::min(each, whole.bytes - from)};
}
/// One of `count` that differ by an element at most.
inline BufferPiece block_of(const BufferPiece& whole, std::uint64_t number, std::uint64_t count) {
  const Blocks blocks(whole.bytes, count);
  return {whole.offset + blocks.offset(number), blocks.bytes(number)};
}

inline void carry(Step& step, const BufferPiece& piece) {
  step.offset = piece.offset;
  step.bytes = piece.bytes;
}

/// What a message costs beside its bytes: a step's latency, and the bytes of flags.
class StepCosts {
 public:
  StepCosts(GpuProtocol protocol, const GpuLibrary& library, const Servers& servers, TimePs server_ps,
            TimePs network_ps)
      : servers_(servers),
        server_ps_(server_ps),
        network_ps_(network_ps),
        wire_(static_cast<double>(servers.server_bytes_per_s)) {
    const double most = static_cast<double>(library.ll[servers.servers]);
    rate_ = protocol == GpuProtocol::ll      ? std::min(wire_ / 2, most)
            : protocol == GpuProtocol::ll128 ? wire_ * 120 / 128
                                             : wire_;
  }
  bool is_inside(std::uint32_t rank, std::uint32_t peer) const {
    return servers_.server_of(rank) == servers_.server_of(peer);
  }
  /// Makes a step a send that pays: a channel waits for what it writes over a server's link, but not for the
  /// network, to which it hands a slot of its buffer.
  void pay(Step& step, std::uint32_t rank, TimePs more) const {
    step.delay_ps = of(rank, step.peer, step.bytes) + more;
    step.nonblocking = !is_inside(rank, step.peer);
  }
  /// From `rank` to `peer`, of `bytes`.
  TimePs of(std::uint32_t rank, std::uint32_t peer, std::uint64_t bytes) const {
    const bool inside = is_inside(rank, peer);
    const double flags = static_cast<double>(bytes) * (1 / rate_ - 1 / wire_) * kPsPerSecond;
    return (inside ? server_ps_ : network_ps_) + static_cast<TimePs>(flags);
  }

 private:
  const Servers& servers_;
  TimePs server_ps_, network_ps_;
  double wire_, rate_;
};

}  // namespace wafertlm
