// SPDX-License-Identifier: Apache-2.0
// The same run with the modules built in reverse order, and with and without checkers: the same delivery of
// every packet, to the picosecond, with the same waits.
#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>

#include "platform/spec/load.h"
#include "tests/support/traffic_run.h"

namespace wafertlm {
namespace {

struct Setting {
  const char* name;
  std::vector<std::string> overrides;

  friend void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }
};

class SameResults : public ::testing::TestWithParam<Setting> {};

TEST_P(SameResults, InAnyOrderOfConstructionWithAndWithoutCheckers) {
  config::PlatformSpec spec = config::load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml", GetParam().overrides);
  TrafficRunOptions options;
  options.load = 0.4;
  options.stop_ps = 6'000'000;
  options.hot_percent = 5;
  spec.run.checkers = true;
  TrafficRun plain("plain", spec, options);
  TrafficRunOptions reversed = options;
  reversed.reverse = true;
  TrafficRun reverse("reverse", spec, reversed);
  spec.run.checkers = false;
  TrafficRun unchecked("unchecked", spec, options);
  options.seed = 2;
  TrafficRun other("other", spec, options);
  sc_core::sc_start();
  for (TrafficRun* run : {&plain, &reverse, &unchecked, &other}) run->require_rest();

  std::printf("%s: %llu packets; delivery log %016llx, reverse %016llx, without checkers %016llx\n",
              GetParam().name, static_cast<unsigned long long>(plain.created_packets()),
              static_cast<unsigned long long>(plain.hash()), static_cast<unsigned long long>(reverse.hash()),
              static_cast<unsigned long long>(unchecked.hash()));
  EXPECT_GT(plain.created_packets(), 5000U);
  EXPECT_EQ(reverse.hash(), plain.hash());
  EXPECT_EQ(unchecked.hash(), plain.hash());
  EXPECT_NE(other.hash(), plain.hash());  // another seed: the hash sees a difference
}
INSTANTIATE_TEST_SUITE_P(
    Settings, SameResults,
    ::testing::Values(
        Setting{"preset", {}},
        Setting{"fifo_small_buffers", {"wafer.fabric.input_queue=fifo", "wafer.fabric.input_buffer=8 KiB"}},
        // Everything happens at multiples of 1 ns: thousands of ties.
        Setting{"ties",
                {"wafer.fabric.link_bandwidth=1 TB/s", "wafer.fabric.injection_bandwidth=1 TB/s",
                 "wafer.fabric.ejection_bandwidth=1 TB/s", "wafer.fabric.packet_bytes=1000 B",
                 "wafer.fabric.link_latency=1 ns", "wafer.fabric.credit_delay=1 ns",
                 "wafer.fabric.input_buffer=2000 B"}},
        Setting{"wormhole",
                {"wafer.fabric.switching=wormhole", "wafer.fabric.flit_bytes=512 B",
                 "wafer.fabric.input_queue=fifo", "wafer.fabric.input_buffer=1 KiB"}},
        Setting{"no_credit_delay",
                {"wafer.fabric.credit_delay=0 ns", "wafer.fabric.link_latency=1 ps",
                 "wafer.fabric.input_buffer=8 KiB", "wafer.fabric.header_bytes=0 B"}}),
    [](const auto& setting) { return std::string(setting.param.name); });

}  // namespace
}  // namespace wafertlm
