// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/dimensions.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

std::uint32_t FabricDimension::links() const {
  if (size < 2) return 0;
  if (kind == Kind::fully_connected) return size - 1;
  return kind == Kind::switched || (kind == Kind::line && size == 2) ? 1 : 2;
}

std::uint32_t FabricDimension::hops(std::uint32_t from, std::uint32_t to) const {
  if (from == to) return 0;
  const std::uint32_t apart = from > to ? from - to : to - from;
  if (kind == Kind::fully_connected) return 1;
  if (kind == Kind::switched) return 2;
  return kind == Kind::line ? apart : std::min(apart, size - apart);
}

bool FabricDimension::goes_up(std::uint32_t from, std::uint32_t to) const {
  if (kind == Kind::line) return to > from;
  const std::uint32_t up = (to + size - from) % size;
  return 2 * up == size ? opposite_is_up || from % 2 == 0 : 2 * up < size;
}

Uint128 all_pairs_hops(const FabricDimension& dimension, const std::vector<std::uint32_t>& coordinates) {
  std::vector<std::uint64_t> npus_at(dimension.size);
  for (const std::uint32_t coordinate : coordinates) ++npus_at[coordinate];
  Uint128 hops = 0;
  for (std::uint32_t a = 0; a < dimension.size; ++a)
    for (std::uint32_t b = 0; b < dimension.size; ++b)
      hops += Uint128{npus_at[a]} * npus_at[b] * dimension.hops(a, b);
  return hops;
}

const char* to_string(FabricDimension::Kind kind) {
  static constexpr const char* kNames[] = {"ring", "fully_connected", "switch", "mesh"};
  return kNames[static_cast<std::size_t>(kind)];
}

Dimensions::Dimensions(std::vector<FabricDimension> list) : list_(std::move(list)) {
  if (list_.empty()) throw std::invalid_argument("a fabric needs at least one dimension");
  constexpr std::uint64_t kMaxNpus = 65'536;
  std::uint64_t npus = 1;
  for (const FabricDimension& dimension : list_) {
    if (dimension.size == 0) throw std::invalid_argument("a dimension needs at least one NPU");
    strides_.push_back(static_cast<std::uint32_t>(npus));
    npus *= dimension.size;
    if (npus > kMaxNpus)
      throw std::invalid_argument("the sizes of the dimensions multiply to more than " +
                                  std::to_string(kMaxNpus) + " NPUs");
  }
  npus_ = static_cast<std::uint32_t>(npus);
}

NpuId Dimensions::at(NpuId npu, std::size_t d, std::uint32_t coordinate_there) const {
  return static_cast<NpuId>(static_cast<std::uint32_t>(npu) +
                            (coordinate_there - coordinate(npu, d)) * strides_[d]);
}

std::uint32_t Dimensions::hops(NpuId from, NpuId to) const {
  std::uint32_t hops = 0;
  for (std::size_t d = 0; d < count(); ++d) hops += list_[d].hops(coordinate(from, d), coordinate(to, d));
  return hops;
}

TimePs Dimensions::head_latency_ps(NpuId from, NpuId to) const {
  TimePs latency = 0;
  for (std::size_t d = 0; d < count(); ++d)
    latency += list_[d].hops(coordinate(from, d), coordinate(to, d)) * list_[d].latency_ps;
  return latency;
}

std::uint64_t Dimensions::path_bytes_per_s(NpuId from, NpuId to, std::uint64_t otherwise) const {
  std::uint64_t rate = otherwise;
  for (std::size_t d = 0; d < count(); ++d)
    if (coordinate(from, d) != coordinate(to, d)) rate = std::min(rate, list_[d].bytes_per_s);
  return rate;
}

std::uint64_t Dimensions::npu_bytes_per_s() const {
  std::uint64_t rate = 0;
  for (const FabricDimension& dimension : list_) rate += dimension.links() * dimension.bytes_per_s;
  return rate;
}

TimePs Dimensions::shortest_latency_ps() const {
  TimePs shortest = kNever;
  for (const FabricDimension& dimension : list_)
    if (dimension.size > 1) shortest = std::min(shortest, dimension.hops(0, 1) * dimension.latency_ps);
  return shortest;
}

}  // namespace wafertlm
