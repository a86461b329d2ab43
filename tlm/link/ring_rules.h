// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/link/switch_core.h"
#include "tlm/link/switch_params.h"
#include "tlm/packets/class_table.h"

namespace wafertlm {

/// Which half of its class's channels a packet goes out on, see RingPort. A rule for each queue of a switch
/// with queues per output, [output][vc][input].
class RingRules {
 public:
  /// Without rings in `params` there are no rules.
  /// @throws std::invalid_argument: no queues per output, or a class with an odd number of channels.
  RingRules(const SwitchParams& params, const ClassTable& classes);

  bool empty() const { return rules_.empty(); }
  /// The part of `vcs` that a packet of this queue, still on the channel on which it came, may take.
  ChannelRange half_of(ChannelRange vcs, std::size_t queue, const Packet& packet,
                       const RouteFunction& routes) const {
    const Rule rule = rules_[queue];
    if (rule == Rule::any) return vcs;
    const auto half = static_cast<std::uint8_t>(vcs.count / 2);
    const bool crossed = rule == Rule::upper ||
                         (rule == Rule::keep && index_of(packet.vc) >= std::size_t{vcs.first} + half) ||
                         (rule == Rule::by_route && routes.on_upper_half(packet));
    return {static_cast<std::uint8_t>(crossed ? vcs.first + half : vcs.first), half};
  }

 private:
  enum class Rule : std::uint8_t {
    any,    // the output is on no ring
    lower,  // enters the ring
    keep,   // stays on the ring, on the half on which it came
    upper,  // crosses the dateline
    by_route,
  };
  std::vector<Rule> rules_;
};

}  // namespace wafertlm
