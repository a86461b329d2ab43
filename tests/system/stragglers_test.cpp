// SPDX-License-Identifier: Apache-2.0
// Independent collectives and messages that ranks issue in different orders: right partners, right values,
// and the same result every time. A wrong pair would be an error: every size is there once.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

constexpr std::uint32_t kRanks = 4;
constexpr std::uint64_t kCollectives = 6;

const char* const kTimings[] = {
    "",
    "--set 'npu.compute.stragglers=[{npu: 2, slowdown_percent: 700}]'",
    "--set npu.compute.jitter=uniform --set npu.compute.jitter_percent=90",
    "--set sequencer.order=lifo",
    "--set sequencer.order=priority",
    ("--set sequencer.order=lifo --set npu.compute.jitter=normal --set npu.compute.jitter_percent=40 --set "
     "'npu.compute.stragglers=[{npu: 1, slowdown_percent: 300}]'"),
    "--set sequencer.order=priority --set npu.compute.jitter=uniform --set npu.compute.jitter_percent=60"};

class Stragglers : public ::testing::Test {
 protected:
  void write(const std::vector<std::vector<chakra::Node>>& ranks) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      chakra::VectorSource source("rank", ranks[rank]);
      chakra::write_trace(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
    }
  }
  nlohmann::json run(const std::string& more) {
    ToolResult result;
    auto results =
        run_traces(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/job",
                   "--set run.functional=true --set run.checkers=true --set iterations=2 " + more, result);
    EXPECT_EQ(result.exit_code, 0) << more << "\n" << result.error;
    if (result.exit_code == 0) results.erase("host");
    return results;
  }
  TempFolder folder_;
};

/// Every collective behind a CPU operation that takes a different time on every rank, so that each rank gets
/// them ready in an order of its own; on the NPU half of the work is done.
std::vector<chakra::Node> behind_different_work(std::uint32_t rank) {
  std::vector<chakra::Node> nodes;
  for (std::uint64_t k = 0; k < kCollectives; ++k) {
    const std::uint64_t turn = (k * (rank + 1) + rank) % kCollectives;
    nodes.push_back(k % 2 == 0 ? compute(k, 300'000 + 50'000 * turn) : cpu(k, 200'000 + 90'000 * turn));
  }
  for (std::uint64_t k = 0; k < kCollectives; ++k) {
    nodes.push_back(all_reduce(100 + k, 0, {(k + rank) % kCollectives}, 4096 * (k + 1)));
    nodes.back().comm_priority = static_cast<std::uint32_t>((k + rank) % 3);
  }
  return nodes;
}

TEST_F(Stragglers, IndependentCollectivesOfAGroupMeetTheirPartners) {
  std::vector<std::vector<chakra::Node>> ranks;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) ranks.push_back(behind_different_work(rank));
  write(ranks);
  std::set<std::uint64_t> times;
  for (const std::string more : kTimings) {
    const auto results = run(more);
    ASSERT_EQ(results["collectives"].size(), 2 * kCollectives) << more;
    std::multiset<std::uint64_t> sizes;
    for (const auto& collective : results["collectives"]) {
      // The n-th is the n-th of the file, whenever it ran: ids 1, 3, 5 … belong to the group of all.
      const std::uint64_t number = (collective["id"].get<std::uint64_t>() - 1) % kCollectives;
      EXPECT_EQ(collective["bytes"], 4096 * (number + 1)) << more;
      EXPECT_EQ(collective["name"], "n" + std::to_string(100 + number)) << more;
    }
    EXPECT_TRUE(results["values_proven"].get<bool>());
    for (const auto& iteration : results["iterations"]) {
      std::uint64_t sum = 0;
      for (const auto& [name, part] : iteration["breakdown_ps"].items()) sum += part.get<std::uint64_t>();
      EXPECT_EQ(sum, iteration["time_ps"].get<std::uint64_t>());
    }
    EXPECT_EQ(results, run(more)) << more;
    times.insert(results["iterations"][0]["time_ps"].get<std::uint64_t>());
  }
  EXPECT_GT(times.size(), 3U) << "the timings differ";
}

TEST_F(Stragglers, CollectivesOfTwoGroupsInOneClassDoNotBlockEachOther) {
  // Rank 0 gets the group a = {0, 1} ready first and rank 1 the group b = {0, 1}, without dependencies
  // between.
  const auto in = [](chakra::Node node, const char* group) {
    node.pg_name = group;
    return node;
  };
  write(
      {{cpu(1, 100), cpu(2, 900'000, {1}), in(all_reduce(3, 0, {1}), "a"), in(all_reduce(4, 0, {2}), "b")},
       {cpu(1, 100), cpu(2, 900'000, {1}), in(all_reduce(3, 0, {2}), "a"), in(all_reduce(4, 0, {1}), "b")}});
  ToolResult result;
  run_traces(folder_, "wafer_mesh_5x4",
             "chakra: " + folder_.path() +
                 "/job, comm_groups: " + folder_.write("groups.json", R"({"a": [0, 1], "b": [1, 0]})"),
             "", result);
  EXPECT_EQ(result.exit_code, 0) << result.error;
}

TEST_F(Stragglers, MessagesOfOneTagMeetByNumber) {
  std::vector<chakra::Node> sender, receiver;
  for (std::uint64_t k = 0; k < 5; ++k) receiver.push_back(compute(k, 70'000 * ((2 * k) % 5 + 1)));
  for (std::uint64_t k = 0; k < 5; ++k) {
    sender.push_back(cpu(k, 100'000 * ((3 * k) % 5 + 1)));
    sender.push_back(send(100 + k, 1, 7, 0, {k}));
    sender.back().comm_size = 4096 * (k + 1);
    receiver.push_back(receive(100 + k, 0, 7, {(2 * k) % 5}));
    receiver.back().comm_size = 4096 * (k + 1);
  }
  write({sender, receiver});
  for (const std::string more : kTimings) {
    if (more.find("npu: 2") != std::string::npos) continue;  // there are two ranks
    const auto results = run(more);
    EXPECT_EQ(results, run(more));
  }
}

}  // namespace
}  // namespace wafertlm::test
