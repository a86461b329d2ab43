// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/gpu_library_type.h"
#include "platform/spec/npu_spec.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<RateSpec>> rate_type() {
  auto type = std::make_shared<Struct<RateSpec>>("rate");
  type->optional("peak", &RateSpec::peak_operations_per_s, maybe(any_compute_rate()),
                 "Peak compute rate in this precision; of fp16 and bf16 npu.peak if not given")
      .optional("efficiency_percent", &RateSpec::efficiency_percent, integer<std::uint32_t>(1, 100),
                "Part of the peak that is reached")
      .optional("calibrated_by", &RateSpec::calibrated_by, or_none<std::string>(text(), ""),
                "The measurement that efficiency_percent is from: its id in a table of `wafertlm validate`")
      .optional("efficiency_of", &RateSpec::efficiency_of, or_none<std::string>(text(), ""),
                "What efficiency_percent was measured on, if on another precision or machine");
  return type;
}

std::shared_ptr<const Struct<StragglerSpec>> straggler_type() {
  auto type = std::make_shared<Struct<StragglerSpec>>("straggler");
  type->required("npu", &StragglerSpec::npu, integer<NpuId>(0, 65'535), "NPU that computes slowly")
      .required("slowdown_percent", &StragglerSpec::slowdown_percent, integer<std::uint32_t>(100, 100'000),
                "150: every computation takes one and a half times as long");
  return type;
}

std::shared_ptr<const Struct<SystolicParams>> systolic_type() {
  using P = SystolicParams;
  using A = SystolicArray;
  const auto elements = integer<std::uint64_t>(1, 65'536);
  auto type = std::make_shared<Struct<P>>("systolic");
  type->required("rows", at(&P::array, &A::rows), elements, "Rows of processing elements")
      .required("columns", at(&P::array, &A::columns), elements, "Columns of processing elements")
      .required("clock", &P::clock_hz, whole_quantity(frequency_dimension(), "1 Hz", "1000 GHz"),
                "Cycles per second; every processing element does a multiply-add per cycle")
      .optional("dataflow", at(&P::array, &A::dataflow),
                one_of<Dataflow>({"output_stationary", "weight_stationary", "input_stationary"}),
                "What stays in the processing elements");
  return type;
}

std::shared_ptr<const Struct<TileShape>> tile_shape_type() {
  const auto elements = integer<std::uint32_t>(1, 65'536);
  auto type = std::make_shared<Struct<TileShape>>("tile_shape");
  type->required("m", &TileShape::m, elements, "Rows of the result")
      .required("n", &TileShape::n, elements, "Columns of the result")
      .required("k", &TileShape::k, elements, "Steps of the sum that are loaded at a time")
      .optional("units", &TileShape::units, integer<std::uint32_t>(1, 65'536),
                "Units that compute it together, each a part of its rows");
  return type;
}

std::shared_ptr<const Struct<TiledParams>> tiled_type() {
  using P = TiledParams;
  auto type = std::make_shared<Struct<P>>("tiled");
  type->required("units", &P::units, integer<std::uint32_t>(1, 65'536),
                 "Multiprocessors, cores or matrix units")
      .required("shapes", &P::shapes, list_of<TileShape>(tile_shape_type(), 1, 64),
                "Tiles that the library has; of these it takes what is fastest")
      .optional("feed", &P::feed_bytes_per_s, or_none<std::uint64_t>(any_bandwidth(), 0),
                "Rate at which operands reach a unit; left out: no bound")
      .optional("launch", &P::launch_ps, any_time(), "Of a product, before and after its tiles")
      .optional("most_splits", &P::most_splits, integer<std::uint32_t>(1, 1024),
                "Units may share a tile's k in 2, 4, … up to so many parts, whose sums pass the memory")
      .optional("memory_percent", &P::memory_percent, integer<std::uint32_t>(1, 100),
                "Part of the HBM's bandwidth that operands and results get");
  return type;
}

/// What `model` and its keys say about each other.
void check_model(const ComputeSpec& compute, const Check& check) {
  const bool is_systolic = compute.model == ComputeModelKind::systolic;
  if (is_systolic && !compute.systolic)
    check.fail({&compute.model},
               "needs the array: give '{}: {{rows: 128, columns: 128, clock: 1 GHz}}' with your numbers",
               check.path(&compute.systolic));
  const bool is_tiled = compute.model == ComputeModelKind::tiled;
  if (is_tiled && !compute.tiled)
    check.fail(
        {&compute.model},
        "needs the units and their tiles: give '{}: {{units: 108, shapes: [{{m: 128, n: 128, k: 64}}]}}' "
        "with your numbers",
        check.path(&compute.tiled));
  if (is_tiled)
    for (const TileShape& shape : compute.tiled->shapes)
      if (shape.units > compute.tiled->units)
        check.fail({&shape.units, &compute.tiled->units}, "a tile for {} units, and there are {}",
                   shape.units, compute.tiled->units);
  if ((is_systolic || is_tiled) &&
      (compute.durations == DurationSource::roofline || compute.durations == DurationSource::replay))
    check.fail({&compute.durations, &compute.model}, "contradicts '{}: {}'; use 'model' in its place",
               check.path(&compute.model), is_tiled ? "tiled" : "systolic");
}

void check_compute(const ComputeSpec& compute, const Check& check) {
  check_model(compute, check);
  if (compute.jitter != Jitter::none && compute.jitter_percent == 0)
    check.fail({&compute.jitter, &compute.jitter_percent}, "needs a spread: give '{}'",
               check.path(&compute.jitter_percent));
  const bool has_default = compute.precision == Precision::fp16 || compute.precision == Precision::bf16;
  if (!compute.rate().peak_operations_per_s && !has_default)
    check.fail({&compute.precision}, "there is no peak for this precision; give npu.compute.{}.peak",
               kPrecisions[static_cast<std::size_t>(compute.precision)]);
}

/// A rate for each precision: that of another one than is used has no effect, but a machine's file has all.
void add_rates(Struct<ComputeSpec>& type) {
  constexpr std::array<RateSpec ComputeSpec::*, kPrecisions.size()> members = {
      &ComputeSpec::fp64, &ComputeSpec::fp32, &ComputeSpec::tf32, &ComputeSpec::bf16,
      &ComputeSpec::fp16, &ComputeSpec::fp8,  &ComputeSpec::int8, &ComputeSpec::fp4};
  const auto rate = rate_type();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string name = kPrecisions[i];
    std::string capitals = name;
    for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    type.optional(name, members[i], rate, "Compute rate in " + capitals)
        .when_true(
            &ComputeSpec::precision,
            [i](const ComputeSpec& spec) {
              return spec.model == ComputeModelKind::tiled || spec.precision == static_cast<Precision>(i);
            },
            fmt::format("'precision: {}' or 'model: tiled'", name));
  }
}

std::shared_ptr<const Struct<ComputeSpec>> compute_type() {
  auto type = std::make_shared<Struct<ComputeSpec>>("compute");
  type->optional("model", &ComputeSpec::model, one_of<ComputeModelKind>({"roofline", "systolic", "tiled"}),
                 "What tells how long a computation takes that has no duration; systolic: matrix products "
                 "(m, n, k) on an array; tiled: in waves of tiles over units; for what is none the roofline")
      .optional("systolic", &ComputeSpec::systolic, maybe<SystolicParams>(systolic_type()), "The array")
      .when(&ComputeSpec::model, ComputeModelKind::systolic)
      .optional("tiled", &ComputeSpec::tiled, maybe<TiledParams>(tiled_type()), "The units and their tiles")
      .when(&ComputeSpec::model, ComputeModelKind::tiled)
      .optional(
          "durations", &ComputeSpec::durations,
          one_of<DurationSource>({"trace", "model", "roofline", "replay"}),
          "trace: those of the trace and of effective_flops, the model where there is none; model: the "
          "model's wherever a node tells enough for it; roofline: the same with model: roofline; replay: "
          "only those of the trace, in whole us")
      .optional("time_step", &ComputeSpec::time_step_ps, any_time(),
                "What the roofline computes is cut to multiples of it, and replayed and CPU operations take "
                "one at least (ASTRA-sim counts in whole ns); 0 ps: neither")
      .optional("precision", &ComputeSpec::precision,
                one_of<Precision>({"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4"}),
                "In which the workload computes")
      .optional("scales", &ComputeSpec::scales,
                one_of<Scales>({"none", "fp32_per_128", "e8m0_per_32", "e4m3_per_16"}),
                "Bytes that operands have beyond their elements: blocks of 1 x 128, MX, NVFP4");
  add_rates(*type);
  type->optional("stragglers", &ComputeSpec::stragglers, list_of<StragglerSpec>(straggler_type(), 0, 65'536),
                 "NPUs that compute slowly")
      .optional("jitter", &ComputeSpec::jitter, one_of<Jitter>({"none", "uniform", "normal"}),
                "Random factor of every computation, seeded by run.seed and the NPU")
      .optional("jitter_percent", &ComputeSpec::jitter_percent, integer<std::uint32_t>(0, 100),
                "Its spread: half the width of uniform, the standard deviation of normal")
      .when(&ComputeSpec::jitter, Jitter::uniform, Jitter::normal)
      .optional("operands", &ComputeSpec::operands, one_of<OperandSource>({"free", "hbm"}),
                "hbm: the bytes of a computation (of its matrix products, both factors in `precision`, if it "
                "tells no bytes) are read from the HBM, tile by tile, while it computes; free: they are not")
      .optional("operand_order", at(&ComputeSpec::tiles, &OperandParams::order),
                one_of<OperandOrder>({"sequential", "random"}), "Where the tiles are in the HBM")
      .when(&ComputeSpec::operands, OperandSource::hbm)
      .optional("tile_bytes", at(&ComputeSpec::tiles, &OperandParams::tile_bytes), any_size("1 B", "1 GiB"),
                "Of the operands: two tiles are asked for beyond the one that is computed")
      .when(&ComputeSpec::operands, OperandSource::hbm)
      .check(check_compute);
  return type;
}

}  // namespace

ComputeParams compute_params(const NpuSpec& npu, std::uint32_t number, std::uint64_t seed) {
  const ComputeSpec& spec = npu.compute;
  const RateSpec& rate = spec.rate();
  ComputeParams params = spec;
  params.operations_per_s = static_cast<std::uint64_t>(std::llround(
      rate.peak_operations_per_s.value_or(npu.peak_operations_per_s) * rate.efficiency_percent / 100));
  params.memory_bytes_per_s = std::min(npu.hbm.bytes_per_s(false), npu.hbm.bytes_per_s(true));
  params.factor_bits_x4 = spec.factor_bits_x4();
  params.result_bits = std::max<std::uint32_t>(16, spec.element_bits());
  params.replays = spec.durations == DurationSource::replay;
  params.ignores_durations = spec.durations != DurationSource::trace && !params.replays;
  for (const StragglerSpec& straggler : spec.stragglers)
    if (index_of(straggler.npu) == number) params.slowdown_percent = straggler.slowdown_percent;
  params.seed = (seed + 1) * 0x9E3779B97F4A7C15ULL ^ number * 0xBF58476D1CE4E5B9ULL;
  return params;
}

std::optional<OperandParams> operand_params(const NpuSpec& npu, const ComputeParams& compute) {
  if (npu.compute.operands == OperandSource::free) return std::nullopt;
  OperandParams params = npu.compute.tiles;
  params.span_bytes = npu.hbm.capacity_bytes;
  params.seed = compute.seed;
  params.factor_bits_x4 = npu.compute.factor_bits_x4();
  return params;
}

EndpointParams endpoint_params(const NpuSpec& npu) {
  EndpointParams params = npu.endpoint;
  const MemoryRequesterParams& requests = npu.hbm.requests;
  if (npu.endpoint.memory == EndpointMemory::hbm)
    params.memory_traffic = {requests.request_bytes,
                             std::uint64_t{requests.request_bytes} * requests.outstanding};
  return params;
}

std::shared_ptr<const Struct<EndpointSpec>> endpoint_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<EndpointSpec>>("endpoint");
    made->presets_in("endpoints");
    made->optional("endpoint", &EndpointSpec::name, text(), "What it is, in a file of its own")
        .optional("launch_cost", &EndpointSpec::launch_cost_ps, any_time(),
                  "From the start of a collective at an NPU until its first step there")
        .optional("step_cost", &EndpointSpec::step_cost_ps, any_time(),
                  "DMA set-up before each message that is sent")
        .optional("receive_cost", &EndpointSpec::receive_cost_ps, any_time(),
                  "From the end of each message that is received until its step is done")
        .optional("memory", &EndpointSpec::memory, one_of<EndpointMemory>({"free", "hbm"}),
                  "hbm: what is sent is read from the HBM, what is received is written to it; free: neither")
        .optional("stage_cost", &EndpointSpec::stage_cost_ps, any_time(),
                  "Before the first message of each stage of a collective that goes by dimensions")
        .optional("reduction_bandwidth", &EndpointSpec::reduction_bytes_per_s,
                  or_none<std::uint64_t>(any_bandwidth(), 0),
                  "A reduction reads twice and writes once at this rate, when its message has arrived; left "
                  "out: it takes no time")
        .optional("library", &EndpointSpec::library, maybe<GpuLibrary>(gpu_library_type()),
                  "A collective library of GPUs: what its protocols cost, how it cuts vectors and chooses");
    return made;
  }();
  return type;
}

namespace {

std::shared_ptr<const Struct<InjectionSpec>> injection_type() {
  auto type = std::make_shared<Struct<InjectionSpec>>("injection");
  type->optional("order", &InjectionSpec::order, one_of<InjectionOrder>({"packet", "message"}),
                 "What each of the four DMA engines of an NPU or I/O controller sends next: a packet of the "
                 "message of the class that has waited longest, so that all take turns; or the rest of the "
                 "message that it has begun. Between classes priority decides before each packet");
  return type;
}

}  // namespace

std::shared_ptr<const Struct<NpuSpec>> npu_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<NpuSpec>>("npu");
    made->presets_in("accelerators");
    made->optional("accelerator", &NpuSpec::name, or_none<std::string>(text(), ""),
                   "What it is, in a file of its own")
        .optional("peak", &NpuSpec::peak_operations_per_s, any_compute_rate(), "Peak compute rate of one NPU")
        .optional("compute", &NpuSpec::compute, compute_type(), "How long an NPU computes")
        .optional("hbm", &NpuSpec::hbm, hbm_type(), "Memory of one NPU")
        .optional("endpoint", &NpuSpec::endpoint,
                  std::make_shared<const FileOr<EndpointSpec>>(endpoint_type()),
                  "Sends, receives and runs collectives; or a file with its costs (configs/endpoints/)")
        .optional("injection", &NpuSpec::injection, injection_type(), "How messages leave an NPU");
    return made;
  }();
  return type;
}

}  // namespace wafertlm::config
