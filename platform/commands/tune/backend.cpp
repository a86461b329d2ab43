// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/backend.h"

#include <stdexcept>

namespace wafertlm::backends {

std::optional<TimePs> Backend::time_ps(CollectiveType type, std::uint64_t bytes) const {
  const auto found = costs.find(type);
  if (found == costs.end()) return std::nullopt;
  for (const CostRange& range : found->second)
    if (bytes <= range.up_to_bytes) return range.alpha_ps + transfer_time_ps(bytes, range.bytes_per_s);
  return std::nullopt;
}

void require_valid(const Backend& backend) {
  const auto fail = [&](const std::string& text) {
    throw std::invalid_argument("backend '" + backend.name + "': " + text);
  };
  if (backend.name.empty()) throw std::invalid_argument("a backend has no name");
  if (backend.progress == Progress::stream && backend.barrier_ps != 0)
    fail("a barrier is of backends that progress on the host");
  for (const auto& [type, ranges] : backend.costs) {
    if (ranges.empty()) fail(std::string(to_string(type)) + " has no costs");
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].bytes_per_s == 0) fail(std::string(to_string(type)) + " has a bandwidth of 0");
      if (i > 0 && ranges[i].up_to_bytes <= ranges[i - 1].up_to_bytes)
        fail("the costs of " + std::string(to_string(type)) + " must ascend by the size they hold up to");
    }
  }
}

std::optional<std::uint64_t> cross_over_bytes(const CostRange& low_latency, const CostRange& high_rate) {
  const std::uint64_t slow = low_latency.bytes_per_s, fast = high_rate.bytes_per_s;
  if (low_latency.alpha_ps >= high_rate.alpha_ps || slow >= fast) return std::nullopt;
  const Uint128 gain = high_rate.alpha_ps - low_latency.alpha_ps, difference = fast - slow;
  const Uint128 product = Uint128{slow} * fast, whole = product / difference, rest = product % difference;
  constexpr Uint128 kBeyond = (Uint128{1} << 64) * kPsPerSecond;
  if (whole >= kBeyond / gain) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>((whole * gain + rest * gain / difference) / kPsPerSecond);
}

}  // namespace wafertlm::backends
