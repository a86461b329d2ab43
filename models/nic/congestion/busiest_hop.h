// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "models/nic/congestion/congestion_control.h"

namespace wafertlm::nic {

/// The load of the busiest port of a path, from what its ports tell with one ACK and the next, as a mean that
/// reaches back over a round trip.
class BusiestHop {
 public:
  /// `load(now, before, seconds)`: that of a port between two ACKs, `seconds` apart.
  /// @return whether there is a load: the ACK before came over as many ports.
  template <class Load>
  bool measure(const AckEvent& ack, double rtt_s, const Load& load) {
    const bool known = last_.size() == ack.hop_count;
    double most = 0, interval = 0;
    for (std::uint32_t i = 0; known && i < ack.hop_count; ++i) {
      const HopTelemetry &now = ack.hops[i], &before = last_[i];
      if (now.at_ps <= before.at_ps) continue;
      const double seconds =
          static_cast<double>(now.at_ps - before.at_ps) / static_cast<double>(kPsPerSecond);
      const double of_port = load(now, before, seconds);
      if (of_port > most) {
        most = of_port;
        interval = seconds;
      }
    }
    if (known) {
      const double weight = std::min(interval, rtt_s) / rtt_s;
      mean_ = (1 - weight) * mean_ + weight * most;
    }
    last_.assign(ack.hops, ack.hops + ack.hop_count);
    return known;
  }
  double mean() const { return mean_; }

 private:
  double mean_ = 1;  // a full port, until telemetry says otherwise
  std::vector<HopTelemetry> last_;
};

}  // namespace wafertlm::nic
