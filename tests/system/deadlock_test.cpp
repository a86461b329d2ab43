// SPDX-License-Identifier: Apache-2.0
// Planted deadlocks that no check of the files can find end with the chain of who waits for whom.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::test {
namespace {

using Nodes = std::vector<chakra::Node>;

class Deadlock : public ::testing::Test {
 protected:
  /// Runs the ranks; the run must fail, and its message hold the lines in this order, of `count` if that is
  /// given.
  void expect_chain(const std::vector<Nodes>& ranks, const std::vector<std::string>& lines,
                    const std::string& groups = "", const std::string& more = "", std::size_t count = 0) {
    std::string workload = "chakra: " + folder_.path() + "/job";
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      chakra::VectorSource source("rank", ranks[rank]);
      chakra::write_trace(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
    }
    if (!groups.empty()) workload += ", comm_groups: " + folder_.write("groups.json", groups);
    ToolResult result;
    run_traces(folder_, "wafer_mesh_5x4", workload, more, result);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(read_text(folder_.path() + "/out/results.json"), "");
    EXPECT_EQ(result.error.find("NPU"), std::string::npos) << "ranks throughout: " << result.error;
    std::istringstream all(result.error.substr(result.error.find("wafertlm: ")));
    std::set<std::string> seen;
    for (std::string line; std::getline(all, line);)
      EXPECT_TRUE(seen.insert(line).second) << line << "\nis said twice in\n" << result.error;
    EXPECT_TRUE(count == 0 || seen.size() == count) << result.error;
    std::size_t at = 0;
    for (const std::string& line : lines) {
      const std::size_t found = result.error.find(line, at);
      ASSERT_NE(found, std::string::npos) << line << "\nis not (or not in its place) in\n" << result.error;
      at = found;
    }
  }

  TempFolder folder_;
};

chakra::Node in_group(chakra::Node node, const std::string& group) {
  node.pg_name = group;
  return node;
}

TEST_F(Deadlock, TwoGroupsEnteredInOppositeOrders) {
  expect_chain({{in_group(all_reduce(1, 0), "a"), in_group(all_reduce(2, 0, {1}), "b")},
                {in_group(all_reduce(3, 0), "b"), in_group(all_reduce(4, 0, {3}), "a")}},
               {"deadlock at", "1. rank 0: node 1 \"n1\" waits for rank 1 to enter it",
                "rank 1 does that in node 4 \"n4\", behind node 3 \"n3\"",
                "2. rank 1: node 3 \"n3\" waits for rank 0 to enter it",
                "rank 0 does that in node 2 \"n2\", behind node 1 \"n1\"", "line 1 again"},
               R"({"a": [0, 1], "b": [0, 1]})", "", 4);
}

TEST_F(Deadlock, ThreeRanksReceiveBeforeTheySend) {
  const auto rank = [](std::uint32_t self) {
    return Nodes{receive(1, (self + 2) % 3, 4), compute(2, 100, {1}), send(3, (self + 1) % 3, 4, 0, {2})};
  };
  expect_chain({rank(0), rank(1), rank(2)},
               {"1. rank 0: node 1 \"n1\" waits for rank 2 to send (tag 4); rank 2 does that in node 3 "
                "\"n3\", behind node 1",
                "2. rank 2: node 1 \"n1\" waits for rank 1 to send",
                "3. rank 1: node 1 \"n1\" waits for rank 0 to send", "line 1 again: they wait in a circle"});
}

TEST_F(Deadlock, ACollectiveWaitsForARankThatWaitsForAMessageAfterIt) {
  expect_chain({{all_reduce(1, 0), send(2, 1, 0, 0, {1})}, {receive(5, 0, 0), all_reduce(6, 0, {5})}},
               {"1. rank 0: node 1 \"n1\" waits for rank 1 to enter it; rank 1 does that in node 6 \"n6\", "
                "behind node 5",
                "2. rank 1: node 5 \"n5\" waits for rank 0 to send (tag 0); rank 0 does that in node 2 "
                "\"n2\", behind node 1",
                "line 1 again", "  rank 1 waits for rank 0 in a receive with tag 0\n"},
               "", "", 5);
}

// What a rank has not read yet it cannot name.
TEST_F(Deadlock, ANodeBehindTheLookAhead) {
  expect_chain({{receive(1, 1, 0), send(2, 1, 0, 0, {1})},
                {receive(1, 0, 0), compute(2, 10, {1}), compute(3, 10, {2}), send(4, 0, 0, 0, {3})}},
               {"1. rank 0: node 1 \"n1\" waits for rank 1 to send (tag 0)\n",
                "2. rank 1: node 1 \"n1\" waits for rank 0 to send (tag 0); rank 0 does that in node 2",
                "line 1 again"},
               "", "--set sequencer.look_ahead=2");
}

TEST_F(Deadlock, AChainThatIsNoCircleStartsAtItsRoot) {
  // Rank 2 waits for rank 1, which waits in the circle of 0 and 1.
  expect_chain(
      {{receive(1, 1, 0), send(2, 1, 0, 0, {1})},
       {receive(1, 0, 0), send(2, 0, 0, 0, {1}), send(3, 2, 9, 0, {1})},
       {receive(1, 1, 9)}},
      {"1. rank 0", "2. rank 1", "line 1 again", "rank 2: node 1 \"n1\" waits for rank 1 to send (tag 9)"});
}

TEST_F(Deadlock, PlacesInAGroupAreNotCalledRanks) {
  // Ranks 2 and 3 wait for each other in groups that list them in both orders; 0 and 1 have no part in it.
  expect_chain({{compute(1, 10)},
                {compute(1, 10)},
                {in_group(all_reduce(1, 0), "a"), in_group(all_reduce(2, 0, {1}), "b")},
                {in_group(all_reduce(3, 0), "b"), in_group(all_reduce(4, 0, {3}), "a")}},
               {"1. rank 2: node 1 \"n1\" waits for rank 3 to enter it", "2. rank 3: node 3",
                "line 1 again: they wait in a circle\n"},
               R"({"a": [3, 2], "b": [2, 3]})");
}

TEST_F(Deadlock, OthersThatWaitAreNamedOnce) {
  // Ranks 2 and 3 wait in a collective for rank 0, which is in the circle.
  expect_chain({{receive(1, 1, 0), send(2, 1, 0, 0, {1}), in_group(all_reduce(3, 0, {2}), "c")},
                {receive(1, 0, 0), send(2, 0, 0, 0, {1})},
                {in_group(all_reduce(3, 0), "c")},
                {in_group(all_reduce(3, 0), "c")}},
               {"1. rank 0", "2. rank 1", "line 1 again",
                "\"n3\", all_reduce of 64 B in class dp of group 'c' waits for rank 0 to enter it"},
               R"({"c": [3, 2, 0]})");
}

// What the machine says of a message that was lost: ranks for NPUs and their places, the collective without
// its steps.
TEST_F(Deadlock, ALostPacketIsToldInRanks) {
  expect_chain(
      {{all_reduce(1, 0)}, {all_reduce(1, 0)}, {all_reduce(1, 0)}},
      {"deadlock at", "rank 2: node 1 \"n1\" is not done\n", "dropped packet 1 from rank 1 to rank 2",
       "\n  rank 2 waits for rank 1 in collective 1: all of the message has left, 0 of 8 B have arrived\n"},
      "", "--set 'run.fault={kind: drop_packet, from: 1, to: 2, packet: 1}'");
}

// Also where it is shorter than the time between two looks at the progress.
TEST(Watchdog, EndsARunThatTakesLonger) {
  const TempFolder folder;
  chakra::VectorSource source("rank", {compute(1, 60'000'000)});
  chakra::write_trace_file(source, folder.path() + "/job.0.et");
  ToolResult result;
  const auto run = [&](const std::string& watchdog) {
    run_traces(folder, "wafer_mesh_5x4", "chakra: " + folder.path() + "/job",
               "--set platform.run.watchdog=" + watchdog, result);
    return result.exit_code;
  };
  EXPECT_EQ(run("61us"), 0) << result.error;
  EXPECT_EQ(run("59us"), 1);
  EXPECT_NE(result.error.find("the watchdog time of 59.00 us is over (run.watchdog); still waiting:"),
            std::string::npos)
      << result.error;
}

}  // namespace
}  // namespace wafertlm::test
