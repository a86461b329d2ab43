// SPDX-License-Identifier: Apache-2.0
// Expected times are worked out by hand: 64 KiB at 3 TB/s take 65536 / 3 = 21845 1/3 ps.
#include "models/hbm/hbm_engine.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm {
namespace {

constexpr HbmRequest kRead{HbmCommand::read, 65536}, kWrite{HbmCommand::write, 65536};

TEST(HbmEngine, AnIdleAccessTakesItsTransferAndTheLatency) {
  HbmEngine engine({3'000'000'000'000, 2'000'000'000'000, 100'000});
  EXPECT_EQ(engine.advance(kRead, 500), 500U + 21'846 + 100'000);
  EXPECT_EQ(engine.advance(kWrite, 500), 500U + 32'768 + 100'000);
  EXPECT_EQ(engine.counters(HbmCommand::read).longest_wait_ps, 0U);
}

TEST(HbmEngine, StreamsAtTheDeclaredBandwidthToThePicosecond) {
  HbmEngine engine({});
  TimePs done = 0;
  for (int i = 0; i < 1000; ++i) done = engine.advance(kRead, 0);
  EXPECT_EQ(done, 21'845'334U + 100'000);  // 1000 x 21845 1/3, rounded up once; the latency once
  const HbmCounters& counters = engine.counters(HbmCommand::read);
  EXPECT_EQ(counters.requests, 1000U);
  EXPECT_EQ(counters.bytes, 65'536'000U);
  EXPECT_EQ(counters.busy_ps, 21'845'334U);
  EXPECT_EQ(counters.idle_ps, 0U);
  EXPECT_EQ(counters.longest_wait_ps, 21'823'488U);  // 999 x 21845 1/3
}

TEST(HbmEngine, ReadsAndWritesDoNotDisturbEachOther) {
  HbmEngine alone({}), both({});
  for (TimePs now = 0; now < 100'000; now += 10'000) {
    const TimePs done = alone.advance(kRead, now);
    both.advance(kWrite, now);
    EXPECT_EQ(both.advance(kRead, now), done);
  }
  EXPECT_EQ(both.counters(HbmCommand::write).busy_ps, both.counters(HbmCommand::read).busy_ps);
}

TEST(HbmEngine, ServesInTheOrderOfArrival) {
  HbmEngine engine({1'000'000'000'000, 1'000'000'000'000, 7});  // a byte takes a picosecond
  EXPECT_EQ(engine.advance({HbmCommand::read, 1000}, 0), 1007U);
  EXPECT_EQ(engine.advance({HbmCommand::read, 1}, 0), 1008U);
  EXPECT_EQ(engine.advance({HbmCommand::read, 10}, 5000), 5017U);
  EXPECT_EQ(engine.advance({HbmCommand::read, 10}, 5000), 5027U);
}

TEST(HbmEngine, SaysHowLongTheLineWaitedForRequests) {
  HbmEngine engine({1'000'000'000'000, 1'000'000'000'000, 100});
  TimePs now = 400;  // before the first request nothing is lost
  for (int i = 0; i < 10; ++i) now = engine.advance({HbmCommand::write, 50}, now);  // one outstanding
  const HbmCounters& counters = engine.counters(HbmCommand::write);
  EXPECT_EQ(counters.first_ps, 400U);
  EXPECT_EQ(counters.busy_ps, 500U);
  EXPECT_EQ(counters.idle_ps, 900U);
  EXPECT_EQ(counters.first_ps + counters.busy_ps + counters.idle_ps + 100, now);
  EXPECT_EQ(counters.longest_wait_ps, 0U);
}

TEST(HbmEngine, ATransferDoesNotStartBeforeItsRequest) {
  HbmEngine engine({3'000'000'000'000, 3'000'000'000'000, 0});
  EXPECT_EQ(engine.advance({HbmCommand::read, 1}, 0), 1U);  // at 1/3 ps
  EXPECT_EQ(engine.advance({HbmCommand::read, 1}, 0), 1U);  // at 2/3 ps
  EXPECT_EQ(engine.advance({HbmCommand::read, 1}, 1), 2U);  // at 1 1/3 ps, not at 1 ps
}

TEST(HbmEngine, RefusesABandwidthOfNothing) {
  EXPECT_THROW(HbmEngine({0, 1, 0}), std::invalid_argument);
  EXPECT_THROW(HbmEngine({1, 0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
