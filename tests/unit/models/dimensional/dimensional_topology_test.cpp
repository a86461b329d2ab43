// SPDX-License-Identifier: Apache-2.0
// The answers of a fabric of dimensions against its routes, walked link by link.
#include "models/dimensional/dimensional_topology.h"

#include <gtest/gtest.h>

#include "tests/support/topology_checks.h"

namespace wafertlm {
namespace {

TEST(DimensionalTopology, IsLikeItsRoutes) {
  std::mt19937_64 random(10);
  for (int number = 0; number < 40; ++number) {
    std::vector<FabricDimension> list;
    for (std::size_t count = 1 + random() % 3; count != 0; --count)
      list.push_back({static_cast<FabricDimension::Kind>(random() % 4),
                      1 + static_cast<std::uint32_t>(random() % 5), (1 + random() % 50) * 100'000'000'000ULL,
                      1 + random() % 5000, random() % 2 == 0});
    DimensionalParams params;
    params.dimensions = Dimensions(list);
    const DimensionalTopology topology(params);
    test::expect_like_its_routes(topology, random);
    for (std::uint32_t a = 0; a < topology.npus(); ++a)
      for (std::uint32_t b = 0; b < topology.npus(); ++b) {
        const std::vector<std::size_t> route = topology.route(static_cast<NpuId>(a), static_cast<NpuId>(b));
        TimePs latency = 0;
        for (const std::size_t link : route) latency += topology.link(link).head_ps;
        EXPECT_EQ(topology.hops(static_cast<NpuId>(a), static_cast<NpuId>(b)), route.size());
        EXPECT_EQ(topology.head_latency_ps(static_cast<NpuId>(a), static_cast<NpuId>(b)), latency);
      }
  }
}

TEST(DimensionalTopology, HalfWayRoundARing) {
  for (const bool up : {false, true}) {
    DimensionalParams params;
    params.dimensions = Dimensions({{FabricDimension::Kind::ring, 6, 1'000'000'000, 5, up}});
    const DimensionalTopology topology(params);
    std::string ways;
    for (std::uint32_t npu = 0; npu < 6; ++npu) {
      const std::size_t first = topology.route(NpuId{npu}, NpuId{(npu + 3) % 6}).front();
      ways += topology.link_name(first).substr(topology.link_name(first).find('_'));
    }
    EXPECT_EQ(ways, up ? "_next_next_next_next_next_next" : "_next_previous_next_previous_next_previous");
  }
}

}  // namespace
}  // namespace wafertlm
