// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "tlm/link/switch_core.h"
#include "tlm/packets/message.h"
#include "tlm/packets/packet.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// Keeps packets from filling the buffer that all packets of a virtual channel share behind an NPU's port:
///
/// - those that leave the first switch through one exit, if there is a table of exits: per exit only an equal
///   part of the buffer may be between the sender and the exit, or if some exits are free, a fifth;
/// - messages shorter than a packet, if the buffer's room is mostly for large packets: they may have what a
///   buffer for packets of their size would have, bandwidth × round trip and as many packets. Else those that
///   nobody holds back run ahead of those that wait for others, and these then queue behind them.
class InjectionWindows {
 public:
  static constexpr std::size_t kExits = 3, kSides = 4;
  /// An exit without a window, beside slow ones, up to kSides, that have.
  static constexpr std::uint8_t kFree = 0xFF;

  /// `exits`: of each destination, below kExits, or kFree and below kSides; empty: no such limit. `ahead`:
  /// packets that engines hold ready.
  InjectionWindows(std::vector<std::uint8_t> exits, const OutputParams& link, const WireFormat& format,
                   std::uint32_t ahead)
      : exits_(std::move(exits)), format_(format) {
    const std::uint64_t packet = format.full_wire_bytes();
    has_free_ = std::find(exits_.begin(), exits_.end(), kFree) != exits_.end();
    bytes_ = exits_.empty() || has_free_ ? link.buffer_bytes + ahead * packet
                                         : std::max<std::uint64_t>(link.buffer_bytes / kExits, packet);
    slow_bytes_ = std::max<std::uint64_t>(link.buffer_bytes / (kSides + 1), packet);
    packets_ = (bytes_ - std::min(bytes_, link.round_trip_bytes)) / packet;
    limits_short_ =
        link.round_trip_bytes != 0 && !format.by_flit && packets_ * packet > link.round_trip_bytes;
  }

  bool limited() const { return !exits_.empty() || limits_short_; }
  /// For `wire_bytes` of the message.
  bool has_credits(const Message& message, VcId vc, std::uint32_t wire_bytes) const {
    const bool is_short = message.bytes < format_.packet_bytes;
    if (!counts(message.destination, is_short)) return true;
    const std::uint64_t bytes =
        has_free_ && !is_free(message.destination) ? slow_bytes_
        : is_short && limits_short_
            ? bytes_ - packets_ * (std::uint64_t{format_.full_wire_bytes()} - wire_bytes)
            : bytes_;
    return used_[slot(message.destination, vc, is_short)] + wire_bytes <= bytes;
  }
  /// `vc`: the first channel of its class, also below.
  void take(const Packet& packet, VcId vc) {
    if (counts(packet.destination, is_short(packet)))
      used_[slot(packet.destination, vc, is_short(packet))] += packet.wire_bytes;
  }
  /// The room is free again from `at` on; false if it was nobody's.
  bool give_back(const Packet& packet, VcId vc, TimePs at) {
    if (!counts(packet.destination, is_short(packet))) return false;
    promised_.push_back({at, slot(packet.destination, vc, is_short(packet)), packet.wire_bytes});
    std::push_heap(promised_.begin(), promised_.end());
    return true;
  }
  /// Counts what is free at `now`.
  void update(TimePs now) {
    while (!promised_.empty() && promised_.front().at <= now) {
      used_[promised_.front().slot] -= promised_.front().bytes;
      std::pop_heap(promised_.begin(), promised_.end());
      promised_.pop_back();
    }
  }
  /// When the next room is free again; kNever if none is promised.
  TimePs next_ps() const { return promised_.empty() ? kNever : promised_.front().at; }
  void list_state(StateVisitor& state);

 private:
  struct Promise {
    TimePs at;
    std::size_t slot;
    std::uint32_t bytes;
    /// The earliest is on top.
    bool operator<(const Promise& other) const {
      return std::tie(at, slot, bytes) > std::tie(other.at, other.slot, other.bytes);
    }
  };
  /// Of a message shorter than a packet.
  bool is_short(const Packet& packet) const {
    return packet.offset == 0 && packet.payload_bytes < format_.packet_bytes;
  }
  bool is_free(NpuId destination) const { return exits_.empty() || exits_[index_of(destination)] == kFree; }
  bool counts(NpuId destination, bool is_short) const {
    return !is_free(destination) || (limits_short_ && is_short);
  }
  std::size_t slot(NpuId destination, VcId vc, bool is_short) const {
    const std::size_t exit = is_free(destination) ? kSides : exits_[index_of(destination)];
    return (2 * exit + (limits_short_ && is_short ? 1 : 0)) * kMaxVcs + index_of(vc);
  }

  std::vector<std::uint8_t> exits_;
  WireFormat format_;
  std::uint64_t bytes_ = 0,
                packets_ = 0;     // of a window, and how many packets of it are not for the round trip
  std::uint64_t slow_bytes_ = 0;  // of a window beside free exits
  bool limits_short_ = false, has_free_ = false;
  std::array<std::uint64_t, 2 * (kSides + 1) * kMaxVcs> used_{};
  std::vector<Promise> promised_;  // a heap
};

inline void InjectionWindows::list_state(StateVisitor& state) {
  [[maybe_unused]] auto& [exits, format, window_bytes, packets, slow_bytes, limits_short, has_free, used,
                          promised] = *this;
  if (!limited()) return;
  update(state.now());
  std::sort(promised.rbegin(), promised.rend());  // the earliest first: a heap, too
  state.size(promised);
  if (state.restores()) used = {};
  for (auto& [at, place, bytes] : promised) {
    state.moment(at);
    state.value(place);
    state.value(bytes);
    if (state.restores()) used[place] += bytes;  // at rest all that is used has been promised back
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0) state.derived(used[i] << 8 | i);
}

}  // namespace wafertlm
