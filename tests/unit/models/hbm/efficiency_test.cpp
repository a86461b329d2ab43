// SPDX-License-Identifier: Apache-2.0
// Level flow against level burst, at the points of its table and between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "platform/commands/model/memory/memory_study.h"
#include "platform/spec/load.h"
#include "platform/spec/npu_spec.h"
#include "tests/support/random_cases.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

/// Row: bytes and their efficiency, one request at a time.
EfficiencyTable table_of(std::initializer_list<std::pair<std::uint64_t, double>> rows) {
  EfficiencyTable table{{1}, {}};
  for (const auto& [bytes, efficiency] : rows) table.rows.push_back({bytes, 1, 0, {efficiency}, 1});
  return table;
}

TEST(EfficiencyGrid, GivesEachKindOfSizeItsRows) {
  const EfficiencyGrid grid(table_of({{2048, 0.2}, {4096, 0.4}, {3072, 0.25}, {2080, 0.1}, {4128, 0.15}}), 1,
                            2048);
  EXPECT_DOUBLE_EQ(grid.at({4096, 4096}), 0.4);
  EXPECT_DOUBLE_EQ(grid.at({3072, 1024}), 0.25);
  EXPECT_DOUBLE_EQ(grid.at({4128, 32}), 0.15);
  // A power of two at any address is ragged, too: 4096 B lie 2016/2048 of the way from 2080 to 4128 B.
  const double from = 2080 / 0.1, to = 4128 / 0.15;
  EXPECT_NEAR(grid.at({4096, 1}), 4096 / (from + (to - from) * 2016 / 2048), 1e-4);
}

TEST(EfficiencyGrid, ATimeBetweenAlignedAndRaggedIsByTheWaysToStraddleAPiece) {
  const EfficiencyGrid grid(table_of({{1024, 0.1}, {2048, 0.2}, {1056, 0.11}, {2080, 0.15}}), 1, 2048);
  const auto time = [&](double bytes, std::uint64_t alignment) {
    return bytes / grid.at({bytes, alignment});
  };
  // 1024 B at multiples of 512: half of the way from anywhere to multiples of 1024.
  const double anywhere = (time(1024, 512) - 0.5 * time(1024, 1024)) / 0.5;
  EXPECT_NEAR(time(1024, 256), 0.25 * time(1024, 1024) + 0.75 * anywhere, 1e-6);
  EXPECT_DOUBLE_EQ(time(1024, 4096), time(1024, 1024));
}

/// Sizes of 1 and 4 KiB, strides 1, 4, 3, 6 and random, reads and writes, depths 1 and 5: each choice adds
/// its own part.
double part_of(std::uint64_t bytes, std::uint64_t stride, std::uint32_t writes_percent, std::uint32_t depth) {
  return (bytes == 4096 ? 0.4 : 0.2) + 0.01 * static_cast<double>(stride) +
         (writes_percent == 100 ? 0.03 : 0) + (depth == 5 ? 0.2 : 0);
}

EfficiencyTable full_table() {
  EfficiencyTable table{{1, 5}, {}};
  for (const std::uint64_t bytes : {4096U, 1024U})
    for (const std::uint64_t stride : {4U, 1U, 0U, 6U, 3U})
      for (const std::uint32_t writes : {0U, 100U})
        table.rows.push_back({bytes,
                              stride,
                              writes,
                              {part_of(bytes, stride, writes, 1), part_of(bytes, stride, writes, 5)},
                              2});
  return table;
}

TEST(EfficiencyGrid, InterpolatesAlongEachAxis) {
  const EfficiencyTable table = full_table();
  EXPECT_EQ(table.stacks(), std::vector<std::uint32_t>{2});
  const EfficiencyGrid grid(table, 2);
  EXPECT_TRUE(grid.has_random());
  const auto at = [&](double bytes, std::uint64_t stride, double writes, double depth) {
    return grid.at({bytes, 4096, stride, writes, depth});
  };
  for (const std::uint64_t stride : {0U, 1U, 3U, 4U, 6U})
    for (const std::uint32_t writes : {0U, 100U})
      for (const std::uint32_t depth : {1U, 5U})
        for (const std::uint64_t bytes : {1024U, 4096U})
          EXPECT_DOUBLE_EQ(at(static_cast<double>(bytes), stride, writes, depth),
                           part_of(bytes, stride, writes, depth));
  // Depth: linear, and no further than the table.
  EXPECT_DOUBLE_EQ(at(4096, 1, 0, 2), 0.41 + 0.2 / 4);
  EXPECT_DOUBLE_EQ(at(4096, 1, 0, 0.5), 0.41);
  EXPECT_DOUBLE_EQ(at(4096, 1, 0, 9), 0.61);
  // Stride: by its logarithm, among powers of two or among the others.
  EXPECT_DOUBLE_EQ(at(4096, 2, 0, 1), (0.41 + 0.44) / 2);
  EXPECT_DOUBLE_EQ(at(4096, 5, 0, 1), 0.43 + 0.03 * (std::log2(5) - std::log2(3)));
  EXPECT_DOUBLE_EQ(at(4096, 64, 0, 1), 0.44);
  EXPECT_DOUBLE_EQ(at(4096, 7, 0, 1), 0.46);
  // Writes: times add up.
  EXPECT_DOUBLE_EQ(at(4096, 1, 25, 1), 1 / (0.75 / 0.41 + 0.25 / 0.44));
  // Size: times of requests are linear; beyond the table they are as its end, but no shorter than the line
  // says.
  EXPECT_DOUBLE_EQ(at(2048, 1, 0, 1), 2048 / (1024 / 0.21 + (4096 / 0.41 - 1024 / 0.21) / 3));
  EXPECT_DOUBLE_EQ(at(8192, 1, 0, 1), 0.41);
  EXPECT_DOUBLE_EQ(at(512, 1, 0, 1), 512 / (1024 / 0.21 - (4096 / 0.41 - 1024 / 0.21) / 6));
}

TEST(EfficiencyGrid, RefusesTablesWithGaps) {
  const auto refusal = [](auto change) {
    EfficiencyTable table = full_table();
    change(table);
    return test::refusal_of([&] { EfficiencyGrid(table, 2); });
  };
  using T = EfficiencyTable;
  const std::string numbers =
      "an efficiency table has a number above 0 and up to 1 for every depth in each row";
  EXPECT_EQ(refusal([](T&) {}), "");
  EXPECT_EQ(refusal([](T& table) { table.depths.clear(); }), "an efficiency table needs depths");
  EXPECT_EQ(refusal([](T& table) { table.rows[3].efficiency = {0.1}; }), numbers);
  EXPECT_EQ(refusal([](T& table) { table.rows[3].efficiency[1] = 0; }), numbers);
  EXPECT_EQ(refusal([](T& table) { table.rows[3].efficiency[1] = 1.001; }), numbers);
  EXPECT_EQ(refusal([](T& table) { table.rows[3].efficiency = {1, 1}; }), "");
  EXPECT_EQ(
      refusal([](T& table) { table.rows.erase(table.rows.begin() + 4); }),
      "an efficiency table has for each number of stacks and kind of size a row for every combination of its "
      "sizes, strides and parts of writes");
  EXPECT_EQ(refusal([](T& table) {
              table.rows = {{3072, 1, 0, {0.1, 0.2}, 2}};
            }),
            "an efficiency table needs sizes that are no third of a power of two");
  EXPECT_EQ(refusal([](T& table) { table.rows = {{2080, 1, 0, {0.1, 0.2}, 2}}; }), "");
}

TEST(FlowMemory, ARequestTakesTheAccessesThatItTouches) {
  const auto time = [](std::uint64_t address, std::uint64_t bytes) {
    FlowMemoryParams params;
    params.table = table_of({{64, 0.5}, {128, 0.5}});
    params.stack_bytes_per_s = 1'000'000'000'000;
    params.access_bytes = 32;
    FlowMemory memory(params);
    return memory.wait_for(memory.submit({false, address, bytes}, 0));
  };
  EXPECT_EQ(time(0, 96), 192U);  // ps: half of 1 TB/s
  EXPECT_EQ(time(0, 65), 192U);
  EXPECT_EQ(time(31, 65), 192U);
  EXPECT_EQ(time(31, 66), 256U);
}

/// Efficiencies of the project's table.
EfficiencyTable measured(const std::string& generation) {
  return config::efficiency_table(
      config::load_efficiency(WAFERTLM_SOURCE_DIR "/configs/memory/" + generation + ".yaml"));
}

std::string text(const LevelComparison& row, std::uint32_t stacks) {
  return std::to_string(stacks) + " stacks, " + std::to_string(row.loop.bytes) + " B, stride " +
         std::to_string(row.loop.stride / row.loop.bytes) + ", " + std::to_string(row.loop.writes_percent) +
         " % writes, depth " + std::to_string(row.loop.outstanding);
}

/// A sample of `wafertlm model memory compare`: all 1536 points take half a minute.
TEST(FlowAgainstBurst, IsWithin5PercentOverSizeStrideMixAndDepth) {
  std::mt19937_64 random(5);
  for (const char* generation : {"hbm2", "hbm3"}) {
    const EfficiencyTable table = measured(generation);
    for (const std::uint32_t stacks : std::initializer_list<std::uint32_t>{1, 2, 4, 6})
      for (int i = 0; i < 8; ++i) {
        constexpr std::uint64_t kBytes[] = {256, 3072, 65'536}, kStrides[] = {1, 3, 16, 0};
        constexpr std::uint32_t kWrites[] = {0, 33, 50, 100}, kDepths[] = {1, 3, 16, 64};
        const std::uint64_t bytes = kBytes[random() % 3];
        const LevelComparison row =
            flow_against_burst(dram_timing(generation), table, stacks,
                               {bytes, bytes * kStrides[random() % 4], kWrites[random() % 4],
                                kDepths[random() % 4], std::uint64_t{1} << 32, 2});
        EXPECT_LT(std::abs(row.error_percent()), 5) << generation << ", " << text(row, stacks);
      }
  }
}

/// Streams in turns, as tiles of operands and messages are read: 8 that are a power of two apart and go on in
/// step meet the same channels, and are off by more (models/hbm/README.md).
TEST(FlowAgainstBurst, IsWithin20PercentWhenStreamsTakeTurns) {
  const EfficiencyTable table = measured("hbm3");
  for (const std::uint32_t stacks : {1U, 4U})
    for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{4096, 60'000, 65'536})
      for (const std::uint32_t streams : {2U, 3U, 5U})
        for (const std::uint32_t depth : {4U, 16U, 64U}) {
          ClosedLoop loop{bytes, bytes, 0, depth, std::uint64_t{1} << 32, 1, streams};
          const LevelComparison row = flow_against_burst(dram_timing("hbm3"), table, stacks, loop);
          EXPECT_LT(std::abs(row.error_percent()), 20) << streams << " streams, " << text(row, stacks);
        }
}

/// All that a computation asks for at once, when nothing else is under way.
TEST(FlowAgainstBurst, ABatchAfterARestTakesTheSameTime) {
  const EfficiencyTable table = measured("hbm3");
  const auto time = [](MemoryTiming& memory, std::uint64_t bytes) {
    TimePs now = 0;
    for (std::uint64_t batch = 0; batch < 100; ++batch) {
      std::vector<MemoryTiming::Id> ids;
      for (std::uint64_t at = 0; at < bytes; at += 65'536)
        ids.push_back(
            memory.submit({false, batch * bytes + at, std::min<std::uint64_t>(65'536, bytes - at)}, now));
      for (const MemoryTiming::Id id : ids) {
        now = std::max(now, memory.wait_for(id));
        memory.end(id);
      }
      now += 1'000'000;
    }
    return static_cast<double>(now - 100'000'000);
  };
  for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{65'536, 1'000'001, 1 << 20}) {
    DramParams params;
    params.timing = dram_timing("hbm3");
    params.map.stacks = 4;
    DramMemory burst(params);
    FlowMemory flow(flow_memory_params(table, params.timing, 4));
    EXPECT_NEAR(time(flow, bytes) / time(burst, bytes), 1, 0.1) << bytes;
  }
}

/// Sizes of any number of bytes, any strides, mixes and depths: strides that happen to meet the same channels
/// again, and small requests whose writes beat with their reads, are off by more than 10 %.
TEST(FlowAgainstBurst, IsMostlyWithin10PercentBetweenThePointsOfTheTable) {
  std::mt19937_64 random(7);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, static_cast<double>(random() >> 11) * 0x1p-53);
  };
  const EfficiencyTable table = measured("hbm3");
  for (const std::uint32_t stacks : {1U, 4U}) {
    const int points = test::random_cases(50, 50);
    int within_5 = 0, within_10 = 0;
    double worst = 0;
    for (int i = 0; i < points; ++i) {
      const auto bytes = static_cast<std::uint64_t>(between(64, 65'536));
      const std::uint64_t stride = i % 4 == 0 ? 0 : static_cast<std::uint64_t>(between(1, 65));
      const auto depth = static_cast<std::uint32_t>(between(1, 257));
      const auto writes = static_cast<std::uint32_t>(random() % 101);
      const LevelComparison row =
          flow_against_burst(dram_timing("hbm3"), table, stacks,
                             {bytes, bytes * stride, writes, depth, std::uint64_t{1} << 32, 3});
      within_5 += std::abs(row.error_percent()) <= 5;
      within_10 += std::abs(row.error_percent()) <= 10;
      worst = std::max(worst, std::abs(row.error_percent()));
      EXPECT_LT(std::abs(row.error_percent()), 50) << text(row, stacks);
    }
    std::printf("%u stacks: %d of %d within 5 %%, %d within 10 %%, at worst %.1f %%\n", stacks, within_5,
                points, within_10, worst);
    EXPECT_GE(within_5, 0.7 * points) << stacks;
    EXPECT_GE(within_10, 0.9 * points) << stacks;
  }
}

}  // namespace
}  // namespace wafertlm
