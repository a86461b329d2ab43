// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/timely.h"

namespace wafertlm::nic {

namespace {

TimelyParams timely_for_line(TimelyParams params, const PathParams& path) {
  const double times = path.times_the_line(params.for_line_bytes_per_s);
  params.additive_bytes_per_s *= times;
  params.least_bytes_per_s *= times;
  return params;
}

}  // namespace

Timely::Timely(const TimelyParams& params, const PathParams& path)
    : CongestionControl(path), params_(timely_for_line(params, path)) {}

void Timely::on_ack(const AckEvent& ack) {
  bytes_ += ack.acked_bytes;
  if (bytes_ < params_.segment_bytes) return;
  bytes_ = 0;
  on_rtt(ack.rtt_ps);
}

void Timely::on_rtt(TimePs rtt_ps) {
  if (has_rtt_) {
    const double difference = static_cast<double>(rtt_ps) - static_cast<double>(previous_ps_);
    difference_ps_ = (1 - params_.ewma) * difference_ps_ + params_.ewma * difference;
  }
  has_rtt_ = true;
  previous_ps_ = rtt_ps;
  if (rtt_ps < params_.low_ps)
    rate_ += params_.additive_bytes_per_s;
  else if (rtt_ps > params_.high_ps)
    rate_ *= 1 - params_.beta * (1 - static_cast<double>(params_.high_ps) / static_cast<double>(rtt_ps));
  else if (params_.patched)
    follow_distance(rtt_ps);
  else
    follow_gradient();
  rate_ = std::clamp(rate_, params_.least_bytes_per_s, line_rate());
}

void Timely::follow_gradient() {
  if (gradient() > 0) {
    in_row_ = 0;
    rate_ *= 1 - params_.beta * std::min(gradient(), 1.0);
    return;
  }
  ++in_row_;
  rate_ += (in_row_ >= params_.hyper_after ? 5 : 1) * params_.additive_bytes_per_s;
}

void Timely::follow_distance(TimePs rtt_ps) {
  const double weight = std::clamp(2 * gradient() + .5, 0.0, 1.0);
  const double low = static_cast<double>(params_.low_ps),
               distance = (static_cast<double>(rtt_ps) - low) / low;
  rate_ = params_.additive_bytes_per_s * (1 - weight) + rate_ * (1 - params_.beta * weight * distance);
}

}  // namespace wafertlm::nic
