// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/hpcc.h"

namespace wafertlm::nic {

Hpcc::Hpcc(const HpccParams& params, const PathParams& path)
    : CongestionControl(path), params_(params), reference_(std::max(packet(), path_.bdp_bytes())) {
  window_ = reference_;
}

void Hpcc::on_ack(const AckEvent& ack) {
  const double rtt = path_.base_rtt_s();
  const auto of_port = [rtt](const HopTelemetry& now, const HopTelemetry& before, double seconds) {
    const double rate = static_cast<double>(now.bytes_per_s);
    const double sent = static_cast<double>(now.sent_bytes - before.sent_bytes);
    const double queue = static_cast<double>(std::min(now.queue_bytes, before.queue_bytes));
    return queue / (rate * rtt) + sent / seconds / rate;
  };
  if (!busiest_.measure(ack, rtt, of_port)) return;
  const bool shrinks = utilisation() >= params_.eta || stage_ >= params_.max_stage;
  double window = shrinks ? reference_ * params_.eta / utilisation() : reference_;
  window = std::min(window + params_.additive_bytes, std::max(packet(), path_.bdp_bytes()));
  if (round_.ends(ack)) {
    stage_ = shrinks ? 0 : stage_ + 1;
    reference_ = window;
  }
  window_ = window;
  rate_ = std::min(line_rate(), window_ / rtt);
}

}  // namespace wafertlm::nic
