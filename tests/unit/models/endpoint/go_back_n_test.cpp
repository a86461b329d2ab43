// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/go_back_n.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace wafertlm {
namespace {

TEST(GoBackNSender, SendsAWindowAndGoesOnWhenItMoves) {
  GoBackNSender sender(100, 32);
  for (std::uint64_t n = 0; n < 32; ++n) {
    ASSERT_TRUE(sender.may_send());
    EXPECT_FALSE(sender.make());
  }
  EXPECT_FALSE(sender.may_send());
  EXPECT_TRUE(sender.acknowledge(16));
  EXPECT_FALSE(sender.acknowledge(16));
  EXPECT_FALSE(sender.acknowledge(3));
  for (std::uint64_t n = 0; n < 16; ++n) EXPECT_FALSE(sender.make());
  EXPECT_FALSE(sender.may_send());
  EXPECT_TRUE(sender.acknowledge(48));
  EXPECT_FALSE(sender.waits());
}

TEST(GoBackNSender, GoesBack) {
  GoBackNSender sender(10, 32);
  for (int n = 0; n < 8; ++n) sender.make();
  EXPECT_FALSE(sender.go_back(8));  // has not been made
  EXPECT_TRUE(sender.go_back(5));
  EXPECT_TRUE(sender.make());  // 5, again
  EXPECT_EQ(sender.fresh(), 8U);
  EXPECT_TRUE(sender.acknowledge(8));  // all came after all
  EXPECT_EQ(sender.next(), 8U);
  EXPECT_FALSE(sender.go_back(7));  // an old one
  sender.make();
  sender.make();
  EXPECT_FALSE(sender.may_send());
  sender.time_out();
  EXPECT_EQ(sender.next(), 8U);
  EXPECT_TRUE(sender.acknowledge(10));
  EXPECT_TRUE(sender.done());
}

TEST(GoBackNReceiver, AnswersEveryGroupAndTheLastPacket) {
  GoBackNReceiver receiver(37, 16);
  for (std::uint64_t n = 0; n < 37; ++n) {
    const auto [take, answer] = receiver.arrived(n, false);
    EXPECT_TRUE(take);
    EXPECT_EQ(answer, n == 15 || n == 31 || n == 36 ? PacketKind::ack : PacketKind::data) << n;
  }
  EXPECT_TRUE(receiver.done());
  // The last answer was lost.
  EXPECT_EQ(receiver.arrived(35, false).answer, PacketKind::data);
  const auto again = receiver.arrived(36, false);
  EXPECT_FALSE(again.take);
  EXPECT_EQ(again.answer, PacketKind::ack);
}

TEST(GoBackNReceiver, AsksOnceForAWrongOrMissingPacket) {
  for (const bool missing : {false, true}) {
    GoBackNReceiver receiver(10, 16);
    receiver.arrived(0, false);
    if (!missing) {
      EXPECT_EQ(receiver.arrived(1, true).answer, PacketKind::nack);
    }
    EXPECT_EQ(receiver.arrived(2, false).answer, missing ? PacketKind::nack : PacketKind::data);
    EXPECT_EQ(receiver.arrived(3, false).answer, PacketKind::data);
    EXPECT_EQ(receiver.expected(), 1U);
    EXPECT_EQ(receiver.arrived(1, true).answer, PacketKind::nack);  // wrong again
    EXPECT_TRUE(receiver.arrived(1, false).take);
    EXPECT_EQ(receiver.arrived(2, true).answer, PacketKind::nack);
  }
}

// Random streams over a channel that keeps the order, spoils and loses packets and answers.
TEST(GoBackN, DeliversEveryPacketOnceInOrder) {
  struct Sent {
    std::uint64_t number;
    bool corrupt;
    PacketKind kind = PacketKind::data;
  };
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t packets = 1 + random() % 200;
    const auto every = static_cast<std::uint32_t>(1 + random() % 16);
    const std::uint64_t window = 2 * every + random() % 40;
    GoBackNSender sender(packets, window);
    GoBackNReceiver receiver(packets, every);
    std::deque<Sent> forth, back;
    std::uint64_t taken = 0, idle = 0;
    for (int step = 0; step < 1'000'000 && !sender.done(); ++step) {
      const bool lost = random() % 10 == 0;
      switch (random() % 3) {
        case 0:
          if (!sender.may_send()) break;
          if (!lost) forth.push_back({sender.next(), random() % 10 == 0});
          sender.make();
          idle = 0;
          break;
        case 1: {
          if (forth.empty()) break;
          const Sent packet = forth.front();
          forth.pop_front();
          const auto [take, answer] = receiver.arrived(packet.number, packet.corrupt);
          if (take) {
            ASSERT_EQ(packet.number, taken++);
            ASSERT_FALSE(packet.corrupt);
          }
          if (answer != PacketKind::data && !lost) back.push_back({receiver.expected(), false, answer});
          break;
        }
        default:
          if (back.empty()) break;
          if (back.front().kind == PacketKind::ack)
            sender.acknowledge(back.front().number);
          else
            sender.go_back(back.front().number);
          back.pop_front();
          idle = 0;
      }
      if (++idle > 100 && forth.empty() && back.empty()) {
        sender.time_out();
        idle = 0;
      }
    }
    EXPECT_TRUE(sender.done()) << seed;
    EXPECT_EQ(taken, packets);
  }
}

}  // namespace
}  // namespace wafertlm
