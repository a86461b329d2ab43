// SPDX-License-Identifier: Apache-2.0
// The ladder above the gates: idle latencies, streams, bad maps, and one level against the other.
#include "models/hbm/dram/dram_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <random>
#include <stdexcept>

#include "platform/commands/model/memory/memory_study.h"

namespace wafertlm {
namespace {

DramParams params(const char* generation, DramLevel level, const std::string& map = "") {
  DramParams made;
  made.timing = dram_timing(generation);
  made.level = level;
  made.map.given = map;
  return made;
}

TimePs access(DramMemory& memory, std::uint64_t address, TimePs now) {
  const MemoryTiming::Id id = memory.submit({false, address, 32}, now);
  const TimePs done = memory.wait_for(id);
  memory.end(id);
  return done - now;
}

class Levels : public testing::TestWithParam<DramLevel> {};

TEST_P(Levels, IdleLatenciesAreTheClosedForms) {
  // By hand, hbm3 in steps of 625 ps: 20 + 2; 31 + 22; 26 + 53. hbm2 in ns: 14 + 2; 14 + 16; 14 + 30.
  const struct {
    const char* generation;
    TimePs hit, closed, conflict;
  } cases[] = {{"hbm3", 13'750, 33'125, 49'375}, {"hbm2", 16'000, 30'000, 44'000}};
  for (const auto& each : cases) {
    DramMemory memory(params(each.generation, GetParam(), "row bank group:1 channel column group:1"));
    EXPECT_EQ(access(memory, 0, 10'000), each.closed) << each.generation;
    EXPECT_EQ(access(memory, 64, 60'000), each.hit) << each.generation;
    EXPECT_EQ(access(memory, std::uint64_t{1} << 24, 120'000), each.conflict) << each.generation;
    EXPECT_EQ(access(memory, (std::uint64_t{1} << 24) + 64, 190'000), each.hit) << each.generation;
  }
}

// By hand, hbm2 in ns: nothing for 10, a closed row for 28, 2 of data; then nothing for 10, an open row for
// 14, 2.
TEST_P(Levels, TellWhereTheTimeOfAChannelGoes) {
  DramMemory memory(params("hbm2", GetParam(), "row bank group:1 channel column group:1"));
  EXPECT_EQ(access(memory, 0, 10'000), 30'000U);
  const DramTime first = memory.time(0);
  EXPECT_EQ(first.busy_fs, 2'000'000U);
  const std::uint64_t latency_fs = GetParam() == DramLevel::burst ? 14'000'000 : 0;
  EXPECT_EQ(first.lost(DramLoss::no_request), 10'000'000 + latency_fs);
  EXPECT_EQ(first.span_fs(), 40'000'000U);
  EXPECT_EQ(access(memory, 64, 50'000), 16'000U);
  const DramTime both = memory.time(0);
  EXPECT_EQ(both.busy_fs, 4'000'000U);
  EXPECT_EQ(both.lost(DramLoss::no_request), 2 * (10'000'000 + latency_fs));
  EXPECT_EQ(both.span_fs(), 66'000'000U);
  EXPECT_EQ(both.accesses_read, 2U);
  EXPECT_EQ(both.accesses_written, 0U);
  EXPECT_EQ(both.activates, 1U);
  EXPECT_EQ(both.row_visits, 2U);
  EXPECT_EQ(both.row_hits, GetParam() == DramLevel::burst ? 1U : 0U);
  EXPECT_EQ(both.turns, 0U);
  EXPECT_EQ(memory.time(1).span_fs(), 0U);
}

// As many as the stack has, whether they are told apart or not.
TEST_P(Levels, ChannelsAreThoseOfTheStack) {
  for (const bool shortcuts : {false, true}) {
    DramParams of = params("hbm2", GetParam());
    of.shortcuts = shortcuts;
    const DramMemory memory(of);
    EXPECT_EQ(memory.channels(), of.timing.pseudo_channels);
    const bool are_one = shortcuts && GetParam() == DramLevel::burst;
    EXPECT_EQ(memory.distinct_channels(), are_one ? 1 : of.timing.pseudo_channels);
  }
}

TEST_P(Levels, StreamsReachThePinsBandwidth) {
  for (const char* generation : {"hbm2", "hbm3"}) {
    DramParams of = params(generation, GetParam());
    if (GetParam() == DramLevel::command) of.timing.pseudo_channels = 2;
    DramMemory memory(of);
    const ClosedLoop loop{16'384, 16'384, 0, 32, std::uint64_t{1} << 30, 1};
    const auto result = loop.run(memory, GetParam() == DramLevel::command ? 100 : 1500);
    // Refreshes of a bank hide behind the others.
    EXPECT_GT(result.bytes_per_s(), 0.95 * static_cast<double>(memory.bytes_per_s())) << generation;
    EXPECT_LE(result.bytes_per_s(), 1.001 * static_cast<double>(memory.bytes_per_s())) << generation;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Levels, testing::Values(DramLevel::burst, DramLevel::command),
                         [](const auto& each) {
                           return std::string(each.param == DramLevel::burst ? "burst" : "command");
                         });

/// Runs, checks that the account closes, and returns it.
MemoryLosses losses_of(const DramParams& of, const ClosedLoop& loop, std::uint64_t requests) {
  DramMemory memory(of);
  loop.run(memory, requests);
  const MemoryLosses losses = attribute_losses(memory, 0);
  std::uint64_t sum = losses.sum.busy_fs + losses.too_few_outstanding_fs + losses.channel_imbalance_fs;
  for (std::size_t k = 1; k < kDramLosses; ++k) sum += losses.sum.lost_fs[k];
  EXPECT_EQ(sum, losses.channels * losses.total_fs);
  const std::uint64_t accesses = losses.sum.accesses_read + losses.sum.accesses_written;
  EXPECT_EQ(losses.sum.busy_fs, accesses * of.timing.fs(of.timing.burst));
  EXPECT_GE(accesses * of.timing.access_bytes, requests * loop.bytes);
  return losses;
}

double part(const MemoryLosses& losses, std::uint64_t fs) {
  return static_cast<double>(fs) /
         (static_cast<double>(losses.channels) * static_cast<double>(losses.total_fs));
}

TEST(BadMaps, AreSlowAndNameTheirCause) {
  for (const char* generation : {"hbm2", "hbm3"}) {
    const ClosedLoop sequential{4096, 4096, 0, 16, std::uint64_t{1} << 32, 1};
    // The channel in the highest bits: a stream stays in one of them.
    MemoryLosses losses = losses_of(
        params(generation, DramLevel::burst, "channel row:14 bank group:1 column group:1"), sequential, 400);
    EXPECT_GT(part(losses, losses.channel_imbalance_fs), 0.9) << generation;
    // Neighbouring accesses in other rows of a bank.
    losses =
        losses_of(params(generation, DramLevel::burst, "bank group column row:14 channel"), sequential, 400);
    EXPECT_GT(part(losses, losses.sum.lost(DramLoss::row_conflict)), 0.6) << generation;
    // No bank group in the lowest bits.
    losses = losses_of(params(generation, DramLevel::burst, "row bank group channel column"),
                       {65'536, 65'536, 0, 16, std::uint64_t{1} << 32, 1}, 200);
    EXPECT_GT(part(losses, losses.sum.lost(DramLoss::bank_group)), 0.4) << generation;
  }
}

TEST(Losses, FollowTheirCauses) {
  const auto lost = [](const ClosedLoop& loop, DramLoss cause) {
    const MemoryLosses losses = losses_of(params("hbm3", DramLevel::burst), loop, 2000);
    return part(losses, losses.sum.lost_fs[static_cast<std::size_t>(cause)]);
  };
  constexpr std::uint64_t kSpan = std::uint64_t{1} << 32;
  EXPECT_GT(lost({256, 0, 0, 1, kSpan, 1}, DramLoss::no_request), 0.9);
  EXPECT_GT(lost({32, 0, 0, 4096, kSpan, 1}, DramLoss::activate_rate), 0.2);
  EXPECT_EQ(lost({16'384, 16'384, 0, 32, kSpan, 1}, DramLoss::turnaround), 0);
  EXPECT_GT(lost({16'384, 16'384, 50, 32, kSpan, 1}, DramLoss::turnaround), 0.001);
}

TEST(LevelsAgree, OverStrideMixAndDepth) {
  for (const char* generation : {"hbm2", "hbm3"})
    for (const std::uint64_t stride : std::initializer_list<std::uint64_t>{1, 64, 0})
      for (const std::uint32_t writes : std::initializer_list<std::uint32_t>{0, 50})
        for (const std::uint32_t depth : std::initializer_list<std::uint32_t>{1, 16}) {
          const LevelComparison row = burst_against_command(
              dram_timing(generation), {256, stride * 256, writes, depth, std::uint64_t{1} << 28, 1}, 1500);
          EXPECT_LT(std::abs(row.error_percent()), 3)
              << generation << " stride " << stride << " writes " << writes << " % depth " << depth;
        }
}

TEST(LevelsAgree, OnRandomTraffic) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 8; ++i) {
    const ClosedLoop loop{std::uint64_t{32} << random() % 7,
                          random() % 3 * 4096,
                          static_cast<std::uint32_t>(random() % 101),
                          1 + static_cast<std::uint32_t>(random() % 40),
                          std::uint64_t{1} << 28,
                          random()};
    const LevelComparison row = burst_against_command(dram_timing(i % 2 ? "hbm2e" : "hbm3e"), loop, 1500);
    EXPECT_LT(std::abs(row.error_percent()), 5) << loop.bytes << " B stride " << loop.stride << " writes "
                                                << loop.writes_percent << " % depth " << loop.outstanding;
  }
}

/// Ends of a random mix of streams and others, and what the time of the channels went to.
struct Outcome {
  std::vector<TimePs> ends;
  std::vector<DramTime> times;
};
Outcome outcome(DramParams of, bool shortcuts, bool asked_often, std::uint32_t seed) {
  of.shortcuts = shortcuts;
  DramMemory memory(of);
  std::mt19937_64 random(seed);
  const std::uint64_t percent_of_writes = random() % 3 * 30, rare = 4 + random() % 40;
  const bool ragged = seed % 3 == 0;                      // no size is a whole number of pieces
  const bool full = seed % 3 == 1;                        // hardly a rest
  const std::uint64_t even = 32 * (1 + random() % 2000);  // then most are of this size
  Outcome made;
  std::vector<MemoryTiming::Id> open;
  std::uint64_t address = 0;
  TimePs now = 0;
  const auto finish = [&] {
    made.ends.push_back(memory.wait_for(open.front()));
    now = std::max(now, made.ends.back());
    memory.end(open.front());
    open.erase(open.begin());
  };
  for (int k = 0; k < 600; ++k) {
    if (open.size() == (full ? 30 : 12)) finish();
    if (random() % (full ? 200 : 24) == 0)
      while (!open.empty()) finish();                                 // after which channels may join
    if (random() % (full ? 200 : 8) == 0) now += random() % 400'000;  // a rest
    std::uint64_t bytes = ragged ? 30'000 + random() % 40'000 : full ? even : 65'536;
    if (random() % (full ? 10 * rare : rare) == 0) {  // an odd one, that parts channels
      bytes = 1 + random() % 9000;
      address = random() % 2 ? address + random() % 5000 : random() % (1U << 28);
    } else if (random() % 16 == 0) {
      address = (address + 65'535) / 65'536 * 65'536;
    }
    open.push_back(memory.submit({random() % 100 < percent_of_writes, address, bytes}, now));
    address += bytes;
    if (asked_often) memory.run_until(now);
  }
  while (!open.empty()) finish();
  memory.run_until(kNever);
  for (std::uint32_t c = 0; c < memory.channels(); ++c) made.times.push_back(memory.time(c));
  return made;
}

TEST(Shortcuts, ChangeNoPicosecond) {
  for (std::uint32_t seed = 1; seed <= 24; ++seed) {
    DramParams of = params(seed % 2 ? "hbm3" : "hbm2", DramLevel::burst,
                           seed % 4 == 3 ? "row bank group:1 channel column group:1" : "");
    of.map.stacks = seed % 4 == 3 ? 1 : 1 + seed % 3;
    if (seed % 5 == 0) of.queue.refresh = DramRefresh::all_bank;
    const Outcome slow = outcome(of, false, false, seed);
    for (const bool asked_often : {false, true}) {
      const Outcome quick = outcome(of, true, asked_often, seed);
      EXPECT_EQ(quick.ends, slow.ends) << seed;
      for (std::size_t c = 0; c < slow.times.size(); ++c) {
        EXPECT_EQ(quick.times[c].lost_fs, slow.times[c].lost_fs) << seed << " channel " << c;
        EXPECT_EQ(quick.times[c].busy_fs, slow.times[c].busy_fs);
        EXPECT_EQ(quick.times[c].activates, slow.times[c].activates);
        EXPECT_EQ(quick.times[c].refreshes, slow.times[c].refreshes);
      }
    }
  }
}

TEST(Shortcuts, AStreamNeedsFewChannelsToldApart) {
  DramParams of = params("hbm3", DramLevel::burst);
  of.map.stacks = 4;
  DramMemory memory(of);
  ClosedLoop{65'536, 65'536, 0, 16, std::uint64_t{1} << 30, 1}.run(memory, 200);
  EXPECT_LE(memory.distinct_channels(), 4U);  // a request of 64 KiB is a quarter of 128 channels
}

TEST(Shortcuts, ChannelsJoinWhenTheyRest) {
  DramParams of = params("hbm3", DramLevel::burst);
  of.map.stacks = 4;
  DramMemory memory(of);
  TimePs now = 0;
  std::uint64_t address = 0;
  for (int operand = 0; operand < 50; ++operand, now += 200'000) {
    std::vector<MemoryTiming::Id> open;
    for (std::uint64_t left = 1'000'001; left != 0;) {
      const std::uint64_t bytes = std::min<std::uint64_t>(left, 65'536);
      open.push_back(memory.submit({false, address, bytes}, now));
      address += bytes;
      left -= bytes;
    }
    for (const MemoryTiming::Id id : open) now = std::max(now, memory.wait_for(id));
    for (const MemoryTiming::Id id : open) memory.end(id);
  }
  // Each operand parts a channel for each of its 16 requests' ends; without joining all 128 are apart.
  EXPECT_LE(memory.distinct_channels(), 64U);
}

TEST(Shortcuts, ChannelsOfAFullStreamJoin) {
  DramParams of = params("hbm3", DramLevel::burst);
  of.map.stacks = 4;
  DramMemory memory(of);
  // The ends of each request part channels that are never at rest; without joining all 128 are apart.
  std::size_t least = memory.channels();
  std::uint64_t address = 0;
  TimePs now = 0;
  std::deque<MemoryTiming::Id> open;
  for (int k = 0; k < 4000; ++k, address += 60'000) {
    if (open.size() == 16) {
      now = std::max(now, memory.wait_for(open.front()));
      memory.end(open.front());
      open.pop_front();
    }
    open.push_back(memory.submit({false, address, 60'000}, now));
    if (k > 1000) least = std::min(least, memory.distinct_channels());
  }
  EXPECT_LE(least, 64U);
}

TEST(AddressMap, IsOneToOneAndSpreadsStrides) {
  for (const std::uint32_t stacks : std::initializer_list<std::uint32_t>{1U, 3U, 4U}) {
    const AddressMap map(dram_timing("hbm3"), {stacks, ""});
    std::vector<std::uint64_t> seen;
    for (std::uint64_t access = 0; access < 40'000; ++access) {
      const AddressMap::Location at = map.location(access * 64);
      seen.push_back(((std::uint64_t{at.channel} << 2 | at.visit.group(0)) << 2 | at.visit.bank) << 40 |
                     std::uint64_t{at.visit.row} << 16 | (access * 64 / 2) % 32);
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()) - seen.begin(), 40'000) << stacks;
    for (unsigned shift = 6; shift < 16; ++shift) {  // strides of a piece and more reach all channels
      std::vector<int> hits(map.channels());
      for (std::uint64_t k = 0; k < 64 * map.channels(); ++k) ++hits[map.location(k << shift).channel];
      EXPECT_LT(*std::max_element(hits.begin(), hits.end()), 4 * 64) << stacks << " stride 2^" << shift;
    }
  }
}

TEST(AddressMap, SaysWhatIsWrong) {
  const auto why = [](const std::string& text, std::uint32_t stacks = 1) {
    try {
      AddressMap(dram_timing("hbm3"), {stacks, text});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(why("row bank group channel column"), "taken");
  EXPECT_EQ(why("stack row bank group channel column", 4), "taken");
  EXPECT_NE(why("row bnak group channel column").find("no field 'bnak'"), std::string::npos);
  EXPECT_NE(why("row bank group column").find("lacks 5 bits of 'channel'"), std::string::npos);
  EXPECT_NE(why("row bank group channel column:6").find("column has 5 bits"), std::string::npos);
  EXPECT_NE(why("row bank group channel column", 3).find("power of two"), std::string::npos);
}

TEST(DramQueue, RefusesMarksThatDoNotFit) {
  DramParams of = params("hbm3", DramLevel::burst);
  of.queue.write_low = of.queue.write_high;
  EXPECT_THROW(DramMemory{of}, std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
