// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/dcqcn.h"

namespace wafertlm::nic {

namespace {

DcqcnParams dcqcn_for_line(DcqcnParams params, const PathParams& path) {
  const double times = path.times_the_line(params.for_line_bytes_per_s);
  params.additive_bytes_per_s *= times;
  params.hyper_bytes_per_s *= times;
  params.least_bytes_per_s *= times;
  return params;
}

}  // namespace

Dcqcn::Dcqcn(const DcqcnParams& params, const PathParams& path)
    : CongestionControl(path),
      params_(dcqcn_for_line(params, path)),
      target_(line_rate()),
      alpha_(params.initial_alpha) {}

void Dcqcn::decrease(TimePs now) {
  if (params_.clamps_target || timer_stages_ + byte_stages_ != 0 || increase_ps_ == kNever) target_ = rate_;
  rate_ = std::max(params_.least_bytes_per_s, rate_ * (1 - alpha_ / 2));
  timer_stages_ = byte_stages_ = 0;
  bytes_ = 0;
  increase_ps_ = now + params_.increase_timer_ps;
}

void Dcqcn::on_cnp(TimePs now) {
  has_cnp_ = cnp_for_alpha_ = true;
  if (params_.decrease_interval_ps == 0) {
    decrease(now);
  } else if (decrease_ps_ == kNever) {
    decrease(now);
    decrease_ps_ = now + params_.decrease_interval_ps;
  } else {
    cnp_for_rate_ = true;
  }
  if (params_.alpha_grows_by_timer) {
    if (alpha_ps_ == kNever) alpha_ps_ = now + params_.alpha_timer_ps;
  } else {
    alpha_ = (1 - params_.g) * alpha_ + params_.g;
    alpha_ps_ = now + params_.alpha_timer_ps;
  }
}

void Dcqcn::on_sent(std::uint64_t bytes, TimePs) {
  if (increase_ps_ == kNever || params_.byte_counter == 0) return;
  bytes_ += bytes;
  while (bytes_ >= params_.byte_counter) {
    bytes_ -= params_.byte_counter;
    ++byte_stages_;
    increase();
  }
}

void Dcqcn::on_timer(TimePs now) {
  if (alpha_ps_ <= now) {
    const bool grows = params_.alpha_grows_by_timer && cnp_for_alpha_;
    alpha_ = (1 - params_.g) * alpha_ + (grows ? params_.g : 0);
    cnp_for_alpha_ = false;
    alpha_ps_ += params_.alpha_timer_ps;
  }
  if (decrease_ps_ <= now) {
    if (cnp_for_rate_) {
      cnp_for_rate_ = false;
      decrease(now);
      decrease_ps_ = now + params_.decrease_interval_ps;
    } else {
      decrease_ps_ = kNever;
    }
  }
  if (increase_ps_ <= now) {
    increase_ps_ += params_.increase_timer_ps;
    ++timer_stages_;
    increase();
  }
}

void Dcqcn::increase() {
  const std::uint32_t f = params_.fast_recovery;
  const bool has_bytes = params_.byte_counter != 0;
  const std::uint32_t most = std::max(timer_stages_, byte_stages_),
                      least = has_bytes ? std::min(timer_stages_, byte_stages_) : 0;
  if (least > f)
    target_ += (least - f) * params_.hyper_bytes_per_s;
  else if (!has_bytes && most > f + 1)
    target_ += params_.hyper_bytes_per_s;
  else if (most > f)
    target_ += params_.additive_bytes_per_s;
  target_ = std::min(target_, line_rate());
  rate_ = (rate_ + target_) / 2;
  // Within a packet in a million of the line: it is there, and the timers need not run.
  if (rate_ < line_rate() * (1 - 1e-6)) return;
  rate_ = target_ = line_rate();
  increase_ps_ = kNever;
}

}  // namespace wafertlm::nic
