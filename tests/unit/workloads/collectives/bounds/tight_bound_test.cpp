// SPDX-License-Identifier: Apache-2.0
// Bounds of fabrics with what makes them.
#include "workloads/collectives/bounds/tight_bound.h"

#include <gtest/gtest.h>

#include "models/graph/graph_topology.h"
#include "models/mesh/mesh_topology.h"
#include "tests/support/groups.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/cost.h"

namespace wafertlm::bounds {
namespace {

CollectiveRequest request_of(CollectiveType type, std::uint32_t npus, std::uint64_t bytes) {
  CollectiveRequest request;
  request.type = type;
  request.group = test::first_npus(npus);
  request.bytes = bytes;
  return request;
}

/// Four NPUs on a switch, 100 GB/s out and 50 GB/s in.
FabricTraits star() {
  std::vector<FabricGraph::Vertex> vertices{{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"switch", 0}};
  std::vector<FabricGraph::Link> links;
  for (std::uint32_t npu = 0; npu < 4; ++npu) {
    links.push_back({npu, 4, 100'000'000'000, 1000});
    links.push_back({4, npu, 50'000'000'000, 1000});
  }
  FabricTraits traits;
  traits.topology = std::make_shared<GraphTopology>(
      std::make_shared<const FabricGraph>(4, std::move(vertices), std::move(links)));
  return traits;
}

// 31 / 19 links of 750 GB/s (reference synthesis.md): 2^28 B · 19 / (31 · 750 GB/s), rounded down.
TEST(TightBound, OfAnAllReduceOnAMeshIsItsStrength) {
  const auto tight = tight_bound(request_of(CollectiveType::all_reduce, 20, 1 << 28), test::wafer_of(5, 4));
  ASSERT_TRUE(tight);
  EXPECT_EQ(tight->sets->kind, TightSets::Kind::partition);
  EXPECT_EQ(tight->sets->parts, 20U);
  EXPECT_EQ(tight->sets->links.size(), 62U);
  EXPECT_FALSE(tight->sets->has_relays);
  EXPECT_EQ(tight->time_ps, 219'366'609U);
  EXPECT_EQ(tight->graph->link_name(tight->sets->links.front()), "router0->router1");
}

// A corner: 19 of 20 blocks through two links, 19 MB / 1.5 TB/s.
TEST(TightBound, OfAnAllGatherOnAMeshIsACorner) {
  for (const CollectiveType type : {CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
    const auto tight = tight_bound(request_of(type, 20, 20'000'000), test::wafer_of(5, 4));
    ASSERT_TRUE(tight);
    EXPECT_EQ(tight->sets->kind, TightSets::Kind::cut);
    EXPECT_EQ(tight->sets->links.size(), 2U);
    EXPECT_EQ(tight->time_ps, 12'666'666U);
  }
}

// Each of 2 (4 - 1) vectors of an all-reduce goes out of a part and into one: 12 over 4 · 150 GB/s. One into
// an NPU, over 50 GB/s, takes as long.
TEST(TightBound, OfASwitchKnowsThatItOnlyPassesOn) {
  const FabricTraits traits = star();
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::broadcast, CollectiveType::reduce}) {
    const auto tight = tight_bound(request_of(type, 4, 50'000), traits);
    ASSERT_TRUE(tight);
    EXPECT_EQ(tight->time_ps, 1'000'000U) << to_string(type);
  }
}

TEST(TightBound, IsNoneWhereThereIsNone) {
  const FabricTraits mesh = test::wafer_of(5, 4);
  EXPECT_FALSE(tight_bound(request_of(CollectiveType::gather, 20, 1000), mesh));
  EXPECT_FALSE(tight_bound(request_of(CollectiveType::all_reduce, 20, 0), mesh));
  EXPECT_FALSE(tight_bound(request_of(CollectiveType::all_reduce, 1, 1000), mesh));
}

// Sets are kept by fabric: another one at the same place in memory has its own.
TEST(TightBound, IsThatOfTheTopologyThatIsAsked) {
  for (int again = 0; again < 3; ++again)
    for (const std::uint32_t side : {2U, 3U, 4U}) {
      const auto tight = tight_bound(request_of(CollectiveType::all_reduce, side * side, 1'500'000),
                                     test::wafer_of(side, side));
      const std::uint64_t links = 2 * side * (side - 1), npus = side * side;
      EXPECT_EQ(tight->time_ps, 2'000'000U * (npus - 1) / links) << side;
    }
}

/// Bytes of all pairs over their distance, by Floyd and Warshall's algorithm.
void expect_lengths_certified(const CollectiveRequest& request, const TightBound& tight) {
  const TightSets& sets = *tight.sets;
  const LinkGraph& graph = *tight.graph;
  const std::size_t vertices = graph.vertices.size();
  std::vector<std::vector<std::uint64_t>> apart(vertices, std::vector<std::uint64_t>(vertices, 1U << 30));
  std::vector<std::uint64_t> lengths(graph.links.size(), 0);
  Uint128 rate = 0, distance = 0;
  for (std::size_t k = 0; k < sets.links.size(); ++k) {
    lengths[sets.links[k]] = sets.lengths[k];
    rate += Uint128{sets.lengths[k]} * graph.links[sets.links[k]].bytes_per_s;
  }
  for (std::size_t link = 0; link < graph.links.size(); ++link) {
    std::uint64_t& between = apart[graph.links[link].from][graph.links[link].to];
    between = std::min(between, lengths[link]);
  }
  for (std::size_t over = 0; over < vertices; ++over)
    for (std::size_t from = 0; from < vertices; ++from)
      for (std::size_t to = 0; to < vertices; ++to)
        apart[from][to] = std::min(apart[from][to], apart[from][over] + apart[over][to]);
  for (const NpuId from : request.group)
    for (const NpuId to : request.group)
      if (from != to) distance += apart[index_of(from)][index_of(to)];
  const std::uint64_t block = Blocks(request.bytes, request.group.size()).bytes(request.group.size() - 1);
  EXPECT_TRUE(rate == sets.bytes_per_s);
  EXPECT_TRUE(tight.bytes == distance * block);
  EXPECT_EQ(tight.time_ps, at_least_ps(tight.bytes, rate));
}

/// The certificate by itself: who must send over its links, counted from the definition.
void expect_certified(const CollectiveRequest& request, const TightBound& tight) {
  const TightSets& sets = *tight.sets;
  const LinkGraph& graph = *tight.graph;
  if (sets.kind == TightSets::Kind::lengths) return expect_lengths_certified(request, tight);
  Uint128 rate = 0;
  std::size_t links = 0;
  for (const LinkGraph::Link& link : graph.links) {
    const std::uint32_t from = sets.part_of[link.from], to = sets.part_of[link.to];
    const bool crosses = sets.kind == TightSets::Kind::cut ? from == 0 && to == 1 : from != to;
    if (!crosses) continue;
    ++links;
    const bool twice = sets.has_relays && from != TightSets::kRelay && to != TightSets::kRelay;
    rate += Uint128{twice ? 2U : 1U} * link.bytes_per_s;
  }
  EXPECT_EQ(links, sets.links.size());
  EXPECT_TRUE(rate == sets.bytes_per_s);
  std::vector<std::uint64_t> members(sets.parts, 0), blocks(sets.parts, 0);
  for (std::uint32_t rank = 0; rank < request.group.size(); ++rank) {
    const std::uint32_t part = sets.part_of[index_of(request.group[rank])];
    ASSERT_LT(part, sets.parts);
    ++members[part];
    blocks[part] += Blocks(request.bytes, request.group.size()).bytes(rank);
  }
  for (const std::uint64_t count : members) EXPECT_GT(count, 0U);
  const std::uint32_t root_part = sets.part_of[index_of(request.group[request.root])];
  if (request.type == CollectiveType::all_gather) {
    EXPECT_TRUE(tight.bytes == blocks[0]);
  }
  if (request.type == CollectiveType::reduce_scatter) {
    EXPECT_TRUE(tight.bytes == blocks[1]);
  }
  if (request.type == CollectiveType::all_to_all) {
    EXPECT_TRUE(tight.bytes ==
                Uint128{members[0]} * members[1] *
                    Blocks(request.bytes, request.group.size()).bytes(request.group.size() - 1));
  }
  if (request.type == CollectiveType::broadcast) {
    EXPECT_EQ(root_part, 0U);
  }
  if (request.type == CollectiveType::reduce) {
    EXPECT_EQ(root_part, 1U);
  }
  EXPECT_EQ(tight.time_ps, at_least_ps(tight.bytes, rate));
}

TEST(TightBound, OfRandomGroupsIsCertifiedAndInTheBound) {
  std::mt19937_64 random(5);
  for (int number = 0; number < 200; ++number) {
    const FabricTraits traits = test::wafer_of(static_cast<std::uint32_t>(1 + random() % 5),
                                               static_cast<std::uint32_t>(2 + random() % 4));
    CollectiveRequest request;
    request.type = kCollectiveTypes[random() % std::size(kCollectiveTypes)];
    if (!has_tight_bound(request.type)) continue;
    request.group = test::random_group(random, traits.npus());
    request.root = static_cast<std::uint32_t>(random() % request.group.size());
    request.bytes = 1 + random() % 1'000'000;
    const auto tight = tight_bound(request, traits);
    if (request.group.size() < 2) continue;
    ASSERT_TRUE(tight);
    expect_certified(request, *tight);
    EXPECT_GE(bound_ps(request, traits), tight->time_ps);
  }
}

}  // namespace
}  // namespace wafertlm::bounds
