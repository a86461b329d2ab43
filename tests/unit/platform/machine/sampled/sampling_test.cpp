// SPDX-License-Identifier: Apache-2.0
// Sampling around endpoints whose times are drawn at random, so that it is known what it should find.
#include "platform/machine/sampled/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <set>

#include "tests/support/random_cases.h"

namespace wafertlm::test {
namespace {

using Kind = TransferPart::Kind;

/// Endpoints that take `time(part)`, and what ends when.
class World {
 public:
  using Time = std::function<TimePs(const TransferPart&)>;
  World(std::uint32_t endpoints, std::uint64_t seed, Time time)
      : sampling(endpoints, endpoints, seed), time_(std::move(time)) {
    for (std::uint32_t k = 0; k < endpoints; ++k) ends_.push_back(std::make_unique<End>(*this));
  }

  void begin(const TransferPart& part) {
    const std::uint64_t number = sampling.take_number();
    parts_[number] = part;
    sampling.begin(part, *ends_[index_of(part.at)], number, now);
  }
  /// Until nothing is under way any more.
  void finish() {
    while (!due_.empty()) step();
  }
  void step() {
    const auto [at, number] = due_.top();
    due_.pop();
    now = at;
    ++ended;
    sampling.ended(number, now);
  }

  Sampling sampling;
  TimePs now = 0;
  std::uint64_t passed = 0, ended = 0;

 private:
  struct End final : SampledEndpoint {
    explicit End(World& of) : world(of) {}
    void pass_on(std::uint64_t number) override {
      ++world.passed;
      world.due_.emplace(world.now + world.time_(world.parts_[number]), number);
    }
    void end_at(std::uint64_t number, TimePs at) override { world.due_.emplace(at, number); }
    World& world;
  };
  using Due = std::pair<TimePs, std::uint64_t>;
  Time time_;
  std::vector<std::unique_ptr<End>> ends_;
  std::map<std::uint64_t, TransferPart> parts_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

TransferPart load(std::uint64_t bytes = 1) {
  TransferPart part;
  part.kind = Kind::load;
  part.bytes = bytes;
  return part;
}

TransferPart message(Kind kind, std::uint64_t tag) {
  TransferPart part;
  part.kind = kind;
  part.at = static_cast<NpuId>(kind == Kind::receive ? 1 : 0);
  part.peer = static_cast<NpuId>(kind == Kind::receive ? 0 : 1);
  part.tag = tag;
  part.bytes = 1;
  return part;
}

CollectiveProgram program(CollectiveType type, std::uint32_t ranks) {
  CollectiveProgram made;
  made.type = type;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) made.group.push_back(static_cast<NpuId>(rank));
  return made;
}

TransferPart collective(const CollectiveProgram& of, std::uint64_t id, std::uint32_t rank) {
  TransferPart part;
  part.program = &of;
  part.id = id;
  part.rank = rank;
  part.at = of.group[rank];
  return part;
}

TEST(Sampling, PlaysWhatIsKnown) {
  World world(1, 1, [](const TransferPart&) { return TimePs{1000}; });
  for (int k = 0; k < 100; ++k) {
    world.begin(load());
    world.finish();
  }
  EXPECT_EQ(world.now, 100'000U);
  const SampledCounts counts = world.sampling.counts();
  EXPECT_EQ(counts.played + counts.simulated, 100U);
  EXPECT_EQ(counts.simulated, world.passed);
  EXPECT_GE(world.passed, TransferClass::kLeast);
  EXPECT_GE(counts.played, 50U);
  EXPECT_EQ(counts.classes, 1U);
  EXPECT_EQ(world.sampling.shares(NpuId{0}, 0)[Sampling::kMemory].played,
            1000.0 * static_cast<double>(counts.played));
  EXPECT_EQ(world.sampling.shares(NpuId{0}, 1)[Sampling::kMemory].played, 0);
}

TEST(Sampling, SimulatesWhatItDoesNotKnow) {
  World world(1, 1, [](const TransferPart& part) { return part.bytes; });
  for (int k = 1; k < 100; ++k) {
    world.begin(load(static_cast<std::uint64_t>(k)));
    world.finish();
  }
  EXPECT_EQ(world.sampling.counts().played, 0U);
  EXPECT_EQ(world.passed, 99U);
  EXPECT_EQ(world.sampling.relative_half_width(), 0);
}

TEST(Sampling, AsksForMoreOfWhatVariesMore) {
  const auto passed = [](std::uint64_t spread) {
    std::mt19937_64 random(7);
    World world(1, 1, [&](const TransferPart&) { return 10'000 - spread + random() % (2 * spread + 1); });
    for (int k = 0; k < 200; ++k) {
      world.begin(load());
      world.finish();
    }
    return world.passed;
  };
  EXPECT_LT(passed(0), 60U);
  EXPECT_GT(passed(3000), 190U);  // all the time is transfers': their mean must be known to 0.25 %
}

// All time is that of loads: the sum of what was played is within its half-width in at least 93 of 100 runs.
TEST(Sampling, IntervalsHoldTheMean) {
  const int runs = random_cases(100, 10);
  int within = 0;
  double widest = 0;
  for (int run = 0; run < runs; ++run) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run));
    World world(1, static_cast<std::uint64_t>(run),
                [&](const TransferPart&) { return 99'000 + random() % 2001; });
    constexpr int kLoads = 5000;
    for (int k = 0; k < kLoads; ++k) {
      world.begin(load());
      world.finish();
    }
    EXPECT_LT(world.passed, kLoads / 5);
    const double half_width =
        world.sampling.half_width_ps(world.sampling.shares(NpuId{0}, 0)[Sampling::kMemory]);
    const double mean = 100'000.0 * kLoads;
    within += std::abs(static_cast<double>(world.now) - mean) <= half_width;
    widest = std::max(widest, half_width / mean);
  }
  EXPECT_GE(within * 100, 93 * runs);
  EXPECT_LE(widest, 0.005);
}

TEST(Sampling, EndsARunThatChanges) {
  TimePs time = 1000;
  World world(1, 1, [&](const TransferPart&) { return time; });
  const auto loads = [&](int count) {
    for (int k = 0; k < count; ++k) {
      world.begin(load());
      world.finish();
    }
  };
  loads(3000);
  time = 1500;  // what is played goes on to take 1000
  try {
    loads(10'000);
    FAIL() << "no audit found it";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("run.acceleration: exact"), std::string::npos) << error.what();
  }
}

// Whoever is late, all end after the last one; what runs beside makes another class.
TEST(Sampling, PlaysACollectiveFromItsLastEntry) {
  const CollectiveProgram all = program(CollectiveType::all_reduce, 2);
  World world(2, 1, [](const TransferPart& part) { return 1000 + 100 * part.rank; });
  std::uint64_t id = 0;
  const auto run = [&](TimePs skew) {
    ++id;
    const std::uint64_t passed = world.passed;
    const TimePs begin = world.now;
    world.begin(collective(all, id, 0));
    world.now += skew;
    world.begin(collective(all, id, 1));
    world.finish();
    EXPECT_EQ(world.now - begin, skew + 1100);
    return world.passed == passed;
  };
  while (!run(0)) ASSERT_LT(id, 20U);
  EXPECT_GE(id, TransferClass::kLeast);
  EXPECT_TRUE(run(500));
  EXPECT_GT(world.sampling.collective_half_width_ps(id), 0);
  EXPECT_EQ(world.sampling.collective_half_width_ps(1), 0);
  EXPECT_EQ(world.sampling.counts().classes, 1U);
  world.begin(load());
  world.begin(collective(all, ++id, 0));
  world.begin(collective(all, id, 1));
  world.finish();
  EXPECT_GE(world.sampling.counts().classes, 3U);
  EXPECT_EQ(world.sampling.collective_half_width_ps(id), 0);
}

TEST(Sampling, DoesNotPlayWhatMayEndEarly) {
  const CollectiveProgram rooted = program(CollectiveType::broadcast, 2);
  World world(2, 1, [](const TransferPart&) { return TimePs{1000}; });
  for (std::uint64_t id = 1; id < 30; ++id) {
    world.begin(collective(rooted, id, 0));
    world.begin(collective(rooted, id, 1));
    world.finish();
  }
  EXPECT_EQ(world.sampling.counts().played, 0U);

  const CollectiveProgram all = program(CollectiveType::all_to_all, 2);
  for (std::uint64_t id = 30; id < 60; ++id) {
    world.begin(collective(all, id, 0));
    world.finish();  // it did not wait
    world.begin(collective(all, id, 1));
    world.finish();
  }
  EXPECT_EQ(world.sampling.counts().played, 0U);
}

TEST(Sampling, PlaysMessagesFromTheirSend) {
  World world(2, 1, [](const TransferPart& part) { return part.kind == Kind::send ? 700 : 1000; });
  std::uint64_t tag = 0;
  for (; world.sampling.counts().played == 0; ++tag) {
    ASSERT_LT(tag, 30U);
    world.begin(message(Kind::receive, tag));
    world.begin(message(Kind::send, tag));
    const TimePs begin = world.now;
    world.finish();
    EXPECT_EQ(world.now - begin, 1000U);
  }
  // The receive comes when the message is there: it ends at once.
  world.begin(message(Kind::send, tag));
  world.finish();
  world.now += 5000;
  const TimePs begin = world.now;
  const std::uint64_t passed = world.passed;
  world.begin(message(Kind::receive, tag));
  world.finish();
  EXPECT_EQ(world.now, begin);
  EXPECT_EQ(world.passed, passed);
}

// What is simulated beside what is played misses its traffic: it is no recording, and counts as uncertain.
TEST(Sampling, MeasuresOnlyWhatRunsAmongSimulatedTraffic) {
  World world(1, 3, [](const TransferPart& part) { return part.bytes; });
  while (world.sampling.counts().played == 0) {
    world.begin(load(1000));
    world.finish();
  }
  const std::uint64_t played = world.sampling.counts().played;
  world.begin(load(1000));
  ASSERT_EQ(world.sampling.counts().played, played + 1);
  world.begin(load(800));  // unknown
  world.finish();
  EXPECT_EQ(world.sampling.counts().uncertain, 1U);
  EXPECT_GT(world.sampling.shares(NpuId{0}, 0)[Sampling::kMemory].uncertain, 0);
  // Now everything is simulated for a while.
  world.begin(load(1000));
  EXPECT_EQ(world.sampling.counts().played, played + 1);
  world.finish();
}

TEST(Sampling, CountsByPeriod) {
  World world(1, 1, [](const TransferPart&) { return TimePs{1000}; });
  for (int k = 0; k < 40; ++k) {
    if (k == 20) world.sampling.next_period(NpuId{0});
    world.begin(load());
    world.finish();
  }
  const double first = world.sampling.shares(NpuId{0}, 0)[Sampling::kMemory].played,
               second = world.sampling.shares(NpuId{0}, 1)[Sampling::kMemory].played;
  EXPECT_GT(second, first);
  EXPECT_EQ(first + second, 1000.0 * static_cast<double>(world.sampling.counts().played));
}

}  // namespace
}  // namespace wafertlm::test
