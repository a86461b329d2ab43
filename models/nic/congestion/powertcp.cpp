// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/powertcp.h"

namespace wafertlm::nic {

PowerTcp::PowerTcp(const PowerTcpParams& params, const PathParams& path)
    : CongestionControl(path), params_(params), old_(std::max(packet(), path_.bdp_bytes())) {
  window_ = old_;
}

void PowerTcp::measure(const AckEvent& ack) {
  const double rtt = path_.base_rtt_s();
  double most = 0, interval = 0;
  for (std::uint32_t i = 0; i < ack.hop_count; ++i) {
    const HopTelemetry &now = ack.hops[i], &before = last_[i];
    if (now.at_ps <= before.at_ps) continue;
    const double seconds = static_cast<double>(now.at_ps - before.at_ps) / static_cast<double>(kPsPerSecond);
    const double rate = static_cast<double>(now.bytes_per_s), queue = static_cast<double>(now.queue_bytes);
    const double growth = (queue - static_cast<double>(before.queue_bytes)) / seconds;
    const double sent = static_cast<double>(now.sent_bytes - before.sent_bytes) / seconds;
    const double power = (growth + sent) * (queue + rate * rtt) / (rate * rate * rtt);
    if (power > most) {
      most = power;
      interval = seconds;
    }
  }
  const double weight = std::min(interval, rtt) / rtt;
  power_ = (1 - weight) * power_ + weight * most;
}

void PowerTcp::on_ack(const AckEvent& ack) {
  const bool known = last_.size() == ack.hop_count;
  if (known) measure(ack);
  last_.assign(ack.hops, ack.hops + ack.hop_count);
  if (!known) return;
  const double bdp = path_.bdp_bytes(), beta = bdp / params_.flows;
  const double window =
      params_.gamma * (old_ / std::max(power_, 1e-6) + beta) + (1 - params_.gamma) * window_;
  if (round_.ends(ack)) old_ = window_;
  window_ = std::clamp(window, packet(), std::max(packet(), bdp + beta));
  rate_ = std::min(line_rate(), window_ / path_.base_rtt_s());
}

}  // namespace wafertlm::nic
