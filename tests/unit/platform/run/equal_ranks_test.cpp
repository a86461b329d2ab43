// SPDX-License-Identifier: Apache-2.0
#include "platform/run/equal_ranks.h"

#include <gtest/gtest.h>

#include "platform/run/job.h"
#include "platform/spec/load.h"
#include "tests/support/groups.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_nodes.h"

namespace wafertlm::test {
namespace {

using Traces = std::vector<std::vector<chakra::Node>>;

config::PlatformSpec on_a_switch(const std::string& more = "", int npus = 4) {
  const TempFolder folder;
  return config::load_platform(
      folder.write("platform.yaml",
                   "platform: star\nwafer: {fabric: {kind: dimensional, transport: messages, dimensions: "
                   "[{topology: switch, size: " +
                       std::to_string(npus) + ", bandwidth: 1 GB/s, latency: 1 ns}]}}\n" + more),
      {});
}

/// A computation and an all-reduce of each rank, `of` all or of its pair.
Traces alike(bool in_pairs = false) {
  Traces ranks;
  for (int rank = 0; rank < 4; ++rank) {
    chakra::Node sum = all_reduce(1, 0, {0});
    if (in_pairs) sum.pg_name = rank % 2 == 0 ? "even" : "odd";
    ranks.push_back({compute(0, 1000), sum});
  }
  return ranks;
}

EqualRanks compared(const Traces& traces, const config::PlatformSpec& platform = on_a_switch()) {
  const auto count = static_cast<std::uint32_t>(traces.size());
  Job job{chakra::CommGroups::from_map({{"even", {0, 2}}, {"odd", {1, 3}}}, count),
          {},
          {},
          chakra::Dependencies::all,
          first_npus(count)};
  for (const auto& nodes : traces) job.ranks.push_back(std::make_unique<chakra::VectorSource>("rank", nodes));
  return equal_ranks(platform, job);
}

TEST(EqualRanks, OneStandsForAllThatDoTheSame) {
  const EqualRanks equal = compared(alike());
  EXPECT_TRUE(equal.places.one_for_all) << equal.places.why_all;
  const EqualRanks pairs = compared(alike(true));
  ASSERT_TRUE(pairs.places.one_for_all) << pairs.places.why_all;
  const chakra::CommGroups groups = chakra::CommGroups::from_map({{"even", {0, 2}}, {"odd", {1, 3}}}, 4);
  const auto even = static_cast<std::uint32_t>(groups.number("even")),
             odd = static_cast<std::uint32_t>(groups.number("odd"));
  EXPECT_EQ(pairs.groups_like[even], (std::vector{std::min(even, odd), std::max(even, odd)}));
  EXPECT_TRUE(pairs.groups_like[odd].empty()) << "it is none of rank 0's";
}

// Numbers of nodes may go on from rank to rank. Lower than rank 0's they would be named first.
TEST(EqualRanks, NodesMayBeNumberedThrough) {
  Traces traces = alike();
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    traces[rank][0].id += 2 * rank;
    traces[rank][1].id += 2 * rank;
    traces[rank][1].data_deps = {2 * rank};
  }
  EXPECT_TRUE(compared(traces).places.one_for_all);
  std::swap(traces[0], traces[3]);
  EXPECT_FALSE(compared(traces).places.one_for_all);
  std::swap(traces[0], traces[3]);
  traces[2][1].id = 9;
  EXPECT_FALSE(compared(traces).places.one_for_all) << "a number is left out";
  traces[2][1].id = 5;
  traces[2][1].data_deps = {3};
  EXPECT_FALSE(compared(traces).places.one_for_all) << "another parent";
}

TEST(EqualRanks, OneThatDiffersIsNamed) {
  const auto why = [](const Traces& traces) { return compared(traces).places.why_all; };
  Traces late = alike();
  late[3][0].duration_ps += 1;
  EXPECT_EQ(why(late), "rank 3 differs from rank 0 at its node 0 \"n0\"");
  Traces more = alike();
  more[2].push_back(compute(7, 1));
  EXPECT_EQ(why(more), "rank 2 has more nodes than rank 0");
  Traces fewer = alike();
  fewer[1].pop_back();
  EXPECT_EQ(why(fewer), "rank 1 differs from rank 0 at its node 1 \"n1\"");
  Traces larger = alike();
  larger[1][1].comm_size = 65;
  EXPECT_EQ(why(larger), "rank 1 differs from rank 0 at its node 1 \"n1\"");
  Traces messages = alike();
  messages[0].push_back(send(2, 1, 0, 0));
  EXPECT_EQ(why(messages), "rank 0 has messages of its own (node 2 \"n2\")");
  // Rank 2 is in "even", once as rank 0, once where rank 0 is in the group of all.
  Traces mixed = alike(true);
  for (auto& nodes : mixed) nodes.push_back(nodes[1]);
  for (std::size_t rank : {1U, 2U, 3U}) mixed[rank][2].id = mixed[0][2].id = 2;
  mixed[2][2].pg_name = "";
  EXPECT_EQ(why(mixed), "rank 2 differs from rank 0 at its node 2 \"n1\"");
}

TEST(EqualRanks, NotOfPlatformsWhoseNpusDiffer) {
  const auto why = [](const std::string& more) {
    return compared(alike(), on_a_switch(more)).places.why_all;
  };
  EXPECT_EQ(why("run: {acceleration: off}\n"), "run.acceleration is off");
  EXPECT_EQ(why("run: {checkers: true}\n"), "protocol checkers follow every message");
  EXPECT_EQ(why("npu: {compute: {stragglers: [{npu: 1, slowdown_percent: 120}]}}\n"),
            "npu.compute.stragglers differ");
  EXPECT_EQ(why("npu: {compute: {jitter: uniform, jitter_percent: 3}}\n"), "npu.compute.jitter differs");
  EXPECT_EQ(compared(alike(), on_a_switch("", 8)).places.why_all,
            "not every NPU has a rank, or the first not rank 0");
}

}  // namespace
}  // namespace wafertlm::test
