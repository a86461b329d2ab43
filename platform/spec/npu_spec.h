// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "models/hbm/hbm_params.h"
#include "models/npu/compute_params.h"
#include "models/rtl/view_mode.h"
#include "tlm/kernel/units.h"
#include "tlm/memory/requester_params.h"
#include "tlm/shape/gpu_library.h"

namespace wafertlm {
struct EfficiencyTable;
}

namespace wafertlm::config {

enum class Precision : std::uint8_t { fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4 };
constexpr std::array<const char*, 8> kPrecisions = {"fp64", "fp32", "tf32", "bf16",
                                                    "fp16", "fp8",  "int8", "fp4"};

/// Scales that the elements of a factor share.
enum class Scales : std::uint8_t {
  none,
  fp32_per_128,  ///< blocks of 1 × 128
  e8m0_per_32,   ///< MX
  e4m3_per_16,   ///< NVFP4
};

enum class DurationSource : std::uint8_t { trace, model, roofline, replay };
enum class ComputeModelKind : std::uint8_t { roofline, systolic, tiled };

/// Whether what a computation reads passes through the NPU's HBM.
enum class OperandSource : std::uint8_t { free, hbm };

struct RateSpec {
  std::optional<double> peak_operations_per_s;  ///< of fp16 and bf16 npu.peak if not given
  std::uint32_t efficiency_percent = 100;
  std::string calibrated_by;  ///< of a table of measurements (`wafertlm validate`): the row's id
  std::string efficiency_of;  ///< the precision or machine of which it is, if of another one
};

struct StragglerSpec {
  NpuId npu{};
  std::uint32_t slowdown_percent = 100;
};

/// How long an NPU computes. compute_params() fills in what an NPU has of its own.
struct ComputeSpec : ComputeParams {
  ComputeModelKind model = ComputeModelKind::roofline;
  DurationSource durations = DurationSource::trace;
  Precision precision = Precision::fp16;
  Scales scales = Scales::none;
  RateSpec fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4;
  std::vector<StragglerSpec> stragglers;
  OperandSource operands = OperandSource::free;
  OperandParams tiles;  ///< with OperandSource::hbm

  /// By Precision.
  std::array<const RateSpec*, kPrecisions.size()> rates() const {
    return {&fp64, &fp32, &tf32, &bf16, &fp16, &fp8, &int8, &fp4};
  }
  /// Of the precision that is used; TF32 is stored as FP32.
  std::uint32_t element_bits() const {
    constexpr std::uint32_t kBits[kPrecisions.size()] = {64, 32, 32, 16, 16, 8, 8, 4};
    return kBits[static_cast<std::size_t>(precision)];
  }
  /// Four times as many, with an element's share of a scale: of 4.5 bits 18.
  std::uint32_t factor_bits_x4() const {
    constexpr std::uint32_t kOfScales[] = {0, 1, 1, 2};
    return 4 * element_bits() + kOfScales[static_cast<std::size_t>(scales)];
  }
  /// Of the precision that is used.
  const RateSpec& rate() const { return *rates()[static_cast<std::size_t>(precision)]; }
};

/// What the flow level knows of a generation; written by `wafertlm model memory table`.
struct EfficiencySpec {
  std::string name;
  std::string generation;
  std::vector<std::uint32_t> depths;
  std::vector<std::string> rows;  ///< "stacks bytes stride writes_percent efficiency…", a number per depth
};

/// Times of a DRAM in place of those of its generation.
struct DramTimingSpec {
  std::string name;
  std::optional<TimePs> clock_ps;  ///< tCK; other times stay in nanoseconds
  std::array<std::optional<TimePs>, 20>
      times_ps{};  ///< by dram_timing_keys(), rounded up to whole clock cycles
};

/// An NPU whose memory has RTL beside it, or in its place.
struct HbmRtlSpec {
  std::uint32_t npu = 0;
  RtlViewMode view = RtlViewMode::both;
  std::string design;                     ///< an AXI4 slave of those that wafertlm_add_rtl() has added
  std::optional<std::uint64_t> clock_hz;  ///< nullopt: the memory's bandwidth / the bytes of a beat
  std::uint32_t tolerance_cycles = 64;    ///< with both: most that an access may be done earlier or later
};

/// The memory of one NPU, and how the NPU asks it. hbm_params() fills in what follows from the generation.
struct HbmSpec : HbmParams {
  std::optional<DramLevel> level;            ///< nullopt: flow
  std::string generation;                    ///< of dram_generations(); empty: by read and write bandwidth
  std::optional<EfficiencySpec> efficiency;  ///< of level flow with a generation
  AddressMapParams map;
  DramQueueParams queue;
  std::optional<DramTimingSpec> timings;  ///< of the levels burst and command
  MemoryRequesterParams requests;
  std::vector<HbmRtlSpec> rtl;

  /// Of the pins if there is a generation.
  std::uint64_t bytes_per_s(bool write) const;
};

/// Whether what an endpoint sends and receives passes through the NPU's HBM.
enum class EndpointMemory : std::uint8_t { free, hbm };

/// What executes the steps of collectives, sends and receives. endpoint_params() adds the memory.
struct EndpointSpec : EndpointParams {
  std::string name;
  EndpointMemory memory = EndpointMemory::free;
  std::optional<GpuLibrary> library;  ///< of collectives
  TimePs stage_cost_ps = 0;           ///< before the first message of a stage of a collective by dimensions

  /// Nothing but the fabric takes time.
  bool is_ideal() const {
    return launch_cost_ps == 0 && step_cost_ps == 0 && receive_cost_ps == 0 && stage_cost_ps == 0;
  }
};

/// How messages leave an NPU or an I/O controller.
struct InjectionSpec {
  InjectionOrder order = InjectionOrder::packet;
};

struct NpuSpec {
  std::string name;  ///< in a file of its own
  double peak_operations_per_s = 1e15;
  ComputeSpec compute;
  HbmSpec hbm;
  EndpointSpec endpoint;
  InjectionSpec injection;
};

/// Of NPU `number`; `seed`: the run's.
ComputeParams compute_params(const NpuSpec& npu, std::uint32_t number, std::uint64_t seed);
/// Of an NPU that computes like this; nullopt if computing takes no memory.
std::optional<OperandParams> operand_params(const NpuSpec& npu, const ComputeParams& compute);
HbmParams hbm_params(const HbmSpec& spec);
/// Of a part of the stacks. @throws std::invalid_argument: these are no whole number, of a generation
HbmSpec partial_hbm(const HbmSpec& spec, std::uint32_t share_percent);
/// Those of its generation with what the specification changes.
/// @throws std::invalid_argument for times that contradict each other.
DramTiming dram_timing(const HbmSpec& spec);
/// @throws std::invalid_argument for a row that is no row.
EfficiencyTable efficiency_table(const EfficiencySpec& spec);
/// Of an endpoint without Go-Back-N.
EndpointParams endpoint_params(const NpuSpec& npu);

}  // namespace wafertlm::config
