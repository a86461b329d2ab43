// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/nic/congestion/congestion_control.h"
#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

constexpr std::uint32_t kNoFrame = ~std::uint32_t{0};
constexpr std::uint32_t kMostHops = 8;  ///< that telemetry has room for

/// A packet on its way. Pause frames are none: they do not leave their cable.
struct alignas(64) Frame {
  enum class Kind : std::uint8_t { data, trimmed, ack, nack, cnp, pull };
  std::uint64_t packet = 0;    ///< of the queue pair; of a NACK, the missing one
  std::uint64_t expected = 0;  ///< of ACK and NACK; of data: bytes of payload
  TimePs sent_ps = 0;          ///< by the sender; an ACK has its packet's
  TimePs tail_ps = 0;          ///< at the node it is going to
  std::uint32_t hash = 0;      ///< chooses among equal ways
  std::uint32_t queue_pair = 0;
  std::uint32_t to = 0;  ///< host
  std::uint32_t wire_bytes = 0;
  std::uint32_t node = 0;     ///< it is at or going to
  std::uint32_t in_port = 0;  ///< of that node, by which it comes
  std::uint32_t next = kNoFrame;
  Kind kind = Kind::data;
  bool marked = false;
  bool is_last = false;  ///< of a message
  std::uint8_t hops = 0;
};
static_assert(sizeof(Frame) == 64, "a line of the cache");

/// Frames by number, with the telemetry that they carry beside them. They do not move: of a vector that grows
/// half is empty.
class FramePool {
 public:
  using Telemetry = std::array<nic::HopTelemetry, kMostHops>;
  explicit FramePool(bool has_telemetry) : has_telemetry_(has_telemetry) {}
  std::uint32_t acquire() {
    if (free_ == kNoFrame) grow();
    const std::uint32_t number = free_;
    free_ = (*this)[number].next;
    (*this)[number] = {};
    ++in_use_;
    return number;
  }
  void release(std::uint32_t number) {
    (*this)[number].next = free_;
    free_ = number;
    --in_use_;
  }
  Frame& operator[](std::uint32_t number) { return frames_[number / kBlock][number % kBlock]; }
  const Frame& operator[](std::uint32_t number) const { return frames_[number / kBlock][number % kBlock]; }
  Telemetry& telemetry(std::uint32_t number) { return telemetry_[number / kBlock][number % kBlock]; }
  bool has_telemetry() const { return has_telemetry_; }
  std::uint64_t in_use() const { return in_use_; }

 private:
  static constexpr std::uint32_t kBlock = 1024;
  void grow() {
    const auto first = static_cast<std::uint32_t>(frames_.size() * kBlock);
    frames_.push_back(std::make_unique<Frame[]>(kBlock));
    if (has_telemetry_) telemetry_.push_back(std::make_unique<Telemetry[]>(kBlock));
    for (std::uint32_t i = kBlock; i-- > 0; free_ = first + i) frames_.back()[i].next = free_;
  }
  bool has_telemetry_;
  std::vector<std::unique_ptr<Frame[]>> frames_;
  std::vector<std::unique_ptr<Telemetry[]>> telemetry_;
  std::uint32_t free_ = kNoFrame;
  std::uint64_t in_use_ = 0;
};

/// Frames that wait for a port: a list per input, which take turns; with one list first come, first served.
class PortQueue {
 public:
  explicit PortQueue(std::uint32_t inputs = 1) : lists_(inputs) {}
  bool empty() const { return first_ == kNobody; }
  /// Brings into the cache what pop() will look at.
  void prefetch() const {
    if (first_ != kNobody) __builtin_prefetch(&lists_[first_]);
  }
  std::uint32_t front() const { return first_ == kNobody ? kNoFrame : lists_[first_].head; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint32_t lists() const { return static_cast<std::uint32_t>(lists_.size()); }
  void push(FramePool& frames, std::uint32_t frame, std::uint32_t input) {
    List& list = lists_[input];
    frames[frame].next = kNoFrame;
    bytes_ += frames[frame].wire_bytes;
    if (list.head != kNoFrame) {
      frames[list.tail].next = frame;
      list.tail = frame;
      return;
    }
    list.head = list.tail = frame;
    append(input);
  }
  /// Requires !empty().
  std::uint32_t pop(FramePool& frames) {
    const std::uint32_t input = first_;
    List& list = lists_[input];
    const std::uint32_t frame = list.head;
    list.head = frames[frame].next;
    first_ = list.next;
    if (list.head != kNoFrame) append(input);
    bytes_ -= frames[frame].wire_bytes;
    return frame;
  }
  /// Calls `see` for every frame.
  template <typename See>
  void each(const FramePool& frames, See&& see) const {
    for (const List& list : lists_)
      for (std::uint32_t frame = list.head; frame != kNoFrame; frame = frames[frame].next) see(frames[frame]);
  }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct List {
    std::uint32_t head = kNoFrame, tail = kNoFrame, next = kNobody;
  };
  void append(std::uint32_t input) {
    lists_[input].next = kNobody;
    if (first_ == kNobody)
      first_ = input;
    else
      lists_[last_].next = input;
    last_ = input;
  }
  std::vector<List> lists_;
  std::uint32_t first_ = kNobody, last_ = kNobody;  // lists that have frames, in turn
  std::uint64_t bytes_ = 0;
};

}  // namespace wafertlm::ethernet
