// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/powertcp.h"

namespace wafertlm::nic {

PowerTcp::PowerTcp(const PowerTcpParams& params, const PathParams& path)
    : CongestionControl(path), params_(params), old_(std::max(packet(), path_.bdp_bytes())) {
  window_ = old_;
}

void PowerTcp::on_ack(const AckEvent& ack) {
  const double rtt = path_.base_rtt_s();
  const auto of_port = [rtt](const HopTelemetry& now, const HopTelemetry& before, double seconds) {
    const double rate = static_cast<double>(now.bytes_per_s), queue = static_cast<double>(now.queue_bytes);
    const double growth = (queue - static_cast<double>(before.queue_bytes)) / seconds;
    const double sent = static_cast<double>(now.sent_bytes - before.sent_bytes) / seconds;
    return (growth + sent) * (queue + rate * rtt) / (rate * rate * rtt);
  };
  if (!busiest_.measure(ack, rtt, of_port)) return;
  const double bdp = path_.bdp_bytes(), beta = bdp / params_.flows;
  const double window =
      params_.gamma * (old_ / std::max(power(), 1e-6) + beta) + (1 - params_.gamma) * window_;
  if (round_.ends(ack)) old_ = window_;
  window_ = std::clamp(window, packet(), std::max(packet(), bdp + beta));
  rate_ = std::min(line_rate(), window_ / rtt);
}

}  // namespace wafertlm::nic
