// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>

#include "models/nic/transport/sequences.h"

namespace wafertlm::nic {

/// Places every packet; a NACK names one missing packet, once per gap and packet.
class SelectiveReceiver final : public ReceiveSequence {
 public:
  SelectiveReceiver(std::uint32_t ack_every, std::uint32_t reordering, std::uint64_t expected = 0)
      : ack_every_(ack_every), reordering_(reordering), expected_(expected) {}
  Receipt on_packet(std::uint64_t packet, bool wants_answer) override;
  Answer on_trimmed(std::uint64_t packet) override;
  std::uint64_t expected() const override { return expected_; }
  bool is_at_rest() const override { return states_.empty() && unanswered_ == 0 && gap_ <= expected_; }

 private:
  enum class State : std::uint8_t { missing, told, there };
  State& at(std::uint64_t packet);
  Answer answer_to(std::uint64_t packet, bool wants_answer);

  const std::uint32_t ack_every_, reordering_;
  std::uint32_t unanswered_ = 0;
  std::uint64_t expected_;
  std::deque<State> states_;  // from expected_ on
  std::uint64_t gap_ = 0;     // all missing packets before it have been told
};

/// Sends again what a NACK names, and once more when one that was sent `reordering` packets later is
/// acknowledged first.
class SelectiveSender final : public SendSequence {
 public:
  explicit SelectiveSender(std::uint32_t reordering, std::uint64_t next = 0)
      : SendSequence(next), reordering_(reordering), next_(next), acknowledged_(next) {}
  bool has_packet() const override { return !lost_.empty() || next_ < end_; }
  std::uint64_t next() const override { return lost_.empty() ? next_ : lost_.front(); }
  void advance() override;
  Progress on_answer(const Answer& answer) override;
  Progress on_timeout() override;
  std::uint64_t in_flight() const override { return in_flight_; }
  std::uint64_t acknowledged() const override { return acknowledged_; }
  bool is_plain() const override { return in_flight_ == 0 && lost_.empty() && repeated_.empty(); }

 private:
  enum class State : std::uint8_t { in_flight, lost, acknowledged };
  bool acknowledge(std::uint64_t packet);
  bool lose(std::uint64_t packet);
  std::uint64_t lose_repeated(std::uint64_t arrived);

  struct Repeated {
    std::uint64_t packet, before;  ///< sent again before the new packet of that number
    std::uint32_t repeat;          ///< of the packet
  };
  const std::uint32_t reordering_;
  std::uint64_t next_, acknowledged_, in_flight_ = 0;
  std::deque<Repeated> repeated_;
  struct Sent {
    State state;
    std::uint32_t repeats;
  };
  std::deque<Sent> states_;         // from acknowledged_ to next_
  std::deque<std::uint64_t> lost_;  // to be sent again; each is in state lost
};

}  // namespace wafertlm::nic
