// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm::ethernet {

/// When a queue is full: as a share of what is free in the shared pool, or at a fixed size.
struct Threshold {
  bool dynamic = true;
  std::uint32_t alpha_numerator = 1, alpha_denominator = 8;  ///< dynamic: XOFF = α · (pool − used)
  std::uint64_t xoff_bytes = 0;                              ///< fixed
  /// Dynamic: XON lies so much below XOFF. Fixed: XON itself.
  std::uint64_t xon_bytes = 3000;
};

struct SharedBufferParams {
  std::uint64_t pool_bytes = 0;      ///< shared, beside what queues have reserved and their headroom
  std::uint64_t reserved_bytes = 0;  ///< of each queue
  Threshold threshold;
};

/// The memory of a switch, as its ingress sees it: a queue is an input port and a priority. A packet goes to
/// the queue's reserved bytes, then to the shared pool until the queue has been paused, then to its headroom.
/// A queue without headroom takes from the pool below XOFF, and loses what comes above.
class SharedBuffer {
 public:
  /// A queue for each of `headroom_bytes`; 0: lossy.
  SharedBuffer(const SharedBufferParams& params, std::vector<std::uint64_t> headroom_bytes);

  /// Takes a packet in. False: there is no room, it is lost.
  bool admit(std::uint32_t queue, std::uint32_t bytes);
  /// The sender has been told to pause, or to go on.
  void set_paused(std::uint32_t queue, bool is_paused) { queues_[queue].is_paused = is_paused; }
  bool is_paused(std::uint32_t queue) const { return queues_[queue].is_paused; }
  /// A packet of the queue has left: headroom becomes free first.
  void release(std::uint32_t queue, std::uint32_t bytes);
  /// XOFF: the queue is at its threshold or above, or holds headroom.
  bool must_pause(std::uint32_t queue) const {
    return queues_[queue].headroom != 0 || queues_[queue].shared >= xoff_bytes();
  }
  /// XON: its headroom is empty and it is at XON or below.
  bool may_resume(std::uint32_t queue) const;

  std::uint64_t xoff_bytes() const;
  /// Brings a queue into the cache.
  void prefetch(std::uint32_t queue) const { __builtin_prefetch(&queues_[queue]); }
  std::uint64_t used_bytes() const { return shared_used_; }  ///< of the pool
  std::uint64_t queue_bytes(std::uint32_t queue) const {
    return queues_[queue].reserved + queues_[queue].shared + queues_[queue].headroom;
  }
  std::uint64_t headroom_used(std::uint32_t queue) const { return queues_[queue].headroom; }
  std::uint64_t most_headroom_used(std::uint32_t queue) const { return queues_[queue].most_headroom; }
  const SharedBufferParams& params() const { return params_; }

 private:
  struct Queue {
    std::uint64_t reserved = 0, shared = 0, headroom = 0;  // used
    std::uint64_t headroom_bytes = 0;                      // there are
    std::uint64_t most_headroom = 0;
    bool is_paused = false;
  };
  SharedBufferParams params_;
  std::vector<Queue> queues_;
  std::uint64_t shared_used_ = 0;
};

}  // namespace wafertlm::ethernet
