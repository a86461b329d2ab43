// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/spec/wafer_spec.h"

namespace wafertlm {

/// A link between wafers as the packets of the wafers see it, in one direction.
struct OuterCable {
  std::uint64_t bytes_per_s = 0;  ///< for packets: with Ethernet what its headers leave
  TimePs latency_ps = 0;
  TimePs credit_delay_ps = 0;     ///< from a freed buffer behind it to its sender
  TimePs switch_pipeline_ps = 0;  ///< of a switch between two of them
};

OuterCable outer_cable(const config::OuterSpec& outer);

/// What priority flow control must keep free behind such a link; 0: it is not Ethernet.
std::uint64_t outer_headroom_bytes(const config::OuterSpec& outer);

/// A line for `wafertlm check`.
std::string describe_outer(const config::OuterSpec& outer);

}  // namespace wafertlm
