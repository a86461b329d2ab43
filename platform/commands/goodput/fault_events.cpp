// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/goodput/fault_events.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>

#include "tlm/kernel/splitmix64.h"

namespace wafertlm::goodput {
namespace {

constexpr double kHourInS = 3600, kNever = std::numeric_limits<double>::infinity();

double in_seconds(std::uint64_t ps) { return static_cast<double>(ps) / 1e12; }

/// What is drawn of the n-th failure.
enum class Drawn : std::uint8_t { gap, kind };

double draw(std::uint64_t seed, std::uint64_t failure, Drawn which) {
  return splitmix64::unit(splitmix64::mixed(splitmix64::mixed(splitmix64::mixed(seed) + failure) +
                                            static_cast<std::uint64_t>(which)));
}

class LongRunSimulation {
 public:
  LongRunSimulation(const LongRun& run, Policy policy, double interval_s, std::uint64_t seed)
      : run_(run), policy_(policy), interval_(interval_s), seed_(seed) {
    if (policy == Policy::shrink) live_ = groups_ = run.shrink->groups;
    if (policy == Policy::spares) free_ = run.spares->count;
    begin_segment();
  }

  Account account() {
    next_failure_ = gap();
    while (now_ < end_) {
      const double repair = repairs_.empty() ? kNever : repairs_.top(),
                   next = std::min({next_failure_, repair, end_});
      go_on(next);
      now_ = next;
      if (next == end_) break;
      if (next == repair) {
        repairs_.pop();
        after_repair();
      } else {
        fail();
        ++account_.failures;
        next_failure_ = now_ + gap();
      }
    }
    account_.useful_s += unsaved_;
    return account_;
  }

 private:
  double gap() const { return -mtbf_ * std::log1p(-draw(seed_, account_.failures, Drawn::gap)); }
  double speed() const { return static_cast<double>(live_) / groups_; }

  void begin_segment() {
    writes_ = false;
    left_ = interval_;
  }

  /// Lets time pass until nothing is left of the pause, of the segment, or until `until`.
  void go_on(double until) {
    if (now_ < paused_until_) {
      const double to = std::min(until, paused_until_);
      account_.down_s += to - now_;
      now_ = to;
    }
    while (now_ < until) {
      if (!writes_ && left_ == interval_) skip_segments(until);
      const double takes = writes_ ? left_ : left_ / speed(), spent = std::min(takes, until - now_);
      const bool done = takes <= until - now_;
      now_ = done ? now_ + takes : until;
      if (writes_) {
        account_.checkpoint_s += spent;
        left_ -= spent;
        if (!done) continue;
        account_.useful_s += unsaved_;
        unsaved_ = 0;
        begin_segment();
      } else {
        const double work = done ? left_ : spent * speed();
        account_.slower_s += spent - work;
        unsaved_ += work;
        left_ -= work;
        if (!done) continue;
        writes_ = true;
        left_ = checkpoint_;
      }
    }
  }

  void skip_segments(double until) {
    const double segment = interval_ / speed() + checkpoint_,
                 whole = std::floor((until - now_) / segment * (1 - 1e-12));
    if (whole < 1) return;
    now_ += whole * segment;
    account_.useful_s += whole * interval_;
    account_.checkpoint_s += whole * checkpoint_;
    account_.slower_s += whole * (interval_ / speed() - interval_);
  }

  void lose_work() {
    account_.lost_s += unsaved_;
    unsaved_ = 0;
    begin_segment();
  }
  /// A checkpoint that is being written is begun again.
  void pause(double time) {
    if (writes_) left_ = checkpoint_;
    pause_ = time;
    paused_until_ = now_ + time;
  }

  void fail() {
    switch (policy_) {
      case Policy::restart:
        lose_work();
        return pause(run_.restart_s());
      case Policy::retry:
        return fail_with_retry();
      case Policy::shrink:
        return fail_with_groups();
      case Policy::spares:
        return fail_with_spares();
    }
  }

  void fail_with_retry() {
    const double retry = in_seconds(run_.retry->time_ps);
    if (draw(seed_, account_.failures, Drawn::kind) >= run_.retry->transient) {
      lose_work();
      return pause(retry + run_.restart_s());
    }
    pause(now_ < paused_until_ ? pause_ : retry);
  }

  void fail_with_groups() {
    // Parts of groups that are left out fail, too, but nobody notices.
    if (draw(seed_, account_.failures, Drawn::kind) >= speed()) return;
    --live_;
    repairs_.push(now_ + run_.shrink->repair_hours * kHourInS);
    if (live_ > 0) return pause(in_seconds(run_.detect_ps) + in_seconds(run_.shrink->reconfigure_ps));
    lose_work();
    pause(kNever);
  }

  void fail_with_spares() {
    lose_work();
    const double detected = now_ + in_seconds(run_.detect_ps),
                 swap = in_seconds(run_.spares->swap_ps) + run_.reload_s();
    repairs_.push(now_ + run_.spares->repair_hours * kHourInS);
    double there = detected;
    if (free_ > 0) {
      --free_;
    } else {
      there = std::max(detected, repairs_.top());
      repairs_.pop();
    }
    pause(there + swap - now_);
  }

  void after_repair() {
    if (policy_ == Policy::spares) {
      ++free_;
      return;
    }
    // The whole job was down: its state is that of the checkpoint.
    if (live_++ == 0) return pause(run_.restart_s());
    const double until = std::max(paused_until_, now_ + in_seconds(run_.shrink->reconfigure_ps));
    pause(until - now_);
  }

  const LongRun& run_;
  Policy policy_;
  double interval_;
  std::uint64_t seed_;
  double mtbf_ = run_.mtbf_s(), checkpoint_ = run_.checkpoint_s(), end_ = run_.run_s();
  Account account_;
  double now_ = 0, next_failure_ = 0;
  double paused_until_ = 0, pause_ = 0;  ///< and how long the pause is as a whole
  bool writes_ = false;                  ///< a checkpoint; else it works
  double left_ = 0;                      ///< of work or checkpoint
  double unsaved_ = 0;
  std::uint32_t groups_ = 1, live_ = 1, free_ = 0;
  std::priority_queue<double, std::vector<double>, std::greater<>> repairs_;
};

}  // namespace

const char* to_string(Policy policy) {
  switch (policy) {
    case Policy::restart:
      return "restart";
    case Policy::retry:
      return "retry";
    case Policy::shrink:
      return "shrink";
    case Policy::spares:
      return "spares";
  }
  throw std::logic_error("policy");
}

Account simulate(const LongRun& run, Policy policy, double interval_s, std::uint64_t seed) {
  return LongRunSimulation(run, policy, interval_s, seed).account();
}

}  // namespace wafertlm::goodput
