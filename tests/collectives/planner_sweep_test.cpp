// SPDX-License-Identifier: Apache-2.0
// The planner's choice against all algorithms, simulated: `fastest` is within 3 % of the best (through the
// memories, where messages wait for each other's accesses: 15 %). With WAFERTLM_CASES=2 all types and sizes.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/collectives/simulated.h"
#include "tests/support/random_cases.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

struct SweptWafer {
  std::uint32_t width, height;
  const char* memory;
};

class PlannerSweep : public testing::TestWithParam<SweptWafer> {};

TEST_P(PlannerSweep, ChoosesNearTheBest) {
  const SweptWafer& on = GetParam();
  const config::PlatformSpec spec =
      test::platform({"wafer.width=" + std::to_string(on.width), "wafer.height=" + std::to_string(on.height),
                      std::string("npu.endpoint.memory=") + on.memory, "wafer.fabric.packet_bytes=16KiB"});
  const FabricTraits fabric = platform_traits(spec);
  Group all, row, column;
  for (std::uint32_t npu = 0; npu < on.width * on.height; ++npu) all.push_back(static_cast<NpuId>(npu));
  for (std::uint32_t x = 0; x < on.width; ++x) row.push_back(static_cast<NpuId>(x));
  for (std::uint32_t y = 0; y < on.height; ++y) column.push_back(static_cast<NpuId>(y * on.width));
  const std::vector<Group> groups{all, row, column, test::npus({0, 1}), test::npus({0, 3, 6, 9, 13, 19})};
  double worst = 0;
  const bool thorough = test::random_cases(1, 1) > 1, small = on.width * on.height <= 20;
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter,
        CollectiveType::broadcast, CollectiveType::reduce, CollectiveType::gather, CollectiveType::scatter})
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const std::uint64_t bytes :
           {std::uint64_t{1} << 12, std::uint64_t{1} << 18, std::uint64_t{1} << 22}) {
        if (!thorough && bytes == 1 << 18) continue;
        if (!thorough && !small && type != CollectiveType::all_reduce && type != CollectiveType::broadcast)
          continue;
        CollectiveRequest request{type, groups[g], bytes, "", 0};
        request.algorithm = kFastest;
        const CollectiveRequest chosen = settled(request, fabric);
        const auto time = test::outcome(spec, chosen)["time"].get<TimePs>();
        TimePs best = time;
        std::string winner = chosen.algorithm;
        for (const std::string& name : algorithms_for(type, request.group, fabric)) {
          request.algorithm = name;
          const TimePs with = test::outcome(spec, request)["time"].get<TimePs>();
          if (with < best) {
            best = with;
            winner = name;
          }
        }
        const double ratio = static_cast<double>(time) / static_cast<double>(best);
        worst = std::max(worst, ratio);
        EXPECT_LE(ratio, spec.npu.endpoint.memory == config::EndpointMemory::free ? 1.03 : 1.15)
            << to_string(type) << ", group " << g << ", " << bytes << " B: " << chosen.algorithm
            << " instead of " << winner;
      }
  std::printf("%ux%u, memory %s: at worst %.3f of the best\n", on.width, on.height, on.memory, worst);
}

INSTANTIATE_TEST_SUITE_P(Wafers, PlannerSweep,
                         testing::Values(SweptWafer{5, 4, "free"}, SweptWafer{5, 4, "hbm"},
                                         SweptWafer{8, 8, "free"}, SweptWafer{8, 8, "hbm"}),
                         [](const testing::TestParamInfo<SweptWafer>& tested) {
                           return std::string("of_") + std::to_string(tested.param.width) + "x" +
                                  std::to_string(tested.param.height) + "_" + tested.param.memory;
                         });

// Chunk counts of hierarchical_2d: what its prediction says is best is within 8 % of the best.
TEST(Chunks, OfHierarchicalAreNearTheBest) {
  const config::PlatformSpec spec = test::platform({"wafer.fabric.packet_bytes=16KiB"});
  const FabricTraits fabric = platform_traits(spec);
  for (const std::uint64_t mib : {1U, 2U, 4U, 8U}) {
    CollectiveRequest request{CollectiveType::all_reduce, test::whole_wafer(), mib << 20, "hierarchical_2d",
                              0};
    const std::uint32_t chosen = settled(request, fabric).chunks;
    TimePs best = kNever, time = 0;
    for (request.chunks = 1; request.chunks <= 64; request.chunks *= 2) {
      const auto result = test::outcome(spec, request);
      const auto with = result["time"].get<TimePs>();
      EXPECT_NEAR(result["predicted"].get<double>() / static_cast<double>(with), 1, 0.08)
          << mib << " MiB, chunks " << request.chunks;
      if (request.chunks == chosen) time = with;
      best = std::min(best, with);
    }
    std::printf("%lu MiB: chunks %u, %.3f of the best\n", mib, chosen,
                static_cast<double>(time) / static_cast<double>(best));
    EXPECT_LE(time, best + best / 100 * 8);
  }
}

}  // namespace
}  // namespace wafertlm
