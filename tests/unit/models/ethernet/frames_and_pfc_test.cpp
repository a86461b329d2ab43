// SPDX-License-Identifier: Apache-2.0
// Bytes of frames, pauses and headroom, against the numbers that the standards give
// (shared/reference/ethernet.md, sections 1 and 2).
#include <gtest/gtest.h>

#include <cmath>

#include "models/ethernet/network/frame_format.h"
#include "models/ethernet/network/pfc.h"

namespace wafertlm::ethernet {
namespace {

constexpr std::uint64_t kGbps = 125'000'000;  // bytes/s

TEST(EthernetFrames, TakeTheirBytesOnTheWire) {
  const FrameFormat format;
  EXPECT_EQ(format.data_wire_bytes(256, false), 338U);
  EXPECT_EQ(format.data_wire_bytes(1024, false), 1106U);
  EXPECT_EQ(format.data_wire_bytes(4096, false), 4178U);
  EXPECT_EQ(format.data_wire_bytes(4096, true), 4194U);
  EXPECT_EQ(format.ack_wire_bytes(), 86U);
  EXPECT_EQ(format.cnp_wire_bytes(), 98U);
  EXPECT_EQ(kPauseWireBytes, 84U);
  EXPECT_EQ(format.trimmed_wire_bytes(), 84U);  // 62 bytes of frame, padded to 64
  EXPECT_NEAR(256 / 338.0, .7574, 5e-5);
  EXPECT_NEAR(1024.0 / format.data_wire_bytes(1024, false), .9259, 5e-5);
  EXPECT_NEAR(400 * 4096.0 / format.full_wire_bytes(), 392.15, 5e-3);
}

TEST(EthernetFrames, EachOptionAddsItsBytes) {
  FrameFormat format;
  format.vlan = true;
  EXPECT_EQ(format.full_wire_bytes(), 4182U);
  format.ipv6 = true;
  EXPECT_EQ(format.full_wire_bytes(), 4202U);
  format.telemetry_bytes = 42;
  EXPECT_EQ(format.full_wire_bytes(), 4244U);
  EXPECT_EQ(format.ack_wire_bytes(), 86U + 24 + 42);
  format = {};
  format.mtu_bytes = 1000;
  format.overhead_bytes = 38;  // the frames of ASTRA-sim's ns-3
  EXPECT_EQ(format.data_wire_bytes(1000, true), 1038U);
}

TEST(EthernetFrames, AGibibyteInOneWrite) {
  const FrameFormat format;
  EXPECT_EQ(format.write_wire_bytes(std::uint64_t{1} << 30), 1'095'237'648U);
  EXPECT_EQ(transfer_time_ps(1'095'237'648, 400 * kGbps), 21'904'752'960U);
  EXPECT_EQ(format.write_wire_bytes(1), 99U);
  EXPECT_EQ(format.write_wire_bytes(4097), 4194U + 84);  // one byte in a frame of 63, padded to 64
}

TEST(Pfc, QuantaLastAndExpire) {
  EXPECT_EQ(pause_ps(1, 100 * kGbps), 5'120U);
  EXPECT_EQ(pause_ps(1, 400 * kGbps), 1'280U);
  EXPECT_EQ(pause_ps(65'535, 100 * kGbps), 335'539'200U);
  EXPECT_EQ(pause_ps(65'535, 400 * kGbps), 83'884'800U);
  PauseTimer timer;
  EXPECT_FALSE(timer.is_paused(0));
  timer.receive(10, 100 * kGbps, 1000);
  EXPECT_TRUE(timer.is_paused(1000 + 51'199));
  EXPECT_FALSE(timer.is_paused(1000 + 51'200));
  timer.receive(10, 100 * kGbps, 2000);  // a later frame counts from its own time
  EXPECT_EQ(timer.until_ps(), 53'200U);
  timer.receive(0, 100 * kGbps, 2001);
  EXPECT_FALSE(timer.is_paused(2001));
}

TEST(Pfc, ResponseAllowances) {
  const std::pair<std::uint64_t, std::uint32_t> all[] = {{10, 67},   {25, 80},   {40, 118},  {50, 147},
                                                         {100, 394}, {200, 453}, {400, 905}, {800, 905}};
  for (const auto& [gbps, quanta] : all) EXPECT_EQ(response_quanta(gbps * kGbps), quanta) << gbps;
  EXPECT_EQ(response_quanta(100 * kGbps) * kQuantumBytes, 25'216U);
  EXPECT_EQ(response_quanta(400 * kGbps) * kQuantumBytes, 57'920U);
  EXPECT_EQ(response_ps(100 * kGbps), 394U * 5'120);
  EXPECT_EQ(response_quanta(33 * kGbps), 118U);  // as a port of 40 Gb/s
  EXPECT_EQ(response_quanta(3600 * kGbps), 905U);
}

TEST(Pfc, Headroom) {
  const auto link = [](std::uint64_t gbps, TimePs latency) {
    return LosslessLink{gbps * kGbps, latency, response_ps(gbps * kGbps)};
  };
  EXPECT_EQ(headroom_bytes(link(100, 500'000), 4178), 46'156U);              // 100 m at 5 ns/m
  EXPECT_EQ(headroom_bytes(link(400, 200'000), 4178), 86'360U);              // 40 m
  EXPECT_EQ(headroom_bytes({100 * kGbps, 1, 0}, 4178), 2U * 4178 + 84 + 1);  // 2 ps: a byte that has begun
}

}  // namespace
}  // namespace wafertlm::ethernet
