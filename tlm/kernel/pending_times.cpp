// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/pending_times.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace wafertlm {

TimePs PendingTimes::make() {
  constexpr std::size_t kMost = std::size_t{1} << (62 - kDelayBits);
  if (all_.size() == kMost) throw std::length_error("more than 67 million packets have passed RTL in place");
  Each made;
  if (free_.empty()) {
    made.waiting = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    made.waiting = free_.back();
    free_.pop_back();
  }
  all_.push_back(made);
  return kFirst + (TimePs{all_.size() - 1} << kDelayBits);
}

/// The time itself, if it is known by now; kNever: it is not.
TimePs PendingTimes::known(TimePs time) const {
  if (!is_pending(time)) return time;
  const TimePs at_ps = all_[number_of(time)].at_ps;
  return at_ps == kNever ? kNever : at_ps + (time & kDelayMask);
}

TimePs PendingTimes::later(TimePs a, TimePs b) {
  if (const TimePs at = known(a); at != kNever) a = at;
  if (const TimePs at = known(b); at != kNever) b = at;
  if (!is_pending(a) && !is_pending(b)) return std::max(a, b);
  if (a == b) return a;
  /// Of the pending ones: how many flits each has passed on, and the latest of each flit.
  struct Both {
    int left = 0;
    TimePs at_ps = 0;
    std::vector<TimePs> flits;
    std::vector<std::size_t> passed;
  };
  const auto both = std::make_shared<Both>();
  const TimePs made = make();
  for (const TimePs each : {a, b}) {
    if (!is_pending(each)) {
      both->at_ps = each;
      continue;
    }
    ++both->left;
    both->passed.push_back(0);
    const std::size_t place = both->passed.size() - 1;
    follow(each, [this, both, made, place](TimePs at) {
      const std::size_t flit = both->passed[place]++;
      if (both->flits.size() <= flit) both->flits.push_back(0);
      both->flits[flit] = std::max(both->flits[flit], at);
      if (*std::min_element(both->passed.begin(), both->passed.end()) > flit) pass(made, both->flits[flit]);
    });
    when(each, [this, both, made](TimePs at) {
      both->at_ps = std::max(both->at_ps, at);
      if (--both->left == 0) settle(made, both->at_ps);
    });
  }
  return made;
}

void PendingTimes::when(TimePs time, std::function<void(TimePs)> then) {
  if (const TimePs at = known(time); at != kNever) return then(at);
  waiting_for(time).then.push_back(
      [delay = time & kDelayMask, then = std::move(then)](TimePs at) { then(at + delay); });
}

void PendingTimes::settle(TimePs time, TimePs at) {
  Each& of = all_[number_of(time)];
  of.at_ps = at;
  const std::uint32_t place = of.waiting;
  const Waiting done = std::exchange(waiting_[place], {});
  free_.push_back(place);
  for (const auto& then : done.then) then(at);
}

void PendingTimes::pass(TimePs time, TimePs at) {
  const std::uint32_t place = all_[number_of(time)].waiting;
  waiting_[place].passed.push_back(at);
  // Who is called may make further ones, which moves `waiting_`.
  for (std::size_t i = 0; i < waiting_[place].followers.size(); ++i) {
    const auto then = waiting_[place].followers[i];
    then(at);
  }
}

void PendingTimes::follow(TimePs time, std::function<void(TimePs)> then) {
  if (known(time) != kNever) return;
  Waiting& of = waiting_for(time);
  of.followers.push_back([delay = time & kDelayMask, then](TimePs at) { then(at + delay); });
  for (const TimePs at : std::vector<TimePs>(of.passed)) then(at + (time & kDelayMask));
}

}  // namespace wafertlm
