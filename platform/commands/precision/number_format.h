// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>

namespace wafertlm::precision {

/// Number formats, in an order in which each holds none of the later ones exactly.
enum class NumberFormat : std::uint8_t { int4, int8, fp8, fp16, bf16, tf32, fp32 };
constexpr std::array<NumberFormat, 7> kFormats{NumberFormat::int4, NumberFormat::int8, NumberFormat::fp8,
                                               NumberFormat::fp16, NumberFormat::bf16, NumberFormat::tf32,
                                               NumberFormat::fp32};

/// "int8"
const char* to_string(NumberFormat format);

/// In memory and on the wire: 4, 8, 8, 16, 16, 32 (TF32 is stored as FP32), 32.
std::uint64_t bits_of(NumberFormat format);

/// Values need a scale factor: INT4, INT8, FP8.
bool has_scale(NumberFormat format);

/// Whether every value of `inner` is one of `outer` (FP8: E4M3, whose integers reach 16 without a gap; FP16:
/// integers to 2048; BF16: to 256; TF32 has the exponent of BF16 and the fraction of FP16).
bool holds(NumberFormat outer, NumberFormat inner);

/// The first format that holds both: in which their product is computed. FP16 and BF16: TF32; INT8 and FP8:
/// FP16.
NumberFormat product_format(NumberFormat a, NumberFormat b);

/// Operations per second by format; formats that are missing are computed in the first that holds them.
using Peaks = std::map<NumberFormat, double>;

/// The peak of products in `format`. @throws std::invalid_argument: no format that holds it has one.
double peak_of(const Peaks& peaks, NumberFormat format);

/// How a tensor's scale factors are made.
struct Scaling {
  bool is_dynamic = false;  ///< from the values of each tensor, else known before
  std::uint64_t block = 0;  ///< elements per factor; 0: one per tensor
  static constexpr std::uint64_t kFactorBytes = 4;
};

/// Bytes of a tensor: elements, rounded up to whole bytes, and the factors of a scaled format.
std::uint64_t tensor_bytes(std::uint64_t elements, NumberFormat format, const Scaling& scaling);
/// Scale factors of a tensor; 0 without.
std::uint64_t scale_factors(std::uint64_t elements, NumberFormat format, const Scaling& scaling);

/// Operations that turn a tensor of a wider format into a scaled one: per element a multiplication and a
/// rounding; of a dynamic scale also a maximum per element and a division per factor. 0 into a format without
/// scale (a conversion, which units do as they read).
std::uint64_t quantise_operations(std::uint64_t elements, NumberFormat to, const Scaling& scaling);
/// Back: a multiplication per element; 0 from a format without scale.
std::uint64_t dequantise_operations(std::uint64_t elements, NumberFormat from);

}  // namespace wafertlm::precision
