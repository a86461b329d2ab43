// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

const std::string kYieldPresets = std::string(WAFERTLM_SOURCE_DIR) + "/configs/yield/";

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(YieldCommand, SaysWhatSparesGain) {
  const auto result = test::run_tool("yield --json " + kYieldPresets + "wafer_20x20.yaml");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["npus"], 400);
  for (const auto& row : report["compared"]) EXPECT_LT(row["sigmas"], 3) << row;
  ASSERT_EQ(report["repairs"].size(), 6U);
  for (const auto& row : report["repairs"]) {
    EXPECT_LE(row["low"], row["yield"]);
    EXPECT_GE(row["high"], row["yield"]);
  }
  // Rows and columns of the same number are as good as each other, both are better, 2-hop links best.
  EXPECT_GT(report["repairs"][4]["yield"], report["repairs"][2]["yield"]);
  EXPECT_GT(report["repairs"][5]["yield"], report["repairs"][2]["yield"]);
  EXPECT_NEAR(report["repairs"][2]["area_cost"], 20. / 17 - 1, 1e-12);
  EXPECT_NEAR(report["repairs"][4]["area_cost"], 400. / 289 - 1, 1e-12);
}

TEST(YieldCommand, EqualSeedsGiveEqualText) {
  const std::string command = "yield " + kYieldPresets + "wafer_20x20.yaml --set wafers=500";
  const auto first = test::run_tool(command);
  EXPECT_NE(first.out.find("2-hop links"), std::string::npos) << first.out;
  EXPECT_EQ(first.out, test::run_tool(command).out);
  EXPECT_NE(first.out, test::run_tool(command + " --set seed=2").out);
}

TEST(YieldCommand, WritesMapsOfTheWafersThatItCounts) {
  const test::TempFolder folder;
  const auto result = test::run_tool("yield --json " + kYieldPresets +
                                     "wafer_20x20.yaml --set wafers=50 --maps " + folder.path() + "/maps");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  double dead = 0;
  int maps = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() + "/maps")) {
    if (file.path().extension() != ".csv") continue;
    ++maps;
    std::istringstream text(contents(file.path()));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "kind,part");
    std::vector<bool> is_dead(400);
    while (std::getline(text, line)) {
      const std::string kind = line.substr(0, line.find(',')), part = line.substr(line.find(',') + 1);
      EXPECT_TRUE(kind == "npu" || kind == "router" || kind == "link") << line;
      if (kind == "link") {
        const int from = std::stoi(part), to = std::stoi(part.substr(part.find('-') + 1));
        EXPECT_TRUE(to == from + 1 || to == from + 20) << line;
      } else {
        is_dead[std::stoul(part)] = true;
      }
    }
    for (const bool each : is_dead) dead += each ? 1 : 0;
  }
  EXPECT_EQ(maps, 50);
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_NEAR(report["compared"][2]["drawn"], 400 - dead / 50, 1e-9);
  EXPECT_EQ(report["compared"][2]["value"], "working NPUs");
}

TEST(YieldCommand, WithoutAnyHopeThereIsNoGain) {
  const auto result = test::run_tool("yield --json --set npu.defects_per_mm2=100 --set wafers=2 " +
                                     kYieldPresets + "wafer_20x20.yaml --set alpha=1000");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["perfect_wafers"], 0);
  for (const auto& row : report["repairs"]) EXPECT_TRUE(row["gain"].is_null()) << row;
  for (const auto& row : report["compared"]) EXPECT_LT(row["sigmas"], 3) << row;
}

TEST(YieldCommand, RareDefectsHaveAnError) {
  for (const char* const density : {"0", "1e-9"}) {
    const auto result = test::run_tool(
        "yield --json --set router.defects_per_mm2=0 --set npu.defects_per_mm2=" + std::string(density) +
        " --set link.defects_per_mm2=0 " + kYieldPresets + "wafer_20x20.yaml");
    ASSERT_EQ(result.exit_code, 0) << result.error;
    for (const auto& row : nlohmann::json::parse(result.out)["compared"]) EXPECT_LT(row["sigmas"], 1) << row;
  }
}

TEST(YieldCommand, BadInputIsRefusedWithItsPlace) {
  const test::TempFolder folder;
  const std::string good =
      "yield: x\ncolumns: 4\nrows: 3\ncell_width_mm: 10\ncell_height_mm: 10\nnpu: {area_mm2: 1, "
      "defects_per_mm2: 0.1}\n";
  EXPECT_EQ(test::run_tool("yield " + folder.write("x.yaml", good + "wafers: 10\n")).exit_code, 0);
  const auto refused = [&](const std::string& more, const std::string& part) {
    const auto result = test::run_tool("yield " + folder.write("x.yaml", good + more));
    EXPECT_EQ(result.exit_code, 2) << more;
    EXPECT_NE(result.error.find(part), std::string::npos) << part << " is not in " << result.error;
  };
  refused("spares: {rows: 3}\n", "x.yaml:7:16: spares.rows: must be below rows (3)");
  refused("spares: {columns: 4}\n", "must be below columns (4)");
  refused("spares: {npus: 12}\n", "below the number of NPUs (12)");
  refused("spares: {repair_links_mm2: 1}\n", "without spare 'rows'");
  refused("diameter_mm: 20\n", "mm outside the wafer");
  refused("alpha: 3\n", "law: negative_binomial");
  refused("law: gauss\n", "x.yaml:7:6");
  refused("npus: 3\n", "'npus'");
  refused("wafers: 1\n", "x.yaml:7:");
  EXPECT_EQ(test::run_tool("yield --set columns=0 " + folder.write("y.yaml", good)).exit_code, 2);
}

}  // namespace
}  // namespace wafertlm
