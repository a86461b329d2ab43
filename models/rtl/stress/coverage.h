// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm {

enum class RtlPacketKind : std::uint8_t { single_flit, message, copy, sum, sum_and_copy };
inline constexpr std::size_t kRtlPacketKinds = 5;
const char* to_string(RtlPacketKind kind);

/// Why a head left no sooner.
enum class RtlBackpressure : std::uint8_t {
  none,     ///< it took LATENCY, or no longer than any head did
  inside,   ///< others were before it
  stalled,  ///< its output stood still
};
inline constexpr std::size_t kRtlBackpressures = 3;
const char* to_string(RtlBackpressure backpressure);

/// Of the buffer that a head came into.
enum class RtlFill : std::uint8_t {
  empty,
  partly,
  full,  ///< with the packet less than a quarter is free
};
inline constexpr std::size_t kRtlFills = 3;
const char* to_string(RtlFill fill);

/// Which packets a design has been given: input × output × kind × backpressure × fill, each a bin.
class RtlStressCoverage {
 public:
  /// @param has_fills false: what the buffers hold cannot be seen, and counts as empty.
  RtlStressCoverage(std::uint32_t ports, bool has_flows, bool has_fills)
      : ports_(ports),
        kinds_(has_flows ? kRtlPacketKinds : 2),
        fills_(has_fills ? kRtlFills : 1),
        counts_(std::size_t{ports} * ports * kRtlPacketKinds * kRtlBackpressures * kRtlFills) {}

  void count(std::uint32_t input, std::uint32_t output, RtlPacketKind kind, RtlBackpressure backpressure,
             RtlFill fill) {
    ++counts_[at(input, output, kind, backpressure, fill)];
  }
  std::size_t bins() const { return std::size_t{ports_} * ports_ * kinds_ * kRtlBackpressures * fills_; }
  std::size_t reached() const;
  std::size_t kinds() const { return kinds_; }
  std::size_t fills() const { return fills_; }
  /// Of all pairs of ports.
  struct Cell {
    std::size_t pairs = 0;  ///< that were reached
    std::uint64_t packets = 0;
  };
  Cell cell(RtlPacketKind kind, RtlBackpressure backpressure, RtlFill fill) const;
  /// A line for each kind and backpressure: pairs of ports reached by fill.
  std::string to_text() const;

 private:
  std::size_t at(std::size_t input, std::size_t output, RtlPacketKind kind, RtlBackpressure backpressure,
                 RtlFill fill) const {
    const std::size_t pair = input * ports_ + output;
    const std::size_t outer = (pair * kRtlPacketKinds + static_cast<std::size_t>(kind)) * kRtlBackpressures +
                              static_cast<std::size_t>(backpressure);
    return outer * kRtlFills + static_cast<std::size_t>(fill);
  }

  std::uint32_t ports_;
  std::size_t kinds_, fills_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace wafertlm
