// SPDX-License-Identifier: Apache-2.0
// A mesh's answers against its routes, walked link by link.
#include "models/mesh/mesh_topology.h"

#include <gtest/gtest.h>

#include "tests/support/topology_checks.h"

namespace wafertlm {
namespace {

std::uint32_t up_to(std::mt19937_64& random, std::uint32_t most) {
  return 1 + static_cast<std::uint32_t>(random() % most);
}

MeshParams random_mesh(std::mt19937_64& random) {
  MeshParams params;
  params.width = up_to(random, 6);
  params.height = up_to(random, 6);
  params.link_bytes_per_s = up_to(random, 50) * 100'000'000'000ULL;
  params.injection_bytes_per_s = up_to(random, 50) * 100'000'000'000ULL;
  params.ejection_bytes_per_s = up_to(random, 50) * 100'000'000'000ULL;
  params.injection_latency_ps = random() % 2000;
  params.router_pipeline_ps = random() % 5000;
  params.link_latency_ps = up_to(random, 20'000);
  for (std::uint32_t column = 0; column < params.width; ++column)
    if (random() % 2 != 0) params.io.push_back({static_cast<NpuId>(column), Side::north});
  if (random() % 2 != 0) params.vertical_link_bytes_per_s = up_to(random, 50) * 100'000'000'000ULL;
  return params;
}

TEST(MeshTopology, IsLikeItsRoutes) {
  std::mt19937_64 random(5);
  for (int number = 0; number < 40; ++number) {
    const MeshTopology mesh(random_mesh(random));
    test::expect_like_its_routes(mesh, random);
  }
}

// The way of a packet, step by step: X first.
TEST(MeshTopology, RoutesGoAlongTheRowFirst) {
  std::mt19937_64 random(6);
  for (int number = 0; number < 100; ++number) {
    const MeshTopology mesh(random_mesh(random));
    auto at = static_cast<std::uint32_t>(random() % mesh.npus());
    const auto to = static_cast<std::uint32_t>(random() % mesh.npus());
    const std::uint32_t w = mesh.geometry().width();
    const std::vector<std::size_t> route = mesh.route(static_cast<NpuId>(at), static_cast<NpuId>(to));
    EXPECT_EQ(route.size(), mesh.hops(static_cast<NpuId>(at), static_cast<NpuId>(to)));
    for (const std::size_t link : route) {
      const std::uint32_t next = at % w < to % w   ? at + 1
                                 : at % w > to % w ? at - 1
                                 : at < to         ? at + w
                                                   : at - w;
      EXPECT_EQ(mesh.link_name(link), "router" + std::to_string(at) + "->router" + std::to_string(next));
      at = next;
    }
    EXPECT_EQ(at, to);
  }
}

TEST(MeshTopology, DistancesInAGroupAreExact) {
  std::mt19937_64 random(7);
  for (int number = 0; number < 100; ++number)
    test::expect_exact_distances(MeshTopology(random_mesh(random)), random);
}

}  // namespace
}  // namespace wafertlm
