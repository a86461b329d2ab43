// SPDX-License-Identifier: Apache-2.0
// What programs say of their places: each rank's steps are rank 0's with all peers moved; moving is an
// automorphism of the wiring.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "tests/support/groups.h"
#include "tests/unit/workloads/collectives/fabric_of_dimensions.h"
#include "tlm/shape/equal_places.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

using test::fabric_of;
using Wires = FabricDimension::Kind;
using Way = DimensionAlgorithm;
using Move = EqualPlaces::Move;

std::shared_ptr<const CollectiveProgram> planned(const FabricTraits& fabric, CollectiveType type,
                                                 const Group& group, std::uint64_t bytes,
                                                 std::uint32_t chunks) {
  CollectiveRequest request;
  request.type = type;
  request.group = group;
  request.bytes = bytes;
  request.algorithm = "dimensional";
  request.chunks = chunks;
  return plan_collective(request, fabric);
}

/// But for the peer and what values are: those of another rank are others.
auto timing(const Step& step) {
  return std::tuple(step.kind, step.bytes, step.tag, step.after_threadblock, step.after_count,
                    step.nonblocking, step.wait_all, step.starts_stage, step.port_order, step.delay_ps,
                    step.paid_reduction());
}

void expect_moved_steps(const CollectiveProgram& program) {
  const StepSource& first = *program.ranks.front();
  for (std::uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
    const StepSource& source = *program.ranks[rank];
    ASSERT_EQ(source.threadblocks(), first.threadblocks());
    for (std::uint32_t threadblock = 0; threadblock < first.threadblocks(); ++threadblock) {
      ASSERT_EQ(source.steps(threadblock), first.steps(threadblock));
      for (std::uint32_t index = 0; index < first.steps(threadblock); ++index) {
        const Step step = source.step(threadblock, index), of_first = first.step(threadblock, index);
        ASSERT_EQ(timing(step), timing(of_first)) << "rank " << rank << ", step " << index;
        if (step.bytes == 0) continue;
        ASSERT_EQ(first.places()->seen_from(program.group[rank], program.group[step.peer]),
                  program.group[of_first.peer])
            << "rank " << rank << ", step " << index;
      }
    }
  }
}

TEST(RankPlaces, EachRankDoesWhatTheFirstDoes) {
  std::mt19937_64 random(5);
  const auto of = [&](auto list) { return list[random() % list.size()]; };
  int with_places = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<FabricDimension> dimensions;
    std::vector<Way> ways;
    std::uint64_t npus = 1;
    for (std::uint64_t d = 0, count = 1 + random() % 3; d < count; ++d) {
      const auto size = static_cast<std::uint32_t>(2 + random() % 5);
      FabricDimension& each = dimensions.emplace_back();
      each = {of(std::vector{Wires::ring, Wires::switched, Wires::fully_connected}), size, 1'000'000'000,
              500};
      each.opposite_is_up = random() % 2 == 0;
      ways.push_back(of((size & (size - 1)) == 0
                            ? std::vector{Way::ring, Way::direct, Way::bidirectional_ring,
                                          Way::halving_doubling, Way::recursive_halving_doubling}
                            : std::vector{Way::ring, Way::direct, Way::bidirectional_ring}));
      npus *= size;
    }
    FabricTraits fabric = fabric_of(dimensions);
    fabric.hierarchy.all_reduce = fabric.hierarchy.all_gather = fabric.hierarchy.reduce_scatter = ways;
    fabric.hierarchy.active_chunks = static_cast<std::uint32_t>(random() % 3);
    fabric.hierarchy.reductions =
        random() % 2 == 0 ? HierarchyOptions::Reductions::astra_sim : HierarchyOptions().reductions;
    const auto chunks = static_cast<std::uint32_t>(1 + random() % 3);
    const auto program = planned(fabric,
                                 of(std::vector{CollectiveType::all_reduce, CollectiveType::all_gather,
                                                CollectiveType::reduce_scatter, CollectiveType::all_to_all}),
                                 test::first_npus(static_cast<std::uint32_t>(npus)),
                                 8 * npus * chunks * (1 + random() % 9), chunks);
    if (!program->ranks.front()->places()) continue;
    ++with_places;
    expect_moved_steps(*program);
  }
  EXPECT_GT(with_places, 100);
}

TEST(RankPlaces, MovingKeepsNeighbours) {
  const Dimensions dimensions(
      {{Wires::ring, 5, 1, 1}, {Wires::switched, 4, 1, 1}, {Wires::fully_connected, 3, 1, 1}});
  const FabricTraits fabric =
      fabric_of({{Wires::ring, 5, 1, 1}, {Wires::switched, 4, 1, 1}, {Wires::fully_connected, 3, 1, 1}});
  const auto program =
      planned(fabric, CollectiveType::all_reduce, test::first_npus(60), std::uint64_t{60} * 8, 1);
  const EqualPlaces& places = *program->ranks.front()->places();
  for (std::uint32_t origin = 0; origin < 60; ++origin) {
    EXPECT_EQ(places.seen_from(static_cast<NpuId>(origin), static_cast<NpuId>(origin)), NpuId{0});
    for (std::uint32_t npu = 0; npu < 60; ++npu) {
      const NpuId moved = places.seen_from(static_cast<NpuId>(origin), static_cast<NpuId>(npu));
      EXPECT_EQ(dimensions.hops(NpuId{0}, moved),
                dimensions.hops(static_cast<NpuId>(origin), static_cast<NpuId>(npu)));
    }
  }
}

const EqualPlaces* places_on(const FabricDimension& wiring, Way way, std::uint64_t bytes,
                             std::shared_ptr<const CollectiveProgram>& program) {
  FabricTraits fabric = fabric_of({wiring});
  fabric.hierarchy.all_reduce = {way};
  program = planned(fabric, CollectiveType::all_reduce, test::first_npus(wiring.size), bytes, 1);
  return program->ranks.front()->places();
}

TEST(RankPlaces, ThereAreNoneWhereRanksDiffer) {
  std::shared_ptr<const CollectiveProgram> program;
  FabricDimension ring{Wires::ring, 8, 1'000'000'000, 500};
  EXPECT_EQ(places_on(ring, Way::ring, 64, program)->axes().front().move, Move::add);
  EXPECT_EQ(places_on(ring, Way::ring, 68, program), nullptr) << "a block is longer";
  EXPECT_EQ(places_on(ring, Way::halving_doubling, 64, program), nullptr) << "a ring is no cube";
  EXPECT_EQ(places_on(ring, Way::direct, 64, program), nullptr) << "half way round it goes up or down";
  ring.opposite_is_up = true;
  EXPECT_NE(places_on(ring, Way::direct, 64, program), nullptr);
  EXPECT_EQ(places_on({Wires::line, 8, 1'000'000'000, 500}, Way::ring, 64, program), nullptr)
      << "it has ends";
  const FabricDimension star{Wires::switched, 8, 1'000'000'000, 500};
  EXPECT_EQ(places_on(star, Way::halving_doubling, 64, program)->axes().front().move, Move::exclusive_or);
  FabricTraits fabric = fabric_of({star});
  fabric.hierarchy.all_reduce = {Way::double_binary_tree};
  fabric.hierarchy.order = HierarchyOptions::Order::per_dimension;
  EXPECT_EQ(planned(fabric, CollectiveType::all_reduce, test::first_npus(8), 64, 1)->ranks.front()->places(),
            nullptr)
      << "a tree has a root";
}

// Groups of half a switch are like each other, and unlike a group of all.
TEST(RankPlaces, PartsOfASwitchAreAlike) {
  const FabricTraits fabric = fabric_of({{Wires::switched, 8, 1'000'000'000, 500}});
  const auto of = [&](const Group& group) {
    return planned(fabric, CollectiveType::all_reduce, group, 64, 1);
  };
  const auto even = of({NpuId{0}, NpuId{2}, NpuId{4}, NpuId{6}}),
             odd = of({NpuId{1}, NpuId{3}, NpuId{5}, NpuId{7}});
  EXPECT_TRUE(even->ranks[0]->places()->is_like(*odd->ranks[0]->places()));
  EXPECT_FALSE(even->ranks[0]->places()->is_like(*of(test::first_npus(8))->ranks[0]->places()));
  EXPECT_EQ(even->ranks[0]->places()->seen_from(NpuId{4}, NpuId{2}), NpuId{6});
}

}  // namespace
}  // namespace wafertlm
