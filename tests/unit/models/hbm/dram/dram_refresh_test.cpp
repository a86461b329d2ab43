// SPDX-License-Identifier: Apache-2.0
// Refreshes of a bank and of all banks, activates of one group, and writes, at both levels: closed forms in
// clock cycles by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "models/hbm/dram/dram_memory.h"
#include "platform/commands/model/memory/memory_study.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

struct Kind {
  const char* name;
  DramLevel level;
  bool shortcuts;
};
void PrintTo(const Kind& of, std::ostream* out) { *out << of.name; }

constexpr const char* kPlainMap = "row bank group channel column";

DramParams one_channel(const char* generation, const Kind& kind,
                       DramRefresh refresh = DramRefresh::per_bank) {
  DramParams params;
  params.timing = dram_timing(generation);
  params.timing.pseudo_channels = 1;
  params.level = kind.level;
  params.shortcuts = kind.shortcuts;
  params.map.given = kPlainMap;
  params.queue.refresh = refresh;
  return params;
}

/// Of the plain map with 32 columns of 32 B in a row.
std::uint64_t address(std::uint64_t row, std::uint64_t bank, std::uint64_t group) {
  return row << 14 | bank << 12 | group << 10;
}

TimePs access(DramMemory& memory, bool write, std::uint64_t at, TimePs now) {
  const MemoryTiming::Id id = memory.submit({write, at, 32}, now);
  const TimePs end = memory.wait_for(id);
  memory.end(id);
  return end;
}

class DramRules : public testing::TestWithParam<Kind> {};

// hbm3: the bank's refresh is due in cycle 6240 / 16 = 390 and takes 320; then 31 + 20 + 2 to the last data.
TEST_P(DramRules, AReadWaitsForTheRefreshOfItsBank) {
  constexpr TimePs kCycle = 625;
  for (const TimePs cycle : {395U, 700U}) {
    DramMemory memory(one_channel("hbm3", GetParam()));
    EXPECT_EQ(access(memory, false, address(0, 0, 0), cycle * kCycle), (390 + 320 + 53) * kCycle);
  }
  DramMemory after(one_channel("hbm3", GetParam())), other(one_channel("hbm3", GetParam()));
  EXPECT_EQ(access(after, false, address(0, 0, 0), 711 * kCycle), (711 + 53) * kCycle);
  EXPECT_EQ(access(other, false, address(0, 1, 0), 395 * kCycle), (395 + 53) * kCycle);
}

// All banks: due in cycle 6240, over 560 later; an open row is precharged (26) before.
TEST_P(DramRules, ARefreshOfAllBanksClosesAllRowsAndBlocksTheChannel) {
  constexpr TimePs kCycle = 625;
  for (std::uint64_t group = 0; group < 4; ++group) {
    DramMemory closed(one_channel("hbm3", GetParam(), DramRefresh::all_bank));
    EXPECT_EQ(access(closed, false, address(0, 2, group), 6250 * kCycle), (6240 + 560 + 53) * kCycle);
    DramMemory open(one_channel("hbm3", GetParam(), DramRefresh::all_bank));
    EXPECT_EQ(access(open, false, address(0, 0, 0), 6000 * kCycle), (6000 + 53) * kCycle);
    EXPECT_EQ(access(open, false, address(0, 0, 0), 6250 * kCycle), (6240 + 26 + 560 + 53) * kCycle);
    // After many periods of rest the last one counts.
    EXPECT_EQ(access(open, false, address(0, 2, group), (100 * 6240 + 10) * kCycle),
              (100 * 6240 + 560 + 53) * kCycle);
  }
}

// A visit that has begun is finished first: its data end in cycle 6230 + 53, its row may close tRAS after.
TEST_P(DramRules, ARefreshOfAllBanksWaitsForWhatHasBegun) {
  constexpr TimePs kCycle = 625;
  DramMemory memory(one_channel("hbm3", GetParam(), DramRefresh::all_bank));
  EXPECT_EQ(access(memory, false, address(0, 0, 0), 6230 * kCycle), (6230 + 53) * kCycle);
  // tRC = 72 holds between its activate and the refresh.
  EXPECT_EQ(access(memory, false, address(1, 3, 1), 6290 * kCycle), (6230 + 72 + 560 + 53) * kCycle);
}

TEST_P(DramRules, ActivatesOfAGroupAreApartByTheLongGateOthersByTheShortOne) {
  DramParams params = one_channel("hbm3", GetParam());
  params.timing.rrd_short = 4;
  params.timing.rrd_long = 17;
  const auto second = [&](std::uint64_t at) {
    DramMemory memory(params);
    const MemoryTiming::Id first = memory.submit({false, address(0, 0, 0), 32}, 0);
    const MemoryTiming::Id then = memory.submit({false, at, 32}, 0);
    EXPECT_EQ(memory.wait_for(first), 53U * 625);
    return memory.wait_for(then) / 625;
  };
  EXPECT_EQ(second(address(0, 1, 0)), 17U + 53);
  EXPECT_EQ(second(address(0, 0, 1)), 4U + 53);
}

// hbm3: activate to write 15, to its data 10, two cycles of data.
TEST_P(DramRules, AWriteIsDoneWhenItHasCrossedThePins) {
  DramMemory memory(one_channel("hbm3", GetParam()));
  EXPECT_EQ(access(memory, true, address(0, 0, 0), 10'000), 10'000U + 27 * 625);
}

// The row of a write: its data end in cycle 27 after it came; 33 later it is precharged (26), then as above.
TEST_P(DramRules, ARowThatWasWrittenClosesAfterItsRecovery) {
  constexpr TimePs kCycle = 625;
  DramMemory memory(one_channel("hbm3", GetParam()));
  EXPECT_EQ(access(memory, true, address(0, 0, 0), 16 * kCycle), (16 + 27) * kCycle);
  EXPECT_EQ(access(memory, false, address(1, 0, 0), 50 * kCycle), (16 + 27 + 33 + 26 + 53) * kCycle);
}

// From the end of a write's data to a read: 10 cycles in its bank group (tWTR_L), 7 in others; then 20 + 2.
TEST_P(DramRules, AReadAfterAWriteWaitsForTheBusToTurn) {
  constexpr TimePs kCycle = 625;
  for (const bool same_group : {true, false}) {
    DramMemory memory(one_channel("hbm3", GetParam()));
    const std::uint64_t other = same_group ? address(0, 1, 0) : address(0, 0, 1);
    access(memory, false, other, 16 * kCycle);  // opens the row
    EXPECT_EQ(access(memory, true, address(0, 0, 0), 200 * kCycle), (200 + 27) * kCycle);
    EXPECT_EQ(access(memory, false, other, 226 * kCycle), (227 + (same_group ? 10 : 7) + 22) * kCycle);
  }
}

TEST_P(DramRules, NothingIsFasterThanThePins) {
  std::mt19937_64 random(4);
  double most = 0;
  for (int i = 0; i < 30; ++i) {
    const char* const generation = dram_generations()[random() % 4] == "hbm2" ? "hbm2" : "hbm3e";
    DramParams params =
        one_channel(generation, GetParam(), random() % 2 ? DramRefresh::all_bank : DramRefresh::per_bank);
    params.map.given = "";
    DramMemory memory(params);
    const ClosedLoop loop{std::uint64_t{32} << random() % 8,
                          random() % 3 * 4096,
                          static_cast<std::uint32_t>(50 + random() % 51),
                          1 + static_cast<std::uint32_t>(random() % 100),
                          std::uint64_t{1} << 28,
                          random()};
    const std::uint64_t requests = 20 + random() % 200;
    most = std::max(most,
                    loop.run_all(memory, requests).bytes_per_s() / static_cast<double>(memory.bytes_per_s()));
  }
  std::printf("at most %.4f of the pins' bandwidth\n", most);
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.8);
}

/// A write is not kept waiting for ever by reads of other banks that never end.
TEST_P(DramRules, ReadsDoNotStarveAWrite) {
  DramParams params = one_channel("hbm3", GetParam());
  params.queue.write_age_ps = 500'000;
  DramMemory memory(params);
  const MemoryTiming::Id write = memory.submit({true, address(7, 3, 3), 32}, 0);
  std::vector<MemoryTiming::Id> reads;
  for (std::uint64_t k = 0; k < 2000; ++k)
    reads.push_back(memory.submit({false, address(k, k % 2, 0), 32}, k < 40 ? 0 : k * 20'000));
  const TimePs end = memory.wait_for(write);
  EXPECT_LT(end, 1'200'000U);  // once in the buffer, once for the bus
}

INSTANTIATE_TEST_SUITE_P(Levels, DramRules,
                         testing::Values(Kind{"burst", DramLevel::burst, true},
                                         Kind{"burst_without_shortcuts", DramLevel::burst, false},
                                         Kind{"command", DramLevel::command, false}),
                         [](const auto& each) { return std::string(each.param.name); });

// A reference with a refresh of 260 ns each 3900 ns loses 4 to 9 % of a stream and has random latencies of
// 335 ns.
TEST(AllBankRefresh, CostsAStreamItsPartAndARandomReadItsTime) {
  for (const char* generation : {"hbm2", "hbm2e"}) {
    const auto run = [&](const ClosedLoop& loop, DramRefresh refresh, std::uint64_t requests) {
      DramParams params;
      params.timing = dram_timing(generation);
      params.queue.refresh = refresh;
      DramMemory memory(params);
      return loop.run_all(memory, requests);
    };
    const ClosedLoop stream{16'384, 16'384, 0, 32, std::uint64_t{1} << 32, 1};
    const double part = run(stream, DramRefresh::all_bank, 6000).bytes_per_s() /
                        run(stream, DramRefresh::per_bank, 6000).bytes_per_s();
    const ClosedLoop single{32, 0, 0, 1, std::uint64_t{1} << 32, 1};
    const TimePs worst = run(single, DramRefresh::all_bank, 20'000).worst_latency_ps;
    std::printf("%s: a stream gets %.2f %% less, a random read takes %.1f ns at most\n", generation,
                100 * (1 - part), static_cast<double>(worst) / 1000);
    EXPECT_LT(part, 0.96);
    EXPECT_GT(part, 0.91);
    EXPECT_GT(worst, 260'000U);
    EXPECT_LT(worst, 340'000U);
  }
}

/// Over sizes, strides, mixes and depths; what is left is chance in when refreshes and drains meet.
TEST(LevelsAgree, WithinThreePercentOnRandomPatterns) {
  std::mt19937_64 random(21);
  double worst = 0;
  for (int i = 0; i < 32; ++i) {
    const std::string generation = dram_generations()[static_cast<std::size_t>(i % 4)];
    const std::uint64_t bytes = random() % 2 ? std::uint64_t{32} << random() % 8 : 32 + random() % 4000;
    const std::uint64_t strides[] = {0, bytes, bytes * (2 + random() % 70), 32 * (1 + random() % 200)};
    const ClosedLoop loop{bytes,
                          strides[random() % 4],
                          random() % 2 ? static_cast<std::uint32_t>(random() % 101) : 0,
                          1 + static_cast<std::uint32_t>(random() % (random() % 2 ? 4 : 64)),
                          std::uint64_t{1} << 28,
                          random()};
    const DramRefresh refresh = i % 8 < 4 ? DramRefresh::per_bank : DramRefresh::all_bank;
    const LevelComparison row = burst_against_command(
        dram_timing(generation), loop, std::clamp<std::uint64_t>(2'000'000 / bytes, 500, 6000), refresh);
    worst = std::max(worst, std::abs(row.error_percent()));
    EXPECT_LE(std::abs(row.error_percent()), 3)
        << generation << ' ' << bytes << " B stride " << loop.stride << " writes " << loop.writes_percent
        << " % depth " << loop.outstanding;
  }
  std::printf("burst against command: %.2f %% at worst\n", worst);
}

TEST(DramTiming, TimesThatContradictEachOtherAreRefused) {
  for (const std::string& generation : dram_generations()) EXPECT_NO_THROW(dram_timing(generation).check());
  const auto refusal = [](std::uint32_t DramTiming::*less, std::uint32_t DramTiming::*more,
                          std::uint32_t above) {
    DramTiming timing = dram_timing("hbm3");
    timing.*less = timing.*more + above;
    return test::refusal_of([&] { timing.check(); });
  };
  using T = DramTiming;
  const std::string end = "; expected at most as long";
  EXPECT_EQ(refusal(&T::rrd_short, &T::rrd_long, 1), "tRRD_S is longer than tRRD_L" + end);
  EXPECT_EQ(refusal(&T::wtr_short, &T::wtr_long, 1), "tWTR_S is longer than tWTR_L" + end);
  EXPECT_EQ(refusal(&T::ras, &T::rc, 1), "tRAS is longer than tRC" + end);
  EXPECT_EQ(refusal(&T::burst, &T::ccd_short, 1), "the data of an access is longer than tCCD_S" + end);
  EXPECT_EQ(refusal(&T::ccd_short, &T::ccd_long, 1), "tCCD_S is longer than tCCD_L" + end);
  for (const auto& [less, more] :
       {std::pair(&T::rrd_short, &T::rrd_long), std::pair(&T::wtr_short, &T::wtr_long),
        std::pair(&T::ras, &T::rc), std::pair(&T::burst, &T::ccd_short),
        std::pair(&T::ccd_short, &T::ccd_long)})
    EXPECT_EQ(refusal(less, more, 0), "");
  DramTiming timing = dram_timing("hbm3");
  for (const auto& [bank, all] : {std::pair(300U, 200U), std::pair(200U, 300U)}) {
    timing.rfc_bank = bank;
    timing.rfc_all = all;
    timing.refi = 2 * (300 + timing.rp);
    EXPECT_EQ(test::refusal_of([&] { timing.check(); }), "");
    --timing.refi;
    EXPECT_EQ(
        test::refusal_of([&] { timing.check(); }),
        "a refresh takes more than half of the time between refreshes; expected tREFI of at least twice tRFC "
        "and tRP");
    timing.refi = 0;  // none
    EXPECT_EQ(test::refusal_of([&] { timing.check(); }), "");
  }
}

TEST(DramTiming, AnotherClockKeepsNanoseconds) {
  const DramTiming slow = dram_timing("hbm2").with_clock(2'000'000);
  EXPECT_EQ(slow.cl, 7U);
  EXPECT_EQ(slow.rc, 24U);
  EXPECT_EQ(slow.refi, 1950U);
  EXPECT_EQ(slow.ccd_long, dram_timing("hbm2").ccd_long);  // counted in cycles
  EXPECT_EQ(slow.stack_bytes_per_s(), dram_timing("hbm2").stack_bytes_per_s() / 2);
}

TEST(MemoryLosses, AreToldToTheEndThatIsAskedFor) {
  DramParams params;
  params.timing = dram_timing("hbm3");
  DramMemory memory(params);
  memory.end(memory.submit({false, 0, 65'536}, 0));
  const MemoryLosses losses = attribute_losses(memory, 50'000'000);
  EXPECT_EQ(losses.total_fs, 50'000'000'000U);
  EXPECT_GT(losses.too_few_outstanding_fs, losses.channels * 49'000'000'000U);
}

}  // namespace
}  // namespace wafertlm
