// SPDX-License-Identifier: Apache-2.0
#include "models/nic/transport/go_back_n.h"

#include <algorithm>

namespace wafertlm::nic {

Answer GoBackNReceiver::missing(std::uint64_t packet) {
  const bool goes_on = told_ && packet > last_;
  last_ = packet;
  if (goes_on) return {};
  told_ = true;
  unanswered_ = 0;
  return {Answer::Kind::nack, expected_, expected_};
}

Receipt GoBackNReceiver::on_packet(std::uint64_t packet, bool wants_answer) {
  if (packet > expected_) return {false, missing(packet)};
  if (packet < expected_) return {false, {Answer::Kind::ack, expected_, packet}};
  ++expected_;
  told_ = false;
  if (trimmed_ == expected_) {
    trimmed_ = kNone;
    return {true, missing(expected_)};
  }
  if (++unanswered_ < ack_every_ && !wants_answer) return {true, {}};
  unanswered_ = 0;
  return {true, {Answer::Kind::ack, expected_, packet}};
}

/// Headers overtake the packets before them, which may still come.
Answer GoBackNReceiver::on_trimmed(std::uint64_t packet) {
  if (packet == expected_) return missing(packet);
  if (packet > expected_) trimmed_ = trimmed_ > expected_ ? std::min(trimmed_, packet) : packet;
  return {};
}

SendSequence::Progress GoBackNSender::on_answer(const Answer& answer) {
  Progress progress;
  if (answer.expected > acknowledged_) {
    progress.acknowledged = answer.expected - acknowledged_;
    acknowledged_ = answer.expected;
    next_ = std::max(next_, acknowledged_);  // a late answer to what has been taken back
  }
  // An old NACK names what has been acknowledged since.
  if (answer.kind == Answer::Kind::nack && answer.packet >= acknowledged_) progress.lost = go_back();
  return progress;
}

SendSequence::Progress GoBackNSender::on_timeout() { return {0, go_back()}; }

std::uint64_t GoBackNSender::go_back() {
  const std::uint64_t lost = next_ - acknowledged_;
  next_ = acknowledged_;
  return lost;
}

}  // namespace wafertlm::nic
