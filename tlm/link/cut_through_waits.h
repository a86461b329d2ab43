// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "tlm/link/cut_through_requests.h"

namespace wafertlm::cut_through {

/// The waits of OutputCounters; of up to two classes in one cache line.
struct alignas(64) PortWaits {
  TimePs credit_blocked_ps = 0, queue_wait_ps = 0, credit_wait_ps = 0, down_wait_ps = 0;
  struct OfClass {
    TimePs contention_wait_ps = 0, longest_wait_ps = 0;
  };
  std::array<OfClass, kMaxClasses> of_class{};

  static void list_state(PortWaits& waits, std::size_t classes, StateVisitor& state) {
    auto& [credit_blocked_ps, queue_wait_ps, credit_wait_ps, down_wait_ps, of_class] = waits;
    state.count(credit_blocked_ps);
    state.count(queue_wait_ps);
    state.count(credit_wait_ps);
    state.require(down_wait_ps == 0);  // nothing is accelerated beside faults
    TimePs longest = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      auto& [contention_wait_ps, longest_wait_ps] = of_class[c];
      state.count(contention_wait_ps);
      longest += longest_wait_ps;  // each only grows, so that an equal sum is enough
    }
    state.derived(longest);  // of all has been seen when it was recorded
  }
};

/// Charges every picosecond that a packet waits (rule 6): to its own queue, to the class that held the
/// output, or to missing credit.
class WaitAccount {
 public:
  explicit WaitAccount(std::size_t outputs) : ports_(outputs) {}

  PortWaits& operator[](std::size_t output) { return ports_[output]; }
  const PortWaits& operator[](std::size_t output) const { return ports_[output]; }

  /// The head of `waiting` has waited for packets of class `by` until `until`.
  void charge(const Output& output, ClassId by, Queue& waiting, TimePs until) {
    if (waiting.eligible_ps >= until) return;
    const TimePs time = until - waiting.eligible_ps;
    if (waiting.contended_class != by) {
      if (OptionalBox<Waits>& waits = waiting.head->waits; waits)
        waits->contention_ps[index_of(waiting.contended_class)] += waiting.class_contention_ps;
      waiting.class_contention_ps = 0;
      waiting.contended_class = by;
    }
    waiting.contention_ps += time;
    waiting.class_contention_ps += time;
    ports_[output.port].of_class[index_of(by)].contention_wait_ps += time;
  }

  /// The head of `waiting` has waited from `from` to `until` for a link that was down.
  void charge_down(const Output& output, Queue& waiting, TimePs from, TimePs until) {
    if (from >= until) return;
    if (OptionalBox<Waits>& waits = waiting.head->waits; waits) waits->down_ps += until - from;
    ports_[output.port].down_wait_ps += until - from;
    waiting.contention_ps += until - from;
    waiting.eligible_ps = until;
  }
  /// It was behind others in its queue for that time.
  void charge_queue(const Output& output, Packet& packet, TimePs time) {
    if (packet.waits) packet.waits->queue_ps += time;
    ports_[output.port].queue_wait_ps += time;
  }
  /// The head of `waiting` leaves the queue for another one, and with it what it has waited for others.
  void take_along(const Output& output, Queue& waiting) {
    charge_queue(output, *waiting.head, waiting.first_eligible_ps() - waiting.head->ready_ps);
    if (OptionalBox<Waits>& waits = waiting.head->waits; waits)
      waits->contention_ps[index_of(waiting.contended_class)] += waiting.class_contention_ps;
  }

  /// The line was busy until `until`, and goes on at `from` or with another class.
  [[gnu::noinline]] void charge_all(RequestSet& requests, Output& output, TimePs until, TimePs from) {
    for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1)
      requests.for_each(output, static_cast<std::size_t>(__builtin_ctz(vcs)), 0,
                        [&](std::size_t, Queue& waiting) {
                          charge(output, output.current_class, waiting, until);
                          waiting.eligible_ps = std::max(waiting.eligible_ps, from);
                          return true;
                        });
  }

  /// Where the time of a packet went that leaves now, later than it was ready, on a line that was idle since
  /// `idle_since`. What was neither its own queue nor another packet was a lack of credit.
  [[gnu::always_inline]] void charge_sent(const Output& output, const Queue& from, TimePs idle_since,
                                          TimePs now) {
    Packet& packet = *from.head;
    const TimePs eligible_ps = from.first_eligible_ps();
    const TimePs queue_wait = eligible_ps - packet.ready_ps;
    const TimePs credit_wait = now - eligible_ps - from.contention_ps;
    if (packet.waits) {
      packet.waits->queue_ps += queue_wait;
      packet.waits->credit_ps += credit_wait;
      packet.waits->contention_ps[index_of(from.contended_class)] += from.class_contention_ps;
    }
    PortWaits& waits = ports_[output.port];
    waits.queue_wait_ps += queue_wait;
    waits.credit_wait_ps += credit_wait;
    waits.credit_blocked_ps += now - std::max(idle_since, eligible_ps);
    TimePs& longest = waits.of_class[index_of(packet.traffic_class)].longest_wait_ps;
    longest = std::max(longest, now - eligible_ps);
  }

 private:
  std::vector<PortWaits> ports_;  // by output
};

}  // namespace wafertlm::cut_through
