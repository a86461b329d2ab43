// SPDX-License-Identifier: Apache-2.0
// Several wafers: closed forms of messages and collectives between them, to the picosecond.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/collectives/simulated.h"
#include "tests/support/random_cases.h"

namespace wafertlm {
namespace {

/// Wafers of 1 x 1 with one controller, packets without headers, 1 B/ps but for the cables.
std::vector<std::string> lone_npus(const std::string& outer, const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys{"wafer.width=1",
                                "wafer.height=1",
                                "wafer.fabric.packet_bytes=1000 B",
                                "wafer.fabric.link_bandwidth=1 TB/s",
                                "wafer.fabric.injection_bandwidth=1 TB/s",
                                "wafer.fabric.ejection_bandwidth=1 TB/s",
                                "wafer.io.controllers=[{npu: 0, side: north}]",
                                "wafer.io.bandwidth=1 TB/s",
                                "wafer.io.latency=5ns",
                                "wafer.outer=" + outer,
                                "run.functional=true",
                                "run.checkers=true"};
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

TimePs broadcast_ps(const std::vector<std::string>& keys, std::uint64_t bytes, std::uint32_t from = 0,
                    std::uint32_t to = 1) {
  CollectiveRequest request;
  request.type = CollectiveType::broadcast;
  request.algorithm = "direct";
  request.bytes = bytes;
  request.group = {static_cast<NpuId>(from), static_cast<NpuId>(to)};
  const auto result = test::outcome(test::platform(keys), request);
  EXPECT_TRUE(result["proven"].get<bool>());
  EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
  return result["time"].get<TimePs>();
}

// Room for two packets behind a cable of 1 us: the third waits until the first has left and its credit has
// come back over the cable. A packet takes 10 ns over it, 1 ns over the links behind it.
TEST(SeveralWafers, CreditsComeBackOverTheCable) {
  const std::string outer = "{wafers: 2, topology: ring, bandwidth: 100 GB/s, latency: 1 us}";
  const TimePs hops = broadcast_ps(lone_npus(outer), 1000) - 10'000;
  EXPECT_EQ(broadcast_ps(lone_npus(outer), 20'000), hops + 20 * 10'000);
  const std::vector<std::string> small = lone_npus(outer, {"wafer.fabric.input_buffer=2000 B"});
  EXPECT_EQ(broadcast_ps(small, 2000), hops + 2 * 10'000);
  // A round: out of the buffer as the packet's tail leaves the cable, a credit back, a packet of 10 ns and 1
  // us.
  EXPECT_EQ(broadcast_ps(small, 20'000), hops + 2 * 10'000 + 9 * (2 * 1'000'000 + 10'000));
}

// 41.78 GB/s in frames of 4096 of 4178 B: 40.96 B/ns, so a packet of 1024 B takes 25 ns.
TEST(SeveralWafers, AMessageOverEthernetWaitsForTheHeadersOfItsFrames) {
  const auto time = [](const std::string& topology, const std::string& ethernet) {
    return broadcast_ps(
        lone_npus("{wafers: 3, bandwidth: 41.78 GB/s, latency: 1 us, topology: " + topology + ethernet + "}",
                  {"wafer.fabric.packet_bytes=1024 B"}),
        16 * 1024, 0, 2);
  };
  const TimePs way = 5000 + 1'000'000 + 5000;
  EXPECT_EQ(time("direct", ", ethernet: {}"), way + 16 * 25'000);
  EXPECT_EQ(time("ring", ", ethernet: {}"), way + 16 * 25'000);
  EXPECT_EQ(time("switch", ", ethernet: {switch_latency: 300 ns}"), way + 1'300'000 + 16 * 25'000);
  EXPECT_EQ(time("direct", ""), way + 392'150) << "16 KiB at 41.78 GB/s are 392149.4 ps";
}

/// Wafers of 2 x 1 with a controller on each router, 750 GB/s and 20 ns between these.
TimePs all_reduce_ps(const std::string& outer, std::uint32_t wafers, std::uint64_t bytes,
                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys{"wafer.width=2",
                                "wafer.height=1",
                                "wafer.fabric.packet_bytes=64KiB",
                                "wafer.io.controllers=[{npu: 0, side: north}, {npu: 1, side: north}]",
                                "wafer.io.latency=5ns",
                                "wafer.io.bandwidth=1 TB/s",
                                "wafer.outer={bandwidth: 41.78 GB/s, latency: 1 us, ethernet: {}, wafers: " +
                                    std::to_string(wafers) + ", topology: " + outer + "}",
                                "run.functional=true",
                                "run.checkers=true"};
  keys.insert(keys.end(), more.begin(), more.end());
  CollectiveRequest request;
  request.type = CollectiveType::all_reduce;
  request.algorithm = "dimensional";
  request.chunks = 1;
  request.bytes = bytes;
  request.group = test::first_npus(2 * wafers);
  const auto result = test::outcome(test::platform(keys), request);
  EXPECT_TRUE(result["proven"].get<bool>());
  EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
  return result["time"].get<TimePs>();
}

// Reduce-scatter of halves over the mesh link, all-reduce of a half among the wafers, all-gather over the
// mesh. Between two wafers halves of that half go there and back; round three wafers thirds in four steps.
TEST(SeveralWafers, AnAllReduceOverEthernetGoesInsideOutsideInside) {
  const std::uint64_t bytes = 184'320;
  const TimePs inside = 20'000 + bytes / 2 * 4 / 3 * 1000 / 1000;  // 750 GB/s are 4/3 ps a byte
  const auto step = [&](std::uint64_t parts) {
    return 1'010'000 + bytes / 2 / parts * 25'000 / 1024;  // 40.96 GB/s
  };
  for (const char* topology : {"ring", "direct"})
    EXPECT_EQ(all_reduce_ps(topology, 2, bytes), 2 * inside + 2 * step(2)) << topology;
  EXPECT_EQ(all_reduce_ps("ring", 3, bytes), 2 * inside + 4 * step(3));
  // To both others at once over links of their own: what they share are a controller and its link, of 1 TB/s.
  const TimePs direct = all_reduce_ps("direct", 3, bytes), alone = 2 * inside + 2 * step(3);
  EXPECT_GE(direct, alone);
  EXPECT_LE(direct, alone + 2 * (bytes / 6));
}

/// A message between NPUs that are alone on their wafers: packets of one length follow each other over the
/// slowest link.
struct RandomOuter {
  explicit RandomOuter(std::mt19937_64& random) {
    const auto from_to = [&](std::uint64_t least, std::uint64_t most) {
      return least + random() % (most - least + 1);
    };
    wafers = from_to(2, 6);
    from = from_to(0, wafers - 1);
    to = (from + from_to(1, wafers - 1)) % wafers;
    gbytes = from_to(10, 2000);
    latency_ns = from_to(1, 3000);
    io_ns = from_to(1, 100);
    mtu = from_to(64, 9216);
    packet = 4 * from_to(75, 2250);
    packets = from_to(1, 30);
    topology = static_cast<int>(from_to(0, 2));
    is_ethernet = from_to(0, 3) != 0;
    vlan = from_to(0, 1) == 1;
    ipv6 = from_to(0, 1) == 1;
    if (topology == 1 && is_ethernet) switch_ns = from_to(0, 700);
  }

  std::string text() const {
    static constexpr const char* kNames[] = {"ring", "switch", "direct"};
    return fmt::format("{{wafers: {}, topology: {}, bandwidth: {} GB/s, latency: {} ns", wafers,
                       kNames[topology], gbytes, latency_ns) +
           (is_ethernet ? fmt::format(", ethernet: {{mtu: {} B, vlan: {}, ipv6: {}, switch_latency: {} ns}}",
                                      mtu, vlan, ipv6, switch_ns)
                        : "") +
           "}";
  }
  /// Of the slowest link. Frames: preamble, gap, headers of Ethernet, IP, UDP, BTH, then ICRC and FCS.
  double packet_ps() const {
    const double frame =
        static_cast<double>(mtu) + 8 + 12 + 14 + (vlan ? 4 : 0) + (ipv6 ? 40 : 20) + 8 + 12 + 4 + 4;
    const double outer = static_cast<double>(gbytes) * (is_ethernet ? static_cast<double>(mtu) / frame : 1);
    return static_cast<double>(packet) * 1000 / std::min(outer, 1000.0);  // the other links have 1 TB/s
  }
  double time_ps() const {
    const std::uint64_t up = (to + wafers - from) % wafers, cables = topology == 0 ? std::min(up, wafers - up)
                                                                     : topology == 1 ? 2
                                                                                     : 1;
    return 1000.0 * static_cast<double>(2 * io_ns + cables * latency_ns + switch_ns) +
           static_cast<double>(packets) * packet_ps();
  }

  std::uint64_t wafers, from, to, gbytes, latency_ns, io_ns, mtu, packet, packets, switch_ns = 0;
  int topology;
  bool is_ethernet, vlan, ipv6;
};

TEST(SeveralWafers, RandomMessagesTakeTheTimeOfTheirSlowestLink) {
  std::mt19937_64 random(11);
  for (int number = 0, cases = test::random_cases(60, 10); number < cases; ++number) {
    const RandomOuter outer(random);
    SCOPED_TRACE(outer.text());
    const TimePs time =
        broadcast_ps(lone_npus(outer.text(), {fmt::format("wafer.fabric.packet_bytes={} B", outer.packet),
                                              fmt::format("wafer.io.latency={} ns", outer.io_ns)}),
                     outer.packet * outer.packets, static_cast<std::uint32_t>(outer.from),
                     static_cast<std::uint32_t>(outer.to));
    EXPECT_NEAR(static_cast<double>(time), outer.time_ps(), 2) << "rates and times are whole numbers";
  }
}

}  // namespace
}  // namespace wafertlm
