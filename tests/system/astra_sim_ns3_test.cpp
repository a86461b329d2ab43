// SPDX-License-Identifier: Apache-2.0
// `wafertlm astra-sim` with the files of ASTRA-sim's ns-3 back end.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_jobs.h"
#include "workloads/chakra/node.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

/// Four hosts on a switch, 400 Gb/s, 500 ns.
constexpr const char* kNs3Star =
    "5 1 4\n4\n4 0 400Gbps 0.0005ms 0\n4 1 400Gbps 0.0005ms 0\n4 2 400Gbps 0.0005ms 0\n4 3 400Gbps 0.0005ms "
    "0\n";
/// An ACK for a whole message, so that none shares a cable with data for long.
constexpr const char* kNs3Config =
    "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE 1000 {bytes}\n"
    "TOPOLOGY_FILE ../../scratch/topology/star.txt\nFCT_OUTPUT_FILE fct.txt\nCC_MODE 12\nFAST_REACT 1\n"
    "L2_ACK_INTERVAL 1000000\nBUFFER_SIZE 32\n";
constexpr const char* kNs3System =
    R"({"endpoint-delay": 0, "preferred-dataset-splits": 1, "active-chunks-per-dimension": 1,
  "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"],
  "reduce-scatter-implementation": ["ring"], "all-to-all-implementation": ["direct"]})";

class AstraSimNs3 : public testing::Test {
 protected:
  AstraSimNs3() {
    folder_.write("star.txt", kNs3Star);
    job_ = test::write_collective_job(folder_.path() + "/job/collective", chakra::CollectiveType::AllReduce,
                                      4, kBytes);
  }
  test::ToolResult run(const std::string& logical = R"({"logical-dims": ["4"]})",
                       const std::string& config = kNs3Config, const std::string& system = kNs3System) {
    return test::run_tool("astra-sim --workload-configuration=" + job_ +
                          " --system-configuration=" + folder_.write("system.json", system) +
                          " --network-configuration=" + folder_.write("config.txt", config) +
                          " --logical-topology-configuration=" + folder_.write("logical.json", logical) +
                          " --comm-group-configuration=empty --logging-folder=" + folder_.path() + "/out");
  }
  void refuses(const test::ToolResult& result, const std::string& text) {
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_NE(result.error.find(text), std::string::npos) << result.error;
    EXPECT_FALSE(fs::exists(folder_.path() + "/out/results.json"));
  }

  static constexpr std::uint64_t kBytes = 4'000'000;
  test::TempFolder folder_;
  std::string job_;
};

/// 2·3 steps, each 1000 packets of 1038 B at 20 ps/B, stored once, over two cables, and an ACK back; a cycle
/// is a nanosecond.
TEST_F(AstraSimNs3, ARingTakesItsStepsAndConvertsToAPlatform) {
  const test::ToolResult result = run();
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const double step_ns = (1001 * 1038 * 20 + 4 * 500'000) / 1e3;
  const std::string begin = "sys[3] finished, ";
  const std::size_t at = result.out.find(begin);
  ASSERT_NE(at, std::string::npos) << result.out;
  EXPECT_NEAR(std::stod(result.out.substr(at + begin.size())), 6 * step_ns, 0.001 * 6 * step_ns);
  EXPECT_NE(result.error.find("without effect here: FAST_REACT"), std::string::npos) << result.error;
  EXPECT_EQ(result.error.find("FCT_OUTPUT_FILE"), std::string::npos)
      << "where to write has no effect on results";
  // The converted files say the same again.
  const test::ToolResult again =
      test::run_tool("run " + folder_.path() + "/out/experiment.yaml --out " + folder_.path() + "/again");
  EXPECT_EQ(again.exit_code, 0) << again.error;
  EXPECT_EQ(again.out.substr(again.out.find("Iteration"), 120),
            result.out.substr(result.out.find("Iteration"), 120));
}

/// Without switches: a host's two links are joined by a switch of its own at twice their rate. Each step: a
/// packet at that rate on either end, 1000 packets over one cable, and an ACK back.
TEST_F(AstraSimNs3, ARingOfHostsWithoutSwitches) {
  folder_.write("star.txt",
                "4 0 4\n\n0 1 400Gbps 0.0005ms 0\n1 2 400Gbps 0.0005ms 0\n2 3 400Gbps 0.0005ms 0\n"
                "3 0 400Gbps 0.0005ms 0\n");
  const test::ToolResult result = run();
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.error.find("4 of 4 hosts have several links"), std::string::npos) << result.error;
  const double step_ns = (1001 * 1038 * 20 + 2 * 500'000) / 1e3;
  const std::string begin = "sys[3] finished, ";
  EXPECT_NEAR(std::stod(result.out.substr(result.out.find(begin) + begin.size())), 6 * step_ns,
              0.001 * 6 * step_ns);
}

TEST_F(AstraSimNs3, PortsOfAnyRate) {
  for (const int gbps : {56, 300, 1440, 2400, 3600}) {
    const std::string end = " " + std::to_string(gbps) + "Gbps 0.0005ms 0\n";
    folder_.write("star.txt", "5 1 4\n4\n4 0" + end + "4 1" + end + "4 2" + end + "4 3" + end);
    const test::ToolResult result = run();
    ASSERT_EQ(result.exit_code, 0) << gbps << result.error;
    const double step_ns = 1001 * 1038 * 8.0 / gbps + 2 * 500, acks_ns = 2 * 500;
    const std::string begin = "sys[3] finished, ";
    const double ns = std::stod(result.out.substr(result.out.find(begin) + begin.size()));
    EXPECT_GE(ns, 6 * step_ns * 0.999) << gbps;
    EXPECT_LE(ns, 6 * (step_ns + acks_ns) * 1.001) << gbps;
    EXPECT_NE(result.out.find("all_reduce  dimensional"), std::string::npos) << "a ring was asked for";
  }
}

/// What goes wrong in the fabric is said of the user's file.
TEST_F(AstraSimNs3, ErrorsNameTheFile) {
  folder_.write("star.txt",
                "5 1 4\n4\n4 0 400Gbps 100ms 0\n4 1 400Gbps 100ms 0\n4 2 400Gbps 100ms 0\n"
                "4 3 400Gbps 100ms 0\n");  // more headroom than there is buffer
  const test::ToolResult result = run();
  refuses(result, "config.txt: ");
  EXPECT_EQ(result.error.find(": :"), std::string::npos) << result.error;
}

/// 2 x 2: of the vector first one half, then a quarter, then back; two messages of 1 MB and two of 2 MB.
TEST_F(AstraSimNs3, LogicalDimensionsAreGoneThrough) {
  const auto of = [&](const std::string& text) {
    const test::ToolResult result = run(R"({"logical-dims": ["2", "2"]})", kNs3Config, text);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const std::string begin = "sys[0] finished, ";
    const std::size_t at = result.out.find(begin);
    return at == std::string::npos ? 0 : std::stod(result.out.substr(at + begin.size()));
  };
  const auto message_ns = [](double packets) { return ((packets + 1) * 1038 * 20 + 4 * 500'000) / 1e3; };
  const std::string aware =
      std::string(kNs3System)
          .replace(
              1, 0,
              R"("collective-optimization": "localBWAware", "inter-dimension-scheduling": "baseline", )");
  std::string two = aware;
  for (std::size_t at = 0; (at = two.find("[\"ring\"]", at)) != std::string::npos; at += 8)
    two.replace(at, 8, "[\"ring\", \"ring\"]");
  two.replace(two.find("[\"direct\"]"), 10, "[\"direct\", \"direct\"]");
  const double expected = 2 * message_ns(2000) + 2 * message_ns(1000);
  EXPECT_NEAR(of(two), expected, 0.001 * expected);
}

TEST_F(AstraSimNs3, RefusesWithThePlace) {
  refuses(run(R"({"logical-dims": ["2", "3"]})"), "logical.json:1:");
  refuses(run(R"({"logical-dims": ["2", "3"]})"), "multiply to 6, but");
  refuses(run(R"({"logical-dims": ["x"]})"), "must be a whole number");
  refuses(run(R"({"logical-dim": ["4"]})"), "did you mean 'logical-dims'");
  const std::string config = kNs3Config;
  refuses(run(R"({"logical-dims": ["4"]})", config + "CC_MOD 3\n"), "config.txt:10:1: unknown key 'CC_MOD'");
  refuses(run(R"({"logical-dims": ["4"]})", config + "CC_MODE 10\n"),
          "config.txt:10:1: CC_MODE 10 is not modelled");
  refuses(run(R"({"logical-dims": ["4"]})", "CC_MODE 12\nTOPOLOGY_FILE nowhere.txt\n"),
          "config.txt:2:1: TOPOLOGY_FILE: there is no nowhere.txt");
  folder_.write("star.txt",
                "5 1 4\n4\n4 0 400Gbps 0.0005ms 0\n4 9 400Gbps 0.0005ms 0\n4 2 400Gbps 0.0005ms 0\n"
                "4 3 400Gbps 0.0005ms 0\n");
  refuses(run(), "star.txt:4:1: a link needs two different nodes of the network");
}

#ifndef WAFERTLM_SOURCE_DIR
#define WAFERTLM_SOURCE_DIR "."
#endif

/// ASTRA-sim's own files as they are: eight NPUs on a switch.
TEST_F(AstraSimNs3, TakesTheSamples) {
  const std::string inputs = WAFERTLM_SOURCE_DIR "/../shared/inputs/ns3/";
  if (!fs::exists(inputs + "config.txt")) GTEST_SKIP() << "no " << inputs;
  const std::string job = test::write_collective_job(folder_.path() + "/eight/collective",
                                                     chakra::CollectiveType::AllReduce, 8, 1 << 20);
  const test::ToolResult result = test::run_tool(
      "astra-sim --workload-configuration=" + job +
      " --system-configuration=" + folder_.write("system.json", kNs3System) +
      " --network-configuration=" + inputs + "config.txt --logical-topology-configuration=" + inputs +
      "sample_8nodes_1D.json --comm-group-configuration=empty --logging-folder=" + folder_.path() + "/out");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("sys[7] finished"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace wafertlm
