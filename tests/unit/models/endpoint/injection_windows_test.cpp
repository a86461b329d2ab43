// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/injection_windows.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

constexpr std::uint32_t kPacket = 65'536, kShort = 4096;
constexpr std::uint64_t kRoundTrip = 60'000;
constexpr VcId kVc{1};

/// Room for a round trip and six packets; four engines hold one each ready.
InjectionWindows windows(std::vector<std::uint8_t> exits = {}, std::uint64_t round_trip = kRoundTrip,
                         std::uint32_t packet_bytes = kPacket) {
  OutputParams link;
  link.buffer_bytes = kRoundTrip + 6 * packet_bytes;
  link.round_trip_bytes = round_trip;
  WireFormat format;
  format.packet_bytes = packet_bytes;
  return {std::move(exits), link, format, 4};
}

Message message_of(std::uint64_t bytes, NpuId destination = NpuId{0}) {
  Message message;
  message.bytes = bytes;
  message.destination = destination;
  return message;
}

/// Takes packets of messages of this size as long as there is room.
std::uint64_t fill(InjectionWindows& of, std::uint32_t bytes, NpuId destination = NpuId{0}) {
  const Message message = message_of(bytes, destination);
  Packet packet;
  packet.destination = destination;
  packet.payload_bytes = packet.wire_bytes = bytes;
  std::uint64_t taken = 0;
  for (; of.has_credits(message, kVc, bytes) && taken < 100'000'000; taken += bytes) of.take(packet, kVc);
  return taken;
}

TEST(InjectionWindows, GivesShortMessagesTheBufferOfShortPackets) {
  auto of = windows();
  EXPECT_TRUE(of.limited());
  EXPECT_EQ(fill(of, kShort), (kRoundTrip + 10 * kShort) / kShort * kShort);
  EXPECT_TRUE(of.has_credits(message_of(kPacket), kVc, kPacket)) << "whole packets have what the buffer has";
}

TEST(InjectionWindows, GivesRoomBackWhenItIsFree) {
  auto of = windows();
  Packet packet;
  packet.payload_bytes = packet.wire_bytes = kShort;
  fill(of, kShort);
  EXPECT_TRUE(of.give_back(packet, kVc, 500));
  EXPECT_EQ(of.next_ps(), 500U);
  of.update(499);
  EXPECT_FALSE(of.has_credits(message_of(kShort), kVc, kShort));
  of.update(500);
  EXPECT_TRUE(of.has_credits(message_of(kShort), kVc, kShort));
  EXPECT_EQ(of.next_ps(), kNever);
}

TEST(InjectionWindows, LeavesTheLastPacketOfAMessageAlone) {
  auto of = windows();
  fill(of, kShort);
  EXPECT_TRUE(of.has_credits(message_of(kPacket + kShort), kVc, kShort));
  Packet last;
  last.offset = kPacket;
  last.payload_bytes = last.wire_bytes = kShort;
  EXPECT_FALSE(of.give_back(last, kVc, 1));
}

TEST(InjectionWindows, AreOffWhereTheBufferIsMadeForTheRoundTripOrGiven) {
  EXPECT_FALSE(windows({}, kRoundTrip, kShort).limited());
  EXPECT_FALSE(windows({}, 0).limited());
}

TEST(InjectionWindows, KeepExitsApart) {
  const NpuId near{0}, far{1};
  auto of = windows({0, 1}, 0);
  const std::uint64_t part = (kRoundTrip + 6 * kPacket) / 3;
  EXPECT_EQ(fill(of, kPacket, near), part / kPacket * kPacket);
  EXPECT_EQ(fill(of, kPacket, far), part / kPacket * kPacket);
}

TEST(InjectionWindows, ASlowExitHasAFifthAndTheOthersTheRest) {
  const NpuId slow{0}, fast{1};
  auto of = windows({0, InjectionWindows::kFree}, 0);
  const std::uint64_t part = (kRoundTrip + 6 * kPacket) / 5;
  EXPECT_EQ(fill(of, kPacket, slow), part / kPacket * kPacket);
  EXPECT_EQ(fill(of, kShort, slow), (part - part / kPacket * kPacket) / kShort * kShort);
  EXPECT_TRUE(of.has_credits(message_of(kPacket, fast), kVc, kPacket));
}

}  // namespace
}  // namespace wafertlm
