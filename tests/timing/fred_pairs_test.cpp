// SPDX-License-Identifier: Apache-2.0
// Every pair of NPUs of small FRED wafers, idle: latency of the way + bytes / slowest link, exactly, where a
// packet's buffers do not limit it; the closed form is that of tests/timing/idle_paths.py for equal packets.
// In the physical view packet i of a message is at its port when the NPU has sent the i before it, and a port
// is free again when the packet before it has gone; with all chips alive, just in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "platform/fabrics/fred/fred_kind.h"
#include "platform/machine/wafer.h"
#include "platform/spec/load.h"
#include "tests/support/message_end.h"

namespace wafertlm {
namespace {

struct Shape {
  const char* name;
  std::vector<std::string> overrides;
  TimePs stages_ps[3];  ///< of all switches on a route that turns at level 1, 2, 3
  const char* preset = "fred_a";
  std::uint32_t dead = 0;  ///< chips of L1 switch 0

  friend void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
};

/// In the physical view: from the first byte's start to the last one's arrival, without the latency. Packets
/// begin in turns of one for each living chip. In units of a byte at the NPU's speed, a port takes `chips`
/// for a byte.
TimePs striped_ps(std::uint64_t bytes, std::uint64_t chips, std::uint64_t alive, std::uint64_t npu_rate) {
  constexpr std::uint64_t kPacketSize = 4096;
  const std::uint64_t packets = (bytes + kPacketSize - 1) / kPacketSize;
  std::uint64_t end = 0;
  for (std::uint64_t i = packets > alive ? packets - alive : 0; i < packets; ++i) {
    const std::uint64_t length = i + 1 < packets ? kPacketSize : bytes - i * kPacketSize;
    const std::uint64_t start = (alive == chips ? i : i / alive * chips + i % alive) * kPacketSize;
    end = std::max(end, start + chips * length);
  }
  return transfer_time_ps(end, npu_rate);
}

class FredPairs : public ::testing::TestWithParam<Shape> {};

TEST_P(FredPairs, AreExactOnTheIdleWafer) {
  config::PlatformSpec spec = config::load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + GetParam().preset + ".yaml",
      GetParam().overrides);
  spec.run.checkers = true;
  Wafer wafer(spec);
  const FredParams fred = fred_params(spec.wafer, false);
  const FredGeometry& tree = fred.geometry;
  std::deque<MessageEnd> ends;
  for (std::uint32_t n = 0; n < wafer.npus(); ++n)
    ends.emplace_back(("end_" + std::to_string(n)).c_str(), static_cast<NpuId>(n), wafer);
  struct Case {
    TimePs start_ps, expected_ps;
  };
  std::vector<Case> cases;
  TimePs start = 0;
  for (const std::uint64_t bytes : {1ULL, 4096ULL, 4097ULL, 100'003ULL, 1ULL << 20})
    for (std::uint32_t from = 0; from < wafer.npus(); ++from)
      for (std::uint32_t to = 0; to < wafer.npus(); ++to) {
        if (from == to) continue;
        const std::uint32_t a = from / tree.npus_per_l1, b = to / tree.npus_per_l1;
        const std::uint32_t per_l2 = tree.l1_switches / tree.l2_switches;
        const std::uint32_t level = a == b ? 1 : a / per_l2 == b / per_l2 ? 2 : 3;
        std::uint64_t rate = fred.npu_bytes_per_s;
        if (level > 1) rate = std::min(rate, fred.l1_uplink_bytes_per_s);
        if (level > 2) rate = std::min(rate, fred.l2_uplink_bytes_per_s);
        const TimePs latency =
            2 * level * spec.wafer.fabric.link_latency_ps + GetParam().stages_ps[level - 1];
        EXPECT_EQ(wafer.fabric().head_latency_ps(static_cast<NpuId>(from), static_cast<NpuId>(to)), latency);
        ends[from].send(static_cast<NpuId>(to), bytes, cases.size(), start);
        const std::uint32_t alive = fred.chips.chips_per_l1 - (a == 0 || b == 0 ? GetParam().dead : 0);
        const TimePs time = fred.is_physical() ? striped_ps(bytes, fred.chips.chips_per_l1, alive, rate)
                                               : transfer_time_ps(bytes, rate);
        cases.push_back({start, latency + time});
        start += 10'000'003;
      }
  sc_core::sc_start();
  wafer.require_rest();
  std::size_t arrived = 0;
  for (const MessageEnd& end : ends) {
    EXPECT_TRUE(end.at_rest());
    for (const MessageEnd::Arrival& arrival : end.arrivals()) {
      ++arrived;
      EXPECT_EQ(arrival.tail_ps - cases[arrival.number].start_ps, cases[arrival.number].expected_ps)
          << arrival.number;
    }
  }
  EXPECT_EQ(arrived, cases.size());
}

INSTANTIATE_TEST_SUITE_P(
    Wafers, FredPairs,
    ::testing::Values(
        Shape{"fred_a", {}, {0, 0, 0}}, Shape{"fred_c", {"wafer.fabric.l1_uplink=12TB/s"}, {0, 0, 0}},
        // L1: 4 NPUs + 1 up (this platform's I/O is not attached) = FRED(5), 5 stages; L2: FRED(5).
        Shape{"stages", {"wafer.fabric.stage_latency=1ns"}, {5000, 15'000, 0}},
        // L1: 2 + 1, 3 stages; L2: 2 + 1, 3; L3: 3, 3.
        Shape{"three_levels",
              {"wafer.fabric.l1_switches=6", "wafer.fabric.npus_per_l1=2", "wafer.fabric.l2_switches=3",
               "wafer.fabric.l2_uplink=1TB/s", "wafer.fabric.stage_latency=2ns"},
              {6000, 18'000, 30'000}},
        Shape{"chips", {}, {0, 0, 0}, "fred_c_physical"},
        // FRED(8) has 5 stages, FRED(10) 7.
        Shape{"chips_with_stages", {"wafer.fabric.stage_latency=1ns"}, {5000, 17'000, 0}, "fred_c_physical"},
        Shape{"a_dead_chip", {"wafer.fabric.dead={l1: [[0, 3]]}"}, {0, 0, 0}, "fred_c_physical", 1},
        Shape{
            "two_dead_chips", {"wafer.fabric.dead={l1: [[0, 0], [0, 2]]}"}, {0, 0, 0}, "fred_c_physical", 2},
        // Three chips with 2 + 3 ports for an L1 switch, three L2 chips.
        Shape{
            "three_chips",
            {"wafer.fabric.l1_switches=3", "wafer.fabric.npus_per_l1=2", "wafer.fabric.port_bandwidth=1TB/s",
             "wafer.fabric.l1_uplink=9TB/s", "wafer.fabric.l2_chip_links=3"},
            {0, 0, 0},
            "fred_c_physical"}),
    [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace wafertlm
