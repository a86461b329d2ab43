// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/npu/compute_params.h"
#include "tlm/units.h"

namespace wafertlm::config {

enum class Precision : std::uint8_t { fp64, fp32, tf32, bf16, fp16, fp8, int8 };
constexpr std::array<const char*, 7> kPrecisions = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8"};

enum class DurationSource : std::uint8_t { trace, model, roofline };
enum class ComputeModelKind : std::uint8_t { roofline, systolic };

/// Whether what a computation reads passes through the NPU's HBM.
enum class OperandSource : std::uint8_t { free, hbm };

struct RateSpec {
  std::optional<double> peak_operations_per_s;  ///< of fp16 and bf16 npu.peak if not given
  std::uint32_t efficiency_percent = 100;
};

struct StragglerSpec {
  NpuId npu{};
  std::uint32_t slowdown_percent = 100;
};

/// How long an NPU computes. compute_params() (compute_type.h) fills in what an NPU has of its own.
struct ComputeSpec : ComputeParams {
  ComputeModelKind model = ComputeModelKind::roofline;
  DurationSource durations = DurationSource::trace;
  Precision precision = Precision::fp16;
  RateSpec fp64, fp32, tf32, bf16, fp16, fp8, int8;
  std::vector<StragglerSpec> stragglers;
  OperandSource operands = OperandSource::free;
  OperandParams tiles;  ///< with OperandSource::hbm

  /// By Precision.
  std::array<const RateSpec*, kPrecisions.size()> rates() const {
    return {&fp64, &fp32, &tf32, &bf16, &fp16, &fp8, &int8};
  }
  /// Of the precision that is used; TF32 is stored as FP32.
  std::uint32_t element_bytes() const {
    constexpr std::uint32_t kBytes[kPrecisions.size()] = {8, 4, 4, 2, 2, 1, 1};
    return kBytes[static_cast<std::size_t>(precision)];
  }
  /// Of the precision that is used.
  const RateSpec& rate() const { return *rates()[static_cast<std::size_t>(precision)]; }
};

}  // namespace wafertlm::config
