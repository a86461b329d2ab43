// SPDX-License-Identifier: Apache-2.0
// Collectives on the idle 5x4 wafer against closed forms that are computed here, from integers.
#include <gtest/gtest.h>

#include <cstdio>

#include "platform/collective/collective_run.h"
#include "platform/command/child.h"
#include "platform/config/load.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kLink = 750'000'000'000;
constexpr TimePs kHop = 20'000;

config::PlatformSpec platform(const std::vector<std::string>& overrides = {}) {
  return config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml",
                               overrides);
}

Group npus(std::initializer_list<std::uint32_t> list) {
  Group group;
  for (const std::uint32_t npu : list) group.push_back(static_cast<NpuId>(npu));
  return group;
}

Group whole_wafer() {
  Group group;
  for (std::uint32_t npu = 0; npu < 20; ++npu) group.push_back(static_cast<NpuId>(npu));
  return group;
}

/// One simulation, in a process of its own.
nlohmann::json outcome(const config::PlatformSpec& spec, const CollectiveRequest& request,
                       bool reverse = false) {
  return run_in_child([&]() -> nlohmann::json {
    const CollectiveResult result = run_collective(spec, request, "dp", reverse);
    return {{"time", result.time_ps},
            {"predicted", result.predicted_ps},
            {"bound", result.bound_ps},
            {"proven", result.proven}};
  });
}

const std::vector<std::string> kProof = {"run.functional=true", "run.checkers=true"};

TimePs message_ps(std::uint64_t bytes) {
  return (bytes * 1000 + kLink / 1'000'000'000 - 1) / (kLink / 1'000'000'000);
}

// A row of 5: the ring's edges are 0-1-2-3-4 (one hop each) and 4-0 (four hops), and no two flows share a
// link. After 2 * 4 = 8 steps the latencies of 8 edges in sequence have added up, the long one twice at
// worst: 2 * (4 * 1 + 4) - 0 hops for two rounds less two edges; the worst 8 of 10 leave out two short edges.
TEST(ExactCollectives, RingAllReduceOnAnIdleRow) {
  for (const std::uint64_t bytes : {std::uint64_t{20}, std::uint64_t{5} << 12, std::uint64_t{5} << 20}) {
    const auto result =
        outcome(platform(kProof), {CollectiveType::all_reduce, npus({0, 1, 2, 3, 4}), bytes, "ring", 1});
    const TimePs closed = 8 * message_ps(bytes / 5) + (2 * 8 - 2) * kHop;
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
      outcome(platform(kProof), {CollectiveType::all_reduce, whole_wafer(), bytes, "ring", 1});
  const TimePs closed = 38 * (message_ps(bytes / 20) + kHop);
  std::printf("wafer of 20, %lu B: %lu ps, closed form %lu ps\n", bytes, result["time"].get<TimePs>(),
              closed);
  EXPECT_EQ(result["time"].get<TimePs>(), closed);
}

TEST(ExactCollectives, APairExchangesHalves) {
  const std::uint64_t bytes = 1 << 20;
  const auto result = outcome(platform(kProof), {CollectiveType::all_reduce, npus({7, 8}), bytes, "ring", 1});
  EXPECT_EQ(result["time"].get<TimePs>(), 2 * (message_ps(bytes / 2) + kHop));
}

TEST(Collectives, HoldTheRightValuesOnEveryKindOfGroup) {
  const Group groups[] = {whole_wafer(), npus({5, 6, 7, 8, 9}),      npus({2, 7, 12, 17}),
                          npus({0, 19}), npus({17, 3, 8, 0, 11, 6}), npus({4})};
  std::size_t proven = 0;
  for (const CollectiveType type : kCollectiveTypes)
    for (const std::string& algorithm : algorithms_for(type))
      for (const Group& group : groups)
        for (const std::uint64_t bytes :
             {std::uint64_t{0}, std::uint64_t{4 * 1001}, std::uint64_t{256} << 10}) {
          const auto result = outcome(platform(kProof), {type, group, bytes, algorithm, 2});
          EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
          if (result["proven"].get<bool>()) ++proven;
        }
  std::printf("%zu collectives proven\n", proven);
  EXPECT_EQ(proven, 7U * 6 * 3);
}

TEST(Collectives, AreTheSameInAnyOrderOfConstructionAndWithCheckersOrValues) {
  const CollectiveRequest request{CollectiveType::all_to_all, whole_wafer(), std::uint64_t{1} << 20, "", 1};
  const auto plain = outcome(platform(), request);
  EXPECT_EQ(plain["time"], outcome(platform(), request, true)["time"]);
  EXPECT_EQ(plain["time"], outcome(platform(kProof), request)["time"]);
}

// Two rings leave an NPU through one injection port: the second one's first packet waits for the first one's,
// once, and never again. (When the buffer behind the port held two packets in all, both rings waited a credit
// delay per packet: 5.4 % at 256 KiB, 21 % at 64 KiB.)
TEST(Collectives, LargePacketsAgreeWithSmallOnes) {
  const CollectiveRequest request{CollectiveType::all_reduce, whole_wafer(), std::uint64_t{64} << 20, "", 1};
  const auto small = outcome(platform(), request)["time"].get<TimePs>();
  for (const std::uint64_t kib : {16U, 64U, 256U}) {
    const auto large =
        outcome(platform({"wafer.fabric.packet_bytes=" + std::to_string(kib) + "KiB"}), request)["time"]
            .get<TimePs>();
    std::printf("64 MiB all-reduce: packets of 4 KiB %lu ps, of %lu KiB %lu ps\n", small, kib, large);
    EXPECT_EQ(large - small, ((kib - 4) << 10) / 3);  // 3 TB/s
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
