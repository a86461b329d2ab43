// SPDX-License-Identifier: Apache-2.0
// Throughput of a link against buffer size and round trip: window / (round trip + packet time), up to line
// rate, the window being the whole packets that fit into the buffer.
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>

#include "models/mesh/mesh_fabric.h"
#include "platform/spec/load.h"
#include "tests/support/core_network.h"
#include "tests/support/temp_folder.h"
#include "tlm/kernel/scheduler.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPacket = 4096;
constexpr std::uint64_t kPackets = 40'000;

struct LinkCase {
  std::uint64_t bytes_per_s;
  TimePs latency_ps, pipeline_ps, credit_delay_ps;
  std::uint64_t buffer_bytes;

  TimePs round_trip_ps() const { return latency_ps + pipeline_ps + credit_delay_ps; }
  std::uint64_t auto_buffer() const {
    return auto_buffer_bytes(bytes_per_s, round_trip_ps(), {kPacket, 0, 0});
  }
  double closed_form() const {
    const double rate = static_cast<double>(bytes_per_s) * 1e-12;  // bytes per ps
    const double window = static_cast<double>(buffer_bytes / kPacket * kPacket);
    const double limit = window / (static_cast<double>(round_trip_ps()) + kPacket / rate);
    return std::min(rate, limit) * 1000;  // GB/s
  }
};

struct LinkResult {
  TimePs first_ps, last_ps;  // the line is busy or blocked from the first packet's head to the last's tail
  OutputCounters sender;
};

/// A link between a source that never runs dry and a switch that empties its buffer as fast as it can.
LinkResult saturate(const LinkCase& link) {
  const ClassTable classes({{"all", 0, 1, 0}}, 1);
  const OneOutput routes;
  CoreNetwork network(classes);
  SwitchParams sender, receiver;
  sender.credit_delay_ps = {0};
  sender.outputs = {{link.bytes_per_s, link.latency_ps, link.buffer_bytes}};
  receiver.pipeline_ps = link.pipeline_ps;
  receiver.credit_delay_ps = {link.credit_delay_ps};
  receiver.outputs = {{4 * link.bytes_per_s, 0, 1 << 30}};
  network.add_switch(sender, routes);
  network.add_switch(receiver, routes);
  network.connect(0, PortId{0}, 1, PortId{0});
  LinkResult result{kNever, 0, {}};
  network.on_grant = [&](std::size_t number, PortId, const Packet& packet) {
    if (number != 0) return;
    result.first_ps = std::min(result.first_ps, network.now());
    result.last_ps = packet.tail_ps - link.latency_ps;
  };
  Packet packet;
  packet.wire_bytes = packet.payload_bytes = kPacket;
  for (std::uint64_t i = 0; i < kPackets; ++i) network.offer(0, PortId{0}, packet);
  network.run();
  EXPECT_TRUE(network.at_rest());
  result.sender = network.core(0).counters(PortId{0});
  return result;
}

/// Prints a line of the table. @return GB/s
double measure(const LinkCase& link, const char* note) {
  const LinkResult result = saturate(link);
  const TimePs elapsed = result.last_ps - result.first_ps;
  const TimePs carried = transfer_time_ps(kPackets * kPacket, link.bytes_per_s);
  const double measured = static_cast<double>(kPackets * kPacket) / static_cast<double>(elapsed) * 1000;
  const double expected = link.closed_form();
  const TimePs blocked = result.sender.credit_blocked_ps;
  std::printf("%8.0f GB/s %7.1f ns %9llu B %s %9.2f %9.2f %8.2f %%\n",
              static_cast<double>(link.bytes_per_s) * 1e-9, static_cast<double>(link.round_trip_ps()) * 1e-3,
              static_cast<unsigned long long>(link.buffer_bytes), note, expected, measured,
              100.0 * static_cast<double>(blocked) / static_cast<double>(elapsed));
  EXPECT_NEAR(measured / expected, 1, 1e-3);  // the last window has no round trip after it

  // To the picosecond: windows of packets, each a round trip and a packet after the one before. A credit that
  // starts a window is a whole number of picoseconds, so that each window may be rounded up.
  const std::uint64_t window = link.buffer_bytes / kPacket;
  const bool is_limited =
      Uint128{(window - 1) * kPacket} * kPsPerSecond < Uint128{link.round_trip_ps()} * link.bytes_per_s;
  const std::uint64_t windows = is_limited ? (kPackets + window - 1) / window : 1;
  const std::uint64_t in_line = is_limited ? windows - 1 + kPackets - (windows - 1) * window : kPackets;
  const TimePs exact =
      transfer_time_ps(in_line * kPacket, link.bytes_per_s) + (windows - 1) * link.round_trip_ps();
  const TimePs rounding = kPacket * kPsPerSecond % link.bytes_per_s == 0 ? 0 : windows - 1;
  EXPECT_GE(elapsed, exact);
  EXPECT_LE(elapsed, exact + rounding);

  // What is missing is named: all that the line did not carry was lack of credit.
  const TimePs missing = elapsed - carried;
  EXPECT_LE(blocked, missing);
  EXPECT_GE(blocked + rounding, missing);
  EXPECT_EQ(blocked > 0, is_limited);
  EXPECT_EQ(result.sender.credit_wait_ps, blocked);  // one packet at a time
  EXPECT_EQ(result.sender.contention_wait_ps[0], 0U);
  return measured;
}

TEST(Credits, ThroughputFollowsTheClosedForm) {
  std::printf("       line  round trip      buffer        expected  measured  blocked\n");
  const LinkCase fred{750'000'000'000, 20'000, 0, 20'000, 24 * 1024};
  EXPECT_NEAR(measure(fred, "    "), 541, 0.5);
  for (const std::uint64_t rate :
       {750'000'000'000U, 1'000'000'000'000U, 3'000'000'000'000U, 333'333'333'333U})
    for (const TimePs trip : {0U, 10'000U, 40'000U, 200'000U}) {
      LinkCase link{rate, trip / 2, trip / 8, trip - trip / 2 - trip / 8, 0};
      for (const std::uint64_t packets : {2U, 4U, 16U, 64U}) {
        link.buffer_bytes = packets * kPacket;
        measure(link, "    ");
      }
      link.buffer_bytes = 6 * kPacket + 4095;  // the last bytes are no use
      measure(link, "    ");
      link.buffer_bytes = link.auto_buffer();
      EXPECT_NEAR(measure(link, "auto"), static_cast<double>(rate) * 1e-9, 1e-6 * static_cast<double>(rate));
    }
}

TEST(Credits, APacketTooBigForTheBufferIsAnError) {
  const test::TempFolder folder;
  const std::string base = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml";
  EXPECT_NO_THROW(config::load_platform(base, {"wafer.fabric.input_buffer=8 KiB"}));
  for (const char* buffer : {"8191 B", "4 KiB", "1 B"}) {
    try {
      config::load_platform(base, {"wafer.fabric.input_buffer=" + std::string(buffer)});
      FAIL() << buffer << " was accepted";
    } catch (const config::ConfigError& error) {
      std::printf("%s\n", error.what());
      EXPECT_NE(std::string(error.what()).find("at least 8 KiB"), std::string::npos) << error.what();
    }
  }
  const std::string file = folder.write(
      "small.yaml", "platform: small\nextends: " + base + "\nwafer:\n  fabric:\n    input_buffer: 6 KiB\n");
  EXPECT_THROW(config::load_platform(file), config::ConfigError);
  // And the fabric itself, when it is built without YAML.
  const ClassTable classes({{"all", 0, 1, 0}}, 1);
  Scheduler scheduler("scheduler");
  MeshParams params;
  params.width = params.height = 2;
  params.link_bytes_per_s = params.injection_bytes_per_s = params.ejection_bytes_per_s = 750'000'000'000;
  params.link_latency_ps = 20'000;
  params.buffer_bytes = 8191;
  EXPECT_THROW(MeshFabric("mesh", params, classes, scheduler), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
