// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/hpcc.h"

namespace wafertlm::nic {

Hpcc::Hpcc(const HpccParams& params, const PathParams& path)
    : CongestionControl(path), params_(params), reference_(std::max(packet(), path_.bdp_bytes())) {
  window_ = reference_;
}

void Hpcc::measure(const AckEvent& ack) {
  const double rtt = path_.base_rtt_s();
  double most = 0, interval = 0;
  for (std::uint32_t i = 0; i < ack.hop_count; ++i) {
    const HopTelemetry &now = ack.hops[i], &before = last_[i];
    if (now.at_ps <= before.at_ps) continue;
    const double seconds = static_cast<double>(now.at_ps - before.at_ps) / static_cast<double>(kPsPerSecond);
    const double rate = static_cast<double>(now.bytes_per_s);
    const double sent = static_cast<double>(now.sent_bytes - before.sent_bytes);
    const double queue = static_cast<double>(std::min(now.queue_bytes, before.queue_bytes));
    const double busy = queue / (rate * rtt) + sent / seconds / rate;
    if (busy > most) {
      most = busy;
      interval = seconds;
    }
  }
  const double weight = std::min(interval, rtt) / rtt;
  utilisation_ = (1 - weight) * utilisation_ + weight * most;
}

void Hpcc::on_ack(const AckEvent& ack) {
  const bool known = last_.size() == ack.hop_count;
  if (known) measure(ack);
  last_.assign(ack.hops, ack.hops + ack.hop_count);
  if (!known) return;
  const bool shrinks = utilisation_ >= params_.eta || stage_ >= params_.max_stage;
  double window = shrinks ? reference_ * params_.eta / utilisation_ : reference_;
  window = std::min(window + params_.additive_bytes, std::max(packet(), path_.bdp_bytes()));
  if (round_.ends(ack)) {
    stage_ = shrinks ? 0 : stage_ + 1;
    reference_ = window;
  }
  window_ = window;
  rate_ = std::min(line_rate(), window_ / path_.base_rtt_s());
}

}  // namespace wafertlm::nic
