// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/nscc.h"

namespace wafertlm::nic {

Nscc::Nscc(const NsccParams& params, const PathParams& path)
    : CongestionControl(path),
      params_(params),
      step_(packet() * path.bdp_bytes() / params.reference_bdp_bytes) {
  set(params_.most_bdp * path_.bdp_bytes());
}

void Nscc::set(double window) {
  set_window(std::clamp(window, packet(), std::max(packet(), params_.most_bdp * path_.bdp_bytes())));
}

void Nscc::on_ack(const AckEvent& ack) {
  const double delay =
      ack.rtt_ps > path_.base_rtt_ps ? static_cast<double>(ack.rtt_ps - path_.base_rtt_ps) : 0;
  average_ps_ = has_delay_ ? (1 - params_.delay_ewma) * average_ps_ + params_.delay_ewma * delay : delay;
  has_delay_ = true;
  acked_ += ack.acked_bytes;
  const double target = target_ps(), share = static_cast<double>(ack.acked_bytes) / window_;
  double window = window_;
  if (round_.ends(ack)) window += params_.eta_packets * step_;
  if (!ack.marked && delay >= target) {
    window += params_.fair_packets * step_ * share;
  } else if (!ack.marked) {
    const double distance = (target - delay) / static_cast<double>(params_.reference_target_ps);
    window += params_.proportional_packets * step_ * distance * share;
  } else if (delay >= target && average_ps_ > target && ack.now_ps >= decreased_ps_ + path_.base_rtt_ps) {
    decreased_ps_ = ack.now_ps;
    window *= std::max(1 - params_.beta * (1 - target / average_ps_), params_.most_decrease);
  }
  set(window);
}

void Nscc::on_loss(const LossEvent& loss) {
  if (loss.now_ps < adapt_ps_) return;
  const double most = params_.most_bdp * path_.bdp_bytes();
  if (static_cast<double>(acked_) < params_.adapt_share * most) set(static_cast<double>(acked_));
  acked_ = 0;
  adapt_ps_ = loss.now_ps + path_.base_rtt_ps + static_cast<TimePs>(target_ps());
}

}  // namespace wafertlm::nic
