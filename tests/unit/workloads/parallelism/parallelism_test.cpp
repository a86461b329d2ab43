// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallelism/parallelism.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace wafertlm {
namespace {

TEST(Parallelism, PartsComeInAnyOrderAndMayBeLeftOut) {
  for (const char* text : {"MP(2)-DP(5)-PP(2)", "PP(2)-MP(2)-DP(5)", "dp(5)-pp(2)-mp(2)"}) {
    const Parallelism parallelism = parse_parallelism(text, 20);
    EXPECT_EQ(to_string(parallelism), "MP(2)-DP(5)-PP(2)");
  }
  EXPECT_EQ(to_string(parse_parallelism("DP(20)", 20)), "MP(1)-DP(20)-PP(1)");
}

void expect_error(const std::string& text, const std::string& message) {
  try {
    parse_parallelism(text, 20);
    ADD_FAILURE() << text << " was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(Parallelism, BadTextIsRefused) {
  expect_error("", "expected parts like MP(2)");
  expect_error("MP2", "expected parts like MP(2)");
  expect_error("MP(2)-", "a part is missing");
  expect_error("MP(2)DP(5)", "expected '-'");
  expect_error("MP(0)", "needs a whole number from 1");
  expect_error("DP(2)-MP(2x)-PP(1)", ": 'MP(2x)' needs a whole number from 1");
  expect_error("MP(99999999999)", "needs a whole number from 1");
  expect_error("TP(2)", "no part 'TP'; the parts are MP, DP and PP");
  expect_error("MP(2)-MP(3)", "MP is given twice");
  expect_error("MP(3)-DP(7)", "needs 3 x 7 x 1 NPUs and the wafer has 20");
  expect_error("MP(65536)-DP(65536)-PP(4)", "the wafer has 20");
}

TEST(Parallelism, EveryWorkerIsInOneGroupOfEachClass) {
  const Parallelism parallelism = parse_parallelism("MP(3)-DP(4)-PP(5)", 60);
  for (const ParallelClass each :
       {ParallelClass::mp, ParallelClass::dp, ParallelClass::pp, ParallelClass::all}) {
    std::set<std::uint32_t> seen;
    for (const WorkerGroup& group : groups_of(parallelism, each)) seen.insert(group.begin(), group.end());
    EXPECT_EQ(seen.size(), 60U);
  }
  EXPECT_EQ(groups_of(parallelism, ParallelClass::mp).size(), 20U);
  EXPECT_EQ(groups_of(parallelism, ParallelClass::mp)[1], (WorkerGroup{3, 4, 5}));
  EXPECT_EQ(groups_of(parallelism, ParallelClass::pp)[1], (WorkerGroup{1, 4, 7, 10, 13}));
  EXPECT_EQ(groups_of(parallelism, ParallelClass::dp)[1], (WorkerGroup{1, 16, 31, 46}));
  EXPECT_THROW(groups_of(parse_parallelism("DP(4)", 4), ParallelClass::mp), std::invalid_argument);
  EXPECT_THROW(parse_parallel_class("tp"), std::invalid_argument);
}

TEST(Parallelism, AStageSendsToTheWholeNextOne) {
  const auto groups = stage_multicasts(parse_parallelism("MP(2)-DP(2)-PP(3)", 12));
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[0], (WorkerGroup{0, 2, 3}));
  EXPECT_EQ(groups[1], (WorkerGroup{2, 4, 5}));
  EXPECT_EQ(groups[3], (WorkerGroup{8, 10, 11}));
  EXPECT_THROW(stage_multicasts(parse_parallelism("MP(2)", 12)), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
