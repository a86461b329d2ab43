// SPDX-License-Identifier: Apache-2.0
// Traffic classes of communication by the shape of its groups.
#include "workloads/edit/classes.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"
#include "tests/support/trace_nodes.h"

namespace wafertlm::edit {
namespace {

using GroupMap = std::map<std::string, std::vector<std::uint32_t>>;

/// The lines of an axis, called by `name` and a number.
void add_lines(GroupMap& groups, const std::string& name, std::uint32_t ranks, std::uint32_t stride,
               std::uint32_t size) {
  for (std::uint32_t first = 0; first < ranks; ++first) {
    if (first / stride % size != 0) continue;
    std::vector<std::uint32_t> line;
    for (std::uint32_t i = 0; i < size; ++i) line.push_back(first + i * stride);
    groups[name + std::to_string(first)] = line;
  }
}

/// A job whose groups all have one collective on each rank.
struct ShapedJob {
  std::uint32_t ranks;
  GroupMap map;
  chakra::CommGroups groups{1};
  CommunicationUse use;

  ShapedJob(std::uint32_t count, GroupMap of, chakra::CollectiveType type = chakra::CollectiveType::AllReduce)
      : ranks(count), map(std::move(of)), groups(chakra::CommGroups::from_map(map, count)) {
    use.ranks = ranks;
    add(type, map);
  }
  void add(chakra::CollectiveType type, const GroupMap& some) {
    for (const auto& [name, members] : some)
      for (const std::uint32_t rank : members) {
        chakra::Node node = test::all_reduce(1, 8, {}, 8);
        node.comm_type = type;
        node.pg_name = name;
        use.add(node, rank, groups);
      }
  }
  void send(std::uint32_t from, std::uint32_t to) { use.add(test::send(1, to, 8, 0), from, groups); }
  CommunicationClasses by_shape() const { return classes_by_shape(use, groups); }
};

GroupMap megatron() {
  GroupMap groups;
  add_lines(groups, "tp", 16, 1, 4);
  add_lines(groups, "dp", 16, 4, 2);
  return groups;
}

TEST(Classes, OfTwoAxesTheInnerIsTensorParallelismAndMessagesArePipelines) {
  ShapedJob job(16, megatron());
  for (std::uint32_t rank = 0; rank < 8; ++rank) job.send(rank, rank + 8);
  const CommunicationClasses found = job.by_shape();
  EXPECT_TRUE(found.undecided.empty()) << found.undecided.front();
  ASSERT_EQ(found.axes.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const RankAxis expected[] = {{1, 4, "mp"}, {4, 2, "dp"}, {8, 2, "pp"}};
    EXPECT_EQ(found.axes[i].stride, expected[i].stride);
    EXPECT_EQ(found.axes[i].size, expected[i].size);
    EXPECT_EQ(found.axes[i].traffic_class, expected[i].traffic_class);
  }
  EXPECT_EQ(found.messages, "pp");
  EXPECT_EQ(found.groups.at("tp4"), "mp");
  EXPECT_EQ(found.groups.at("dp9"), "dp");
  EXPECT_EQ(found.of(test::send(1, 9, 8, 0), job.groups), "pp");
  chakra::Node sum = test::all_reduce(1, 8, {}, 8);
  sum.pg_name = "dp0";
  EXPECT_EQ(found.of(sum, job.groups), "dp");
  EXPECT_EQ(found.of(test::compute(1, 10), job.groups), "");
}

TEST(Classes, OneAxisAloneCannotBeTold) {
  GroupMap groups;
  add_lines(groups, "g", 8, 1, 4);
  const CommunicationClasses found = ShapedJob(8, groups).by_shape();
  EXPECT_TRUE(found.groups.empty());
  ASSERT_EQ(found.undecided.size(), 2U);
  EXPECT_EQ(found.undecided[0],
            "group 'g0' (ranks 0, 1, 2, 3; 4 collectives): the axis of stride 1 and size 4 may be of tensor "
            "or of data parallelism");
}

TEST(Classes, AllToAllsAloneAreOfExperts) {
  GroupMap experts;
  add_lines(experts, "ep", 16, 8, 2);
  GroupMap all = megatron();
  all.insert(experts.begin(), experts.end());
  ShapedJob job(16, all);
  job.use.groups.clear();
  job.add(chakra::CollectiveType::AllReduce, megatron());
  job.add(chakra::CollectiveType::AllToAll, experts);
  const CommunicationClasses found = job.by_shape();
  EXPECT_EQ(found.groups.at("ep0"), "ep");
  EXPECT_EQ(found.groups.at("tp0"), "mp");
  EXPECT_EQ(found.groups.at("dp0"), "dp");
}

TEST(Classes, AGroupThatIsNoLineIsNamed) {
  GroupMap groups = megatron();
  groups["odd"] = {0, 1, 4};
  const CommunicationClasses found = ShapedJob(16, groups).by_shape();
  EXPECT_EQ(found.groups.count("odd"), 0U);
  EXPECT_EQ(found.groups.at("tp0"), "mp");
  ASSERT_EQ(found.undecided.size(), 1U);
  EXPECT_EQ(found.undecided[0], "group 'odd' (ranks 0, 1, 4; 3 collectives): it is no line of the grid");
}

TEST(Classes, MessagesThatGoDifferentWaysAreNamed) {
  ShapedJob job(16, megatron());
  job.send(0, 8);
  job.send(0, 3);
  const CommunicationClasses found = job.by_shape();
  EXPECT_EQ(found.messages, "");
  EXPECT_EQ(found.undecided.back(),
            "2 sends and receives between 2 pairs of ranks: they do not go along one axis");
}

TEST(Classes, GivenAxesDecideWhatShapeCannot) {
  GroupMap groups;
  add_lines(groups, "g", 8, 1, 4);
  groups["ends"] = {0, 4};
  const ShapedJob job(8, groups);
  const CommunicationClasses found = classes_by_axes(job.use, job.groups, {{1, 4, "dp"}, {1, 2, "pp"}});
  EXPECT_TRUE(found.undecided.empty());
  EXPECT_EQ(found.groups.at("g4"), "dp");
  EXPECT_EQ(found.groups.at("ends"), "pp");
  EXPECT_EQ(test::refusal_of([&] {
              classes_by_axes(job.use, job.groups, {{1, 3, "dp"}});
            }),
            "the axes are of 3 ranks or more, and the traces of 8");
}

TEST(Classes, WhatHasOneIsLeftAsItIs) {
  CommunicationUse use;
  chakra::Node sum = test::all_reduce(1, 8, {}, 8);
  sum.comm_class = "mp";
  use.add(sum, 0, chakra::CommGroups(2));
  use.add(test::compute(1, 10), 0, chakra::CommGroups(2));
  EXPECT_TRUE(use.groups.empty());
  EXPECT_TRUE(use.messages.empty());
}

}  // namespace
}  // namespace wafertlm::edit
