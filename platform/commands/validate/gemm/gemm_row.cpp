// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/gemm/gemm_row.h"

#include <fmt/format.h>

#include <array>
#include <regex>
#include <vector>

#include "platform/commands/validate/row_text.h"

namespace wafertlm::validate {
namespace {

using config::Precision;
using config::Scales;

struct PrecisionWord {
  const char* pattern;
  Precision precision;
  Scales scales = Scales::none;
  double rate = 1;
};

/// The first that a text has.
constexpr PrecisionWord kPrecisionWords[] = {
    {"nvfp4", Precision::fp4, Scales::e4m3_per_16},
    {"mxfp4|mx[ -]?fp4", Precision::fp4, Scales::e8m0_per_32},
    {"mxfp8|mx[ -]?fp8", Precision::fp8, Scales::e8m0_per_32},
    {"bfp8|bfloat8", Precision::fp8, Scales::e4m3_per_16},  // an exponent of 8 bits for 16
    {"bfp4|bfloat4", Precision::fp4, Scales::e4m3_per_16},
    {R"(fp8.*(1 ?x ?128|block|deepgemm)|(1 ?x ?128|block-?wise|deepgemm).*fp8)", Precision::fp8,
     Scales::fp32_per_128},
    {"fp8|float8|e4m3|e5m2|\\bf8", Precision::fp8},
    {"fp4|e2m1|float4", Precision::fp4},
    {"int8|\\bi8\\b|s8\\b|IMMA", Precision::int8},
    {"bf16|bfloat16", Precision::bf16},
    {"fp16|float16|\\bf16|\\bhalf|hgemm", Precision::fp16},
    {"tf32|xf32", Precision::tf32},
    {"fp64|float64|\\bf64|dgemm|double", Precision::fp64},
    {"fp32|float32|\\bf32|sgemm", Precision::fp32},
};

/// Passes of Tenstorrent's multiplier over the mantissas, HiFi4 being the preset's.
constexpr std::pair<const char*, double> kFidelities[] = {
    {"hifi4", 1}, {"hifi3", 4.0 / 3}, {"hifi2", 2}, {"lofi", 4}};

const PrecisionWord* precision_in(const std::string& text) {
  for (const PrecisionWord& word : kPrecisionWords)
    if (says(text, word.pattern)) return &word;
  return nullptr;
}

/// "8192", "8k", "8,192" without the comma.
std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') value = value * 10 + static_cast<unsigned>(c - '0');
    if (c == 'k' || c == 'K') value *= 1024;
  }
  return value;
}

/// The groups of the first match.
std::vector<std::string> groups(const std::string& text, const char* pattern) {
  std::smatch match;
  const std::regex expression(pattern, std::regex::icase);
  std::vector<std::string> all;
  if (std::regex_search(text, match, expression))
    for (std::size_t i = 1; i < match.size(); ++i) all.push_back(match[i].str());
  return all;
}

/// "m=n=k=8192", "m=4096 n=4096 k=8192".
std::optional<MatrixProduct> named(const std::string& text) {
  MatrixProduct product;
  static const std::regex assignment(R"((\b[mnk](?:\s*=\s*[mnk])*)\s*[=:]\s*(\d{1,9}k?)\b)",
                                     std::regex::icase);
  for (std::sregex_iterator at(text.begin(), text.end(), assignment), end; at != end; ++at)
    for (const char c : (*at)[1].str()) {
      const std::uint64_t value = number((*at)[2].str());
      if (c == 'm' || c == 'M') product.m = value;
      if (c == 'n' || c == 'N') product.n = value;
      if (c == 'k' || c == 'K') product.k = value;
    }
  if (product.m == 0 || product.n == 0 || product.k == 0) return std::nullopt;
  return product;
}

std::optional<MatrixProduct> unnamed(const std::string& text) {
  constexpr const char* kCube = R"(\b(\d{1,7}k?)\s*\^\s*3\b)";
  constexpr const char* kFactors =
      R"([\[(]\s*(\d{1,9})\s*[,x]\s*(\d{1,9})\s*[\])]\s*[x*@]\s*[\[(]\s*(\d{1,9})\s*[,x]\s*(\d{1,9})\s*[\])])";
  constexpr const char* kThree =
      R"((?:\b(\d{1,9})\s*[x*]\s*)?\b(\d{1,9}k?)\s*[x*,]\s*(\d{1,9}k?)\s*[x*,]\s*(\d{1,9}k?)\b)";
  constexpr const char* kSquares = R"(\b(\d{2,7}k?)\s*[x*]\s*(\d{2,7}k?)\b)";
  constexpr const char* kOne = R"(^\s*(?:square\s*,?\s*)?(\d{2,7}|\d{1,3}k)\b)";
  if (const auto found = groups(text, kCube); !found.empty()) {
    const std::uint64_t side = number(found[0]);
    return MatrixProduct{side, side, side, 1};
  }
  if (const auto found = groups(text, kFactors); !found.empty() && found[1] == found[2])
    return MatrixProduct{number(found[0]), number(found[3]), number(found[1]), 1};
  if (const auto found = groups(text, kThree); !found.empty())
    return MatrixProduct{number(found[1]), number(found[2]), number(found[3]),
                         found[0].empty() ? 1 : number(found[0])};
  if (const auto found = groups(text, kSquares); !found.empty() && found[0] == found[1])
    return MatrixProduct{number(found[0]), number(found[0]), number(found[0]), 1};
  if (const auto found = groups(text, kOne); !found.empty())
    return MatrixProduct{number(found[0]), number(found[0]), number(found[0]), 1};
  return std::nullopt;
}

}  // namespace

std::optional<MatrixProduct> product_in(const std::string& size) {
  const std::string text = in_ascii(size);
  std::optional<MatrixProduct> product = named(text);
  if (!product) product = unnamed(text);
  if (!product) return std::nullopt;
  if (const std::string batch = said(text, R"(\b(?:batch|groups|experts|count|b)\s*[=:]\s*(\d{1,7})\b)");
      !batch.empty())
    product->count = number(batch);
  if (product->m == 0 || product->n == 0 || product->k == 0 || product->count == 0) return std::nullopt;
  return product;
}

GemmRow gemm_row(const ValidationRow& row) {
  GemmRow gemm;
  const auto product = product_in(row.size);
  const auto elsewhere = product ? product : product_in(row.operation);
  if (!elsewhere) throw CannotSay(fmt::format("'{}' tells no m, n, k", row.size));
  gemm.product = *elsewhere;
  const std::string all = in_ascii(row.operation + " " + row.size + " " + row.topology + " " + row.notes);
  const PrecisionWord* word = nullptr;
  for (const std::string* const text : {&row.operation, &row.size, &row.notes, &row.topology})
    if (!word) word = precision_in(*text);
  if (word) {
    gemm.precision = word->precision;
    gemm.scales = word->scales;
  }
  const bool is_whole = gemm.precision == Precision::bf16 || gemm.precision == Precision::fp16;
  for (const auto& [name, rate] : kFidelities)
    if (says(all, name)) gemm.rate = is_whole ? rate : rate / 4;  // fp8 and fp4 are in LoFi
  const auto cores = groups(all, R"(\b(\d{1,3})\s*x\s*(\d{1,3})\s*(?:tensix\s*)?(?:core|grid))");
  if (!cores.empty()) gemm.units = static_cast<unsigned>(number(cores[0]) * number(cores[1]));
  gemm.from_sram = says(row.operation + " " + row.size, R"(\bL1\b|\bSRAM\b|sharded)");
  return gemm;
}

std::optional<GemmUnit> gemm_unit(const std::string& unit) {
  const std::string text = in_ascii(unit);
  const bool per_chip = says(text, R"(\bchip)");
  constexpr std::pair<const char*, double> kPrefixes[] = {{"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}};
  const std::string prefix = said(text, R"(^\s*([GTPE])(?:FL)?OPs?(?:/s|ps)?(?![a-z])|$)");
  for (const auto& [name, base] : kPrefixes)
    if (says(prefix, name)) return GemmUnit{GemmUnit::Kind::rate, base, per_chip};
  constexpr std::pair<const char*, double> kTimes[] = {{R"(^\s*(s|sec|seconds?)\s*$)", 1},
                                                       {R"(^\s*(ms|milliseconds?)\b)", 1e-3},
                                                       {R"(^\s*(us|microseconds?)\b)", 1e-6},
                                                       {R"(^\s*(ns|nanoseconds?)\b)", 1e-9}};
  for (const auto& [pattern, base] : kTimes)
    if (says(text, pattern)) return GemmUnit{GemmUnit::Kind::time, base};
  if (says(text, R"(^\s*(%|percent))")) return GemmUnit{GemmUnit::Kind::part, 0.01};
  if (says(text, R"(^\s*(fraction|ratio|of peak))")) return GemmUnit{GemmUnit::Kind::part, 1};
  return std::nullopt;
}

}  // namespace wafertlm::validate
