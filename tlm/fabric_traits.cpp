// SPDX-License-Identifier: Apache-2.0
#include "tlm/fabric_traits.h"

#include <algorithm>

namespace wafertlm {
namespace {

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::uint32_t FabricTraits::hops(NpuId from, NpuId to) const {
  if (!is_mesh()) return 2 * (fred.turn_level(from, to) - 1);
  return distance(column(from), column(to)) + distance(row(from), row(to));
}

std::uint32_t FabricTraits::degree(NpuId npu) const {
  const auto sides = [](std::uint32_t place, std::uint32_t size) {
    return std::uint32_t{place > 0} + std::uint32_t{place + 1 < size};
  };
  return sides(column(npu), width) + sides(row(npu), height);
}

TimePs FabricTraits::head_latency_ps(NpuId from, NpuId to) const {
  return is_mesh() ? ends_latency_ps + hops(from, to) * hop_latency_ps
                   : fred.turn_latency_ps[fred.turn_level(from, to) - 1];
}

std::uint64_t FabricTraits::path_bytes_per_s(NpuId from, NpuId to) const {
  const std::uint64_t ends = std::min(injection_bytes_per_s, ejection_bytes_per_s);
  if (is_mesh()) return hops(from, to) == 0 ? ends : std::min(ends, link_bytes_per_s);
  const std::uint32_t level = fred.turn_level(from, to);
  const std::uint64_t l1 = level > 1 ? std::min(ends, fred.l1_uplink_bytes_per_s) : ends;
  return level > 2 ? std::min(l1, fred.l2_uplink_bytes_per_s) : l1;
}

std::uint64_t FabricTraits::npu_bytes_per_s(NpuId npu) const {
  const std::uint64_t ends = std::min(injection_bytes_per_s, ejection_bytes_per_s);
  return is_mesh() ? std::min(ends, degree(npu) * link_bytes_per_s) : ends;
}

}  // namespace wafertlm
