// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/swift.h"

#include <cmath>

namespace wafertlm::nic {

Swift::Swift(const SwiftParams& params, const PathParams& path) : CongestionControl(path), params_(params) {
  set_window(std::max(packet(), params_.initial_bdp * path_.bdp_bytes()));
}

double Swift::target_ps() const {
  const double base = static_cast<double>(params_.base_target_ps), packets = window_ / packet();
  const double least = 1 / std::sqrt(params_.flow_least_packets),
               most = 1 / std::sqrt(params_.flow_most_packets);
  const double range = params_.flow_range_bases * base;
  const double flows = range * (1 / std::sqrt(packets) - most) / (least - most);
  return base * (1 + path_.hops / params_.hops_per_base) + std::clamp(flows, 0.0, range);
}

void Swift::on_ack(const AckEvent& ack) {
  rtt_ps_ = ack.rtt_ps;
  const double delay = static_cast<double>(ack.rtt_ps), target = target_ps();
  double window = window_;
  if (delay < target) {
    const double acked = params_.additive_packets * packet() * static_cast<double>(ack.acked_bytes);
    window += acked / std::max(window, packet());
  } else if (may_decrease(ack.now_ps)) {
    decreased_ps_ = ack.now_ps;
    window *= std::max(1 - params_.beta * (1 - target / delay), 1 - params_.most_decrease);
  }
  set_window(std::max(params_.least_packets * packet(), window));
}

void Swift::on_loss(const LossEvent& loss) {
  if (!may_decrease(loss.now_ps)) return;
  decreased_ps_ = loss.now_ps;
  set_window(std::max(params_.least_packets * packet(), window_ * (1 - params_.most_decrease)));
}

}  // namespace wafertlm::nic
