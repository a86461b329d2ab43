// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Times that lie ahead and that nobody knows yet: when the tail of a packet passes whose flits are still
/// being made, cycle by cycle, by RTL. A pending time is a TimePs like any other, to which delays may be
/// added (together less than 68 ms); compare it with later(). What hangs on it waits in when().
class PendingTimes {
 public:
  static bool is_pending(TimePs time) { return time >= kFirst && time != kNever; }

  /// A new one. @throws std::length_error: 67 million of them.
  TimePs make();
  /// The later of the two, each of which may be pending.
  TimePs later(TimePs a, TimePs b);
  /// Calls `then` with the time once it is known, in the order of the calls; at once if it is.
  void when(TimePs time, std::function<void(TimePs)> then);
  /// `time` of make() is `at`, which is not in the past.
  void settle(TimePs time, TimePs at);

  /// Of a tail: the next flit of its packet passes at `at`. `time` is of make().
  void pass(TimePs time, TimePs at);
  /// Calls `then` for every flit, also for those that have passed, with the delays of `time` added. Of
  /// later() a flit passes when it has passed everywhere.
  void follow(TimePs time, std::function<void(TimePs)> then);

 private:
  static constexpr TimePs kFirst = TimePs{1} << 62;
  static constexpr unsigned kDelayBits = 36;
  static constexpr TimePs kDelayMask = (TimePs{1} << kDelayBits) - 1;
  /// While it is pending.
  struct Waiting {
    std::vector<std::function<void(TimePs)>> then, followers;
    std::vector<TimePs> passed;  // flits
  };
  struct Each {
    TimePs at_ps = kNever;      // kNever: pending
    std::uint32_t waiting = 0;  // its place there
  };
  static std::size_t number_of(TimePs time) {
    return static_cast<std::size_t>((time - kFirst) >> kDelayBits);
  }
  Waiting& waiting_for(TimePs time) { return waiting_[all_[number_of(time)].waiting]; }
  TimePs known(TimePs time) const;

  std::vector<Each> all_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_;
};

/// The later of two times, asking `host` only if one of them is pending.
template <class Host>
TimePs later_by(Host& host, TimePs a, TimePs b) {
  const TimePs at = std::max(a, b);
  return PendingTimes::is_pending(at) ? host.later(a, b) : at;
}

}  // namespace wafertlm
