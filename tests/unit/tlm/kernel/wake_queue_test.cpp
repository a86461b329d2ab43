// SPDX-License-Identifier: Apache-2.0
// The calendar of wake-ups against std::multimap, which keeps the order of insertion at equal times.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <ostream>
#include <random>

#include "tlm/kernel/scheduler.h"

namespace wafertlm {
namespace {

struct Nobody final : Wakeable {
  void wake(std::uint32_t, TimePs) override {}
};

/// Both queues side by side; every pop is compared.
class Pair {
 public:
  explicit Pair(TimePs horizon_ps) : queue_(horizon_ps) {}

  void push(TimePs at) {
    queue_.push(now_, at, target_, pushed_, may_run_ahead(pushed_));
    model_.emplace(at, pushed_++);
  }
  /// Time passes without a wake-up: somebody else's process runs. Not past the next entry.
  void advance(TimePs to) { now_ = model_.empty() ? to : std::min(to, model_.begin()->first); }
  bool pop() {
    const auto expected = model_.begin();
    if (expected == model_.end()) return queue_.next_ps() == kNever;
    const WakeQueue::Entry* const front = queue_.front();
    if (!front) return false;
    const bool same = front->at == expected->first && front->what == expected->second &&
                      front->target == &target_ && front->may_run_ahead() == may_run_ahead(front->what);
    queue_.pop();
    now_ = expected->first;
    model_.erase(expected);
    return same;
  }
  bool peek() { return queue_.next_ps() == (model_.empty() ? kNever : model_.begin()->first); }
  TimePs now() const { return now_; }
  std::size_t size() const { return model_.size(); }
  std::uint32_t pushed() const { return pushed_; }

 private:
  static bool may_run_ahead(std::uint32_t what) { return what % 3 == 0; }

  WakeQueue queue_;
  Nobody target_;
  std::multimap<TimePs, std::uint32_t> model_;
  std::uint32_t pushed_ = 0;
  TimePs now_ = 0;
};

struct Mix {
  const char* name;
  TimePs horizon_ps;
  std::size_t pending;  // about
  TimePs near_ps;       // most entries lie below this
  TimePs far_ps;        // some below this
  unsigned same_time;   // percent that repeat an earlier time

  friend void PrintTo(const Mix& setting, std::ostream* out) { *out << setting.name; }
};

class WakeQueueOrder : public ::testing::TestWithParam<Mix> {};

TEST_P(WakeQueueOrder, IsThatOfAMultimap) {
  const Mix mix = GetParam();
  std::mt19937_64 random(7);
  Pair pair(mix.horizon_ps);
  TimePs repeated = 0;
  std::size_t same_instant = 0, far = 0;
  while (pair.pushed() < 1'000'000) {
    const bool filling = pair.size() < mix.pending ? random() % 8 != 0 : random() % 8 == 0;
    if (!filling) {
      ASSERT_TRUE(pair.pop()) << "after " << pair.pushed() << " pushes, at " << pair.now() << " ps";
      continue;
    }
    TimePs at = pair.now() + random() % mix.near_ps;
    const auto kind = random() % 100;
    if (kind < 5) {
      at = pair.now();
      ++same_instant;
    } else if (kind < 10) {
      at = pair.now() + random() % mix.far_ps;
      ++far;
    } else if (kind < 10 + mix.same_time && repeated >= pair.now()) {
      at = repeated;
    }
    repeated = at;
    pair.push(at);
    if (random() % 16 == 0) {
      ASSERT_TRUE(pair.peek());
    }
    if (random() % 64 == 0) pair.advance(pair.now() + random() % mix.near_ps);
    if (random() % 4096 == 0) {  // a pause much longer than the calendar
      while (pair.size() != 0) ASSERT_TRUE(pair.pop());
      pair.advance(pair.now() + random() % (100 * mix.far_ps));
    }
  }
  while (pair.size() != 0) ASSERT_TRUE(pair.pop());
  EXPECT_TRUE(pair.peek());
  std::printf("%s: %u entries, %zu at the instant of the push, %zu far, last at %.1f us\n", mix.name,
              pair.pushed(), same_instant, far, static_cast<double>(pair.now()) * 1e-6);
}
INSTANTIATE_TEST_SUITE_P(Mixes, WakeQueueOrder,
                         ::testing::Values(Mix{"few", 100'000, 10, 50'000, 1'000'000, 10},
                                           Mix{"many", 100'000, 5000, 100'000, 10'000'000, 30},
                                           Mix{"one_bucket", 1 << 24, 300, 900, 5000, 20},
                                           Mix{"tiny_calendar", 1, 1000, 30'000, 200'000, 20},
                                           Mix{"crowded_instants", 100'000, 3000, 40, 400'000, 60}),
                         [](const auto& mix) { return std::string(mix.param.name); });

// Found by the random cases: after a pause the round of buckets began where the last entry had been.
TEST(WakeQueueOrder, HoldsAfterAPauseLongerThanTheCalendar) {
  Pair pair(1 << 14);  // a bucket per picosecond
  pair.advance(20'000);
  pair.push(32'000);
  pair.push(33'000);  // in the bucket of 16'616 and 232: before the other, counted from 0
  EXPECT_TRUE(pair.pop());
  EXPECT_TRUE(pair.pop());
}

// Found by the random cases too: another process runs at the instant of an entry before the scheduler does.
TEST(WakeQueueOrder, HoldsForAPushAtAnInstantWhoseEntriesAreStillInTheCalendar) {
  Pair pair(100'000);
  pair.push(5000);
  pair.advance(5000);
  pair.push(5000);
  EXPECT_TRUE(pair.pop());
  EXPECT_TRUE(pair.pop());
}

}  // namespace
}  // namespace wafertlm
