// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/rtl_report.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(RtlReport, HasALineForEachSwitch) {
  EXPECT_EQ(rtl_report({{"links", nlohmann::json::array()}}), "");
  const nlohmann::json results = nlohmann::json::parse(R"({"rtl": [
    {"switch": "l1_0_0", "view": "tlm", "design": "", "packets_in": 4, "cycles": 0},
    {"switch": "l1_0_2", "view": "both", "design": "fred3_12", "packets_in": 5, "cycles": 1078,
     "scoreboard": {"verdict": "data equal, times DIFFER: 5 of 5 beyond 1 ps", "first_divergence":
       {"kind": "time", "at_ps": 21366, "port": "output 4", "output": 4, "link": "l1_0_2->l2", "packet": "packet 1 of NPU 2 to NPU 3",
        "expected": "a", "got": "b"}}},
    {"switch": "l1_0_3", "view": "rtl", "design": "fred3_12", "packets_in": 5, "cycles": 78,
     "scoreboard": {"verdict": "data equal", "first_divergence":
       {"kind": "protocol", "at_ps": 5, "port": "input 3", "output": 3, "link": "", "packet": "", "expected": "c", "got": "d"}}}]})");
  EXPECT_EQ(
      rtl_report(results),
      "Switches with RTL:\n"
      "  l1_0_0                       view tlm, 4 packets in, 0 cycles\n"
      "  l1_0_2                       view both, design fred3_12, 5 packets in, 1078 cycles: data equal, "
      "times "
      "DIFFER: 5 of 5 beyond 1 ps\n"
      "    first time at 21366 ps, output 4 (l1_0_2->l2): packet 1 of NPU 2 to NPU 3: expected a, got b\n"
      "  l1_0_3                       view rtl, design fred3_12, 5 packets in, 78 cycles: data equal\n"
      "    first protocol at 5 ps, input 3: expected c, got d\n");
}

}  // namespace
}  // namespace wafertlm
