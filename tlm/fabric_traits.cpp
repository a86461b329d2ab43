// SPDX-License-Identifier: Apache-2.0
#include "tlm/fabric_traits.h"

#include <algorithm>

namespace wafertlm {
namespace {

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::uint32_t FabricTraits::hops(NpuId from, NpuId to) const {
  return distance(column(from), column(to)) + distance(row(from), row(to));
}

std::uint32_t FabricTraits::degree(NpuId npu) const {
  const auto sides = [](std::uint32_t place, std::uint32_t size) {
    return std::uint32_t{place > 0} + std::uint32_t{place + 1 < size};
  };
  return sides(column(npu), width) + sides(row(npu), height);
}

std::uint64_t FabricTraits::path_bytes_per_s(NpuId from, NpuId to) const {
  const std::uint64_t ends = std::min(injection_bytes_per_s, ejection_bytes_per_s);
  return hops(from, to) == 0 ? ends : std::min(ends, link_bytes_per_s);
}

std::uint64_t FabricTraits::npu_bytes_per_s(NpuId npu) const {
  return std::min({injection_bytes_per_s, ejection_bytes_per_s, degree(npu) * link_bytes_per_s});
}

}  // namespace wafertlm
