// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/congestion/congestion_control.h"

namespace wafertlm::nic {

/// Network-signalled congestion control of Ultra Ethernet, as in htsim.
struct NsccParams {
  double target_rtts = .75;            ///< t, queueing delay aimed at; 1 without trimming
  double reference_bdp_bytes = 150e3;  ///< a = BDP / this scales the steps
  double fair_packets = 5;             ///< fi
  double proportional_packets = 4;     ///< αp, per reference target
  TimePs reference_target_ps = 12'000'000;
  double eta_packets = .15;  ///< η, per round trip
  double beta = .8, most_decrease = .5;
  double delay_ewma = .0125;  ///< weight of a new delay in the average
  double most_bdp = 1.5;      ///< largest window, and the first one
  double adapt_share =
      .125;  ///< after a loss: of the largest window, below which the window becomes what was acknowledged
};

/// A window. Per ACK with a mark or not, and a queueing delay above the target or not: no mark, short: grow
/// by the distance; no mark, long: grow fairly; marked, long: shrink, once per round trip; marked, short:
/// another path.
class Nscc final : public CongestionControl {
 public:
  Nscc(const NsccParams& params, const PathParams& path);
  void on_ack(const AckEvent& ack) override;
  void on_loss(const LossEvent& loss) override;
  double target_ps() const { return params_.target_rtts * static_cast<double>(path_.base_rtt_ps); }

 private:
  void set(double window);

  const NsccParams params_;
  double step_;  // MSS · a
  double average_ps_ = 0;
  bool has_delay_ = false;
  TimePs decreased_ps_ = 0, adapt_ps_ = 0;
  std::uint64_t acked_ = 0;  // since the last adaptation
  RoundTrip round_;
};

}  // namespace wafertlm::nic
