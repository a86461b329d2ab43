// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/units.h"

namespace wafertlm::config {

enum class Precision : std::uint8_t { fp64, fp32, tf32, bf16, fp16, fp8, int8 };
constexpr std::array<const char*, 7> kPrecisions = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8"};

enum class DurationSource : std::uint8_t { trace, roofline };
enum class JitterKind : std::uint8_t { none, uniform, normal };

struct RateSpec {
  std::optional<double> peak_operations_per_s;  ///< of fp16 and bf16 npu.peak if not given
  std::uint32_t efficiency_percent = 100;
};

struct StragglerSpec {
  NpuId npu{};
  std::uint32_t slowdown_percent = 100;
};

/// How long an NPU computes.
struct ComputeSpec {
  DurationSource durations = DurationSource::trace;
  Precision precision = Precision::fp16;
  RateSpec fp64, fp32, tf32, bf16, fp16, fp8, int8;
  std::vector<StragglerSpec> stragglers;
  JitterKind jitter = JitterKind::none;
  std::uint32_t jitter_percent = 0;

  /// By Precision.
  std::array<const RateSpec*, kPrecisions.size()> rates() const {
    return {&fp64, &fp32, &tf32, &bf16, &fp16, &fp8, &int8};
  }
  /// Of the precision that is used.
  const RateSpec& rate() const { return *rates()[static_cast<std::size_t>(precision)]; }
};

}  // namespace wafertlm::config
