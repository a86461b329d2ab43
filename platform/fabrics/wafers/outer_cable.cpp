// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/wafers/outer_cable.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/ethernet/network/frame_format.h"
#include "models/ethernet/network/pfc.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

/// A write is of many frames, so that its RETH, in the first one, does not count.
ethernet::FrameFormat frame_of(const config::OuterEthernet& ethernet) {
  ethernet::FrameFormat frame;
  frame.mtu_bytes = ethernet.mtu_bytes;
  frame.vlan = ethernet.vlan;
  frame.ipv6 = ethernet.ipv6;
  return frame;
}

}  // namespace

/// A freed buffer lets its sender go on when a pause frame of 0 quanta is there: behind a frame that has just
/// begun, itself, over the cable, and as long as the sender may take to respond.
OuterCable outer_cable(const config::OuterSpec& outer) {
  const std::uint64_t rate = outer.bandwidth_bytes_per_s;
  OuterCable cable{rate, outer.latency_ps, outer.latency_ps, 0};
  if (!outer.ethernet) return cable;
  const ethernet::FrameFormat frame = frame_of(*outer.ethernet);
  cable.bytes_per_s = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(Uint128{rate} * frame.mtu_bytes / frame.full_wire_bytes()));
  cable.credit_delay_ps += transfer_time_ps(frame.full_wire_bytes() + ethernet::kPauseWireBytes, rate) +
                           ethernet::response_ps(rate);
  cable.switch_pipeline_ps = outer.ethernet->switch_latency_ps;
  return cable;
}

std::uint64_t outer_headroom_bytes(const config::OuterSpec& outer) {
  if (!outer.ethernet) return 0;
  const std::uint64_t rate = outer.bandwidth_bytes_per_s;
  return ethernet::headroom_bytes({rate, outer.latency_ps, ethernet::response_ps(rate)},
                                  frame_of(*outer.ethernet).full_wire_bytes());
}

std::string describe_outer(const config::OuterSpec& outer) {
  const OuterCable cable = outer_cable(outer);
  std::string text =
      fmt::format("outer     {}, links of {}", config::kOuterTopologies[static_cast<int>(outer.topology)],
                  format_bandwidth(static_cast<double>(outer.bandwidth_bytes_per_s)));
  if (outer.ethernet) {
    const ethernet::FrameFormat frame = frame_of(*outer.ethernet);
    text += fmt::format(", {} for packets in frames of {} + {} B (RoCE v2)",
                        format_bandwidth(static_cast<double>(cable.bytes_per_s)), frame.mtu_bytes,
                        frame.full_wire_bytes() - frame.mtu_bytes);
  }
  text += fmt::format(", latency {}, credit {}", format_time(cable.latency_ps),
                      format_time(cable.credit_delay_ps));
  if (cable.switch_pipeline_ps != 0)
    text += fmt::format(", switch {}", format_time(cable.switch_pipeline_ps));
  return text + "\n";
}

}  // namespace wafertlm
