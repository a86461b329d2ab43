// SPDX-License-Identifier: Apache-2.0
// Costs of the endpoints, and what results say of what they leave out.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

const std::string kConfigs = WAFERTLM_SOURCE_DIR "/configs/";

nlohmann::json collective(const std::string& platform, const std::string& more) {
  const ToolResult result =
      run_tool("collective " + kConfigs + "platforms/" + platform + ".yaml " + more + " --json");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return nlohmann::json::parse(result.out);
}

std::string preset(const std::string& name) {
  return " --set npu.endpoint=" + kConfigs + "endpoints/" + name + ".yaml";
}

TEST(EndpointCosts, PresetsCostWhatTheySay) {
  for (const char* platform : {"wafer_mesh_5x4", "fred_c"}) {
    const auto time = [&](const std::string& more) {
      return collective(platform, "--type all_reduce --size 1KiB --algorithm ring" + more)["rows"][0];
    };
    const auto ideal = time(preset("ideal"));
    EXPECT_EQ(time(""), ideal) << platform;
    // 38 steps, each of which waits for the one before.
    const std::int64_t free = ideal["time_ps"];
    EXPECT_EQ(time(preset("rdma"))["time_ps"], free + 38 * 3'000'000) << platform;
    const auto library = time(preset("gpu_library"));
    EXPECT_EQ(library["time_ps"], free + 38 * 3'000'000 + 11'900'000) << platform;
    EXPECT_EQ(library["predicted_ps"].get<std::int64_t>() - ideal["predicted_ps"].get<std::int64_t>(),
              38 * 3'000'000 + 11'900'000)
        << platform;
  }
}

TEST(EndpointCosts, WithThemFewerStepsWin) {
  const auto algorithm = [](const std::string& more) {
    return collective("wafer_mesh_5x4",
                      "--type all_reduce --size 64KiB --algorithm fastest" + more)["rows"][0]["algorithm"];
  };
  EXPECT_NE(algorithm(preset("ideal")), "ring");
  EXPECT_NE(algorithm(preset("rdma")), "ring");
}

TEST(EndpointCosts, ResultsThatAreMostlyLatencySayThatTheyAreFree) {
  const auto notes = [](const std::string& size, const std::string& more) {
    return collective("wafer_mesh_5x4", "--type all_reduce --size " + size + more)["notes"];
  };
  ASSERT_EQ(notes("1KiB", "").size(), 1U);
  EXPECT_NE(notes("1KiB", "")[0].get<std::string>().find("npu.endpoint"), std::string::npos);
  EXPECT_TRUE(notes("64MiB", " --algorithm hierarchical_2d").empty());
  EXPECT_TRUE(notes("1KiB", preset("rdma")).empty());
}

class SmallRun : public ::testing::Test {
 protected:
  nlohmann::json run(const std::string& more) {
    const std::string file = folder_.write(
        "e.yaml",
        "experiment: small\n"
        "platform: {platform: four, wafer: {width: 2, height: 2, fabric: {link_bandwidth: 100 GB/s}}}\n"
        "workload:\n"
        "  model: {model: one, layers: [{name: a, parameters: 2000, forward_operations: 1000000, "
        "activation_bytes: 3000}]}\n"
        "  parallelism: DP(4)\n"
        "  samples_per_replica: 1\n"
        "  effective_flops: 10 TFLOPS\n"
        "iterations: 1\n");
    result_ = run_tool("run " + file + " --out " + folder_.path() + "/out " + more);
    EXPECT_EQ(result_.exit_code, 0) << result_.error;
    return nlohmann::json::parse(read_text(folder_.path() + "/out/results.json"));
  }
  TempFolder folder_;
  ToolResult result_;
};

TEST_F(SmallRun, EnergyWithoutACostPerBitIsNotModelled) {
  const auto results = run("");
  EXPECT_TRUE(results["energy_j"]["links"].is_null());
  EXPECT_TRUE(results["energy_j"]["per_bit_j"].is_null());
  EXPECT_NE(results["energy_j"]["not_modelled"].get<std::string>().find("energy_per_bit"), std::string::npos);
  for (const auto& link : results["links"]) EXPECT_TRUE(link["energy_j"].is_null());
  EXPECT_NE(result_.out.find("Energy: not modelled"), std::string::npos);
}

TEST_F(SmallRun, EnergyIsThatOfEveryLinkOfAMesh) {
  const auto results = run("--set wafer.fabric.energy_per_bit=2pJ/bit");
  double bits = 0;
  for (const auto& link : results["links"]) {
    const double of = 8 * link["wire_bytes"].get<double>();
    EXPECT_NEAR(link["energy_j"].get<double>(), of * 2e-12, 1e-18) << link["name"];
    bits += of;
  }
  EXPECT_GT(bits, 0);
  EXPECT_NEAR(results["energy_j"]["links"].get<double>(), bits * 2e-12, 1e-15);
  EXPECT_FALSE(results["energy_j"].contains("not_modelled"));
}

TEST_F(SmallRun, SaysThatTheEndpointsAreFree) {
  EXPECT_EQ(run("")["notes"].size(), 1U);
  EXPECT_NE(result_.out.find("Note: most of the collectives' time is latency"), std::string::npos);
  EXPECT_TRUE(run("--set npu.endpoint.step_cost=1us")["notes"].empty());
}

/// What `explain` says of faster links is what a run with them takes.
TEST_F(SmallRun, ExplainPromisesWhatARunTakes) {
  for (const std::string set :
       {"", "--set wafer.fabric.packet_bytes=512B", "--set wafer.fabric.link_latency=1ns"}) {
    run(set);
    const ToolResult explained = run_tool("explain " + folder_.path() + "/out");
    ASSERT_EQ(explained.exit_code, 0) << explained.error;
    const auto after = [&](const std::string& text, const std::string& what) {
      const std::size_t at = text.find(what);
      EXPECT_NE(at, std::string::npos) << what << " is not in " << text;
      return at == std::string::npos ? std::string() : text.substr(at + what.size());
    };
    const std::string promised = after(after(explained.out, "  2 times:"), "the iteration takes ");
    std::string changes = set, rest = after(explained.out, "(2 times:");
    for (std::size_t at; (at = rest.find(" --set '")) != std::string::npos;) {
      rest = rest.substr(at + 8);
      changes += " --set '" + rest.substr(0, rest.find('\'')) + "'";
    }
    const auto faster = run(changes);
    EXPECT_EQ(faster["iterations"].back()["time_ps"].get<std::uint64_t>(), std::stoull(promised))
        << changes << '\n'
        << explained.out;
    // No link is busy for longer than the iteration.
    for (std::string line = after(explained.out, "Busiest links of the last iteration:");
         line.find(" (") != std::string::npos; line = after(line, "%)"))
      EXPECT_LE(std::stod(line.substr(line.find(" (") + 2)), 100);
  }
}

}  // namespace
}  // namespace wafertlm::test
