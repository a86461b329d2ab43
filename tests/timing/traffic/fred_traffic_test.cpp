// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic on FRED wafers: bounds by hand, latency of an idle wafer, what is accepted.
#include <gtest/gtest.h>

#include "platform/commands/traffic/traffic_options.h"
#include "platform/commands/traffic/traffic_run.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "platform/spec/traffic/traffic_model.h"
#include "tests/support/sanitized.h"

namespace wafertlm {
namespace {

traffic::TrafficSetup setup(const std::string& variant, const std::string& pattern,
                            std::vector<std::string> overrides = {}) {
  traffic::TrafficOptions options;
  options.platform_file = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_" + variant + ".yaml";
  options.packet = "3072B";  // 1024 ps at an NPU's port
  options.load = "0.1";
  options.pattern.name = pattern;
  options.overrides = std::move(overrides);
  options.measure_packets = test::kSanitized ? 400 : 4000;
  options.warmup_packets = test::kSanitized ? 100 : 1000;
  return traffic::resolve(options);
}

traffic::TrafficOutlook outlook_of(const traffic::TrafficSetup& of) {
  const auto pattern =
      make_pattern(of.pattern, fabric_kind(of.platform.wafer).traffic(of.platform.wafer).grid);
  return outlook(of.platform.wafer, *pattern);
}

// Uniform: four NPUs send 4/5 of what they offer over an uplink of half an NPU's speed (A) or four times it
// (C).
TEST(FredTraffic, BoundsByHand) {
  EXPECT_DOUBLE_EQ(outlook_of(setup("a", "uniform")).loads.bound, 0.5 / (4 * 0.8));
  EXPECT_DOUBLE_EQ(outlook_of(setup("c", "uniform")).loads.bound, 1);
  // bit_complement: NPU n to 19 - n; the middle L1 switch keeps its packets.
  EXPECT_DOUBLE_EQ(outlook_of(setup("b", "bit_complement")).loads.bound, 0.5 / 4);
  // Three levels of 2 x 2 x 4: half of the packets cross an L2 uplink.
  const auto three =
      setup("c", "uniform",
            {"wafer.fabric.l1_switches=4", "wafer.fabric.l2_switches=2", "wafer.fabric.l2_uplink=3TB/s"});
  EXPECT_DOUBLE_EQ(outlook_of(three).loads.bound, 1 / (8 * 0.5));
}

TEST(FredTraffic, LightLoadHasTheLatencyOfTheClosedForm) {
  // Two links of 20 ns, or four, and 3072 B at 3 TB/s (over A's uplinks 1.5).
  EXPECT_DOUBLE_EQ(outlook_of(setup("c", "uniform")).zero_load_ps, 40'000 * 0.2 + 80'000 * 0.8 + 1024);
  const auto of = setup("d", "uniform");
  const traffic::TrafficResult result = run_traffic(of, 0.01);
  EXPECT_NEAR(result.mean_ps / result.zero_load_ps, 1, 0.02);
  EXPECT_FALSE(result.saturated);
}

TEST(FredTraffic, AcceptsWhatIsOfferedBelowTheBound) {
  const traffic::TrafficResult result = run_traffic(setup("a", "uniform"), 0.14);
  EXPECT_NEAR(result.accepted, 0.14, test::kSanitized ? 0.03 : 0.008);
  // A packet that begins in the window counts as a whole; under sanitizers the window is short.
  for (const traffic::LinkUse& link : result.worst_links)
    EXPECT_LE(link.busy_fraction, 1 + (test::kSanitized ? 0.02 : 1e-3));
}

TEST(FredTraffic, CannotAcceptMoreThanTheBound) {
  const traffic::TrafficResult result = run_traffic(setup("a", "bit_complement"), 0.3);
  EXPECT_TRUE(result.saturated);
  EXPECT_LE(result.accepted_slowest, result.channel_bound * 1.02);
}

TEST(FredTraffic, NeighboursAreOnTheSameL1SwitchOrTheNext) {
  const traffic::TrafficResult result = run_traffic(setup("d", "neighbor"), 0.5);
  EXPECT_NEAR(result.accepted, 0.5, 0.05);
}

}  // namespace
}  // namespace wafertlm
