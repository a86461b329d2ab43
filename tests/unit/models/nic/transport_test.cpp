// SPDX-License-Identifier: Apache-2.0
// Transport alone: answers one by one, efficiency on a line that loses packets against the closed forms, and
// every packet once whatever is lost, repeated or out of order.
#include <gtest/gtest.h>

#include <cmath>

#include <deque>
#include <random>
#include <set>

#include "models/nic/transport/go_back_n.h"
#include "models/nic/transport/selective_repeat.h"

namespace wafertlm::nic {
namespace {

using Kind = Answer::Kind;

TEST(GoBackN, AcksByTheNumberAndTheLast) {
  GoBackNReceiver receiver(4);
  for (std::uint64_t packet = 0; packet < 3; ++packet)
    EXPECT_EQ(receiver.on_packet(packet, false).answer.kind, Kind::none);
  const Receipt fourth = receiver.on_packet(3, false);
  EXPECT_TRUE(fourth.is_new);
  EXPECT_EQ(fourth.answer.kind, Kind::ack);
  EXPECT_EQ(fourth.answer.expected, 4U);
  EXPECT_EQ(receiver.on_packet(4, true).answer.kind, Kind::ack);
}

TEST(GoBackN, OneNackPerGap) {
  GoBackNReceiver receiver(1);
  receiver.on_packet(0, false);
  const Receipt gap = receiver.on_packet(2, false);
  EXPECT_FALSE(gap.is_new);
  EXPECT_EQ(gap.answer.kind, Kind::nack);
  EXPECT_EQ(gap.answer.packet, 1U);
  EXPECT_EQ(receiver.on_packet(3, true).answer.kind, Kind::none);
  EXPECT_EQ(receiver.on_trimmed(4).kind, Kind::none);
  EXPECT_EQ(receiver.on_packet(2, false).answer.kind, Kind::nack);  // gone back, and lost again
  EXPECT_TRUE(receiver.on_packet(1, false).is_new);
  EXPECT_EQ(receiver.on_trimmed(0).kind, Kind::none);
  EXPECT_EQ(receiver.on_trimmed(3).kind, Kind::none);  // 2 may still come
  EXPECT_EQ(receiver.on_packet(2, false).answer.packet, 3U);
  EXPECT_EQ(receiver.on_trimmed(3).kind, Kind::nack);
  EXPECT_FALSE(receiver.on_packet(0, false).is_new);  // again
  EXPECT_EQ(receiver.on_packet(0, false).answer.expected, 3U);
}

TEST(GoBackN, TheSenderGoesBack) {
  GoBackNSender sender;
  sender.extend(10);
  for (int i = 0; i < 6; ++i) sender.advance();
  EXPECT_EQ(sender.in_flight(), 6U);
  auto progress = sender.on_answer({Kind::nack, 2, 2});
  EXPECT_EQ(progress.acknowledged, 2U);
  EXPECT_EQ(progress.lost, 4U);
  EXPECT_EQ(sender.next(), 2U);
  sender.advance();
  progress = sender.on_answer({Kind::ack, 5, 4});  // those were not lost
  EXPECT_EQ(progress.acknowledged, 3U);
  EXPECT_EQ(sender.next(), 5U);
  EXPECT_EQ(sender.on_answer({Kind::nack, 2, 2}).lost, 0U);  // an old one
  while (sender.has_packet()) sender.advance();
  EXPECT_EQ(sender.on_timeout().lost, 5U);
  EXPECT_EQ(sender.on_answer({Kind::ack, 10, 9}).acknowledged, 5U);
  EXPECT_TRUE(sender.is_done());
}

TEST(SelectiveRepeat, NamesEachMissingPacketOnce) {
  SelectiveReceiver receiver(1, 1);
  receiver.on_packet(0, false);
  Receipt receipt = receiver.on_packet(3, false);
  EXPECT_TRUE(receipt.is_new);
  EXPECT_EQ(receipt.answer.kind, Kind::nack);
  EXPECT_EQ(receipt.answer.packet, 1U);
  receipt = receiver.on_packet(4, false);
  EXPECT_EQ(receipt.answer.packet, 2U);
  EXPECT_EQ(receiver.on_packet(5, false).answer.kind, Kind::ack);
  EXPECT_EQ(receiver.on_packet(1, false).answer.expected, 2U);
  EXPECT_EQ(receiver.on_packet(2, false).answer.expected, 6U);
  EXPECT_FALSE(receiver.on_packet(5, false).is_new);
}

TEST(SelectiveRepeat, ToleratesReordering) {
  SelectiveReceiver patient(1, 3), never(1, 0);
  for (const std::uint64_t packet : {1U, 2U})
    EXPECT_EQ(patient.on_packet(packet, false).answer.kind, Kind::ack);
  EXPECT_EQ(patient.on_packet(3, false).answer.kind, Kind::nack);
  for (std::uint64_t packet = 1; packet < 50; ++packet)
    EXPECT_EQ(never.on_packet(packet, false).answer.kind, Kind::ack);
  EXPECT_EQ(never.on_trimmed(50).packet, 50U);
  EXPECT_EQ(never.on_trimmed(50).kind, Kind::nack);  // a repeated packet can be trimmed, too
}

TEST(SelectiveRepeat, TheSenderRepeatsWhatIsMissing) {
  SelectiveSender sender(1);
  sender.extend(5);
  for (int i = 0; i < 5; ++i) sender.advance();
  EXPECT_EQ(sender.on_answer({Kind::nack, 1, 2}).acknowledged, 1U);
  EXPECT_EQ(sender.in_flight(), 3U);
  EXPECT_EQ(sender.next(), 2U);
  EXPECT_EQ(sender.on_answer({Kind::nack, 1, 2}).lost, 0U);
  sender.advance();
  EXPECT_FALSE(sender.has_packet());
  EXPECT_EQ(sender.on_answer({Kind::ack, 1, 4}).acknowledged, 1U);
  EXPECT_EQ(sender.on_timeout().lost, 3U);
  EXPECT_EQ(sender.on_answer({Kind::ack, 5, 3}).acknowledged, 3U);  // late, not lost
  EXPECT_TRUE(sender.is_done());
  EXPECT_FALSE(sender.has_packet());
  EXPECT_EQ(sender.in_flight(), 0U);
}

TEST(SelectiveRepeat, TheSenderRepeatsWhatIsLostAgain) {
  SelectiveSender sender(2);
  sender.extend(9);
  for (int i = 0; i < 5; ++i) sender.advance();
  sender.on_answer({Kind::nack, 0, 0});
  sender.advance();  // 0 again, before 5
  for (int i = 0; i < 3; ++i) sender.advance();
  EXPECT_EQ(sender.on_answer({Kind::ack, 0, 5}).lost, 0U);
  EXPECT_EQ(sender.on_answer({Kind::ack, 0, 6}).lost, 1U);
  EXPECT_EQ(sender.next(), 0U);
}

/// A slot per packet, answers so many slots later: the share of slots that carry a new packet.
double efficiency(Repair repair, double loss, std::uint32_t slots, std::uint64_t packets) {
  TransportParams params;
  params.repair = repair;
  const auto receiver = make_receive_sequence(params, 0);
  const auto sender = make_send_sequence(params, 0, 0);
  sender->extend(packets);
  std::mt19937_64 random(1);
  std::deque<std::pair<std::uint64_t, Answer>> answers;  // by slot
  std::uint64_t slot = 0;
  for (; !sender->is_done(); ++slot) {
    while (!answers.empty() && answers.front().first == slot) {
      sender->on_answer(answers.front().second);
      answers.pop_front();
    }
    if (!sender->has_packet()) {
      if (answers.empty()) sender->on_timeout();
      continue;
    }
    const std::uint64_t packet = sender->next();
    sender->advance();
    if (static_cast<double>(random() >> 11) * 0x1p-53 < loss) continue;
    const Receipt receipt = receiver->on_packet(packet, packet + 1 == packets);
    // The packet behind a lost one tells: its answer is there when the lost one has cost `slots`.
    if (receipt.answer.kind != Kind::none) answers.emplace_back(slot + slots - 1, receipt.answer);
  }
  return static_cast<double>(packets) / static_cast<double>(slot);
}

/// n = ⌈(ser + RTT) / ser⌉; 100 Gb/s, 12 µs, 4178 bytes: 37 slots.
TEST(Loss, CostsWhatTheClosedFormsSay) {
  const double ser = 4178 / 12.5e9;
  const auto n = static_cast<std::uint32_t>(std::ceil((ser + 12e-6) / ser));
  EXPECT_EQ(n, 37U);
  const std::pair<double, double> table[] = {{1e-4, .99631}, {1e-3, .96429}, {1e-2, .72794}};
  for (const auto& [p, published] : table) {
    EXPECT_NEAR((1 - p) / (1 - p + n * p), published, 5e-6);
    EXPECT_NEAR(efficiency(Repair::go_back_n, p, n, 1'000'000) / published, 1, .01) << p;
    EXPECT_NEAR(efficiency(Repair::selective_repeat, p, n, 300'000) / (1 - p), 1, .002) << p;
  }
}

/// Packets and answers are lost, come twice and out of order: each packet counts once, and the sender ends.
TEST(Loss, DeliversEveryPacketOnce) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    TransportParams params;
    params.repair = trial % 2 == 0 ? Repair::go_back_n : Repair::selective_repeat;
    params.ack_every = static_cast<std::uint32_t>(1 + random() % 4);
    params.reordering = static_cast<std::uint32_t>(random() % 4);
    const auto receiver = make_receive_sequence(params, 0);
    const auto sender = make_send_sequence(params, 0, 0);
    const std::uint64_t packets = 1 + random() % 40, window = 1 + random() % 12;
    sender->extend(packets);
    std::deque<std::uint64_t> line;
    std::deque<Answer> answers;
    std::set<std::uint64_t> delivered;
    int steps = 0;
    const auto pass = [&](auto& queue, const auto& what) {
      if (random() % 10 == 0) return;
      queue.push_back(what);
      if (random() % 10 == 0) queue.push_back(what);
      if (queue.size() > 1 && random() % 5 == 0) std::swap(queue.back(), queue[random() % queue.size()]);
    };
    while (!sender->is_done()) {
      ASSERT_LT(++steps, 100'000);
      if (sender->has_packet() && sender->in_flight() < window) {
        const std::uint64_t packet = sender->next();
        ASSERT_LT(packet, packets);
        sender->advance();
        pass(line, packet);
      } else if (line.empty() && answers.empty()) {
        sender->on_timeout();
      }
      if (!line.empty() && random() % 2 == 0) {
        const std::uint64_t packet = line.front();
        line.pop_front();
        if (random() % 10 == 0) {
          const Answer answer = receiver->on_trimmed(packet);
          if (answer.kind != Kind::none) pass(answers, answer);
        } else {
          const Receipt receipt = receiver->on_packet(packet, packet + 1 == packets);
          if (receipt.is_new) {
            ASSERT_TRUE(delivered.insert(packet).second);
            if (params.repair == Repair::go_back_n) {
              ASSERT_EQ(packet + 1, receiver->expected());
            }
          }
          if (receipt.answer.kind != Kind::none) pass(answers, receipt.answer);
        }
      }
      if (!answers.empty() && random() % 2 == 0) {
        sender->on_answer(answers.front());
        answers.pop_front();
      }
      ASSERT_LE(sender->acknowledged(), receiver->expected());
      ASSERT_LE(sender->in_flight(), packets);
    }
    ASSERT_EQ(delivered.size(), packets);
  }
}

}  // namespace
}  // namespace wafertlm::nic
