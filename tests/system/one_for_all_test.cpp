// SPDX-License-Identifier: Apache-2.0
// Jobs of eight ranks that do the same, with one NPU in place of all: results.json is that of all NPUs, and
// says who was simulated and why.
#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

constexpr int kEight = 8;

chakra::Node collective_of(std::uint64_t id, chakra::CollectiveType type, std::uint64_t bytes,
                           const std::string& traffic_class, Parents parents = {}) {
  chakra::Node node = all_reduce(id, 0, std::move(parents), bytes);
  node.comm_type = type;
  node.comm_class = traffic_class;
  return node;
}

/// A dimension of eight NPUs.
std::string eight(const std::string& topology, const std::string& more) {
  return "platform: {platform: eight, wafer: {fabric: {kind: dimensional, transport: messages, dimensions: "
         "[{topology: " +
         topology + ", size: 8, bandwidth: 100 GB/s, latency: 500 ns}]" + more;
}

class OneForAllJobs : public testing::Test {
 protected:
  /// The same of every rank.
  void write(const std::string& platform, std::vector<chakra::Node> nodes, const std::string& more = "") {
    for (int rank = 0; rank < kEight; ++rank) write_rank(rank, nodes);
    file_ = folder_.write(
        "e.yaml", "experiment: e\n" + platform + "\nworkload: {workload: w, chakra: job" + more + "}\n");
  }
  void write_rank(int rank, std::vector<chakra::Node> nodes) {
    chakra::VectorSource source("rank", std::move(nodes));
    chakra::write_trace(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
  }
  void write_groups(const std::string& text) { folder_.write("groups.json", text); }
  nlohmann::json results(const std::string& acceleration) const {
    const ToolResult result = run_tool("run " + file_ + " --out " + folder_.path() + "/" + acceleration +
                                       " --set run.acceleration=" + acceleration);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return nlohmann::json::parse(read_text(folder_.path() + "/" + acceleration + "/results.json"));
  }
  /// What exact runs say of places, whose results must be those of `off`.
  nlohmann::json places() const {
    nlohmann::json of_one = results("exact"), of_all = results("off");
    const nlohmann::json said = of_one["host"]["accelerated"].value("equal_places", nlohmann::json());
    for (nlohmann::json* each : {&of_one, &of_all}) each->erase("host");
    EXPECT_EQ(of_one, of_all) << nlohmann::json::diff(of_one, of_all).dump(1).substr(0, 1000);
    results("verify");
    return said;
  }

 private:
  TempFolder folder_;
  std::string file_;
};

using Type = chakra::CollectiveType;

TEST_F(OneForAllJobs, GroupsSideBySide) {
  write(eight("switch", "}}, collectives: {algorithm: dimensional}}"), {}, ", comm_groups: groups.json");
  write_groups(R"({"even": [0, 2, 4, 6], "odd": [1, 3, 5, 7]})");
  for (int rank = 0; rank < kEight; ++rank) {
    chakra::Node half = collective_of(1, Type::AllReduce, 1 << 20, "mp", {0});
    half.pg_name = rank % 2 == 0 ? "even" : "odd";
    write_rank(rank, {compute(0, 1'000'000), half, collective_of(2, Type::AllReduce, 1 << 20, "dp", {0, 1})});
  }
  EXPECT_EQ(places()["npus"], 8);
}

// The switch would let them out in the order of its inputs, of which each NPU has other ones.
TEST_F(OneForAllJobs, NotWhereMessagesWaitForEachOtherInASwitch) {
  write(eight("switch", ", switch_mode: store_and_forward}}, collectives: {algorithm: dimensional}}"),
        {collective_of(0, Type::AllToAll, 8 << 20, "mp"), collective_of(1, Type::AllToAll, 64 << 10, "dp")});
  EXPECT_EQ(places()["off_because"],
            "two messages wait for a link, and which goes first depends on where they are from");
}

TEST_F(OneForAllJobs, NotWhereCollectivesMoveFullConnectionsDifferently) {
  const std::string halves =
      ", collectives: {algorithm: dimensional, dimensions: {all_reduce: [halving_doubling]}}}";
  write(eight("fully_connected", "}}" + halves), {collective_of(0, Type::AllReduce, 8 << 20, "dp")});
  EXPECT_EQ(places()["npus"], 8) << "its ports carry different loads";
  write(eight("fully_connected", "}}" + halves), {collective_of(0, Type::AllReduce, 8 << 20, "dp"),
                                                  collective_of(1, Type::AllToAll, 8 << 20, "dp", {0})});
  EXPECT_EQ(places()["off_because"],
            "collectives move the places of a fully connected dimension differently");
}

TEST_F(OneForAllJobs, NotWithOneRankThatIsAPicosecondLate) {
  const std::vector<chakra::Node> nodes = {compute(0, 1'000'000),
                                           collective_of(1, Type::AllReduce, 1 << 20, "dp", {0})};
  write(eight("ring", "}}}"), nodes);
  EXPECT_EQ(places()["npus"], 8);
  std::vector<chakra::Node> late = nodes;
  late[0].duration_ps += 1;
  write_rank(3, late);
  EXPECT_EQ(places()["off_because"], "rank 3 differs from rank 0 at its node 0 \"n0\"");
}

TEST_F(OneForAllJobs, NotWhereABlockIsLonger) {
  write(eight("ring", "}}}"), {collective_of(0, Type::AllReduce, (1 << 20) + 4, "dp")});
  EXPECT_EQ(places()["off_because"], "ranks differ in what they do in a collective");
}

}  // namespace
}  // namespace wafertlm::test
