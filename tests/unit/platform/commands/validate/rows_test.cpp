// SPDX-License-Identifier: Apache-2.0
// What tables of measurements say, and what of them is refused.
#include <gtest/gtest.h>

#include "platform/commands/validate/collectives/cluster.h"
#include "platform/commands/validate/outcome.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/rows_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::validate {
namespace {

const std::string kHead =
    "id,system,ranks,topology facts,operation,size or model+parallelism,measured,unit,source,notes\n";

class ValidationRows : public testing::Test {
 protected:
  std::string csv(const std::string& rows) const { return folder_.write("rows.csv", kHead + rows); }
  std::string refusal(const std::string& rows) const {
    const test::ToolResult result = test::run_tool("validate " + csv(rows));
    EXPECT_EQ(result.exit_code, 2) << result.out;
    return result.error;
  }
  test::TempFolder folder_;
};

TEST_F(ValidationRows, AreReadWithQuotesAndLinesInThem) {
  const auto rows =
      read_rows(csv("a,\"one, two\",8,\"says \"\"x\"\"\",all-reduce,1 MiB,43.83,us,there,\n"
                    "\n"
                    "b,\"two\nlines\",8,,all-reduce,1 MiB,< 3,us,,\r\n"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].system, "one, two");
  EXPECT_EQ(rows[0].topology, "says \"x\"");
  EXPECT_TRUE(rows[0].is_value);
  EXPECT_DOUBLE_EQ(rows[0].value, 43.83);
  EXPECT_FALSE(rows[1].is_value);  // a bound
  EXPECT_EQ(rows[1].place.substr(rows[1].place.rfind(':')), ":4");
}

TEST_F(ValidationRows, BadOnesAreRefusedAtTheirPlace) {
  const std::string good = "a,DGX H100,8,,all-reduce (NCCL),1 MiB,40,us,there,\n";
  for (const auto& [rows, says] : std::vector<std::pair<std::string, std::string>>{
           {good + "b,DGX H100,8,,all-reduce (NCCL),1 MiB,40,parsec,there,\n",
            "rows.csv:3: b: 'parsec' is no unit"},
           {good + good, "rows.csv:3: a: the id is that of line 2, too"},
           {"b,DGX H100,8\n", "rows.csv:2: 3 cells where the head has 10"},
           {",DGX H100,8,,all-reduce,1 MiB,1,us,there,\n", "rows.csv:2: : 'id' is empty"},
           {"\"b,DGX H100,8\n", "rows.csv:2: a quote is not closed"}}) {
    const std::string refused = refusal(rows);
    EXPECT_NE(refused.find(says), std::string::npos) << refused;
  }
  const test::ToolResult head = test::run_tool("validate " + folder_.write("head.csv", "id,system\nx,y\n"));
  EXPECT_EQ(head.exit_code, 2);
  EXPECT_NE(head.error.find("column 'ranks' is missing"), std::string::npos) << head.error;
}

TEST_F(ValidationRows, APresetThatIsNotThereIsRefused) {
  const std::string file = folder_.write(
      "rows.yaml",
      "measurements: mine\nrows:\n  - {id: a, system: x, ranks: \"8\", operation: all-reduce, size: 1 MiB, "
      "measured: \"40\", unit: us, source: here, preset: dgx_h101}\n");
  const test::ToolResult result = test::run_tool("validate " + file);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("dgx_h101"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("rows.yaml: rows[0]: a: "), std::string::npos) << result.error;
}

TEST_F(ValidationRows, WhatCannotBeSaidCountsAsMissed) {
  const test::ToolResult result =
      test::run_tool("validate --json - " + csv("a,Unheard of,8,,all-reduce,1 MiB,40,us,there,\n"
                                                "b,DGX H100,8,,holding hands,1 MiB,40,us,there,\n"
                                                "d,DGX H100,8,,all-reduce,1 MiB,5 to 7,us,there,\n"
                                                "c,DGX H100,8,,all-reduce,1 MiB,40,us,there,\n"));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["rows"][0]["reason"], "no preset of this system");
  EXPECT_EQ(json["rows"][1]["reason"], "no model of this operation");
  EXPECT_EQ(json["rows"][2]["reason"], "what was measured is no number above 0");
  EXPECT_TRUE(json["rows"][3]["error"].is_number());
  EXPECT_EQ(json["groups"][0]["rows"], 3);
  EXPECT_EQ(json["groups"][0]["said"], 1);
}

// A torus has no servers; two devices of one have its links between them.
TEST_F(ValidationRows, OfOtherMachinesAreSaidToo) {
  const test::ToolResult result = test::run_tool(
      "validate --json - " + csv("t,TPU v5p,64,torus,all-reduce,1 GiB,400,GB/s busbw,there,\n"
                                 "d,H200 node,1,NVLink,device to device copy,-,390,GB/s,there,\n"));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_GT(json["rows"][0]["simulated"].get<double>(), 500);  // six links of 100 GB/s
  EXPECT_LT(json["rows"][0]["simulated"].get<double>(), 600);
  EXPECT_DOUBLE_EQ(json["rows"][1]["simulated"].get<double>(), 370.8);
}

TEST(ValidationText, SizesAndRanksInAllSpellings) {
  EXPECT_EQ(bytes_of("1 MiB"), 1048576U);
  EXPECT_EQ(bytes_of("32768 B"), 32768U);
  EXPECT_EQ(bytes_of("1KiB"), 1024U);
  EXPECT_EQ(bytes_of("8 GiB"), std::uint64_t{8} << 30U);
  EXPECT_FALSE(bytes_of("m=n=k=8192"));
  EXPECT_FALSE(bytes_of("Llama-2-7B"));
  EXPECT_EQ(leading_count("64 chips (v4-128)"), 64U);
  EXPECT_EQ(leading_count("2x8"), 16U);
  EXPECT_FALSE(leading_count("?"));
  EXPECT_EQ(bytes_of("1048576"), 1048576U);
  EXPECT_DOUBLE_EQ(*time_unit("us"), 1e-6);
  EXPECT_DOUBLE_EQ(*time_unit("us (mean)"), 1e-6);
  EXPECT_FALSE(time_unit("s/step"));
  EXPECT_DOUBLE_EQ(*rate_unit("GB/s busbw"), 1e9);
  EXPECT_DOUBLE_EQ(*rate_unit("busbw, GB/s"), 1e9);
  EXPECT_FALSE(rate_unit("TFLOP/s"));
}

// A GPU's share of what a text tells of the network; links inside of a server are no network.
TEST(ValidationText, NetworkInterfacesOfAGpu) {
  EXPECT_DOUBLE_EQ(*nic_rate("2 x 8 A100, NVLink 3 300 GB/s, 8 x 200 Gb/s HDR IB per node", 8), 25e9);
  EXPECT_DOUBLE_EQ(*nic_rate("NVLink 450 GB/s; 8 x 50 GB/s EFA per node", 8), 50e9);
  EXPECT_DOUBLE_EQ(*nic_rate("2 x 8 A100-80, NVLink 3, 400 Gb/s EFA per node (4 x 100)", 8), 6.25e9);
  EXPECT_DOUBLE_EQ(*nic_rate("2 racks, 4 x 400 Gb/s NDR per tray", 72), 50e9);
  EXPECT_DOUBLE_EQ(*nic_rate("H800: 160 GB/s NVLink per GPU, one CX7 400 Gb/s IB per GPU", 8), 50e9);
  EXPECT_DOUBLE_EQ(*nic_rate("NVLink 5 900 GB/s within rack, 4 x 400 Gb/s per 4-GPU tray", 72), 50e9);
  EXPECT_DOUBLE_EQ(*nic_rate("NVLink + 200 Gb/s per GPU", 8), 25e9);
  EXPECT_DOUBLE_EQ(*nic_rate("A100-40, 1600 Gb/s RoCE per node", 8), 25e9);
  EXPECT_FALSE(nic_rate("20 racks", 72));
}

TEST(ValidationStatistics, AreOfAbsoluteErrors) {
  std::vector<Outcome> outcomes;
  for (const double simulated : {90., 101., 103., 120.}) {
    Outcome each;
    each.row.id = "r" + std::to_string(outcomes.size());
    each.row.value = 100;
    each.row.is_value = true;
    each.group = "g";
    each.answer = Answer{simulated, {}, "", ""};
    outcomes.push_back(each);
  }
  outcomes.push_back(outcomes.front());
  outcomes.back().answer.reset();
  const GroupStatistics group = statistics_of(outcomes).front();
  EXPECT_EQ(group.rows, 5U);
  EXPECT_EQ(group.said, 4U);
  EXPECT_NEAR(*group.median, 0.065, 1e-12);
  EXPECT_NEAR(*group.p90, 0.2, 1e-12);
  EXPECT_EQ(group.worst_row, "r3");
}

// The row that gives a system's intercept is met, for nothing else went in.
TEST(ValidationIntercepts, AreThoseOfTheirRows) {
  const auto rows = read_rows(WAFERTLM_SOURCE_DIR "/configs/validation/clusters.yaml");
  const SystemsSpec& systems = measured_systems();
  EXPECT_GE(systems.intercepts.size(), 10U);
  std::string only;
  for (const Intercept& each : systems.intercepts) only += (only.empty() ? "" : ",") + each.row;
  const test::ToolResult result = test::run_tool("validate --json - --only " + only);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  for (const auto& row : nlohmann::json::parse(result.out)["rows"])
    EXPECT_NEAR(row["error"].get<double>(), 0, 0.012) << row["id"];
}

}  // namespace
}  // namespace wafertlm::validate
