// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/coverage.h"

#include <fmt/core.h>

#include <algorithm>

namespace wafertlm {

const char* to_string(RtlPacketKind kind) {
  static constexpr const char* kNames[] = {"single flit", "message", "copy", "sum", "sum and copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* to_string(RtlBackpressure backpressure) {
  static constexpr const char* kNames[] = {"none", "inside", "stalled"};
  return kNames[static_cast<std::size_t>(backpressure)];
}

const char* to_string(RtlFill fill) {
  static constexpr const char* kNames[] = {"empty", "partly", "full"};
  return kNames[static_cast<std::size_t>(fill)];
}

std::size_t RtlStressCoverage::reached() const {
  return counts_.size() - static_cast<std::size_t>(std::count(counts_.begin(), counts_.end(), 0));
}

RtlStressCoverage::Cell RtlStressCoverage::cell(RtlPacketKind kind, RtlBackpressure backpressure,
                                                RtlFill fill) const {
  Cell cell;
  for (std::size_t input = 0; input < ports_; ++input)
    for (std::size_t output = 0; output < ports_; ++output) {
      const std::uint64_t packets = counts_[at(input, output, kind, backpressure, fill)];
      cell.pairs += packets != 0 ? 1 : 0;
      cell.packets += packets;
    }
  return cell;
}

std::string RtlStressCoverage::to_text() const {
  std::string text = fmt::format("  {:<14}{:<14}", "packet", "backpressure");
  for (std::size_t fill = 0; fill < fills_; ++fill)
    text += fmt::format("{:>10}", to_string(static_cast<RtlFill>(fill)));
  text += fmt::format("   pairs of ports of {}, by the input's buffer\n", ports_ * ports_);
  for (std::size_t kind = 0; kind < kinds_; ++kind)
    for (std::size_t pressure = 0; pressure < kRtlBackpressures; ++pressure) {
      text += fmt::format("  {:<14}{:<14}", to_string(static_cast<RtlPacketKind>(kind)),
                          to_string(static_cast<RtlBackpressure>(pressure)));
      for (std::size_t fill = 0; fill < fills_; ++fill)
        text += fmt::format("{:>10}", cell(static_cast<RtlPacketKind>(kind),
                                           static_cast<RtlBackpressure>(pressure), static_cast<RtlFill>(fill))
                                          .pairs);
      text += '\n';
    }
  return text;
}

}  // namespace wafertlm
