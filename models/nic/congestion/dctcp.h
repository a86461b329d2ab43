// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/congestion/congestion_control.h"

namespace wafertlm::nic {

/// DCTCP (Alizadeh et al., SIGCOMM 2010).
struct DctcpParams {
  double g = 1.0 / 16;  ///< weight of new observations in α
  double initial_alpha = 1;
  double additive_packets = 1;  ///< per round trip
  double initial_bdp = 1;       ///< window at the start, in bandwidth-delay products
};

/// A window: α follows the share of marked bytes, once per round trip; with marks the window falls by α/2
/// once per round trip, else it grows by a packet in each.
class Dctcp final : public CongestionControl {
 public:
  Dctcp(const DctcpParams& params, const PathParams& path);
  void on_ack(const AckEvent& ack) override;
  void on_loss(const LossEvent& loss) override;
  double alpha() const { return alpha_; }

 private:
  const DctcpParams params_;
  double alpha_;
  RoundTrip round_;
  std::uint64_t acked_ = 0, marked_ = 0;  // in this round trip
  std::uint64_t cut_until_ = 0;           // no second cut before this is acknowledged
  std::uint64_t sent_ = 0;
};

}  // namespace wafertlm::nic
