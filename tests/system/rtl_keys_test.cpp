// SPDX-License-Identifier: Apache-2.0
// What wafer.fabric.rtl refuses, with or without Verilator in the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/rtl/design.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

std::string refused(const std::string& rtl, const std::string& more = "") {
  const test::ToolResult result = test::run_tool(
      "collective " WAFERTLM_SOURCE_DIR
      "/configs/platforms/fred_d_physical.yaml --type all_reduce --size 64KiB --set 'wafer.fabric.rtl=" +
      rtl + "' " + (more.empty() ? "" : "--set " + more));
  EXPECT_EQ(result.exit_code, 2) << rtl;
  EXPECT_EQ(result.out, "") << rtl;
  return result.error;
}

void expect_in(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

TEST(RtlKeys, NameThePlaceAndAWayOut) {
  expect_in(refused("[{switch: l1_0_2, view: wrong}]"), "valid values: tlm, rtl, both");
  expect_in(refused("[{switch: l1_0_2, view: both}]"), "rtl[0].view: which RTL: give");
  const std::string unknown = refused("[{switch: nope, view: tlm, record: r.rec, flit_bytes: 8 B}]");
  expect_in(unknown, "wafer.fabric.rtl[0]: there is no switch");
  expect_in(unknown, "l1_4_4");
  const std::string twice = refused(
      "[{switch: l1_0_2, view: tlm, record: r.rec, flit_bytes: 8 B}, {switch: l1_0_*, view: tlm, record: "
      "s.rec, "
      "flit_bytes: 8 B}]");
  expect_in(
      twice,
      "wafer.fabric.rtl[1]: switch: 'l1_0_*' names l1_0_2, which wafer.fabric.rtl[0] names with 'l1_0_2'");
  expect_in(refused("[{switch: l1_0_2, view: rtl, design: nope}]"),
            rtl_is_built() ? "this program has fred3_12" : "apt-get install verilator");
}

// What is refused in the model's place is refused beside it, in the same words.
TEST(RtlKeys, AMisfitIsRefusedInEveryView) {
  if (!rtl_is_built()) GTEST_SKIP() << "no Verilator";
  for (const std::string view : {"rtl", "both"}) {
    const std::string begin = "[{switch: l1_0_2, view: " + view + ", design: ";
    expect_in(refused(begin + "fred3_12, clock: 70 GHz}]"),
              "wafer.fabric.rtl[0]: the RTL design 'fred3_12' does not fit the switch l1_0_2: its ports "
              "carry flit x clock = 8 B x 70000000000 Hz = 560000000000 B/s, and a link behind the "
              "switch 600000000000 B/s: a clock of 75000000000 Hz fits");
    expect_in(
        refused(begin + "fred3_12}]", "wafer.fabric.virtual_channels=8"),
        "it has VC=8 virtual channels, the links of the fabric have 16, those of in-network flows included");
    expect_in(refused(begin + "fred3_12}]", "wafer.fabric.input_buffer=7KiB wafer.fabric.packet_bytes=2KiB"),
              "starts with OUT_DEPTH=1024 credits, and behind its output 0 there is room for 896 flits");
    expect_in(refused(begin + "nope}]"), "this program has fred3_12");
    expect_in(refused(begin + "mesh_router}]"), "it has P=5 ports, the switch 12");
    expect_in(refused(begin + "axi_fifo}]"), "it has P=1 ports, the switch 12");
  }
}

// A program of one command knows the designs, and has no code of them: run.sh then builds the whole.
TEST(RtlKeys, AProgramOfOneCommandLacksTheDesign) {
  if (!rtl_is_built()) GTEST_SKIP() << "no Verilator";
  const test::TempFolder folder;
  const test::ToolResult result = test::run_program(
      WAFERTLM_RUN_EXECUTABLE, "run " WAFERTLM_SOURCE_DIR
                               "/configs/experiments/transformer_17b_layer_fred_d_rtl.yaml --out " +
                                   folder.path() + "/results");
  EXPECT_EQ(result.exit_code, 75) << result.error;
  expect_in(result.error, "no code of the RTL design 'fred3_12': ./build.sh release wafertlm makes one");
}

// With one switch the file is the one that was named, with several the name of each goes before the ending.
TEST(RtlKeys, ARecordingOfEachSwitch) {
  const test::TempFolder folder;
  const std::string one = folder.path() + "/one.rec", more = folder.path() + "/more.rec";
  const test::ToolResult result =
      test::run_tool("collective " WAFERTLM_SOURCE_DIR
                     "/configs/platforms/fred_d.yaml --type all_reduce --size 18KiB --json --set "
                     "'wafer.fabric.rtl=[{switch: "
                     "l1_0, view: tlm, flit_bytes: 512 B, record: " +
                     one + "}, {switch: \"l1_[12]\", view: tlm, flit_bytes: 256 B, record: " + more + "}]'");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto views = nlohmann::json::parse(result.out)["rows"][0]["rtl"];
  ASSERT_EQ(views.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string name = "l1_" + std::to_string(k);
    const std::string text = test::read_text(k == 0 ? one : folder.path() + "/more_" + name + ".rec");
    EXPECT_NE(text.find("\nswitch " + name + " ports "), std::string::npos) << text.substr(0, 200);
    EXPECT_NE(text.find(k == 0 ? " flit_bytes 512 " : " flit_bytes 256 "), std::string::npos);
    EXPECT_EQ(views[k]["switch"], name);
    EXPECT_EQ(views[k]["view"], "tlm");
    EXPECT_EQ(views[k]["design"], "");
    EXPECT_FALSE(views[k].contains("scoreboard"));
    std::size_t arrived = 0;
    for (std::size_t at = 0; (at = text.find("\narrive ", at)) != std::string::npos; ++at) ++arrived;
    EXPECT_EQ(views[k]["packets_in"], arrived);
    EXPECT_GT(arrived, 0U);
  }
  EXPECT_FALSE(std::filesystem::exists(more));
  // 3 TB/s in flits of 512 B; without cycles there is no speed to tell.
  const test::ToolResult text = test::run_tool("collective " WAFERTLM_SOURCE_DIR
                                               "/configs/platforms/fred_d.yaml --type all_reduce --size "
                                               "18KiB --set 'wafer.fabric.rtl=[{switch: l1_0, view: "
                                               "tlm, flit_bytes: 512 B, record: " +
                                               one + "}]'");
  expect_in(text.out, ("\nRTL of l1_0: view tlm, clock 5859 MHz, " + views[0]["packets_in"].dump() +
                       " packets in, 0 cycles\n  recording                 " + one + "\n")
                          .c_str());
  EXPECT_EQ(text.out.find("  speed "), std::string::npos) << text.out;
}

}  // namespace
}  // namespace wafertlm
