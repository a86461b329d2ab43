// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/directed.h"

#include <algorithm>

namespace wafertlm {
namespace {

RtlStimulus::Packet& add_message(RtlStimulus& to, std::uint32_t input, std::uint32_t output,
                                 std::uint64_t cycle, std::uint32_t bytes) {
  RtlStimulus::Packet packet;
  packet.id = to.packets.size();
  packet.output = output;
  packet.bytes = bytes;
  packet.arrivals = {{input, cycle}};
  to.packets.push_back(std::move(packet));
  return to.packets.back();
}

}  // namespace

RtlStimulus one_by_one(const RtlDesign& design) {
  RtlStimulus made;
  made.judged = RtlStimulus::Judged::alone;
  const std::uint32_t apart = design.latency + 32;
  for (std::uint32_t input = 0; input < design.ports; ++input)
    for (std::uint32_t output = 0; output < design.ports; ++output) {
      const std::size_t number = made.packets.size();
      add_message(made, input, output, number * apart, design.flit_bytes()).channel =
          static_cast<std::uint32_t>(number % design.channels);
    }
  return made;
}

std::uint32_t rate_flits(const RtlDesign& design) {
  const std::uint32_t least = std::min(design.depth, design.out_depth);
  return design.depth == 0 ? 16 : std::clamp(least / 4, 1U, 16U);
}

RtlStimulus pair_by_pair(const RtlDesign& design) {
  constexpr std::uint32_t kPackets = 4;
  RtlStimulus made;
  made.judged = RtlStimulus::Judged::rate;
  const std::uint32_t flits = rate_flits(design);
  const std::uint64_t apart = std::uint64_t{kPackets} * flits * 100 / design.rate + 4 * design.latency + 32;
  for (std::uint32_t input = 0; input < design.ports; ++input)
    for (std::uint32_t output = 0; output < design.ports; ++output)
      for (std::uint32_t i = 0; i < kPackets; ++i)
        add_message(made, input, output, (std::uint64_t{input} * design.ports + output) * apart,
                    flits * design.flit_bytes())
            .channel = (input + output) % design.channels;
  return made;
}

RtlStimulus all_to_one(const RtlDesign& design) {
  RtlStimulus made;
  made.judged = RtlStimulus::Judged::turns;
  const std::uint32_t channels = std::min(design.channels, 2U), contenders = design.ports * channels;
  const std::uint32_t flits = std::min(2U, rate_flits(design));
  // Who is never served waits for all packets of one other at least, and each port is as busy as it can be.
  const std::uint32_t packets = design.turns * contenders + 8;
  constexpr std::uint32_t kMostPackets = 30'000;
  const std::uint32_t outputs = std::clamp(kMostPackets / (packets * contenders), 1U, design.ports);
  for (std::uint32_t output = 0; output < outputs; ++output)
    for (std::uint32_t i = 0; i < packets; ++i)
      for (std::uint32_t input = 0; input < design.ports; ++input)
        for (std::uint32_t channel = 0; channel < channels; ++channel) {
          const std::uint64_t cycle = (std::uint64_t{i} * channels + channel) * flits;
          RtlStimulus::Packet& each = add_message(made, input, output, cycle, flits * design.flit_bytes());
          each.round = output;
          each.channel = (output + channel) % design.channels;
        }
  return made;
}

}  // namespace wafertlm
