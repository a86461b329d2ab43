// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

const std::string kExperiment =
    std::string(WAFERTLM_SOURCE_DIR) + "/configs/experiments/resnet50_dp20_mesh_5x4.yaml";
const std::string kPlatform = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml";

nlohmann::json run(const test::TempFolder& folder, const std::string& name, const std::string& more) {
  const test::ToolResult result =
      test::run_tool("run " + kExperiment + " --out " + folder.path() + "/" + name + " " + more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  nlohmann::json results =
      nlohmann::json::parse(test::read_text(folder.path() + "/" + name + "/results.json"));
  results.erase("host");
  return results;
}

TEST(DefaultExperiment, GivesIdenticalResultsTwiceWithCheckersAndWithWaveforms) {
  const test::TempFolder folder;
  const auto first = run(folder, "a", "");
  EXPECT_EQ(first, run(folder, "b", ""));
  EXPECT_EQ(first, run(folder, "c", "--set run.checkers=true"));
  EXPECT_EQ(first, run(folder, "d", "--vcd " + folder.path() + "/links.vcd"));
  EXPECT_NE(test::read_text(folder.path() + "/links.vcd").find("$enddefinitions"), std::string::npos);
}

TEST(DefaultExperiment, HalfTheLinkBandwidthDoublesWhatIsExposed) {
  const test::TempFolder folder;
  const auto exposed = [](const nlohmann::json& results) {
    return results["iterations"][0]["breakdown_s"]["exposed_dp"].get<double>();
  };
  const double base = exposed(run(folder, "a", ""));
  const double slow = exposed(run(folder, "b", "--set wafer.fabric.link_bandwidth=375GB/s"));
  EXPECT_GT(slow / base, 1.9);
}

// Rings of 20 NPUs read 76 / 20 of each vector and write 38 / 20 (tests/collectives/endpoint_test.cpp).
TEST(DefaultExperiment, MemoriesShowWhatCollectivesReadAndWrite) {
  const test::TempFolder folder;
  const std::string fast = "--set iterations=1 --set wafer.fabric.packet_bytes=256KiB ";
  const auto sums = [](const nlohmann::json& results) {
    std::uint64_t bytes = 0, read = 0, written = 0;
    for (const auto& collective : results["collectives"]) bytes += collective["bytes"].get<std::uint64_t>();
    for (const auto& memory : results["memories"]) {
      read += memory["bytes_read"].get<std::uint64_t>();
      written += memory["bytes_written"].get<std::uint64_t>();
    }
    return std::vector<std::uint64_t>{bytes, read, written};
  };
  const auto free = sums(run(folder, "a", fast));
  EXPECT_GT(free[0], 0U);
  EXPECT_EQ(free[1], 0U);
  EXPECT_EQ(free[2], 0U);
  const auto hbm = sums(run(folder, "b", fast + "--set npu.endpoint.memory=hbm"));
  EXPECT_EQ(hbm[0], free[0]);
  EXPECT_EQ(hbm[1], 76 * hbm[0]);
  EXPECT_EQ(hbm[2], 38 * hbm[0]);
}

TEST(DefaultExperiment, TheResolvedConfigurationGivesTheSameResult) {
  const test::TempFolder folder;
  const auto first = run(folder, "a", "--set iterations=1");
  const test::ToolResult again =
      test::run_tool("run " + folder.path() + "/a/resolved.yaml --out " + folder.path() + "/again");
  ASSERT_EQ(again.exit_code, 0) << again.error;
  const auto second = nlohmann::json::parse(test::read_text(folder.path() + "/again/results.json"));
  EXPECT_EQ(first["iterations"], second["iterations"]);
}

// What NPUs inject is delivered to NPUs; the I/O controllers have nothing to do.
TEST(DefaultExperiment, WhatIsInjectedIsDelivered) {
  const test::TempFolder folder;
  std::map<std::string, std::uint64_t> bytes, links;  // by kind of ends, such as npu->router
  const auto results = run(folder, "a", "--set iterations=1");
  for (const auto& link : results["links"]) {
    std::string kind;
    for (const char c : link["name"].get<std::string>())
      if (c < '0' || c > '9') kind += c;
    ++links[kind];
    bytes[kind] += link["bytes"].get<std::uint64_t>();
  }
  EXPECT_EQ(links, (std::map<std::string, std::uint64_t>{{"router->router", 2 * (4 * 4 + 3 * 5)},
                                                         {"npu->router", 20},
                                                         {"router->npu", 20},
                                                         {"io->router", 18},
                                                         {"router->io", 18}}));
  EXPECT_GT(bytes["npu->router"], 0U);
  EXPECT_EQ(bytes["npu->router"], bytes["router->npu"]);
  EXPECT_EQ(bytes["io->router"] + bytes["router->io"], 0U);
}

struct BadCall {
  const char* arguments;
  const char* message;
};

// Each must end with exit code 2, one line on the error stream, and nothing written.
TEST(BadCalls, AreRefusedInOneLine) {
  const BadCall calls[] = {
      {"run nowhere.yaml", "nowhere.yaml"},
      {"run EXPERIMENT --set wafer.widht=4", "width"},
      {"run EXPERIMENT --set wafer.width=2", "do not fit"},
      {"run EXPERIMENT --set iterations=0", "iterations"},
      {"run EXPERIMENT --set workload.data_parallel=0", "data_parallel"},
      {"run EXPERIMENT --set workload.layers=resnet51", "resnet50"},
      {"run EXPERIMENT --set wafer.fabric.link_bandwidth=750", "unit"},
      {"run EXPERIMENT --set wafer.fabric.link_latency=0ns --set wafer.fabric.router_pipeline=0ns", "1 ps"},
      {"run EXPERIMENT --set wafer.fabric.input_buffer=6KiB", "input_buffer"},
      {"run EXPERIMENT --set wafer.fabric.failed_routers=[99]", "99"},
      {"run EXPERIMENT --set wafer.fabric.failed_links=[[0,7]]", "failed_links"},
      {"run EXPERIMENT --set wafer.fabric.virtual_channels=17", "virtual_channels"},
      {"run EXPERIMENT --set wafer.fabric.link_bandwidth=20PB/s", "9"},
      {"run EXPERIMENT --set nonsense", "nonsense"},
      {"run PLATFORM", "experiment"},
      {"collective PLATFORM --type all_reduce --npus 0-20", "0 to 19"},
      {"collective PLATFORM --type all_reduce --npus 3-1", "3-1"},
      {"collective PLATFORM --type all_reduce --npus 0-", "0-"},
      {"collective PLATFORM --type all_reduce --npus 1,1", "twice"},
      {"collective PLATFORM --type all_reduce --size 12X", "unit"},
      {"collective PLATFORM --type all_reduce --size 1MiB:1KiB:2", "FROM"},
      {"collective PLATFORM --type all_reduce --size 1MiB,", "size"},
      {"collective PLATFORM --type all_to_all --algorithm ring", "direct"},
      {"collective PLATFORM --type all_reduce --class best", "mp"},
      {"collective PLATFORM --type everything", "all_reduce"},
      {"collective PLATFORM", "--type"},
      {"collective PLATFORM --type all_reduce --npus 0-4 --set wafer.fabric.failed_routers=[2]", "router 2"},
      {"check nowhere.yaml", "nowhere.yaml"},
      {"traffic FLITS --pattern sideways", "sideways"},
      {"dance", ""},
  };
  for (const BadCall& call : calls) {
    const test::TempFolder folder;
    std::string arguments = call.arguments;
    const auto put = [&](const std::string& word, const std::string& path) {
      if (const std::size_t at = arguments.find(word); at != std::string::npos)
        arguments.replace(at, word.size(), path);
    };
    put("EXPERIMENT", kExperiment);
    put("PLATFORM", kPlatform);
    put("FLITS", std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/mesh_8x8_flit.yaml");
    if (arguments.rfind("run", 0) == 0) arguments += " --out " + folder.path() + "/out";
    const test::ToolResult result = test::run_tool(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << '\n' << result.error;
    EXPECT_EQ(result.error.rfind("wafertlm: ", 0), 0U) << arguments << '\n' << result.error;
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << arguments << '\n' << result.error;
    EXPECT_NE(result.error.find(call.message), std::string::npos) << arguments << '\n' << result.error;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(test::read_text(folder.path() + "/out/results.json"), "") << arguments;
  }
}

}  // namespace
}  // namespace wafertlm
