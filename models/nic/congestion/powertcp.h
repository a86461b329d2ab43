// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/congestion/busiest_hop.h"

namespace wafertlm::nic {

/// PowerTCP (Addanki et al., NSDI 2022, arXiv 2112.14309).
struct PowerTcpParams {
  double gamma = .9;  ///< weight of the new window
  double flows = 10;  ///< N_max: β = BDP / N_max is added
};

/// A window, from the power of the busiest port: current (growth of the queue + rate) × voltage (queue +
/// BDP), over C²τ of an idle port.
class PowerTcp final : public CongestionControl {
 public:
  PowerTcp(const PowerTcpParams& params, const PathParams& path);
  void on_ack(const AckEvent& ack) override;
  double power() const { return busiest_.mean(); }  ///< 1: a full port without a queue

 private:
  const PowerTcpParams params_;
  double old_;  // window a round trip ago
  BusiestHop busiest_;
  RoundTrip round_;
};

}  // namespace wafertlm::nic
