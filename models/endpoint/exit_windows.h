// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "tlm/fabric/packet.h"

namespace wafertlm {

/// Keeps the packets that leave the first switch through one exit from filling the buffer that all share: per
/// exit and virtual channel only so many bytes may be between the sender and the exit. Without a table of
/// exits there is no limit.
class ExitWindows {
 public:
  static constexpr std::size_t kExits = 3;

  /// `exits`: of each destination, below kExits.
  ExitWindows(std::vector<std::uint8_t> exits, std::uint64_t bytes)
      : exits_(std::move(exits)), bytes_(bytes) {}

  bool limited() const { return !exits_.empty(); }
  bool has_room(NpuId destination, VcId vc, std::uint32_t wire_bytes) const {
    return !limited() || used(destination, vc) + wire_bytes <= bytes_;
  }
  void take(NpuId destination, VcId vc, std::uint32_t wire_bytes) {
    if (limited()) used(destination, vc) += wire_bytes;
  }
  /// The room is free again from `at` on.
  void give_back(NpuId destination, VcId vc, std::uint32_t wire_bytes, TimePs at) {
    promised_.push({at, slot(destination, vc), wire_bytes});
  }
  /// Counts what is free at `now`.
  void update(TimePs now) {
    for (; !promised_.empty() && promised_.top().at <= now; promised_.pop())
      used_[promised_.top().slot] -= promised_.top().bytes;
  }
  /// When the next room is free again; kNever if none is promised.
  TimePs next_ps() const { return promised_.empty() ? kNever : promised_.top().at; }

 private:
  struct Promise {
    TimePs at;
    std::size_t slot;
    std::uint32_t bytes;
    bool operator<(const Promise& other) const { return at > other.at; }  // the earliest is on top
  };
  std::size_t slot(NpuId destination, VcId vc) const {
    return exits_[index_of(destination)] * kMaxVcs + index_of(vc);
  }
  std::uint64_t& used(NpuId destination, VcId vc) { return used_[slot(destination, vc)]; }
  std::uint64_t used(NpuId destination, VcId vc) const { return used_[slot(destination, vc)]; }

  std::vector<std::uint8_t> exits_;
  std::uint64_t bytes_;
  std::array<std::uint64_t, kExits * kMaxVcs> used_{};
  std::priority_queue<Promise> promised_;
};

}  // namespace wafertlm
