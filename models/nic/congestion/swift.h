// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/congestion/congestion_control.h"

namespace wafertlm::nic {

/// Swift (Kumar et al., SIGCOMM 2020); defaults as in htsim.
struct SwiftParams {
  double additive_packets = 1;  ///< ai, per round trip
  double beta = .8;             ///< of the multiplicative decrease
  double most_decrease = .5;    ///< mdf
  TimePs base_target_ps = 20'000'000;
  double hops_per_base = 6.55;                              ///< each hop adds base / this
  double flow_range_bases = 5;                              ///< small windows add up to so many bases
  double flow_least_packets = .1, flow_most_packets = 100;  ///< windows where that is all, and nothing
  double least_packets = .001, initial_bdp = 1;
};

/// A window, from the delay's distance to a target that grows with hops and with the number of flows (small
/// windows).
class Swift final : public CongestionControl {
 public:
  Swift(const SwiftParams& params, const PathParams& path);
  void on_ack(const AckEvent& ack) override;
  void on_loss(const LossEvent& loss) override;
  /// Of the round-trip time.
  double target_ps() const;

 private:
  bool may_decrease(TimePs now) const { return now >= decreased_ps_ + rtt_ps_; }

  const SwiftParams params_;
  TimePs decreased_ps_ = 0, rtt_ps_ = 0;
};

}  // namespace wafertlm::nic
