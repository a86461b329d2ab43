// SPDX-License-Identifier: Apache-2.0
#include "platform/results/cost.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/machine/wafer.h"
#include "platform/spec/load.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::cost {
namespace {

config::PlatformSpec three_dimensions(const test::TempFolder& folder) {
  return config::load_platform(
      folder.write("platform.yaml",
                   "platform: three dimensions\nnpu: {hbm: {capacity: 40 GB}}\nwafer:\n  fabric:\n    kind: "
                   "dimensional\n    dimensions:\n"
                   "      - {topology: ring, size: 4, bandwidth: 50 GB/s, latency: 1 ns}\n"
                   "      - {topology: fully_connected, size: 3, bandwidth: 20 GB/s, latency: 1 ns}\n"
                   "      - {topology: switch, size: 5, bandwidth: 10 GB/s, latency: 1 ns}\n"));
}

/// C = N·Σ B_d·c_d with B the sum over an NPU's links (codesign.md, section 1).
TEST(Cost, OfANetworkIsThatOfLibra) {
  const test::TempFolder folder;
  const config::PlatformSpec platform = three_dimensions(folder);
  CostTable table = load_costs(std::string(WAFERTLM_SOURCE_DIR) + "/configs/costs/libra_3d.yaml");
  const Wafer wafer(platform);
  const std::vector<Link> links = links_of(wafer.fabric());
  const PlatformCost cost = cost_of(platform, links, table);
  EXPECT_NEAR(cost.price(), 60 * (100 * 4.0 + 40 * 4.0 + 10 * 57.4), 1e-6);
  table.npu = 1000;
  table.npu_power = 700;
  table.memory = 10;
  table.memory_power = 0.5;
  table.links[0].power = 0.2;
  const PlatformCost more = cost_of(platform, links, table);
  EXPECT_NEAR(more.price() - cost.price(), 60 * (1000 + 40 * 10), 1e-6);
  EXPECT_NEAR(more.power(), 60 * (700 + 40 * 0.5 + 100 * 0.2), 1e-6);
  table.links.pop_back();
  EXPECT_NE(test::refusal_of([&] { cost_of(platform, links, table); }).find("no price for the link"),
            std::string::npos);
  table.links.push_back({"*", 57.4, 0});
  table.links.push_back({"router*", 1, 0});
  EXPECT_NE(test::refusal_of([&] { cost_of(platform, links, table); }).find("router* "), std::string::npos);
}

/// 3 NPUs on a pod switch at 10 GB/s: $1,722 (LIBRA).
TEST(Cost, IsShownByCheck) {
  const test::TempFolder folder;
  const std::string platform =
      folder.write("p.yaml",
                   "platform: pod\nwafer:\n  fabric:\n    kind: dimensional\n    dimensions:\n"
                   "      - {topology: switch, size: 3, bandwidth: 10 GB/s, latency: 1 ns}\n");
  const std::string costs = folder.write(
      "c.yaml",
      "costs: pod\nlinks:\n  - {links: \"*->switch*\", price: 57.4}\n  - {links: \"*\", price: 0}\n");
  const test::ToolResult result = test::run_tool("check " + platform + " --costs " + costs);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("1722"), std::string::npos) << result.out;
  EXPECT_EQ(test::run_tool("check " + costs + " --costs " + costs).exit_code, 2);
}

TEST(Cost, OfWafersCountsTheBadOnes) {
  const test::TempFolder folder;
  const config::PlatformSpec platform = three_dimensions(folder);
  CostTable table = load_costs(
      folder.write("c.yaml",
                   "costs: wafers\nwafer: 30000\nwafer_yield: {value: 0.6, provenance: \"A\"}\nlinks:\n"
                   "  - {links: \"*\", price: 0}\n"));
  const Wafer wafer(platform);
  const std::vector<Link> links = links_of(wafer.fabric());
  EXPECT_NEAR(cost_of(platform, links, table).price(), 50000, 1e-6);
  table.expanded = 1;
  EXPECT_NE(test::refusal_of([&] { cost_of(platform, links, table); }).find("no remote memory"),
            std::string::npos);
}

/// In results, per NPU and in all; and by --set of one item of a list.
TEST(Cost, IsInTheResultsOfARun) {
  const test::TempFolder folder;
  folder.write("costs.yaml",
               "costs: table\nnpu: 1000\nnpu_power: 700\nlinks:\n  - {links: \"*\", price: 2, power: 0.1}\n");
  const std::string experiment = folder.write(
      "e.yaml",
      "experiment: e\ncosts: costs.yaml\nplatform:\n  platform: pair\n  wafer:\n    fabric:\n      kind: "
      "dimensional\n      transport: messages\n      dimensions:\n        - {topology: fully_connected, "
      "size: 3, "
      "bandwidth: 1 GB/s, latency: 1 ns}\nworkload:\n  model: {model: one, layers: [{name: a, parameters: "
      "1000, "
      "forward_operations: 1000000}]}\n  parallelism: DP(3)\n  samples_per_replica: 1\n  effective_flops: 1 "
      "TFLOPS\n");
  const auto run = [&](const std::string& more) {
    return test::run_tool("run " + experiment + " --out " + folder.path() + "/out " + more);
  };
  ASSERT_EQ(run("--set 'wafer.fabric.dimensions[0].bandwidth=10 GB/s'").exit_code, 0);
  const auto results = nlohmann::json::parse(test::read_text(folder.path() + "/out/results.json"));
  EXPECT_DOUBLE_EQ(results["cost"]["price"], 3 * 1000 + 6 * 10 * 2);  // six links of one direction
  EXPECT_DOUBLE_EQ(results["cost"]["price_per_npu"], 1040);
  EXPECT_DOUBLE_EQ(results["cost"]["power_w"], 3 * 700 + 6 * 10 * 0.1);
  EXPECT_DOUBLE_EQ(results["energy_j"]["drawn"], 2106 * results["simulation"]["end_s"].get<double>());
  const test::ToolResult no_item = run("--set 'wafer.fabric.dimensions[1].bandwidth=10 GB/s'");
  EXPECT_EQ(no_item.exit_code, 2);
  EXPECT_NE(no_item.error.find("items 0 to 0"), std::string::npos) << no_item.error;
  folder.write("costs.yaml", "costs: table\nlinks:\n  - {links: \"router*\", price: 2}\n");
  EXPECT_EQ(run("").exit_code, 2);
}

}  // namespace
}  // namespace wafertlm::cost
