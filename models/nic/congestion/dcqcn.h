// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/congestion/congestion_control.h"

namespace wafertlm::nic {

/// DCQCN (Zhu et al., SIGCOMM 2015). Defaults: the paper's, for 40 Gb/s.
struct DcqcnParams {
  TimePs cnp_interval_ps =
      50'000'000;  ///< the receiver sends a CNP per flow and interval at most; 0: every mark
  TimePs alpha_timer_ps = 55'000'000;  ///< α decays after so long without a CNP
  double g = 1.0 / 256;                ///< weight of new observations in α
  double initial_alpha = 1;
  /// α grows when its timer finds that a CNP has come (firmware, ns-3) rather than with each CNP (paper).
  bool alpha_grows_by_timer = false;
  TimePs decrease_interval_ps = 0;        ///< the rate falls once per interval; 0: with each CNP
  TimePs increase_timer_ps = 55'000'000;  ///< T
  /// A decrease before the first stage of increase lowers the target, too (firmware and ns-3: not by
  /// default).
  bool clamps_target = true;
  std::uint64_t byte_counter = 10'000'000;  ///< B; 0: none
  std::uint32_t fast_recovery = 5;          ///< F
  double additive_bytes_per_s = 5e6;        ///< R_AI; 40 Mb/s
  double hyper_bytes_per_s = 5e6;           ///< R_HAI
  double least_bytes_per_s = 1.25e6;        ///< 10 Mb/s
  std::uint64_t for_line_bytes_per_s = 0;   ///< the three rates grow with a line above it; 0: they do not
};

/// The reaction point. On a CNP the rate falls by α/2; afterwards it comes back half way to the target per
/// stage. A stage is an increase timer or a byte counter that has run out; when one of both has counted more
/// than F stages the target grows by R_AI, when both have, the i-th time by i · R_HAI. Without a byte counter
/// stage F + 1 grows by R_AI, those behind it by R_HAI.
class Dcqcn final : public CongestionControl {
 public:
  Dcqcn(const DcqcnParams& params, const PathParams& path);

  void on_sent(std::uint64_t bytes, TimePs now) override;
  void on_cnp(TimePs now) override;
  void on_timer(TimePs now) override;
  TimePs timer_ps() const override { return std::min({alpha_ps_, increase_ps_, decrease_ps_}); }
  /// Until the first CNP: α never forgets it.
  bool is_as_new() const override { return !has_cnp_; }

  double alpha() const { return alpha_; }
  double target_bytes_per_s() const { return target_; }

 private:
  void decrease(TimePs now);
  void increase();

  const DcqcnParams params_;
  double target_, alpha_;
  bool has_cnp_ = false;                               // ever
  bool cnp_for_alpha_ = false, cnp_for_rate_ = false;  // since the timer
  std::uint32_t timer_stages_ = 0, byte_stages_ = 0;
  std::uint64_t bytes_ = 0;
  TimePs alpha_ps_ = kNever, increase_ps_ = kNever,
         decrease_ps_ = kNever;  // timers; they run while the rate is below the line's
};

}  // namespace wafertlm::nic
