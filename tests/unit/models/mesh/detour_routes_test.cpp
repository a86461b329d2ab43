// SPDX-License-Identifier: Apache-2.0
// Routes around holes, against a breadth-first search over the links that work.
#include "models/mesh/detour_routes.h"

#include <gtest/gtest.h>

#include <random>

#include "models/mesh/mesh_topology.h"
#include "tests/support/topology_checks.h"

namespace wafertlm {
namespace {

MeshParams some_holes(std::mt19937_64& random, std::uint32_t least, std::uint32_t most) {
  const auto side = [&] { return least + static_cast<std::uint32_t>(random() % (most - least + 1)); };
  MeshParams mesh;
  mesh.width = side();
  mesh.height = side();
  mesh.link_bytes_per_s = 1'000'000'000;
  const MeshGeometry geometry(mesh.width, mesh.height);
  const std::uint64_t percent = random() % 21;
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    if (random() % 100 < percent) mesh.failed_routers.push_back(npu);
    for (const Direction to : {Direction::east, Direction::south})
      if (geometry.has_neighbor(npu, to) && random() % 100 < percent)
        (random() % 8 == 0 ? mesh.failed_ways : mesh.failed_links)
            .emplace_back(npu, geometry.neighbor(npu, to));
  }
  return mesh;
}

/// Links from every router to `to`; -1: none.
std::vector<int> distances_to(NpuId to, const MeshGeometry& geometry, const std::vector<bool>& dead) {
  std::vector<int> distance(geometry.npus(), -1);
  std::vector<NpuId> reached{to};
  distance[index_of(to)] = 0;
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (std::size_t link = 0; link < dead.size(); ++link) {
      if (dead[link]) continue;
      const auto from = static_cast<NpuId>(link / 4);
      if (geometry.neighbor(from, static_cast<Direction>(link % 4)) != reached[k]) continue;
      if (distance[index_of(from)] >= 0) continue;
      distance[index_of(from)] = distance[index_of(reached[k])] + 1;
      reached.push_back(from);
    }
  return distance;
}

/// The X-Y route crosses no dead link.
bool xy_works(NpuId from, NpuId to, const MeshGeometry& geometry, const std::vector<bool>& dead) {
  for (NpuId at = from; at != to;) {
    const Direction side = geometry.next_direction(at, to);
    if (dead[4 * index_of(at) + static_cast<std::size_t>(side)]) return false;
    at = geometry.neighbor(at, side);
  }
  return true;
}

TEST(DetourRoutes, ReachAllThatIsConnectedAndCannotDeadlock) {
  std::mt19937_64 random(1);
  double stretch = 0, pairs = 0;
  for (int number = 0; number < 300; ++number) {
    const MeshParams mesh = some_holes(random, 1, 9);
    const MeshGeometry geometry(mesh.width, mesh.height);
    const std::vector<bool> dead = dead_links(mesh, geometry);
    const DetourRoutes routes(geometry, dead);
    EXPECT_TRUE(routes.find_cycle().empty());
    for (std::uint32_t t = 0; t < geometry.npus(); ++t) {
      const auto to = static_cast<NpuId>(t);
      const std::vector<int> distance = distances_to(to, geometry, dead);
      for (std::uint32_t f = 0; f < geometry.npus(); ++f) {
        const auto from = static_cast<NpuId>(f);
        ASSERT_EQ(routes.is_xy(from, to), xy_works(from, to, geometry, dead));
        // Up*/down* needs links that work both ways.
        if (mesh.failed_ways.empty()) {
          ASSERT_EQ(routes.reaches(from, to), distance[f] >= 0) << number;
        }
        if (!routes.reaches(from, to)) continue;
        ASSERT_GE(routes.hops(from, to), distance[f]);
        int hops = 0;
        for (NpuId at = from; at != to; ++hops) {
          const Direction side = routes.next(at, from, to);
          ASSERT_FALSE(dead[4 * index_of(at) + static_cast<std::size_t>(side)]);
          at = geometry.neighbor(at, side);
        }
        ASSERT_EQ(hops, routes.hops(from, to));
        if (distance[f] == 0) continue;
        stretch += static_cast<double>(hops) / distance[f];
        ++pairs;
      }
    }
  }
  EXPECT_LE(stretch / pairs, 1.10);
}

TEST(DetourRoutes, SayThatThereIsNone) {
  MeshParams mesh;
  mesh.width = 3;
  mesh.height = 1;
  mesh.failed_routers = {NpuId{1}};
  const MeshGeometry geometry(3, 1);
  const DetourRoutes routes(geometry, dead_links(mesh, geometry));
  EXPECT_FALSE(routes.reaches(NpuId{0}, NpuId{2}));
  EXPECT_EQ(routes.hops(NpuId{0}, NpuId{2}), 2U);  // X-Y, which the fabric refuses
}

TEST(MeshTopology, IsLikeItsRoutesAroundHoles) {
  std::mt19937_64 random(7);
  int whole = 0;
  for (int number = 0; number < 100; ++number) {
    MeshParams params = some_holes(random, 2, 6);
    params.failed_routers.clear();
    params.router_pipeline_ps = random() % 5000;
    const MeshTopology mesh(params);
    bool all = mesh.detours() != nullptr;
    for (std::uint32_t n = 0; all && n < mesh.npus(); ++n)
      all = mesh.detours()->reaches(NpuId{0}, static_cast<NpuId>(n)) &&
            mesh.detours()->reaches(static_cast<NpuId>(n), NpuId{0});
    if (!all) continue;
    ++whole;
    test::expect_like_its_routes(mesh, random);
  }
  EXPECT_GT(whole, 20);
}

}  // namespace
}  // namespace wafertlm
