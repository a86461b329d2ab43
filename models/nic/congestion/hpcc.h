// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/nic/congestion/busiest_hop.h"

namespace wafertlm::nic {

/// HPCC (Li et al., SIGCOMM 2019).
struct HpccParams {
  double eta = .95;             ///< utilisation aimed at
  std::uint32_t max_stage = 5;  ///< additive steps in a row
  double additive_bytes = 80;   ///< W_AI, about W (1 − η) / N_max
};

/// A window, from the telemetry of the path's ports: each ACK sets it to Wc · η/U + W_AI, or Wc + W_AI while
/// the utilisation U of the busiest port is below η; the reference Wc is replaced once per round trip.
class Hpcc final : public CongestionControl {
 public:
  Hpcc(const HpccParams& params, const PathParams& path);
  void on_ack(const AckEvent& ack) override;
  double utilisation() const { return busiest_.mean(); }

 private:
  const HpccParams params_;
  double reference_;    // Wc
  BusiestHop busiest_;  // U
  std::uint32_t stage_ = 0;
  RoundTrip round_;
};

}  // namespace wafertlm::nic
