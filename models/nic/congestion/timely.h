// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/congestion/congestion_control.h"

namespace wafertlm::nic {

/// TIMELY (Mittal et al., SIGCOMM 2015).
struct TimelyParams {
  TimePs low_ps = 50'000'000, high_ps = 500'000'000;  ///< below: grow; above: shrink; whatever the gradient
  TimePs min_rtt_ps = 20'000'000;                     ///< gradients are relative to it
  double ewma = .875;                                 ///< α, weight of a new difference
  double beta = .8;                                   ///< of the multiplicative decrease
  double additive_bytes_per_s = 1.25e6;               ///< δ, 10 Mb/s
  std::uint32_t hyper_after = 5;                      ///< so many times in a row without growth: 5 δ
  std::uint64_t segment_bytes = 16'000;               ///< an RTT is taken into account once per so many bytes
  double least_bytes_per_s = 1.25e6;
  std::uint64_t for_line_bytes_per_s = 0;  ///< both rates grow with a line above it; 0: they do not
  /// The variant with a unique fixed point (Zhu et al., CoNEXT 2016, section 5): the weight of both changes
  /// goes smoothly from one to the other, and the decrease follows the RTT's distance from `low`.
  bool patched = false;
};

/// A rate, from differences of round-trip times.
class Timely final : public CongestionControl {
 public:
  Timely(const TimelyParams& params, const PathParams& path);
  void on_ack(const AckEvent& ack) override;
  /// One completion.
  void on_rtt(TimePs rtt_ps);
  double gradient() const { return difference_ps_ / static_cast<double>(params_.min_rtt_ps); }

 private:
  void follow_gradient();
  void follow_distance(TimePs rtt_ps);

  const TimelyParams params_;
  bool has_rtt_ = false;
  TimePs previous_ps_ = 0;
  double difference_ps_ = 0;  // of two RTTs, smoothed
  std::uint32_t in_row_ = 0;  // completions with gradient <= 0
  std::uint64_t bytes_ = 0;
};

}  // namespace wafertlm::nic
