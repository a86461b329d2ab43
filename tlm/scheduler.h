// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "tlm/ring_queue.h"
#include "tlm/units.h"

namespace wafertlm {

/// Something the scheduler can wake. `what` is the caller's own (a port, a step).
class Wakeable {
 public:
  virtual void wake(std::uint32_t what, TimePs now) = 0;

 protected:
  ~Wakeable() = default;
};

/// Pending wake-ups ordered by (time, order of insertion). Most delays recur, so entries of one delay come in
/// order: they go into FIFO lanes, two per power of two of the delay (the second takes what rounding puts a
/// picosecond before the first one's last); a heap holds the rest.
class WakeQueue {
 public:
  struct Entry {
    TimePs at;
    std::uint64_t order;
    Wakeable* target;
    std::uint64_t what;
  };

  bool empty() const { return active_.empty(); }
  TimePs next_ps() const { return active_.empty() ? kNever : head_[front_].at; }
  /// Requires at >= now.
  void push(TimePs now, TimePs at, Wakeable& target, std::uint32_t what);
  Entry pop();

 private:
  static constexpr std::size_t kHeap = 2 * 65;
  struct Head {
    TimePs at;
    std::uint64_t order;
    bool before(const Head& other) const { return at != other.at ? at < other.at : order < other.order; }
  };
  std::size_t lane_for(TimePs now, TimePs at) const;
  void set_head(std::size_t lane, const Entry& entry);

  std::array<RingQueue<Entry>, kHeap> lanes_;
  std::array<Head, kHeap + 1> head_{};  // of the lanes that hold something, and of the heap
  std::vector<Entry> heap_;
  std::vector<std::size_t> active_;  // lanes that hold something, kHeap for the heap
  std::size_t front_ = 0;            // the active lane with the earliest head
  std::uint64_t order_ = 0;
};

/// The platform's only timed process: one SC_METHOD and one sc_event for all modules. An sc_event per module
/// costs more the more there are, and peq_with_cb_and_phase is a sorted list.
class Scheduler : public sc_core::sc_module {
 public:
  explicit Scheduler(const sc_core::sc_module_name& name);

  /// Calls target.wake(what, at) at `at`, which must not be in the past; at equal times in the order of the
  /// calls.
  void schedule(TimePs at, Wakeable& target, std::uint32_t what);
  static TimePs now() { return sc_core::sc_time_stamp().value(); }
  /// Wake-ups delivered so far.
  std::uint64_t events() const { return events_; }
  bool idle() const { return queue_.empty(); }

 private:
  void dispatch();

  sc_core::sc_event due_{"due"};
  WakeQueue queue_;
  TimePs notified_ps_ = kNever;
  bool dispatching_ = false;
  std::uint64_t events_ = 0;
};

/// The one place where integer picoseconds become an sc_time.
inline sc_core::sc_time to_sc_time(TimePs time) { return sc_core::sc_time::from_value(time); }

}  // namespace wafertlm
