// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/dctcp.h"

namespace wafertlm::nic {

Dctcp::Dctcp(const DctcpParams& params, const PathParams& path)
    : CongestionControl(path), params_(params), alpha_(params.initial_alpha) {
  set_window(std::max(packet(), params_.initial_bdp * path_.bdp_bytes()));
}

void Dctcp::on_ack(const AckEvent& ack) {
  sent_ = ack.sent;
  acked_ += ack.acked_bytes;
  if (ack.marked) marked_ += ack.acked_bytes;
  if (round_.ends(ack) && acked_ != 0) {
    const double share = static_cast<double>(marked_) / static_cast<double>(acked_);
    alpha_ = (1 - params_.g) * alpha_ + params_.g * share;
    acked_ = marked_ = 0;
  }
  if (ack.marked && ack.acknowledged > cut_until_) {
    cut_until_ = ack.sent;
    set_window(std::max(packet(), window_ * (1 - alpha_ / 2)));
  } else {
    set_window(window_ +
               params_.additive_packets * packet() * static_cast<double>(ack.acked_bytes) / window_);
  }
}

void Dctcp::on_loss(const LossEvent&) {
  if (sent_ <= cut_until_) return;
  cut_until_ = sent_;
  set_window(std::max(packet(), window_ / 2));
}

}  // namespace wafertlm::nic
