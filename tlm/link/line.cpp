// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/line.h"

#include <stdexcept>
#include <string>

namespace wafertlm {

namespace {

void require_rate(std::uint64_t bytes_per_s) {
  if (bytes_per_s == 0 || bytes_per_s >> 53 != 0)
    throw std::invalid_argument("line rate of " + std::to_string(bytes_per_s) +
                                " B/s: must be 1 B/s to 9 PB/s");
}

}  // namespace

Line::Line(std::uint64_t bytes_per_s)
    : rate_(bytes_per_s),
      fraction_per_slack_(bytes_per_s ? 4294967296.0 / static_cast<double>(bytes_per_s) : 0) {
  require_rate(bytes_per_s);
}

void Line::set_rate(std::uint64_t bytes_per_s) {
  require_rate(bytes_per_s);
  slack_ = static_cast<std::uint64_t>(Uint128{slack_} * bytes_per_s / rate_);
  rate_ = bytes_per_s;
  fraction_per_slack_ = 4294967296.0 / static_cast<double>(bytes_per_s);
  cached_bytes_ = cached_whole_ps_ = cached_remainder_ = 0;
}

std::uint64_t Line::slack_of(PsFraction early) const {
  const auto slack = static_cast<std::uint64_t>((Uint128{early} * rate_ + 0xFFFFFFFFU) >> 32);
  return std::min(slack, rate_ - 1);
}

void Line::divide(std::uint64_t bytes) {
  const Uint128 product = Uint128{bytes} * kPsPerSecond;
  cached_bytes_ = bytes;
  cached_whole_ps_ = static_cast<std::uint64_t>(product / rate_);
  cached_remainder_ = static_cast<std::uint64_t>(product % rate_);
}

}  // namespace wafertlm
