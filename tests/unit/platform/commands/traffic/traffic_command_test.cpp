// SPDX-License-Identifier: Apache-2.0
// The command as a user meets it: exit codes and messages.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

const std::string kPlatforms = "'" WAFERTLM_SOURCE_DIR "/configs/platforms";
const std::string kFlits = WAFERTLM_SOURCE_DIR "/configs/platforms/mesh_8x8_flit.yaml";
const std::string kWafer = WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml";

struct Outcome {
  int code;
  std::string output;  ///< both streams
};

Outcome traffic(const std::string& arguments) {
  const std::string line = fmt::format("'{}' traffic {} 2>&1", tool_path(), arguments);
  FILE* pipe = popen(line.c_str(), "r");
  std::string output;
  std::array<char, 4096> part;
  while (const std::size_t bytes = fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), bytes);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

struct Bad {
  std::string arguments, message;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.message; }

class BadTraffic : public testing::TestWithParam<Bad> {};

TEST_P(BadTraffic, EndsWithOneLineAndCode2) {
  const Outcome outcome = traffic(GetParam().arguments);
  fmt::print("{}", outcome.output);
  EXPECT_EQ(outcome.code, 2);
  const std::size_t error = outcome.output.find("wafertlm: ");
  ASSERT_NE(error, std::string::npos);
  EXPECT_NE(outcome.output.find(GetParam().message), std::string::npos);
  EXPECT_EQ(outcome.output.find('\n', error), outcome.output.size() - 1);
}

INSTANTIATE_TEST_SUITE_P(
    Input, BadTraffic,
    testing::Values(
        Bad{kFlits + " --pattern tornadoo",
            "no pattern 'tornadoo'; did you mean 'tornado'? expected one of: uniform, transpose"},
        Bad{kFlits + " --pattern tornadoo", "did you mean 'tornado'?"},
        Bad{kFlits + " --hotspot 3", "--hotspot is only used with --pattern hotspot"},
        Bad{kFlits + " --hotspot-fraction 0.2", "--hotspot-fraction is only used with --pattern hotspot"},
        Bad{kFlits + " --set run.functional=true", "synthetic traffic carries no values"},
        Bad{kFlits + " --set npu.endpoint.step_cost=1ns", "npu.endpoint: synthetic traffic goes past"},
        Bad{kFlits + " --json /no/such/folder/out.json", "the file cannot be written"},
        Bad{kFlits + " --packet ''", "--packet: the value is empty"},
        Bad{kWafer + " --pattern transpose --packet 3072B", "as many columns as rows, and the mesh is 5x4"},
        Bad{kFlits + " --load 0", "--load 0: expected a number above 0"},
        Bad{kFlits + " --load -0.1", "expected a number above 0"},
        Bad{kFlits + " --load x", "--load x: expected a number"},
        Bad{kFlits + " --load 0.1:0.5", "first:last:step"},
        Bad{kFlits + " --load 0.5:0.1:0.1", "must not be below the first"},
        Bad{kFlits + " --load 0.1:0.5:1e-9", "at most 10000 points"},
        Bad{kFlits + " --load 9", "so the load is at most 8 flits per cycle"},
        Bad{kFlits + " --packet 0flits", "expected a number of flits such as 8flits"},
        Bad{kFlits + " --packet 8flots", "expected a number of flits such as 8flits"},
        Bad{kFlits + " --packet 8parsec", "expected a number of flits such as 8flits, or a size"},
        Bad{kFlits + " --packet 9flits --set wafer.fabric.switching=cut_through",
            "holds less than two packets"},
        Bad{kWafer + " --packet 8flits", "has no flits (wafer.fabric.flit_bytes is 0)"},
        Bad{kPlatforms + "/mesh_3x3_rtl.yaml' --set 'wafer.fabric.rtl=[{switch: router3, view: rtl, design: "
                         "mesh_router}]'",
            "reports no RTL"},
        Bad{kPlatforms + "/graph_fat_tree_16.yaml' --flow 1MiB", "packets travel on this one; give --load"},
        Bad{kPlatforms + "/dimensional_64.yaml' --load 0.1",
            "whole messages travel there: give --flow SIZE in place of --load"},
        Bad{kFlits + " --class mpp", "mpp"},
        Bad{kFlits + " --pattern hotspot --hotspot 64", "the 8x8 mesh has 0 to 63"},
        Bad{kFlits + " --pattern hotspot --hotspot-fraction 1.5", "is not between 0 and 1"},
        Bad{kFlits + " --pattern permutation", "needs --permutation FILE"},
        Bad{kFlits + " --permutation x", "only used with --pattern permutation"},
        Bad{kFlits + " --pattern pairs --permutation x", "only used with --pattern permutation"},
        Bad{kFlits + " --pattern pairs", "needs --pairs FILE"},
        Bad{kFlits + " --pattern permutation --permutation no/such/file", "cannot be read"},
        Bad{kFlits + " --load 0.1 --set 'wafer.fabric.failed_links=[[0, 1]]'",
            "between routers 0 and 1 has failed"},
        Bad{"no_such.yaml", "no_such.yaml"}));

struct BadFile {
  std::string text, message;
};
void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.message; }

class BadPermutation : public testing::TestWithParam<BadFile> {};

TEST_P(BadPermutation, NamesTheLine) {
  const TempFolder folder;
  const std::string path = folder.path() + "/pairs.txt";
  std::ofstream(path) << GetParam().text;
  const Outcome outcome = traffic(kFlits + " --pattern permutation --permutation " + path);
  fmt::print("{}", outcome.output);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("wafertlm: " + path + GetParam().message), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Input, BadPermutation,
                         testing::Values(BadFile{"", ": cannot be read, or is empty"},
                                         BadFile{"# nothing\n\n", ": lists no pair"},
                                         BadFile{"0 1\n2\n", ":2:1: expected 'source destination'"},
                                         BadFile{"0 1\n2 x\n", ":2:1: expected 'source destination'"},
                                         BadFile{"0 -1\n", ":1:1: expected 'source destination'"},
                                         BadFile{"0 1 2\n", ":1:1: expected two node numbers"},
                                         BadFile{"0 64\n", ":1:1: there is no node 64"},
                                         BadFile{"0 1\n\n0 2\n", ":3:1: node 0 already sends in line 1"},
                                         BadFile{"0 1\n2 1\n", ":2:1: node 1 already receives in line 1"}));

TEST(TrafficCommand, PrintsATableAndWritesJson) {
  const TempFolder folder;
  const std::string pairs = folder.path() + "/pairs.txt";
  const std::string json = folder.path() + "/out.json";
  std::ofstream(pairs) << "0 7  # along the first row\n7 0\n";
  const Outcome outcome =
      traffic(kFlits + " --load 0.1:0.3:0.1 --jobs 2 --measure 2000 --pattern permutation" +
              " --permutation " + pairs + " --json " + json);
  fmt::print("{}", outcome.output);
  ASSERT_EQ(outcome.code, 0);
  // 7 hops of 3 cycles, a first router, the ends, 8 flits.
  EXPECT_NE(outcome.output.find("zero-load latency 33.000 ns = 33.000 cycles"), std::string::npos);
  EXPECT_NE(outcome.output.find("channel bound    1.0000"), std::string::npos);
  const nlohmann::json results = nlohmann::json::parse(std::ifstream(json));
  ASSERT_EQ(results["rows"].size(), 3U);
  EXPECT_EQ(results["rows"][2]["offered"], 0.3);
  EXPECT_EQ(results["rows"][0]["zero_load_ps"], 33'000);
  for (const nlohmann::json& row : results["rows"]) {
    const double offered = row["offered"];
    EXPECT_NEAR(row["accepted"].get<double>(), offered, 0.05 * offered);
    EXPECT_LE(row["accepted_slowest"], row["accepted"]);
    EXPECT_NEAR(row["packets_measured"].get<double>(), 2000, 100);
    EXPECT_EQ(row["packet_flits"], 8);
    EXPECT_EQ(row["bound_link"], "router0->router1");
    // Of the 16 links, the 8 busiest are those of the flow that got more through, all of which passes each of
    // them.
    const double more = 2 * row["accepted"].get<double>() - row["accepted_slowest"].get<double>();
    ASSERT_EQ(row["worst_links"].size(), 8U);
    double before = 1;
    for (const nlohmann::json& link : row["worst_links"]) {
      EXPECT_DOUBLE_EQ(link["expected_fraction"].get<double>(), offered);
      EXPECT_NEAR(link["busy_fraction"].get<double>(), more, 0.01 * offered);
      EXPECT_LE(link["busy_fraction"], before);
      before = link["busy_fraction"];
      EXPECT_EQ(link["blocked_fraction"]["credit"], 0);
    }
  }
}

/// Presets by name, those that carry whole messages apart.
std::vector<std::string> platforms(bool with_messages) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(WAFERTLM_SOURCE_DIR "/configs/platforms")) {
    const std::string name = file.path().stem();
    const bool messages = name.rfind("ethernet_", 0) == 0 ||
                          test::read_text(file.path()).find("transport: messages") != std::string::npos;
    if (messages == with_messages) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

class EveryPlatform : public testing::TestWithParam<std::string> {
 protected:
  nlohmann::json json_of(const std::string& options) const {
    const TempFolder folder;
    const std::string json = folder.path() + "/out.json";
    const Outcome outcome = traffic(kPlatforms + "/" + GetParam() + ".yaml' " + options + " --json " + json);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    return outcome.code == 0 ? nlohmann::json::parse(std::ifstream(json)) : nlohmann::json();
  }
};
class PlatformOfPackets : public EveryPlatform {};
class PlatformOfMessages : public EveryPlatform {};

// Far below its bound a platform accepts what is offered: 3000 packets of Bernoulli sources, 4 standard
// deviations. Packets hardly meet: the latency is that of the closed form. Where little goes from wafer to
// wafer, a hundredth of the bound.
TEST_P(PlatformOfPackets, AcceptsTheOfferedLoadWithoutOtherOptions) {
  const auto row_at = [&](double load) -> nlohmann::json {
    const auto json = json_of(fmt::format("--load {:.7f} --warmup-packets 300 --measure 3000", load));
    return json.is_object() ? json["rows"][0] : nlohmann::json();
  };
  double load = 0.005;
  nlohmann::json row = row_at(load);
  ASSERT_TRUE(row.is_object());
  if (const auto bound = row["channel_bound"].get<double>(); bound < 2 * load)
    row = row_at(load = std::round(bound * 1e5) / 1e7);
  ASSERT_TRUE(row.is_object());
  EXPECT_NEAR(row["accepted"].get<double>(), load, load * 4 / std::sqrt(3000.0));
  EXPECT_FALSE(row["saturated"].get<bool>());
  EXPECT_NEAR(row["mean_ps"].get<double>(), row["zero_load_ps"].get<double>(),
              0.04 * row["zero_load_ps"].get<double>());
}

TEST_P(PlatformOfMessages, SendsAMebibyteEachWithoutOtherOptions) {
  const auto json = json_of("");
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["flow_bytes"], 1 << 20);
  EXPECT_GE(json["last_over_bound"].get<double>(), 1);
}

INSTANTIATE_TEST_SUITE_P(Presets, PlatformOfPackets, testing::ValuesIn(platforms(false)),
                         [](const auto& each) { return each.param; });
INSTANTIATE_TEST_SUITE_P(Presets, PlatformOfMessages, testing::ValuesIn(platforms(true)),
                         [](const auto& each) { return each.param; });

TEST(TrafficCommand, SaysWhatOfThePlatformItLeavesOut) {
  const std::string short_run = "' --load 0.02 --measure 200";
  EXPECT_NE(traffic(kPlatforms + "/wafer_mesh_5x4_hbm3.yaml" + short_run)
                .output.find("note: npu.endpoint: synthetic traffic goes past the endpoints"),
            std::string::npos);
  EXPECT_NE(
      traffic(kPlatforms + "/mesh_3x3_rtl.yaml" + short_run).output.find("note: wafer.fabric.rtl: left out"),
      std::string::npos);
}

TEST(TrafficCommand, ACycleNeedNotBeAWholeNumberOfPs) {
  const TempFolder folder;
  const std::string json = folder.path() + "/out.json";
  ASSERT_EQ(traffic(kWafer + " --load 0.1 --measure 200 --json " + json).code, 0);
  const nlohmann::json row = nlohmann::json::parse(std::ifstream(json))["rows"][0];
  EXPECT_DOUBLE_EQ(row["cycle_ps"].get<double>(), 4096 / 0.75);  // a packet at 750 GB/s
}

TEST(TrafficCommand, HelpHasExamples) {
  const Outcome outcome = traffic("--help");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("Examples:"), std::string::npos);
}

TEST(TrafficCommand, UnknownOptionIsBadInput) { EXPECT_EQ(traffic(kFlits + " --lod 1").code, 2); }

}  // namespace
}  // namespace wafertlm::test
