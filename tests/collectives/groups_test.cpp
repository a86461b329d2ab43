// SPDX-License-Identifier: Apache-2.0
// Groups of 3D parallelism on the 5x4 wafer, all groups of a class at once.
#include <gtest/gtest.h>

#include <cstdio>

#include "platform/commands/collective/collective_setup.h"
#include "platform/host/child.h"
#include "platform/spec/load.h"

namespace wafertlm {
namespace {

struct Speed {
  double busbw;  // of the slowest group, GB/s
  std::size_t groups;
};

Speed speed_of(const std::string& type, const std::string& classes, const std::string& placement = "paper",
               const std::vector<std::string>& overrides = {}) {
  const config::PlatformSpec spec =
      config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml", overrides);
  CollectiveOptions options;
  options.type = type;
  options.parallelism = "MP(2)-DP(5)-PP(2)";
  options.traffic_class = classes;
  options.placement = placement;
  options.algorithm = classes == "dp" ? "ring" : "";
  const CollectiveSetup setup(spec, options);
  const std::uint64_t bytes = spec.run.functional ? 40'000 : 32 << 20;
  const auto result = run_in_child([&]() -> nlohmann::json {
    const CollectiveResult of =
        run_collectives(spec, [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); });
    return {{"time", of.time_ps}, {"groups", of.end_ps.size()}};
  });
  const Group& group = setup.lanes().front().groups.front();
  const double busbw = static_cast<double>(bytes) * 1000 / result["time"].get<double>() *
                       bus_factor(setup.type(), group.size());
  std::printf("%s, %s groups, %s: %.1f GB/s\n", type.c_str(), classes.c_str(), placement.c_str(), busbw);
  return {busbw, result["groups"].get<std::size_t>()};
}

// FRED paper, figure 9: 750 GB/s for the groups of MP and DP on the mesh, as logical rings. (Left to itself
// the planner takes a pipelined tree for a row of five, which uses both directions of its links: 1145 GB/s.)
TEST(Groups, OfMpAndDpReachALinksRate) {
  const Speed mp = speed_of("all_reduce", "mp");
  EXPECT_EQ(mp.groups, 10U);
  EXPECT_NEAR(mp.busbw, 750, 7.5);
  const Speed dp = speed_of("all_reduce", "dp");
  EXPECT_EQ(dp.groups, 4U);
  EXPECT_NEAR(dp.busbw, 750, 7.5);
}

// The same figure for PP: one NPU of a stage sends to the whole next stage.
TEST(Groups, OfPpReachALinksRateAsMulticasts) {
  const Speed pp = speed_of("broadcast", "pp", "paper", {"collectives.chunks=512"});
  EXPECT_EQ(pp.groups, 5U);
  EXPECT_NEAR(pp.busbw, 750, 7.5);
}

// As all-reduces they cannot: in every column two pairs exchange S in each direction over the one link
// between rows 1 and 2, and all columns do the same, so that no detour helps: 375 GB/s.
TEST(Groups, OfPpShareALinkAsAllReduces) {
  const Speed pp = speed_of("all_reduce", "pp");
  EXPECT_EQ(pp.groups, 10U);
  EXPECT_NEAR(pp.busbw, 375, 3.75);
}

TEST(Groups, OfSeveralClassesRunAtOnceWithTheRightValues) {
  for (const char* placement : {"paper", "contiguous", "row_major", "random"})
    EXPECT_EQ(
        speed_of("all_reduce", "mp,pp,dp", placement, {"run.functional=true", "run.checkers=true"}).groups,
        10U + 10 + 4);
}

TEST(Groups, ThatAreScatteredAreSlower) {
  EXPECT_LT(speed_of("all_reduce", "mp", "random").busbw, 0.9 * speed_of("all_reduce", "mp").busbw);
}

}  // namespace
}  // namespace wafertlm
