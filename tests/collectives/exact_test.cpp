// SPDX-License-Identifier: Apache-2.0
// Collectives on the idle 5x4 wafer against closed forms that are computed here, from integers.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

using test::npus;
using test::outcome;
using test::platform;
using test::whole_wafer;

constexpr std::uint64_t kLinkRate = 750'000'000'000;
constexpr TimePs kHopPs = 20'000;

TimePs message_ps(std::uint64_t bytes) {
  return (bytes * 1000 + kLinkRate / 1'000'000'000 - 1) / (kLinkRate / 1'000'000'000);
}

// A row of 5: the ring's edges are 0-1-2-3-4 (one hop each) and 4-0 (four hops), and no two flows share a
// link. After 2 * 4 = 8 steps the latencies of 8 edges in sequence have added up, the long one twice at
// worst: 2 * (4 * 1 + 4) - 0 hops for two rounds less two edges; the worst 8 of 10 leave out two short edges.
TEST(ExactCollectives, RingAllReduceOnAnIdleRow) {
  for (const std::uint64_t bytes : {std::uint64_t{20}, std::uint64_t{5} << 12, std::uint64_t{5} << 20}) {
    const auto result = outcome(platform(test::kProof),
                                {CollectiveType::all_reduce, npus({0, 1, 2, 3, 4}), bytes, "ring", 1});
    const TimePs closed = 8 * message_ps(bytes / 5) + (2 * 8 - 2) * kHopPs;
    std::printf("row of 5, %8lu B: %lu ps, closed form %lu ps\n", bytes, result["time"].get<TimePs>(),
                closed);
    EXPECT_EQ(result["time"].get<TimePs>(), closed);
    EXPECT_EQ(result["predicted"].get<TimePs>(), closed);
    EXPECT_TRUE(result["proven"].get<bool>());
  }
}

// The whole wafer: 20 NPUs in a cycle of neighbours, one hop an edge: 2 * 19 steps.
TEST(ExactCollectives, RingAllReduceOnTheWholeWafer) {
  const std::uint64_t bytes = std::uint64_t{20} << 16;
  const auto result =
      outcome(platform(test::kProof), {CollectiveType::all_reduce, whole_wafer(), bytes, "ring", 1});
  const TimePs closed = 38 * (message_ps(bytes / 20) + kHopPs);
  std::printf("wafer of 20, %lu B: %lu ps, closed form %lu ps\n", bytes, result["time"].get<TimePs>(),
              closed);
  EXPECT_EQ(result["time"].get<TimePs>(), closed);
}

TEST(ExactCollectives, APairExchangesHalves) {
  const std::uint64_t bytes = 1 << 20;
  const auto result =
      outcome(platform(test::kProof), {CollectiveType::all_reduce, npus({7, 8}), bytes, "ring", 1});
  EXPECT_EQ(result["time"].get<TimePs>(), 2 * (message_ps(bytes / 2) + kHopPs));
}

// From the end of a row, a chain: chunk after chunk over 4 hops, a chunk behind per hop.
TEST(ExactCollectives, PipelinedTreeOnAnIdleRow) {
  const Group row = npus({5, 6, 7, 8, 9});
  for (const std::uint32_t chunks : {1U, 4U, 16U}) {
    const std::uint64_t bytes = std::uint64_t{3} << 16;
    const TimePs chain = (4 - 1 + chunks) * message_ps(bytes / chunks) + 4 * kHopPs;
    for (const CollectiveType type : {CollectiveType::broadcast, CollectiveType::reduce}) {
      const auto result = outcome(platform(test::kProof), {type, row, bytes, "tree", chunks, 0});
      EXPECT_EQ(result["time"].get<TimePs>(), chain) << to_string(type) << ", chunks " << chunks;
      EXPECT_EQ(result["predicted"].get<TimePs>(), chain);
    }
    // Up and down again: 8 levels.
    const auto both =
        outcome(platform(test::kProof), {CollectiveType::all_reduce, npus({0, 1, 2}), bytes, "tree", chunks});
    EXPECT_EQ(both["predicted"].get<TimePs>(), (2 - 1 + chunks) * message_ps(bytes / chunks) + 2 * kHopPs);
    EXPECT_GE(both["time"].get<TimePs>(), both["predicted"].get<TimePs>());
  }
}

// Blocks of 16 KiB over a chain of 4 hops: the last of 4 leaves the first link after 4 of them.
TEST(ExactCollectives, GatherAndScatterAlongAnIdleRow) {
  const std::uint64_t bytes = std::uint64_t{5} * 3 << 12;
  const TimePs closed = 4 * message_ps(bytes / 5) + 4 * kHopPs;
  for (const CollectiveType type : {CollectiveType::gather, CollectiveType::scatter}) {
    const auto result = outcome(platform(test::kProof), {type, npus({5, 6, 7, 8, 9}), bytes, "tree", 1, 0});
    EXPECT_EQ(result["time"].get<TimePs>(), closed) << to_string(type);
    EXPECT_EQ(result["predicted"].get<TimePs>(), closed);
  }
}

TEST(ExactCollectives, APairAlone) {
  const std::uint64_t bytes = std::uint64_t{3} << 18;
  const Group pair = npus({7, 8});
  const auto time = [&](CollectiveType type, const char* algorithm) {
    const auto result = outcome(platform(test::kProof), {type, pair, bytes, algorithm, 1});
    EXPECT_EQ(result["time"], result["predicted"]) << to_string(type) << " as " << algorithm;
    return result["time"].get<TimePs>();
  };
  const TimePs half = message_ps(bytes / 2) + kHopPs, whole = message_ps(bytes) + kHopPs;
  EXPECT_EQ(time(CollectiveType::all_to_all, "direct"), half);
  EXPECT_EQ(time(CollectiveType::all_gather, "direct"), half);
  EXPECT_EQ(time(CollectiveType::reduce_scatter, "direct"), half);
  EXPECT_EQ(time(CollectiveType::all_reduce, "direct"), 2 * half);
  EXPECT_EQ(time(CollectiveType::all_reduce, "halving_doubling"), 2 * half);
  EXPECT_EQ(time(CollectiveType::all_gather, "halving_doubling"), half);
  EXPECT_EQ(time(CollectiveType::broadcast, "direct"), whole);
  EXPECT_EQ(time(CollectiveType::reduce, "direct"), whole);
  EXPECT_EQ(time(CollectiveType::gather, "direct"), half);
  EXPECT_EQ(time(CollectiveType::scatter, "direct"), half);
}

// Up and down again; 4 B take 6 ps per hop.
TEST(ExactCollectives, BarrierOnARow) {
  const auto result = outcome(platform(test::kProof), {CollectiveType::barrier, npus({0, 1}), 0, "tree", 1});
  EXPECT_EQ(result["time"].get<TimePs>(), 2 * (message_ps(4) + kHopPs));
  EXPECT_EQ(result["predicted"], result["time"]);
}

TEST(Collectives, AreTheSameInAnyOrderOfConstructionAndWithCheckersOrValues) {
  const CollectiveRequest request{CollectiveType::all_to_all, whole_wafer(), std::uint64_t{1} << 20, "", 1};
  const auto plain = outcome(platform(), request);
  EXPECT_EQ(plain["time"], outcome(platform(), request, true)["time"]);
  EXPECT_EQ(plain["time"], outcome(platform(test::kProof), request)["time"]);
}

// Two rings leave an NPU through one injection port: the second one's first packet waits for the first one's,
// once, and never again. (When the buffer behind the port held two packets in all, both rings waited a credit
// delay per packet: 5.4 % at 256 KiB, 21 % at 64 KiB.)
TEST(Collectives, LargePacketsAgreeWithSmallOnes) {
  const CollectiveRequest request{CollectiveType::all_reduce, whole_wafer(), std::uint64_t{64} << 20,
                                  "bidirectional_ring", 1};
  const auto small = outcome(platform(), request)["time"].get<TimePs>();
  for (const std::uint64_t kib : {16U, 64U, 256U}) {
    const auto large =
        outcome(platform({"wafer.fabric.packet_bytes=" + std::to_string(kib) + "KiB"}), request)["time"]
            .get<TimePs>();
    std::printf("64 MiB all-reduce: packets of 4 KiB %lu ps, of %lu KiB %lu ps\n", small, kib, large);
    EXPECT_EQ(large - small, ((kib - 4) << 10) / 3);  // 3 TB/s
  }
}

TEST(Collectives, LargePacketsAgreeWithSmallOnesInHierarchicalPhases) {
  const CollectiveRequest request{CollectiveType::all_reduce, whole_wafer(), std::uint64_t{64} << 20,
                                  "hierarchical_2d", 16};
  const auto small = outcome(platform(), request)["time"].get<double>();
  for (const std::string kib : {"16KiB", "64KiB", "256KiB"}) {
    const auto large = outcome(platform({"wafer.fabric.packet_bytes=" + kib}), request)["time"].get<double>();
    std::printf("64 MiB all-reduce: packets of %s take %.3f %% longer\n", kib.c_str(),
                100 * (large / small - 1));
    EXPECT_NEAR(large, small, 0.02 * small);
  }
}

TEST(Collectives, ATopologyThatChangesChangesTheAnswer) {
  const CollectiveRequest request{CollectiveType::all_reduce, whole_wafer(), std::uint64_t{16} << 20, "", 1};
  const auto base = outcome(platform(), request)["time"].get<double>();
  const auto slow = outcome(platform({"wafer.fabric.link_bandwidth=375GB/s"}), request)["time"].get<double>();
  EXPECT_NEAR(slow / base, 2, 0.05);
}

}  // namespace
}  // namespace wafertlm
