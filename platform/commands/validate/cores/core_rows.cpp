// SPDX-License-Identifier: Apache-2.0
// Rows of kernels on the cores of a wafer: products of a matrix and a vector, prefill and decode of decoders.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <string>

#include "platform/commands/model/cores/grid_runs.h"
#include "platform/commands/validate/cores/core_wafers.h"
#include "platform/commands/validate/gemm/gemm_row.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/training/model_shapes.h"

namespace wafertlm::validate {
namespace {

using core_runs::DecoderPass;

constexpr const char* kPrefill = R"(\bprefill)";
constexpr const char* kDecode = R"(\bdecod)";
constexpr const char* kBoth = R"(end[- ]to[- ]end|\be2e\b)";

bool is_decoder(const ValidationRow& row) {
  return says(row.operation, kPrefill) || says(row.operation, kDecode) || says(row.operation, kBoth);
}
bool is_product(const ValidationRow& row) {
  return says(row.operation, R"(\bGEM[MV]\b|\bmat(rix)?[ -]?(mul|vector))");
}

bool takes_decoder(const ValidationRow& row) {
  return is_wafer(row) && is_decoder(row) && !says(row.operation, "power");
}
bool takes_product(const ValidationRow& row) { return is_wafer(row) && is_product(row); }

std::string decoder_group(const ValidationRow& row) {
  if (!wafer_of(row)) return "inference on wafers";
  return *wafer_of(row) + (says(row.operation, kBoth)      ? " end-to-end"
                           : says(row.operation, kPrefill) ? " prefill"
                                                           : " decode");
}

std::string product_group(const ValidationRow& row) {
  return wafer_of(row) ? *wafer_of(row) + " products" : "products on wafers";
}

bool is_token_rate(const std::string& unit) { return says(unit, R"(^\s*(output )?tok(en)?s?\s*/\s*s)"); }

void check_decoder(const ValidationRow& row) {
  if (!is_token_rate(row.unit) && !time_unit(row.unit) && !is_part(row.unit))
    throw bad_row(row, fmt::format("unit: '{}' is none of a decoder's pass; tokens/s, ms are", row.unit));
}

void check_product(const ValidationRow& row) {
  if (!time_unit(row.unit) && !is_part(row.unit))
    throw bad_row(row, fmt::format("unit: '{}' is no time of a product; us, ms are", row.unit));
}

struct Cores {
  std::uint32_t columns = 0, rows = 0;
};

/// "600x600", of "660x660 prefill, 360x360 decode" those before the word.
Cores cores_in(const std::string& text, const std::string& behind) {
  std::smatch found;
  const std::string ascii = in_ascii(text);
  const std::regex pattern(R"((\d{1,4})\s*x\s*(\d{1,4}))" + behind, std::regex::icase);
  if (!std::regex_search(ascii, found, pattern))
    throw CannotSay(fmt::format("'{}' tells no rectangle of cores", text));
  return {static_cast<std::uint32_t>(std::stoul(found[1])), static_cast<std::uint32_t>(std::stoul(found[2]))};
}

cores::DecoderShape decoder_of(const std::string& text) {
  const steps::ModelShape shape = steps::shape_of(text);
  if (shape.is_mixture()) throw CannotSay("mixtures of experts have no kernels on cores here");
  return {static_cast<std::uint32_t>(shape.layers), shape.hidden, shape.mlp_hidden};
}

double pass_s(DecoderPass pass, const cores::DecoderShape& shape, double tokens,
              const config::CoresSpec& wafer, const Cores& on) {
  return core_runs::decoder_time(pass, shape, static_cast<std::uint64_t>(tokens), wafer, on.columns, on.rows)
      .seconds;
}

Answer answer_decoder(const ValidationRow& row) {
  if (is_part(row.unit)) throw CannotSay("a ratio to another machine");
  const config::CoresSpec wafer = cores_of(row);
  const cores::DecoderShape shape = decoder_of(row.size);
  Answer answer;
  answer.calibrated_by = wafer.calibrated_by;
  double tokens = 1, time = 0;
  if (says(row.operation, kBoth)) {
    const std::string lengths = R"((\d{1,7})\s*/\s*(\d{1,7}))";
    std::smatch found;
    if (!std::regex_search(row.operation, found, std::regex(lengths)))
      throw CannotSay("the operation tells no tokens in and out: 4096/128");
    const double in = std::stod(found[1]), out = std::stod(found[2]);
    const Cores first = cores_in(row.ranks, R"([^,;]*prefill)"),
                then = cores_in(row.ranks, R"([^,;]*decode)");
    // Every token sees those before it: in the mean half of what comes out.
    time = pass_s(DecoderPass::prefill, shape, in, wafer, first) +
           out * pass_s(DecoderPass::decode, shape, in + out / 2, wafer, then);
    tokens = out;
    answer.how = fmt::format("prefill on {} x {}, decode on {} x {} cores", first.columns, first.rows,
                             then.columns, then.rows);
  } else {
    const bool prefill = says(row.operation, kPrefill);
    const Cores on = cores_in(row.ranks, "");
    const double length =
        number(in_ascii(row.size), R"((\d[\d,]*)\s*(?:tokens?|context|ctx))").value_or(4096);
    time = pass_s(prefill ? DecoderPass::prefill : DecoderPass::decode, shape, length, wafer, on);
    if (prefill) tokens = length;
    answer.how =
        fmt::format("{} layers on {} x {} cores, {:.0f} tokens", shape.layers, on.columns, on.rows, length);
  }
  answer.how += ", steps of WaferLLM's kernels";
  answer.simulated = is_token_rate(row.unit) ? tokens / time : time / *time_unit(row.unit);
  return answer;
}

/// The square of at most so many cores a side that is fastest, of those a multiple of 30 wide.
Answer answer_product(const ValidationRow& row) {
  if (is_part(row.unit)) throw CannotSay("a ratio to another machine");
  const config::CoresSpec wafer = cores_of(row);
  const auto product = product_in(row.size);
  if (!product || product->count != 1)
    throw CannotSay(fmt::format("'{}' tells no product's m, n, k", row.size));
  const Cores most = cores_in(row.ranks, "");
  const bool is_most = says(row.ranks, "up to|at most");
  const std::uint32_t side = std::min({most.columns, most.rows, wafer.params.columns, wafer.params.rows});
  std::optional<double> best;
  Answer answer;
  const auto consider = [&](std::uint32_t columns, std::uint32_t rows) {
    const cores::Rectangle on{wafer.params, columns, rows};
    const cores::Kernel kernel = product->m == 1 ? cores::gemv_kernel(on, product->k, product->n)
                                                 : cores::gemm_kernel(on, product->m, product->k, product->n);
    if (kernel.core_bytes > wafer.params.memory_bytes) return;
    const double time = core_runs::kernel_time(kernel, wafer, columns, rows).seconds;
    if (best && *best <= time) return;
    best = time;
    answer.how = fmt::format("{} x {} cores, {}", columns, rows,
                             product->m == 1 ? "partial sums by a K-tree" : "compute-shift");
  };
  constexpr std::uint32_t kStep = 30;
  if (is_most)
    for (std::uint32_t each = kStep; each <= side; each += kStep) consider(each, each);
  else
    consider(most.columns, most.rows);
  if (!best) throw CannotSay("the matrix does not fit into the cores' memories");
  answer.simulated = *best / *time_unit(row.unit);
  answer.calibrated_by = wafer.calibrated_by;
  return answer;
}

}  // namespace

RowKind wafer_decoder_rows() {
  return {"decoder on cores", takes_decoder, decoder_group, check_decoder, answer_decoder};
}
RowKind wafer_product_rows() {
  return {"product on cores", takes_product, product_group, check_product, answer_product};
}

}  // namespace wafertlm::validate
