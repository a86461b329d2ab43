// SPDX-License-Identifier: Apache-2.0
// Several wafers: closed forms of messages and collectives between them, to the picosecond.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collectives/simulated.h"

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

TimePs broadcast_ps(const std::vector<std::string>& keys, std::uint64_t bytes) {
  CollectiveRequest request;
  request.type = CollectiveType::broadcast;
  request.algorithm = "direct";
  request.bytes = bytes;
  request.group = {NpuId{0}, NpuId{1}};
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

}  // namespace
}  // namespace wafertlm
