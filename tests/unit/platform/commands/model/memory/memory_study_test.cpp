// SPDX-License-Identifier: Apache-2.0
// The loop that measures memories, against a memory whose times are known; and what tables are measured of.
#include "platform/commands/model/memory/memory_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "platform/spec/load.h"
#include "platform/spec/npu_spec.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

/// Access k takes times[k], whatever else there is; its end is known half of the way.
class KnownMemory final : public MemoryTiming {
 public:
  explicit KnownMemory(std::function<TimePs(std::size_t)> time) : time_(std::move(time)) {}

  Id submit(const TimedAccess& access, TimePs now) override {
    const TimePs time = time_(accesses.size());
    accesses.push_back(access);
    submitted.push_back(now);
    ends_.push_back(now + time);
    known_.push_back(now + time / 2);
    return static_cast<Id>(accesses.size() - 1);
  }
  Answer ask(Id id, TimePs now) override {
    if (now < known_[id]) return {false, known_[id]};
    return {true, ends_[id]};
  }
  TimePs wait_for(Id id) override { return ends_[id]; }
  void end(Id id) override { ended.push_back(id); }

  std::vector<TimedAccess> accesses;
  std::vector<TimePs> submitted;
  std::vector<Id> ended;

 private:
  std::function<TimePs(std::size_t)> time_;
  std::vector<TimePs> ends_, known_;
};

/// The loop again: who ends first, of those at the same time who came first, lets the next one in.
struct Played {
  std::vector<TimePs> ends, latencies;  // in the order of the ends
};
Played play(std::size_t requests, std::size_t outstanding, const std::function<TimePs(std::size_t)>& time) {
  Played played;
  std::set<std::tuple<TimePs, std::size_t, TimePs>> underway;  // end, number, time
  std::size_t sent = 0;
  const auto send = [&](TimePs now) {
    if (sent == requests) return;
    underway.emplace(now + time(sent), sent, time(sent));
    ++sent;
  };
  while (sent < std::min(outstanding, requests)) send(0);
  while (!underway.empty()) {
    const auto [end, number, latency] = *underway.begin();
    underway.erase(underway.begin());
    played.ends.push_back(end);
    played.latencies.push_back(latency);
    send(end);
  }
  return played;
}

// Times that differ in all sums.
TimePs odd_time(std::size_t k) { return 1000 + 37 * ((k * k) % 101); }

TEST(ClosedLoop, AllRequestsTakeFromTheFirstToTheLastEnd) {
  for (const std::uint32_t outstanding : {1U, 3U, 16U, 50U}) {
    ClosedLoop loop;
    loop.bytes = 256;
    loop.outstanding = outstanding;
    KnownMemory memory(odd_time);
    const ClosedLoop::Result result = loop.run_all(memory, 40);
    const Played played = play(40, outstanding, odd_time);
    TimePs sum = 0;
    for (const TimePs each : played.latencies) sum += each;
    EXPECT_EQ(memory.accesses.size(), 40U);
    EXPECT_EQ(memory.ended.size(), 40U);
    EXPECT_EQ(result.bytes, 40U * 256);
    EXPECT_EQ(result.time_ps, played.ends.back());
    EXPECT_EQ(result.latency_ps, sum / 40);
    EXPECT_EQ(result.worst_latency_ps, *std::max_element(played.latencies.begin(), played.latencies.end()));
    EXPECT_DOUBLE_EQ(result.bytes_per_s(), 40 * 256 / (static_cast<double>(result.time_ps) * 1e-12));
  }
}

TEST(ClosedLoop, AfterAWarmUpOnlyWhatEndsThenCounts) {
  for (const std::uint32_t outstanding : {1U, 5U})
    for (const std::size_t warm_up : {0U, 1U, 7U}) {
      ClosedLoop loop;
      loop.bytes = 64;
      loop.outstanding = outstanding;
      // The warm-up has the worst of all.
      const auto time = [&](std::size_t k) { return k < warm_up ? 50'000 + odd_time(k) : odd_time(k); };
      KnownMemory memory(time);
      const ClosedLoop::Result result = loop.run(memory, 20, warm_up);
      const Played played = play(200, outstanding, time);
      TimePs sum = 0, worst = 0;
      for (std::size_t k = warm_up; k < warm_up + 20; ++k) {
        sum += played.latencies[k];
        worst = std::max(worst, played.latencies[k]);
      }
      EXPECT_EQ(result.bytes, 20U * 64);
      EXPECT_EQ(result.time_ps, played.ends[warm_up + 19] - (warm_up == 0 ? 0 : played.ends[warm_up - 1]));
      EXPECT_EQ(result.latency_ps, sum / 20);
      EXPECT_EQ(result.worst_latency_ps, worst);
      // The loop goes on: as many were sent as ended before, and those under way.
      EXPECT_EQ(memory.accesses.size(), warm_up + 19 + outstanding);
    }
  ClosedLoop loop;
  KnownMemory memory(odd_time);
  loop.run(memory, 80);
  EXPECT_EQ(memory.ended.size(), 90U) << "an eighth as many before";
}

TEST(ClosedLoop, ReadsAndWritesWalkThroughTheirHalves) {
  for (const std::uint32_t streams : {1U, 3U})
    for (const std::uint32_t writes : {0U, 30U, 100U}) {
      ClosedLoop loop;
      loop.bytes = 100;
      loop.stride = 700;
      loop.writes_percent = writes;
      loop.span_bytes = 20'500;
      loop.streams = streams;
      KnownMemory memory(odd_time);
      loop.run_all(memory, 200);
      const std::uint64_t half = 10'250, part = half / streams / 100 * 100;
      std::uint64_t of[2] = {0, 0};
      for (std::uint64_t k = 0; k < 200; ++k) {
        const bool write = (k + 1) * writes / 100 > k * writes / 100;
        const std::uint64_t before = of[write]++, turn = before % streams, step = before / streams;
        const std::uint64_t place = turn * part + step * 700 % (part - 100);
        EXPECT_EQ(memory.accesses[k].write, write) << k;
        EXPECT_EQ(memory.accesses[k].address, place + (write ? half : 0)) << k;
        EXPECT_EQ(memory.accesses[k].bytes, 100U);
      }
      EXPECT_EQ(of[1], 2 * writes);
    }
}

TEST(ClosedLoop, RandomRequestsHitEveryPlaceOfTheirHalf) {
  std::set<std::vector<std::uint64_t>> orders;
  for (const std::uint64_t seed : {1U, 2U, 2U}) {
    ClosedLoop loop;
    loop.bytes = 64;
    loop.stride = 0;
    loop.writes_percent = 50;
    loop.span_bytes = 2 * 11 * 64;
    loop.seed = seed;
    KnownMemory memory(odd_time);
    loop.run_all(memory, 400);
    std::set<std::uint64_t> places[2], all;
    std::vector<std::uint64_t> order;
    for (const TimedAccess& access : memory.accesses) {
      places[access.write].insert(access.address);
      order.push_back(access.address);
    }
    for (std::uint64_t place = 0; place < 11; ++place) all.insert(place * 64);
    EXPECT_EQ(places[0], all);
    EXPECT_EQ(places[1].size(), 11U);
    EXPECT_EQ(*places[1].begin(), 11U * 64);
    EXPECT_EQ(*places[1].rbegin(), 21U * 64);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 2U) << "one of each seed";
}

double part_of_pins(const char* generation, DramLevel level, const ClosedLoop& loop, std::uint64_t requests,
                    DramRefresh refresh) {
  DramParams params;
  params.timing = dram_timing(generation);
  params.timing.pseudo_channels = 1;
  params.level = level;
  params.queue.refresh = refresh;
  DramMemory memory(params);
  return loop.run_all(memory, requests).bytes_per_s() / static_cast<double>(memory.bytes_per_s());
}

TEST(BurstAgainstCommand, MeasuresOnePseudoChannelAtBothLevels) {
  for (const DramRefresh refresh : {DramRefresh::per_bank, DramRefresh::all_bank}) {
    const ClosedLoop loop{2048, 3 * 2048, 33, 4, std::uint64_t{1} << 28, 1};
    const LevelComparison row = burst_against_command(dram_timing("hbm2"), loop, refresh);
    EXPECT_EQ(row.fast, part_of_pins("hbm2", DramLevel::burst, loop, 1500, refresh));
    EXPECT_EQ(row.detailed, part_of_pins("hbm2", DramLevel::command, loop, 1500, refresh));
    EXPECT_NE(row.fast, part_of_pins("hbm2", DramLevel::burst, loop, 1499, refresh));
  }
  const LevelComparison row{{}, 1.02, 0.85};
  EXPECT_NEAR(row.error_percent(), 20, 1e-9);
}

TEST(BurstAgainstCommand, SmallerRequestsAreMore) {
  for (const auto& [bytes, requests] : {std::pair{32U, 24'000U}, std::pair{256U, 8000U}}) {
    const ClosedLoop loop{bytes, 0, 0, 16, std::uint64_t{1} << 28, 1};
    EXPECT_EQ(burst_against_command(dram_timing("hbm2"), loop, DramRefresh::per_bank).fast,
              part_of_pins("hbm2", DramLevel::burst, loop, requests, DramRefresh::per_bank));
  }
}

using Point = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>;

/// Every size with every stride, part of writes and depth, once; all with this span and so many streams.
void expect_all(const std::vector<ClosedLoop>& points, const std::set<std::uint64_t>& sizes,
                const std::set<std::uint64_t>& strides, const std::set<std::uint32_t>& depths,
                std::uint64_t span_bytes, std::uint64_t seed) {
  std::set<Point> found, all;
  for (const ClosedLoop& each : points) {
    found.emplace(each.bytes, each.stride, each.writes_percent, each.outstanding);
    EXPECT_EQ(each.span_bytes, span_bytes);
    EXPECT_EQ(each.seed, seed);
  }
  for (const std::uint64_t size : sizes)
    for (const std::uint64_t stride : strides)
      for (const std::uint32_t writes : {0U, 33U, 50U, 100U})
        for (const std::uint32_t depth : depths) all.emplace(size, stride * size, writes, depth);
  EXPECT_EQ(found, all);
  EXPECT_EQ(points.size(), all.size());
}

// As models/hbm/README.md has it: 192 points each.
TEST(LevelComparison, GoesOverSizesStridesWritesAndDepths) {
  expect_all(burst_command_points(), {32, 256, 2048}, {0, 1, 3, 64}, {1, 4, 16, 64}, 1ULL << 28, 1);
  expect_all(flow_burst_points(), {256, 3072, 65'536}, {0, 1, 3, 16}, {1, 3, 16, 64}, 1ULL << 32, 2);
}

config::EfficiencySpec given_table(const std::string& generation) {
  return config::load_efficiency(WAFERTLM_SOURCE_DIR "/configs/memory/" + generation + ".yaml");
}

TEST(EfficiencyTables, OfTheProjectHaveEveryPoint) {
  const EfficiencyTable points = efficiency_points();
  for (const char* const generation : {"hbm2", "hbm3e"}) {
    const EfficiencyTable given = config::efficiency_table(given_table(generation));
    EXPECT_EQ(given.depths, points.depths);
    ASSERT_EQ(given.rows.size(), points.rows.size());
    for (std::size_t k = 0; k < points.rows.size(); ++k) {
      const EfficiencyTable::Row &row = given.rows[k], &point = points.rows[k];
      EXPECT_EQ(std::tie(row.stacks, row.bytes, row.stride, row.writes_percent),
                std::tie(point.stacks, point.bytes, point.stride, point.writes_percent))
          << "row " << k;
    }
  }
}

// A sample: the whole table takes minutes. Each number has three digits.
TEST(EfficiencyTables, OfTheProjectAreWhatIsMeasured) {
  const struct {
    const char* generation;
    std::uint32_t stacks;
    std::uint64_t bytes, stride;
    std::uint32_t writes, depth;
  } samples[] = {{"hbm3", 1, 64, 1, 33, 1},    {"hbm3", 1, 64, 13, 0, 256},   {"hbm2", 1, 64, 1, 33, 16},
                 {"hbm2", 1, 128, 0, 50, 8},   {"hbm3", 1, 544, 5, 33, 4},    {"hbm3", 1, 160, 0, 75, 2},
                 {"hbm2e", 2, 544, 45, 50, 3}, {"hbm3e", 4, 64, 3, 100, 128}, {"hbm2", 6, 160, 0, 33, 64},
                 {"hbm3", 1, 4096, 2, 20, 12}, {"hbm2", 1, 32'800, 1, 0, 64}};
  for (const auto& each : samples) {
    const EfficiencyTable table = config::efficiency_table(given_table(each.generation));
    const auto row = std::find_if(table.rows.begin(), table.rows.end(), [&](const EfficiencyTable::Row& of) {
      return std::tie(of.stacks, of.bytes, of.stride, of.writes_percent) ==
             std::tie(each.stacks, each.bytes, each.stride, each.writes);
    });
    const auto depth = std::find(table.depths.begin(), table.depths.end(), each.depth);
    ASSERT_TRUE(row != table.rows.end() && depth != table.depths.end());
    const double given = row->efficiency[static_cast<std::size_t>(depth - table.depths.begin())];
    const double measured = typical_efficiency(dram_timing(each.generation), *row, each.depth);
    EXPECT_NEAR(measured / given, 1, 0.005) << each.generation << " " << each.bytes << " " << each.stride;
  }
}

TEST(EfficiencyTables, AreReadAsTheyAreWritten) {
  const EfficiencyTable table{{1, 5}, {{64, 4, 20, {0.125, 0.5}, 1}, {160, 1, 100, {0.0104, 0.999}, 4}}};
  const DramTiming& timing = dram_timing("hbm3e");
  const std::string text = efficiency_yaml(timing, table);
  EXPECT_NE(text.find("\n# Timings: " + std::string(timing.provenance) + ".\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\ndepths: [1, 5]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  - \"1 64 4 20 0.125 0.5\"\n  - \"4 160 1 100 0.0104 0.999\"\n"), std::string::npos)
      << text;
  const test::TempFolder folder;
  const config::EfficiencySpec spec = config::load_efficiency(folder.write("t.yaml", text));
  EXPECT_EQ(spec.generation, "hbm3e");
  const EfficiencyTable again = config::efficiency_table(spec);
  EXPECT_EQ(again.depths, table.depths);
  ASSERT_EQ(again.rows.size(), 2U);
  EXPECT_EQ(again.rows[1].efficiency, table.rows[1].efficiency);
  EXPECT_EQ(again.rows[1].stacks, 4U);
}

}  // namespace
}  // namespace wafertlm
