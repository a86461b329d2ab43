// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/receiver_driven.h"

namespace wafertlm::nic {

ReceiverDriven::ReceiverDriven(const ReceiverDrivenParams& params, const PathParams& path)
    : CongestionControl(path),
      unasked_(static_cast<std::uint64_t>(std::max(packet(), params.unasked_bdp * path.bdp_bytes()))),
      credit_(unasked_) {}

void ReceiverDriven::on_sent(std::uint64_t bytes, TimePs) { credit_ -= std::min(credit_, bytes); }

void ReceiverDriven::on_pull(std::uint64_t bytes, TimePs) { credit_ += bytes; }

bool ReceiverDriven::may_send(std::uint64_t, std::uint32_t bytes) const { return bytes <= credit_; }

void PullPacer::owe(std::uint32_t sender) {
  for (Owed& each : turn_)
    if (each.sender == sender) {
      ++each.pulls;
      return;
    }
  turn_.push_back({sender, 1});
}

void PullPacer::forget(std::uint32_t sender) {
  turn_.erase(
      std::remove_if(turn_.begin(), turn_.end(), [&](const Owed& each) { return each.sender == sender; }),
      turn_.end());
}

std::uint32_t PullPacer::pull(std::uint32_t wire_bytes, TimePs now) {
  Owed first = turn_.front();
  turn_.pop_front();
  if (--first.pulls != 0) turn_.push_back(first);
  next_ps_ = std::max(next_ps_, now) + transfer_time_ps(wire_bytes, bytes_per_s_);
  return first.sender;
}

}  // namespace wafertlm::nic
