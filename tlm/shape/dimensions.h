// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// How NPUs are wired that differ in one coordinate only.
struct FabricDimension {
  enum class Kind : std::uint8_t {
    ring,             ///< a link to the next and to the previous one, round
    fully_connected,  ///< a link to each
    switched,         ///< a link to a switch that all share
    line,             ///< a ring without the link between the last and the first
  };
  Kind kind = Kind::ring;
  std::uint32_t size = 1;
  std::uint64_t bytes_per_s = 0;  ///< of a link, each direction
  TimePs latency_ps = 0;          ///< of a link
  bool opposite_is_up = false;  ///< half way round a ring: upwards from all, else from even coordinates only
  std::uint64_t flow_bytes_per_s =
      0;  ///< of a link, of what the switch reduces and distributes; 0: it does not

  /// Links of an NPU (of a line: in its middle).
  std::uint32_t links() const;
  /// Links on the way between two coordinates, the shorter way round.
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;
  /// Which way a route goes on a ring or line.
  bool goes_up(std::uint32_t from, std::uint32_t to) const;
};
const char* to_string(FabricDimension::Kind kind);

/// Links of this dimension between all ordered pairs of NPUs with these coordinates.
Uint128 all_pairs_hops(const FabricDimension& dimension, const std::vector<std::uint32_t>& coordinates);

/// The dimensions of a fabric. NPU n has a coordinate in each; dimension 0 varies fastest in n. Routes go
/// through the dimensions in order.
class Dimensions {
 public:
  Dimensions() = default;
  /// @throws std::invalid_argument: no dimension, one of size 0, or more than 65,536 NPUs.
  explicit Dimensions(std::vector<FabricDimension> list);

  std::size_t count() const { return list_.size(); }
  const FabricDimension& operator[](std::size_t d) const { return list_[d]; }
  std::uint32_t npus() const { return npus_; }
  std::uint32_t stride(std::size_t d) const { return strides_[d]; }
  std::uint32_t coordinate(NpuId npu, std::size_t d) const {
    return static_cast<std::uint32_t>(npu) / strides_[d] % list_[d].size;
  }
  /// The NPU that differs from `npu` in this coordinate only.
  NpuId at(NpuId npu, std::size_t d, std::uint32_t coordinate_there) const;

  std::uint32_t hops(NpuId from, NpuId to) const;
  /// Of the head over an idle route.
  TimePs head_latency_ps(NpuId from, NpuId to) const;
  /// Of the slowest link on the route; `otherwise` if there is none.
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to, std::uint64_t otherwise) const;
  /// Of all links of an NPU together, in dimensions in which it has others.
  std::uint64_t npu_bytes_per_s() const;
  TimePs shortest_latency_ps() const;

 private:
  std::vector<FabricDimension> list_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t npus_ = 1;
};

}  // namespace wafertlm
