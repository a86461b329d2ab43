// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/precision/number_format.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm::precision {
namespace {

struct FormatFacts {
  const char* name;
  std::uint64_t bits;
  bool has_scale;
  bool holds[7];  // int4, int8, fp8, fp16, bf16, tf32, fp32
};

constexpr FormatFacts kFacts[] = {
    {"int4", 4, true, {true, false, false, false, false, false, false}},
    {"int8", 8, true, {true, true, false, false, false, false, false}},
    {"fp8", 8, true, {true, false, true, false, false, false, false}},
    {"fp16", 16, false, {true, true, true, true, false, false, false}},
    {"bf16", 16, false, {true, true, true, false, true, false, false}},
    {"tf32", 32, false, {true, true, true, true, true, true, false}},
    {"fp32", 32, false, {true, true, true, true, true, true, true}},
};

const FormatFacts& facts_of(NumberFormat format) { return kFacts[static_cast<std::size_t>(format)]; }

}  // namespace

const char* to_string(NumberFormat format) { return facts_of(format).name; }
std::uint64_t bits_of(NumberFormat format) { return facts_of(format).bits; }
bool has_scale(NumberFormat format) { return facts_of(format).has_scale; }

bool holds(NumberFormat outer, NumberFormat inner) {
  return facts_of(outer).holds[static_cast<std::size_t>(inner)];
}

NumberFormat product_format(NumberFormat a, NumberFormat b) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](NumberFormat each) { return holds(each, a) && holds(each, b); });
}

double peak_of(const Peaks& peaks, NumberFormat format) {
  for (const NumberFormat each : kFormats)
    if (const auto found = peaks.find(each); holds(each, format) && found != peaks.end())
      return found->second;
  throw std::invalid_argument(std::string("no unit computes in ") + to_string(format) +
                              ": give it a peak, or a format that holds it");
}

std::uint64_t scale_factors(std::uint64_t elements, NumberFormat format, const Scaling& scaling) {
  if (!has_scale(format) || elements == 0) return 0;
  return scaling.block == 0 ? 1 : (elements + scaling.block - 1) / scaling.block;
}

std::uint64_t tensor_bytes(std::uint64_t elements, NumberFormat format, const Scaling& scaling) {
  return (elements * bits_of(format) + 7) / 8 +
         Scaling::kFactorBytes * scale_factors(elements, format, scaling);
}

std::uint64_t quantise_operations(std::uint64_t elements, NumberFormat to, const Scaling& scaling) {
  if (!has_scale(to)) return 0;
  return 2 * elements + (scaling.is_dynamic ? elements + scale_factors(elements, to, scaling) : 0);
}

std::uint64_t dequantise_operations(std::uint64_t elements, NumberFormat from) {
  return has_scale(from) ? elements : 0;
}

}  // namespace wafertlm::precision
