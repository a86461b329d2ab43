// SPDX-License-Identifier: Apache-2.0
// Collectives by dimensions without time: any limit of active chunks from 1 to all, any split, every order,
// dimensions that are no powers of two, up to 64 ranks. Values are right at every rank, and nothing waits for
// ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/workloads/collectives/fabric_of_dimensions.h"
#include "workloads/collectives/algorithm/proof.h"
#include "workloads/collectives/dimensional/binary_tree.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

using Order = HierarchyOptions::Order;
using test::fabric_of;
using Wires = FabricDimension::Kind;

constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::all_gather,
                                     CollectiveType::reduce_scatter, CollectiveType::all_to_all};

void prove(const FabricTraits& fabric, CollectiveType type, std::uint64_t bytes, std::uint32_t chunks,
           const std::string& algorithm = "dimensional") {
  CollectiveRequest request;
  request.type = type;
  for (std::uint32_t npu = 0; npu < fabric.npus(); ++npu) request.group.push_back(static_cast<NpuId>(npu));
  request.bytes = bytes;
  request.algorithm = algorithm;
  request.chunks = chunks;
  const auto program = plan_collective(request, fabric);
  const ExpectedValues expected(*program, 3);
  const Buffers after = run_untimed(*program, untimed_start(*program, 3), 1);
  for (std::uint32_t rank = 0; rank < after.size(); ++rank)
    ASSERT_EQ(expected.wrong_value(rank, after[rank]), "")
        << to_string(type) << ", " << chunks << " chunks, " << fabric.hierarchy.active_chunks
        << " active, order " << static_cast<int>(fabric.hierarchy.order);
}

/// All members in order, all in any order, or those with some coordinates in each dimension.
Group random_box(std::mt19937_64& random, const Dimensions& dimensions) {
  std::vector<std::vector<bool>> taken;
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    taken.emplace_back(dimensions[d].size, true);
    for (std::uint32_t c = 1; random() % 2 == 0 && c < dimensions[d].size; ++c)
      taken.back()[c] = random() % 3 != 0;
  }
  Group group;
  for (std::uint32_t n = 0; n < dimensions.npus(); ++n) {
    bool is_in = true;
    for (std::size_t d = 0; d < dimensions.count(); ++d)
      is_in = is_in && taken[d][dimensions.coordinate(static_cast<NpuId>(n), d)];
    if (is_in) group.push_back(static_cast<NpuId>(n));
  }
  if (random() % 4 == 0) std::shuffle(group.begin(), group.end(), random);
  return group;
}

// Steps count their blocks in closed form, pieces() names them one by one.
TEST(DimensionalPrograms, AStepHasTheBytesOfItsPieces) {
  std::mt19937_64 random(53);
  std::size_t messages = 0, uneven = 0;
  for (int number = 0; number < 300; ++number) {
    std::vector<FabricDimension> list;
    for (std::size_t count = 1 + random() % 3; count != 0; --count)
      list.push_back({static_cast<Wires>(random() % 4), 1 + static_cast<std::uint32_t>(random() % 5),
                      1'000'000'000, 500});
    FabricTraits fabric = fabric_of(list);
    fabric.hierarchy.order = static_cast<Order>(random() % 4);
    CollectiveRequest request;
    request.type = kTypes[random() % 3];  // an all-to-all has blocks of one length
    request.group = random_box(random, fabric.topology->dimensions());
    request.bytes = 4 * (1 + random() % 2000) + (random() % 4 == 0 ? random() % 4 : 0);
    request.algorithm = "dimensional";
    request.chunks = 1 + static_cast<std::uint32_t>(random() % 4);
    if (request.group.size() < 2) continue;
    const auto program = plan_collective(request, fabric);
    for (const auto& rank : program->ranks)
      for (std::uint32_t chunk = 0; chunk < rank->threadblocks(); ++chunk)
        for (std::uint32_t index = 0; index < rank->steps(chunk); ++index) {
          const Step step = rank->step(chunk, index);
          if (!step.nonblocking) continue;  // the beginning and the end of a stage
          std::uint64_t bytes = 0;
          const auto pieces = rank->pieces(chunk, index);
          for (const BufferPiece& piece : pieces) bytes += piece.bytes;
          ASSERT_EQ(step.bytes, bytes) << "case " << number << ", chunk " << chunk << ", step " << index;
          ++messages;
          if (!pieces.empty() && bytes % pieces.size() != 0) ++uneven;
        }
  }
  EXPECT_GT(messages, 10'000U);
  EXPECT_GT(uneven, 1'000U);
}

TEST(DimensionalPrograms, AnyNumberOfActiveChunks) {
  FabricTraits fabric = fabric_of({{Wires::ring, 3, 4'000'000'000, 500},
                                   {Wires::switched, 2, 2'000'000'000, 700},
                                   {Wires::fully_connected, 5, 1'000'000'000, 20}});
  const std::uint32_t npus = fabric.npus();
  for (const Order order :
       {Order::ascending, Order::local_bandwidth_aware, Order::per_dimension, Order::themis})
    for (const auto within : {HierarchyOptions::Within::fifo, HierarchyOptions::Within::smallest_first})
      for (std::uint32_t chunks = 1; chunks <= 6; ++chunks)
        for (std::uint32_t active = 0; active <= chunks; ++active) {
          fabric.hierarchy.order = order;
          fabric.hierarchy.within = within;
          fabric.hierarchy.active_chunks = active;
          const CollectiveType type = kTypes[(chunks + active) % 4];
          prove(fabric, type,
                std::uint64_t{4} * npus * (type == CollectiveType::all_to_all ? 6 : 1) + 4 * npus, chunks);
        }
}

TEST(DimensionalPrograms, SixtyFourRanks) {
  FabricTraits fabric = fabric_of({{Wires::ring, 4, 4'000'000'000, 500},
                                   {Wires::fully_connected, 4, 2'000'000'000, 700},
                                   {Wires::switched, 4, 1'000'000'000, 20}});
  for (const Order order : {Order::local_bandwidth_aware, Order::themis})
    for (const CollectiveType type : kTypes) {
      fabric.hierarchy.order = order;
      prove(fabric, type, 4 * 64 * 16, 16);
    }
}

// A ring passes blocks on in one dimension, in some of several, and in all.
TEST(DimensionalPrograms, AllToAllAsARing) {
  FabricTraits fabric = fabric_of({{Wires::ring, 5, 4'000'000'000, 500},
                                   {Wires::switched, 2, 2'000'000'000, 700},
                                   {Wires::fully_connected, 3, 1'000'000'000, 20}});
  using Way = DimensionAlgorithm;
  for (const std::vector<Way>& ways : std::vector<std::vector<Way>>{{Way::ring, Way::direct, Way::direct},
                                                                    {Way::direct, Way::ring, Way::ring},
                                                                    {Way::direct, Way::direct, Way::ring},
                                                                    {Way::ring, Way::ring, Way::ring}})
    for (std::uint32_t chunks = 1; chunks <= 3; ++chunks) {
      fabric.hierarchy.all_to_all = ways;
      fabric.hierarchy.active_chunks = chunks - 1;
      prove(fabric, CollectiveType::all_to_all, std::uint64_t{4} * 30 * 6, chunks);
    }
  fabric.hierarchy.all_to_all = {Way::halving_doubling};
  EXPECT_THROW(prove(fabric, CollectiveType::all_to_all, 4 * 30, 1), std::invalid_argument);
}

// Both orders of halving, and blocks and chunks of several lengths.
TEST(DimensionalPrograms, HalvingInBothOrders) {
  using Way = DimensionAlgorithm;
  FabricTraits fabric = fabric_of({{Wires::ring, 8, 4'000'000'000, 500},
                                   {Wires::switched, 3, 2'000'000'000, 700},
                                   {Wires::line, 4, 1'000'000'000, 20}});
  for (const Way way : {Way::halving_doubling, Way::recursive_halving_doubling})
    for (const CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
      for (const std::uint64_t bytes : {std::uint64_t{4} * 96 * 3, std::uint64_t{4} * 1001})
        for (std::uint32_t chunks = 1; chunks <= 3; ++chunks) {
          fabric.hierarchy.all_reduce = fabric.hierarchy.all_gather =
              fabric.hierarchy.reduce_scatter = {way, Way::ring, way};
          fabric.hierarchy.active_chunks = chunks - 1;
          prove(fabric, type, bytes, chunks);
        }
}

/// Of what rank 5 sends: to whom, how much.
std::vector<std::pair<std::uint32_t, std::uint64_t>> sent_by_five(const std::string& algorithm,
                                                                  CollectiveType type) {
  const FabricTraits fabric = fabric_of({{Wires::ring, 8, 1'000'000'000, 500}});
  CollectiveRequest request;
  request.type = type;
  for (std::uint32_t npu = 0; npu < 8; ++npu) request.group.push_back(static_cast<NpuId>(npu));
  request.bytes = 800;
  request.algorithm = algorithm;
  const auto program = plan_collective(request, fabric);
  const StepSource& rank = *program->ranks[5];
  std::vector<std::pair<std::uint32_t, std::uint64_t>> sent;
  for (std::uint32_t index = 0; index < rank.steps(0); ++index)
    if (const Step step = rank.step(0, index); step.kind == Step::Kind::send && step.bytes != 0)
      sent.emplace_back(step.peer, step.bytes);
  return sent;
}

// The largest half goes to the neighbour (Rabenseifner); farthest first to the rank half of them away.
TEST(DimensionalPrograms, HalvingBeginsWithTheNearest) {
  using Sent = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  const Sent down = {{4, 400}, {7, 200}, {1, 100}}, up = {{1, 100}, {7, 200}, {4, 400}};
  Sent both = down;
  both.insert(both.end(), up.begin(), up.end());
  for (const char* const algorithm : {"halving_doubling", "one_halving_doubling"}) {
    EXPECT_EQ(sent_by_five(algorithm, CollectiveType::reduce_scatter), down) << algorithm;
    EXPECT_EQ(sent_by_five(algorithm, CollectiveType::all_gather), up) << algorithm;
    EXPECT_EQ(sent_by_five(algorithm, CollectiveType::all_reduce), both) << algorithm;
  }
  EXPECT_EQ(sent_by_five("recursive_halving_doubling", CollectiveType::reduce_scatter),
            (Sent{{1, 400}, {7, 200}, {4, 100}}));
  EXPECT_EQ(sent_by_five("recursive_halving_doubling", CollectiveType::all_gather),
            (Sent{{4, 100}, {7, 200}, {1, 400}}));
}

// Each is a tree that reaches everybody, and who is inside of one is a leaf of the other, but for the roots.
TEST(DimensionalPrograms, TwoBinaryTrees) {
  for (std::uint32_t size = 2; size <= 256; size *= 2) {
    std::vector<std::uint32_t> leaves(size);
    for (const bool mirrored : {false, true}) {
      std::uint32_t edges = 0;
      for (std::uint32_t rank = 0; rank < size; ++rank) {
        const TreeNeighbours at = tree_neighbours(rank, size, mirrored);
        EXPECT_EQ(at.parent == TreeNeighbours::kNone, rank == (mirrored ? 0 : size - 1));
        leaves[rank] += at.is_leaf() ? 1 : 0;
        for (const std::uint32_t child : at.children) {
          if (child == TreeNeighbours::kNone) continue;
          ++edges;
          EXPECT_EQ(tree_neighbours(child, size, mirrored).parent, rank);
        }
      }
      EXPECT_EQ(edges, size - 1);
    }
    for (std::uint32_t rank = 1; rank + 1 < size; ++rank) EXPECT_EQ(leaves[rank], 1U) << rank;
  }
  // As ASTRA-sim's: 7 is the root, 3 below it, then 1 and 5.
  EXPECT_EQ(tree_neighbours(7, 8, false).children[0], 3U);
  EXPECT_EQ(tree_neighbours(3, 8, false).children[1], 5U);
  EXPECT_EQ(tree_neighbours(4, 8, false).parent, 5U);
  EXPECT_EQ(tree_neighbours(4, 8, true).children[0], 6U);
}

TEST(DimensionalPrograms, AlongTwoTrees) {
  using Way = DimensionAlgorithm;
  FabricTraits fabric = fabric_of({{Wires::switched, 8, 4'000'000'000, 500},
                                   {Wires::ring, 3, 2'000'000'000, 700},
                                   {Wires::ring, 2, 1'000'000'000, 20}});
  fabric.hierarchy.all_reduce = {Way::double_binary_tree, Way::ring, Way::double_binary_tree};
  fabric.hierarchy.order = Order::per_dimension;
  for (const std::uint64_t bytes : {std::uint64_t{4} * 48 * 3, std::uint64_t{4} * 1001, std::uint64_t{4}})
    for (std::uint32_t chunks = 1; chunks <= 5; ++chunks) {
      fabric.hierarchy.active_chunks = chunks / 2;
      prove(fabric, CollectiveType::all_reduce, bytes, chunks);
    }
  // Up the first dimension there is a reduce-scatter.
  fabric.hierarchy.order = Order::local_bandwidth_aware;
  EXPECT_THROW(prove(fabric, CollectiveType::all_reduce, 4800, 1), std::invalid_argument);
  fabric.hierarchy.all_reduce = {Way::ring, Way::ring, Way::double_binary_tree};
  prove(fabric, CollectiveType::all_reduce, 4800, 2);
  fabric.hierarchy.all_reduce = {Way::ring, Way::double_binary_tree, Way::ring};
  EXPECT_THROW(prove(fabric, CollectiveType::all_reduce, 4800, 1), std::invalid_argument) << "of 3";
}

TEST(DimensionalPrograms, OneLogicalDimension) {
  for (const std::uint32_t first : {3U, 4U}) {
    FabricTraits fabric =
        fabric_of({{Wires::ring, first, 4'000'000'000, 500}, {Wires::switched, 4, 2'000'000'000, 700}});
    for (const CollectiveType type : kTypes)
      for (std::uint32_t chunks = 1; chunks <= 4; ++chunks) {
        fabric.hierarchy.active_chunks = chunks / 2;
        const std::uint64_t bytes = std::uint64_t{4} * fabric.npus() * 5;
        prove(fabric, type, bytes, chunks, "one_ring");
        prove(fabric, type, bytes, chunks, "one_direct");
        if (first == 4 && type != CollectiveType::all_to_all)
          prove(fabric, type, bytes, chunks, "one_halving_doubling");
      }
  }
}

}  // namespace
}  // namespace wafertlm
