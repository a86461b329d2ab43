// SPDX-License-Identifier: Apache-2.0
#include "platform/config/compute_type.h"

#include <array>
#include <string>

#include "platform/config/value_types.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<RateSpec>> rate_type() {
  auto type = std::make_shared<Struct<RateSpec>>("rate");
  type->optional("peak", &RateSpec::peak_operations_per_s,
                 maybe(real_quantity(compute_rate_dimension(), "1 FLOPS", "1000000 EFLOPS")),
                 "Peak compute rate in this precision; of fp16 and bf16 npu.peak if not given")
      .optional("efficiency_percent", &RateSpec::efficiency_percent, integer<std::uint32_t>(1, 100),
                "Part of the peak that is reached");
  return type;
}

std::shared_ptr<const Struct<StragglerSpec>> straggler_type() {
  auto type = std::make_shared<Struct<StragglerSpec>>("straggler");
  type->required("npu", &StragglerSpec::npu, integer<NpuId>(0, 65'535), "NPU that computes slowly")
      .required("slowdown_percent", &StragglerSpec::slowdown_percent, integer<std::uint32_t>(100, 100'000),
                "150: every computation takes one and a half times as long");
  return type;
}

void check_compute(const ComputeSpec& compute, const Check& check) {
  if (compute.jitter == JitterKind::none && compute.jitter_percent != 0)
    check.fail({&compute.jitter_percent}, "has no effect without '" + check.path(&compute.jitter) + "'");
  if (compute.jitter != JitterKind::none && compute.jitter_percent == 0)
    check.fail({&compute.jitter}, "needs a spread: give '" + check.path(&compute.jitter_percent) + "'");
  const std::array<const RateSpec*, kPrecisions.size()> rates = compute.rates();
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (i == static_cast<std::size_t>(compute.precision)) continue;
    const std::string why = std::string("has no effect: the workload computes in ") +
                            kPrecisions[static_cast<std::size_t>(compute.precision)] +
                            "; leave it out, or set '" + check.path(&compute.precision) + "' to " +
                            kPrecisions[i];
    if (rates[i]->peak_operations_per_s) check.fail({&rates[i]->peak_operations_per_s}, why);
    if (rates[i]->efficiency_percent != RateSpec{}.efficiency_percent)
      check.fail({&rates[i]->efficiency_percent}, why);
  }
  const bool has_default = compute.precision == Precision::fp16 || compute.precision == Precision::bf16;
  if (!compute.rate().peak_operations_per_s && !has_default)
    check.fail({&compute.precision}, std::string("there is no peak for this precision; give npu.compute.") +
                                         kPrecisions[static_cast<std::size_t>(compute.precision)] + ".peak");
}

}  // namespace

std::shared_ptr<const Struct<ComputeSpec>> compute_type() {
  const auto rate = rate_type();
  const auto meaning = [](const std::string& name) { return "Compute rate in " + name; };
  auto type = std::make_shared<Struct<ComputeSpec>>("compute");
  type->optional(
          "durations", &ComputeSpec::durations,
          choice<DurationSource>({{"trace", DurationSource::trace}, {"roofline", DurationSource::roofline}}),
          "trace: as the trace has them, roofline where it has none; roofline: from operations and bytes "
          "wherever a node names them")
      .optional("precision", &ComputeSpec::precision,
                choice<Precision>({{"fp64", Precision::fp64},
                                   {"fp32", Precision::fp32},
                                   {"tf32", Precision::tf32},
                                   {"bf16", Precision::bf16},
                                   {"fp16", Precision::fp16},
                                   {"fp8", Precision::fp8},
                                   {"int8", Precision::int8}}),
                "In which the workload computes")
      .optional("fp64", &ComputeSpec::fp64, rate, meaning("FP64"))
      .optional("fp32", &ComputeSpec::fp32, rate, meaning("FP32"))
      .optional("tf32", &ComputeSpec::tf32, rate, meaning("TF32"))
      .optional("bf16", &ComputeSpec::bf16, rate, meaning("BF16"))
      .optional("fp16", &ComputeSpec::fp16, rate, meaning("FP16"))
      .optional("fp8", &ComputeSpec::fp8, rate, meaning("FP8"))
      .optional("int8", &ComputeSpec::int8, rate, meaning("INT8"))
      .optional("stragglers", &ComputeSpec::stragglers, list_of<StragglerSpec>(straggler_type(), 0, 65'536),
                "NPUs that compute slowly")
      .optional(
          "jitter", &ComputeSpec::jitter,
          choice<JitterKind>(
              {{"none", JitterKind::none}, {"uniform", JitterKind::uniform}, {"normal", JitterKind::normal}}),
          "Random factor of every computation, seeded by run.seed and the NPU")
      .optional("jitter_percent", &ComputeSpec::jitter_percent, integer<std::uint32_t>(0, 100),
                "Its spread: half the width of uniform, the standard deviation of normal")
      .check(check_compute);
  return type;
}

}  // namespace wafertlm::config
