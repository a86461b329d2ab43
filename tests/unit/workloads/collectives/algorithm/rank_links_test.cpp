// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/rank_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "models/dimensional/dimensional_topology.h"
#include "models/mesh/mesh_topology.h"
#include "tests/support/groups.h"

namespace wafertlm {
namespace {

/// Another fabric that counts how often it is asked for a distance; may forget who the neighbours are.
class Asked final : public Topology {
 public:
  Asked(std::shared_ptr<const Topology> of, bool knows_neighbors)
      : Topology(of->ports()), of_(std::move(of)), knows_neighbors_(knows_neighbors) {}
  std::uint32_t npus() const override { return of_->npus(); }
  std::size_t links() const override { return of_->links(); }
  TopologyLink link(std::size_t number) const override { return of_->link(number); }
  std::string link_name(std::size_t number) const override { return of_->link_name(number); }
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override {
    of_->append_route(from, to, route);
  }
  TimePs head_latency_ps(NpuId from, NpuId to) const override { return of_->head_latency_ps(from, to); }
  std::uint32_t hops(NpuId from, NpuId to) const override {
    ++distances;
    return of_->hops(from, to);
  }
  std::optional<std::vector<NpuId>> neighbors(NpuId npu) const override {
    return knows_neighbors_ ? of_->neighbors(npu) : Topology::neighbors(npu);
  }
  mutable std::size_t distances = 0;

 private:
  std::shared_ptr<const Topology> of_;
  bool knows_neighbors_;
};

std::shared_ptr<const Topology> torus(std::uint32_t width, std::uint32_t height) {
  DimensionalParams params;
  params.dimensions =
      Dimensions(std::vector<FabricDimension>{{FabricDimension::Kind::ring, width, 2'000'000'000, 500},
                                              {FabricDimension::Kind::fully_connected, 2, 3'000'000'000, 600},
                                              {FabricDimension::Kind::line, height, 1'000'000'000, 700}});
  return std::make_shared<DimensionalTopology>(params);
}

std::shared_ptr<const Topology> mesh(std::uint32_t width, std::uint32_t height) {
  MeshParams params;
  params.width = width;
  params.height = height;
  params.link_bytes_per_s = 750'000'000'000;
  params.injection_bytes_per_s = params.ejection_bytes_per_s = 3'000'000'000'000;
  return std::make_shared<MeshTopology>(params);
}

using Links = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, TimePs>>;

Links links_between(const Group& group, const std::shared_ptr<const Topology>& topology) {
  FabricTraits fabric;
  fabric.topology = topology;
  Links links;
  if (const auto found = rank_links(group, fabric))
    for (const RankLinks::Link& link : found->links)
      links.emplace_back(link.from, link.to, link.bytes_per_s, link.latency_ps);
  return links;
}

TEST(RankLinks, OfALargeGroupAreThoseOfNeighborsWithoutLookingAtAllPairs) {
  std::mt19937_64 random(5);
  for (const auto& topology : {torus(20, 30), mesh(32, 24), torus(3, 100)}) {
    Group group = test::first_npus(topology->npus());
    for (int number = 0; number < 3; ++number) {
      const auto asked = std::make_shared<Asked>(topology, true);
      const Links links = links_between(group, asked);
      EXPECT_EQ(links, links_between(group, std::make_shared<Asked>(topology, false)));
      EXPECT_GT(links.size(), number == 0 ? 2 * group.size() : 0);
      EXPECT_LE(asked->distances, 12 * group.size()) << "two for each neighbour behind";
      std::shuffle(group.begin(), group.end(), random);
      if (number == 1) group.resize(group.size() * 9 / 10);
    }
  }
}

}  // namespace
}  // namespace wafertlm
