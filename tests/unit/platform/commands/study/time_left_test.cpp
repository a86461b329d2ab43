// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/time_left.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

PlannedCell cell(const std::string& id, double expected_s) { return {id, {}, expected_s, 0, 0}; }

Attempt attempt(const std::string& id, Attempt::State state, double started_unix_s, double seconds) {
  Attempt of;
  of.id = id;
  of.state = state;
  of.started_unix_s = started_unix_s;
  of.seconds = seconds;
  return of;
}

const std::vector<PlannedCell> kCells = {cell("a", 10), cell("b", 5), cell("c", 5), cell("d", 4)};

TEST(StudyTimeLeft, BeforeAnythingEndsItIsWhatIsExpected) {
  EXPECT_DOUBLE_EQ(*seconds_left(kCells, {}, {}, 0, 2, true), 12);
  EXPECT_FALSE(seconds_left(kCells, {}, {}, 0, 2, false).has_value());
}

TEST(StudyTimeLeft, TheLongestCellIsNotDivided) {
  EXPECT_DOUBLE_EQ(*seconds_left(kCells, {}, {}, 0, 100, true), 10);
}

// a took twice as long as expected, so what is left is expected to take 2 × (5 + 5 + 4), less 4 of b's.
TEST(StudyTimeLeft, IsScaledByWhatEndedCellsTook) {
  CellFiles::Ended ended;
  ended.done = {"a"};
  const std::vector<Attempt> attempts = {attempt("a", Attempt::State::done, 100, 20),
                                         attempt("b", Attempt::State::running, 120, 0)};
  EXPECT_DOUBLE_EQ(*seconds_left(kCells, attempts, ended, 124, 4, false), 28 - 4);
}

// a and b should be over; c, the longest of the others, is not divided.
TEST(StudyTimeLeft, WhatRunsLongerThanExpectedIsNotNegative) {
  const std::vector<Attempt> attempts = {attempt("a", Attempt::State::running, 0, 0),
                                         attempt("b", Attempt::State::running, 0, 0)};
  EXPECT_DOUBLE_EQ(*seconds_left(kCells, attempts, {}, 1000, 4, true), 5);
}

TEST(StudyTimeLeft, NothingIsLeftAtTheEnd) {
  CellFiles::Ended ended;
  ended.done = {"a", "b", "c"};
  ended.failed = {"d"};
  EXPECT_DOUBLE_EQ(*seconds_left(kCells, {}, ended, 0, 2, true), 0);
}

}  // namespace
}  // namespace wafertlm
