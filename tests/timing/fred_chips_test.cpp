// SPDX-License-Identifier: Apache-2.0
// Every pair of NPUs of a FRED wafer made of chips, idle. Packet i of a message is at its port when the NPU
// has sent the i before it, and a port is free again when the packet before it has gone. With all chips alive
// a port is free just in time; the message ends with its last packet, or with the longer one before it.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "platform/config/load.h"
#include "platform/system/wafer.h"
#include "tests/support/message_end.h"

namespace wafertlm {
namespace {

struct Wires {
  const char* name;
  std::vector<std::string> overrides;
  std::uint32_t dead;        ///< chips of L1 switch 0
  TimePs stages_ps[2] = {};  ///< of all chips on a route within an L1 switch, and over an L2 chip

  friend void PrintTo(const Wires& wires, std::ostream* out) { *out << wires.name; }
};

/// From the first byte's start to the last one's arrival, without the latency. Packets begin at a port in
/// turns of `alive` packets; in units of bytes at the NPU's speed a port takes `chips` times a packet.
TimePs serialization_ps(std::uint64_t bytes, std::uint64_t chips, std::uint64_t alive, std::uint64_t rate) {
  constexpr std::uint64_t kPacket = 4096;
  const std::uint64_t packets = (bytes + kPacket - 1) / kPacket;
  std::uint64_t end = 0;
  for (std::uint64_t i = packets > alive ? packets - alive : 0; i < packets; ++i) {
    const std::uint64_t length = i + 1 < packets ? kPacket : bytes - i * kPacket;
    const std::uint64_t start = alive == chips ? i * kPacket : (i / alive * chips + i % alive) * kPacket;
    end = std::max(end, start + chips * length);
  }
  return transfer_time_ps(end, rate);
}

class FredChips : public ::testing::TestWithParam<Wires> {};

TEST_P(FredChips, AreExactOnTheIdleWafer) {
  config::PlatformSpec spec = config::load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_c_physical.yaml", GetParam().overrides);
  spec.run.checkers = true;
  Wafer wafer(spec);
  const config::FredSpec& fred = spec.wafer.fabric.fred;
  std::deque<MessageEnd> ends;
  for (std::uint32_t n = 0; n < wafer.npus(); ++n)
    ends.emplace_back(("end_" + std::to_string(n)).c_str(), static_cast<NpuId>(n), wafer);
  struct Case {
    TimePs start_ps, expected_ps;
  };
  std::vector<Case> cases;
  TimePs start = 0;
  for (const std::uint64_t bytes : {1ULL, 4096ULL, 4097ULL, 100'003ULL, 1ULL << 18})
    for (std::uint32_t from = 0; from < wafer.npus(); ++from)
      for (std::uint32_t to = 0; to < wafer.npus(); ++to) {
        if (from == to) continue;
        const std::uint32_t a = from / fred.npus_per_l1, b = to / fred.npus_per_l1;
        const std::uint32_t level = a == b ? 1 : 2;
        const TimePs latency =
            2 * level * spec.wafer.fabric.link_latency_ps + GetParam().stages_ps[level - 1];
        EXPECT_EQ(wafer.fabric().head_latency_ps(static_cast<NpuId>(from), static_cast<NpuId>(to)), latency);
        const std::uint32_t alive = fred.chips_per_l1() - (a == 0 || b == 0 ? GetParam().dead : 0);
        ends[from].send(static_cast<NpuId>(to), bytes, cases.size(), start);
        cases.push_back({start, latency + serialization_ps(bytes, fred.chips_per_l1(), alive,
                                                           fred.npu_bandwidth_bytes_per_s)});
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
    Wafers, FredChips,
    ::testing::Values(Wires{"paper", {}, 0},
                      // FRED(8) (this platform's I/O is not attached) has 5 stages, FRED(10) 7.
                      Wires{"stages", {"wafer.fabric.stage_latency=1ns"}, 0, {5000, 17'000}},
                      Wires{"one_chip_dead", {"wafer.fabric.dead={l1: [[0, 3]]}"}, 1},
                      Wires{"two_chips_dead", {"wafer.fabric.dead={l1: [[0, 0], [0, 2]]}"}, 2},
                      // Three chips of 2 + 3 ports, three L2 chips.
                      Wires{"small",
                            {"wafer.fabric.l1_switches=3", "wafer.fabric.npus_per_l1=2",
                             "wafer.fabric.port_bandwidth=1TB/s", "wafer.fabric.l1_uplink=9TB/s",
                             "wafer.fabric.l2_chip_links=3"},
                            0}),
    [](const auto& wires) { return std::string(wires.param.name); });

}  // namespace
}  // namespace wafertlm
