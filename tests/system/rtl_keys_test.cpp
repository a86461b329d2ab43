// SPDX-License-Identifier: Apache-2.0
// What wafer.fabric.rtl refuses, with or without Verilator in the program.
#include <gtest/gtest.h>

#include "tests/support/tool.h"
#include "tlm/rtl/design.h"

namespace wafertlm {
namespace {

std::string refused(const std::string& rtl) {
  const test::ToolResult result = test::run_tool(
      "collective " WAFERTLM_SOURCE_DIR
      "/configs/platforms/fred_d_physical.yaml --type all_reduce --size 64KiB --set 'wafer.fabric.rtl=" +
      rtl + "'");
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
  expect_in(unknown, "there is no switch");
  expect_in(unknown, "l1_4_4");
  expect_in(refused("[{switch: l1_0_2, view: rtl, design: nope}]"),
            rtl_is_built() ? "this program has fred3_12" : "apt-get install verilator");
}

}  // namespace
}  // namespace wafertlm
