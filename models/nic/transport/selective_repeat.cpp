// SPDX-License-Identifier: Apache-2.0
#include "models/nic/transport/selective_repeat.h"

#include <algorithm>

namespace wafertlm::nic {

SelectiveReceiver::State& SelectiveReceiver::at(std::uint64_t packet) {
  const std::uint64_t place = packet - expected_;
  if (place >= states_.size()) states_.resize(place + 1, State::missing);
  return states_[place];
}

Receipt SelectiveReceiver::on_packet(std::uint64_t packet, bool wants_answer) {
  if (packet < expected_ || at(packet) == State::there)
    return {false, {Answer::Kind::ack, expected_, packet}};
  at(packet) = State::there;
  while (!states_.empty() && states_.front() == State::there) {
    states_.pop_front();
    ++expected_;
  }
  return {true, answer_to(packet, wants_answer)};
}

/// The first packet that must be lost by now, else an ACK. With a gap every packet is acknowledged by itself:
/// the sender must know which ones are there.
Answer SelectiveReceiver::answer_to(std::uint64_t packet, bool wants_answer) {
  ++unanswered_;
  gap_ = std::max(gap_, expected_);
  for (; reordering_ != 0 && gap_ + reordering_ <= packet; ++gap_)
    if (at(gap_) == State::missing) {
      at(gap_) = State::told;
      unanswered_ = 0;
      return {Answer::Kind::nack, expected_, gap_++};
    }
  if (states_.empty() && unanswered_ < ack_every_ && !wants_answer) return {};
  unanswered_ = 0;
  return {Answer::Kind::ack, expected_, packet};
}

Answer SelectiveReceiver::on_trimmed(std::uint64_t packet) {
  if (packet < expected_ || at(packet) == State::there) return {Answer::Kind::ack, expected_, packet};
  at(packet) = State::told;
  return {Answer::Kind::nack, expected_, packet};
}

void SelectiveSender::advance() {
  if (lost_.empty()) {
    states_.push_back({State::in_flight, 0});
    ++next_;
  } else {
    Sent& sent = states_[lost_.front() - acknowledged_];
    sent.state = State::in_flight;
    if (reordering_ != 0) repeated_.push_back({lost_.front(), next_, ++sent.repeats});
    lost_.pop_front();
  }
  ++in_flight_;
}

bool SelectiveSender::acknowledge(std::uint64_t packet) {
  if (packet < acknowledged_ || packet >= next_) return false;
  State& state = states_[packet - acknowledged_].state;
  if (state == State::acknowledged) return false;
  if (state == State::in_flight)
    --in_flight_;
  else  // it had only been late
    lost_.erase(std::find(lost_.begin(), lost_.end(), packet));
  state = State::acknowledged;
  return true;
}

bool SelectiveSender::lose(std::uint64_t packet) {
  if (packet < acknowledged_ || packet >= next_) return false;
  State& state = states_[packet - acknowledged_].state;
  if (state != State::in_flight) return false;
  state = State::lost;
  lost_.push_back(packet);
  --in_flight_;
  return true;
}

SendSequence::Progress SelectiveSender::on_answer(const Answer& answer) {
  Progress progress;
  for (std::uint64_t packet = acknowledged_; packet < answer.expected; ++packet)
    progress.acknowledged += acknowledge(packet);
  if (answer.kind == Answer::Kind::nack)
    progress.lost += lose(answer.packet);
  else
    progress.acknowledged += acknowledge(answer.packet);
  if (answer.kind == Answer::Kind::ack) progress.lost += lose_repeated(answer.packet);
  while (!states_.empty() && states_.front().state == State::acknowledged) {
    states_.pop_front();
    ++acknowledged_;
  }
  return progress;
}

std::uint64_t SelectiveSender::lose_repeated(std::uint64_t arrived) {
  std::uint64_t lost = 0;
  for (; !repeated_.empty() && repeated_.front().before + reordering_ <= arrived + 1; repeated_.pop_front())
    if (const Repeated& each = repeated_.front();
        each.packet >= acknowledged_ && states_[each.packet - acknowledged_].repeats == each.repeat)
      lost += lose(each.packet);
  return lost;
}

SendSequence::Progress SelectiveSender::on_timeout() {
  repeated_.clear();
  Progress progress;
  for (std::uint64_t packet = acknowledged_; packet < next_; ++packet) progress.lost += lose(packet);
  return progress;
}

}  // namespace wafertlm::nic
