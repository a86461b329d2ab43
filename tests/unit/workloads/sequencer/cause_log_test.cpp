// SPDX-License-Identifier: Apache-2.0
// What is kept of the runs that explain others.
#include "workloads/sequencer/cause_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace wafertlm {
namespace {

CauseLog::Run run(TimePs end_ps, std::uint64_t node = 0, std::uint32_t rank = 0) {
  CauseLog::Run made;
  made.end_ps = end_ps;
  made.node = node;
  made.rank = rank;
  return made;
}

TEST(CauseLogs, TheLaterEndIsTheCauseThenTheLowestNodeThenTheLowestRank) {
  CauseLog log;
  // Each is later than all behind it.
  const std::vector<CauseRef> refs = {log.add(run(20, 9, 9), {}), log.add(run(10, 1, 5), {}),
                                      log.add(run(10, 2, 3), {}), log.add(run(10, 2, 4), {}),
                                      log.add(run(5, 0, 0), {})};
  for (std::size_t a = 0; a < refs.size(); ++a)
    for (std::size_t b = 0; b < refs.size(); ++b) {
      EXPECT_EQ(log.later(refs[a].index(), refs[b].index()), a < b) << a << ' ' << b;
      CauseRef taken = refs[a];
      taken.take_later(refs[b]);
      EXPECT_EQ(taken.index(), refs[std::min(a, b)].index());
    }
  CauseRef none;
  none.take_later({});
  EXPECT_FALSE(none);
  none.take_later(refs[3]);
  EXPECT_EQ(none.index(), refs[3].index());
  none.take_later({});
  EXPECT_EQ(none.index(), refs[3].index());
}

// A record stays as long as somebody holds it or one that it caused; its place is then used again.
TEST(CauseLogs, RecordsGoWithTheLastThatRefersToThem) {
  CauseLog log;
  CauseRef last = log.add(run(1), {});
  for (TimePs end = 2; end <= 100'000; ++end) last = log.add(run(end), std::move(last));
  EXPECT_EQ(log.size(), 100'000U);
  std::size_t length = 0;
  for (std::uint32_t at = last.index(); at != CauseRef::kNone; at = log.cause_of(at)) ++length;
  EXPECT_EQ(length, 100'000U);
  CauseRef middle = log.add(run(7), {});
  EXPECT_EQ(log.high_water(), 100'001U);
  last = {};  // a long chain goes at once
  EXPECT_EQ(log.size(), 1U);
  EXPECT_EQ(log.at(middle.index()).end_ps, 7U);
  const CauseRef copy = middle;
  middle = {};
  EXPECT_EQ(log.size(), 1U) << "the copy holds it";
  const CauseRef next = log.add(run(8), {});
  EXPECT_EQ(log.size(), 2U);
  EXPECT_EQ(log.high_water(), 100'001U);
  EXPECT_LE(next.index(), 100'000U) << "a place that was free";
  EXPECT_NE(next.index(), copy.index());
  EXPECT_EQ(log.cause_of(next.index()), CauseRef::kNone);
}

// Beyond the bound the causes of what ended by the horizon are forgotten, and what was cut says so.
TEST(CauseLogs, ABoundForgetsWhatLiesBehindTheHorizon) {
  CauseLog log;
  TimePs horizon = 0;
  int asked = 0;
  log.bound(4, [&] {
    ++asked;
    return horizon;
  });
  CauseRef last;
  for (TimePs end = 1; end <= 4; ++end) last = log.add(run(end), std::move(last));
  EXPECT_EQ(asked, 0);
  last = log.add(run(5), std::move(last));  // nothing lies behind the horizon: twice as many are allowed
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(log.size(), 5U);
  for (TimePs end = 6; end <= 8; ++end) last = log.add(run(end), std::move(last));
  EXPECT_EQ(asked, 1);
  horizon = 6;
  last = log.add(run(9), std::move(last));
  EXPECT_EQ(asked, 2);
  // 9 because of 8, 7 and 6, which ended at the horizon: its cause is not kept.
  EXPECT_EQ(log.size(), 4U);
  std::vector<TimePs> ends;
  std::vector<bool> cut;
  for (std::uint32_t at = last.index(); at != CauseRef::kNone; at = log.cause_of(at)) {
    ends.push_back(log.at(at).end_ps);
    cut.push_back(log.at(at).cut);
  }
  EXPECT_EQ(ends, (std::vector<TimePs>{9, 8, 7, 6}));
  EXPECT_EQ(cut, (std::vector<bool>{false, false, false, true}));
}

}  // namespace
}  // namespace wafertlm
