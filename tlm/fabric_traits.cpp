// SPDX-License-Identifier: Apache-2.0
#include "tlm/fabric_traits.h"

#include <algorithm>

namespace wafertlm {
namespace {

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

}  // namespace

const char* to_string(DimensionAlgorithm algorithm) {
  switch (algorithm) {
    case DimensionAlgorithm::automatic:
      return "auto";
    case DimensionAlgorithm::ring:
      return "ring";
    case DimensionAlgorithm::bidirectional_ring:
      return "bidirectional_ring";
    case DimensionAlgorithm::direct:
      return "direct";
    case DimensionAlgorithm::halving_doubling:
      break;
  }
  return "halving_doubling";
}

TimePs MemoryTraits::send_ps(std::uint64_t bytes) const {
  if (is_free() || bytes == 0) return 0;
  return latency_ps + transfer_time_ps(std::min(bytes, chunk_bytes), read_bytes_per_s);
}

TimePs MemoryTraits::receive_ps(std::uint64_t bytes, bool reduces) const {
  if (is_free() || bytes == 0) return 0;
  const std::uint64_t last = (bytes - 1) % chunk_bytes + 1;
  const TimePs reads = reduces ? transfer_time_ps(2 * last, read_bytes_per_s) + latency_ps : 0;
  return reads + transfer_time_ps(last, write_bytes_per_s) + latency_ps;
}

TimePs MemoryTraits::busy_ps(std::uint64_t read_bytes, std::uint64_t written_bytes) const {
  if (is_free()) return 0;
  return std::max(transfer_time_ps(read_bytes, read_bytes_per_s),
                  transfer_time_ps(written_bytes, write_bytes_per_s));
}

std::uint32_t FabricTraits::hops(NpuId from, NpuId to) const {
  if (is_dimensional()) return dimensions.hops(from, to);
  if (is_graph()) return graph->hops(from, to);
  if (!is_mesh()) return 2 * (fred.turn_level(from, to) - 1);
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
  if (is_dimensional()) return dimensions.path_bytes_per_s(from, to, ends);
  if (is_graph()) return from == to ? ends : graph->path_bytes_per_s(from, to);
  if (is_mesh()) return hops(from, to) == 0 ? ends : std::min(ends, link_bytes_per_s);
  const std::uint32_t level = fred.turn_level(from, to);
  const std::uint64_t l1 = level > 1 ? std::min(ends, fred.l1_uplink_bytes_per_s) : ends;
  return level > 2 ? std::min(l1, fred.l2_uplink_bytes_per_s) : l1;
}

std::uint64_t FabricTraits::npu_bytes_per_s(NpuId npu) const {
  if (is_graph()) return graph->npu_bytes_per_s(npu);
  const std::uint64_t ends = std::min(injection_bytes_per_s, ejection_bytes_per_s);
  return is_mesh() ? std::min(ends, degree(npu) * link_bytes_per_s) : ends;
}

}  // namespace wafertlm
