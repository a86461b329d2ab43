// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/transport/sequences.h"

namespace wafertlm::nic {

/// Takes packets in order; one NACK per gap, later packets are dropped until the missing one comes. When
/// their numbers go back and the missing one is not there it was lost again, and there is another NACK.
class GoBackNReceiver final : public ReceiveSequence {
 public:
  explicit GoBackNReceiver(std::uint32_t ack_every, std::uint64_t expected = 0)
      : ack_every_(ack_every), expected_(expected) {}
  Receipt on_packet(std::uint64_t packet, bool wants_answer) override;
  Answer on_trimmed(std::uint64_t packet) override;
  std::uint64_t expected() const override { return expected_; }
  bool is_at_rest() const override { return unanswered_ == 0 && !told_ && trimmed_ == kNone; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  Answer missing(std::uint64_t packet);

  const std::uint32_t ack_every_;
  std::uint32_t unanswered_ = 0;
  bool told_ = false;       // of the gap at expected_
  std::uint64_t last_ = 0;  // … and the last packet behind it
  std::uint64_t expected_;
  std::uint64_t trimmed_ = kNone;  // the first whose headers came alone, ahead of those before it
};

/// Goes back to the packet that a NACK names.
class GoBackNSender final : public SendSequence {
 public:
  explicit GoBackNSender(std::uint64_t acknowledged = 0, std::uint64_t next = 0)
      : SendSequence(next), next_(next), acknowledged_(acknowledged) {}
  bool has_packet() const override { return next_ < end_; }
  std::uint64_t next() const override { return next_; }
  void advance() override { ++next_; }
  Progress on_answer(const Answer& answer) override;
  Progress on_timeout() override;
  std::uint64_t in_flight() const override { return next_ - acknowledged_; }
  std::uint64_t acknowledged() const override { return acknowledged_; }
  bool is_plain() const override { return true; }

 private:
  std::uint64_t go_back();

  std::uint64_t next_, acknowledged_;
};

}  // namespace wafertlm::nic
