// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "platform/commands/validate/row_text.h"

namespace wafertlm::validate::steps {
namespace {

constexpr double kMostOfACount = 1e7;            // of a degree or a batch
constexpr std::uint64_t kMostOfARow = 1u << 20;  // of chips, of passes of a stage

std::optional<std::uint64_t> whole(const std::string& text, const char* expression) {
  const auto value = number(text, expression);
  if (!value) return std::nullopt;
  if (!(*value >= 1 && *value <= kMostOfACount))
    throw CannotSay(fmt::format("{} is out of range", match(text, expression).value_or("")));
  return static_cast<std::uint64_t>(*value);
}

/// torchtitan's benchmark llama3_h100_202412, whose rows say "the same": by the number of GPUs.
struct Benchmark {
  std::uint64_t ranks;  ///< from so many on
  const char* model;
  std::uint64_t tensor, pipeline, local_batch;
};
constexpr std::array<Benchmark, 3> kTorchtitan = {
    {{512, "Llama-3.1-405B", 8, 8, 32}, {256, "Llama-3-70B", 8, 1, 16}, {1, "Llama-3-8B", 1, 1, 2}}};

class Reader {
 public:
  explicit Reader(const ValidationRow& row) : row_(row), text_(row.size) {}

  JobSetup setup() {
    setup_.chip = chip_of(row_);
    setup_.framework = framework_of(row_);
    setup_.precision = precision_of(row_);
    is_torchtitan_ = setup_.framework.group == std::string("torchtitan");
    read_ranks();
    read_model();
    read_degrees();
    read_batch();
    read_chunks();
    return std::move(setup_);
  }

 private:
  void assume(const std::string& what) { setup_.assumptions.push_back(what); }
  std::optional<std::uint64_t> degree(const char* expression) const { return whole(text_, expression); }

  void read_ranks() {
    if (setup_.chip.is_tpu && says(text_, "\\d+x\\d+x\\d+")) {  // a torus
      const auto edge = [&](const char* expression) {
        return std::min(whole(text_, expression).value_or(1), kMostOfARow);
      };
      setup_.ranks = edge("(\\d+)x\\d+x\\d+") * edge("\\d+x(\\d+)x\\d+") * edge("\\d+x\\d+x(\\d+)");
      if (setup_.ranks > kMostOfARow) throw CannotSay("the torus is out of range");
      return;
    }
    const auto ranks = whole(row_.ranks, "^\\D{0,3}([\\d,]+)");
    const auto cores = whole(row_.ranks + " " + text_, "v[45]p?-(\\d+)");  // TensorCores: two a chip
    if (ranks)
      setup_.ranks = *ranks;
    else if (cores)
      setup_.ranks = std::max<std::uint64_t>(*cores / 2, 1);
    else if (setup_.chip.is_tpu) {
      setup_.ranks = 512;
      assume("512 chips");
    } else {
      throw CannotSay("the number of ranks is not said");
    }
    setup_.slices = whole(text_, "(\\d+) slices?").value_or(1);
    if (setup_.slices > 1 && says(row_.ranks, "per slice|each")) setup_.ranks *= setup_.slices;
  }

  void read_model() {
    const Benchmark* benchmark = nullptr;
    if (is_torchtitan_)
      for (const Benchmark& each : kTorchtitan)
        if (!benchmark && setup_.ranks >= each.ranks) benchmark = &each;
    try {
      setup_.model = shape_of(text_);
    } catch (const CannotSay&) {
      if (!benchmark) throw;
      setup_.model = shape_of(degree("\\bCP ?=?(\\d+)") ? "Llama 3 8B" : benchmark->model);
      assume(setup_.model.name);
    }
    for (const Benchmark& each : kTorchtitan)
      if (is_torchtitan_ && setup_.model.name == each.model) benchmark_ = &each;
    setup_.sequence = whole(text_, "\\bseq(?:uence)?(?: ?len(?:gth)?)?[ =]*([\\d,]+k?)").value_or(0);
    recipe_ = recipe_of(setup_.chip, setup_.model.name, setup_.sequence);
    if (setup_.sequence == 0) {
      setup_.sequence = recipe_ ? recipe_->sequence : setup_.model.sequence;
      assume(fmt::format("sequence {}", setup_.sequence));
    }
    setup_.framework.recomputed = recipe_ ? recipe_->recomputed : setup_.framework.recomputed;
    if (says(text_, "full (activation )?(AC|checkpoint|recompute)")) setup_.framework.recomputed = kAll;
    if (says(text_, "no (activation )?(AC|checkpoint|recompute)")) setup_.framework.recomputed = kNothing;
  }

  void read_degrees() {
    const auto or_one = [](std::optional<std::uint64_t> value) { return value.value_or(1); };
    const bool is_whole = benchmark_ && !degree("\\bCP ?=?(\\d+)");
    setup_.tensor = degree("\\bTP ?=?(\\d+)")
                        .value_or(is_whole  ? benchmark_->tensor
                                  : recipe_ ? recipe_->tensor
                                            : 1);
    setup_.pipeline = degree("\\bPP ?=?(\\d+)").value_or(is_whole ? benchmark_->pipeline : 1);
    setup_.context = or_one(degree("\\bCP ?=?(\\d+)"));
    setup_.expert = or_one(degree("\\bEP ?=?(\\d+)"));
    const std::uint64_t model = setup_.tensor * setup_.pipeline * setup_.context;
    if (model > setup_.ranks || setup_.ranks % model != 0)
      throw CannotSay(fmt::format("TP x PP x CP = {} does not divide {} ranks", model, setup_.ranks));
    setup_.data = setup_.ranks / model;
    if (setup_.expert > setup_.ranks / setup_.pipeline)
      throw CannotSay(fmt::format("EP{} is more than the ranks of a stage", setup_.expert));
    setup_.is_sharded = (setup_.framework.is_sharded || says(text_, "FSDP")) && setup_.pipeline == 1;
    if (says(text_, "async(hronous)?[- ]?TP")) setup_.framework.tensor_overlap = TensorOverlap::pipelined;
    // PyTorch balances its ring by default since November 2024; the benchmark's open rows with CP are those
    // of contiguous order, where the last rank has the most work (hw165: 1.5 %; balanced, 81 %).
    setup_.is_balanced = !is_torchtitan_;
    if (is_torchtitan_ && setup_.context > 1) assume("ring in contiguous order");
    if (is_torchtitan_ && setup_.precision == Precision::bf16)
      setup_.framework.is_fused = says(text_, "compile");
    if (says(text_, "DualPipe")) setup_.framework.overlaps_exchanges = true;
    if (is_torchtitan_ && (setup_.pipeline > 1)) setup_.framework.tensor_overlap = TensorOverlap::pipelined;
    if (is_torchtitan_ && (setup_.tensor > 1 || setup_.context > 1 || setup_.sequence > 8192)) {
      setup_.framework.recomputed = kAll;
      assume("all recomputed");
    }
  }

  std::uint64_t local_batch() {
    const auto data = static_cast<double>(setup_.data);
    if (const auto local = whole(text_, "(?:local|per[- ]device|per[- ]GPU)[- ]batch(?: size)?[ =]*(\\d+)"))
      return *local;
    if (const auto local = whole(text_, "batch per (?:DP rank|GPU|device|replica)[ =]*(\\d+)")) return *local;
    if (const auto global = whole(text_, "(?:\\bGBS|\\b(?:global )?batch(?: size)?)[ =]*([\\d,]+)")) {
      setup_.samples = static_cast<double>(*global);
      return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::llround(setup_.samples / data)), 1);
    }
    if (benchmark_) {
      const std::uint64_t local = setup_.context > 1 || setup_.sequence > 8192 ? 1 : benchmark_->local_batch;
      assume(fmt::format("local batch {}", local));
      return local;
    }
    if (recipe_ && recipe_->batch_per_chip > 0) {
      setup_.samples = recipe_->batch_per_chip * static_cast<double>(setup_.ranks);
      assume(fmt::format("batch {} per chip", recipe_->batch_per_chip));
      return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::llround(setup_.samples / data)), 1);
    }
    if (setup_.framework.group == std::string("Llama 3")) {
      assume("16 Mi tokens a step");
      return std::max<std::uint64_t>((1u << 24) / setup_.sequence / setup_.data, 1);
    }
    if (setup_.framework.group == std::string("DeepSeek")) {
      assume("batch 15360");
      setup_.samples = 15360;
      return std::max<std::uint64_t>(15360 / setup_.data, 1);
    }
    if (setup_.chip.is_tpu) {
      assume("batch 4 per chip");
      return 4 * setup_.ranks / setup_.data;
    }
    throw CannotSay("the batch is not said");
  }

  void read_batch() {
    const std::uint64_t local = local_batch();
    if (setup_.samples == 0) setup_.samples = static_cast<double>(local * setup_.data);
    divide_sequence();
    if (const auto micro = whole(text_, "(?:micro[- ]?batch(?: size)?|\\bMBS)[ =]*(\\d+)"))
      setup_.micro_batch = std::min(*micro, local);
    else if (recipe_ && recipe_->micro_batch != 0)
      setup_.micro_batch = std::min(recipe_->micro_batch, local);
    else if (is_torchtitan_ && setup_.pipeline > 1)
      setup_.micro_batch = std::max<std::uint64_t>(local / setup_.pipeline, 1);
    else if (setup_.is_sharded)
      setup_.micro_batch = local;
    else if (setup_.pipeline == 1 && !setup_.model.is_mixture())
      setup_.micro_batch = that_fits(local);
    if (!says(text_, "micro[- ]?batch|\\bMBS")) assume(fmt::format("micro-batch {}", setup_.micro_batch));
    setup_.microbatches = whole(text_, "(?:grad\\w*\\.? ?acc\\w*\\.?|\\bGA)(?: steps)?[ =]*(\\d+)")
                              .value_or(std::max<std::uint64_t>(
                                  static_cast<std::uint64_t>(std::llround(
                                      static_cast<double>(local) / static_cast<double>(setup_.micro_batch))),
                                  1));
    if (setup_.microbatches > kMostOfARow / setup_.pipeline)
      throw CannotSay(fmt::format("{} micro-batches are too many to simulate", setup_.microbatches));
  }

  /// Fewer samples than replicas: a sequence is over several ranks.
  void divide_sequence() {
    const auto samples = static_cast<std::uint64_t>(std::llround(setup_.samples));
    if (samples == 0 || samples >= setup_.data) return;
    if (setup_.data % samples != 0)
      throw CannotSay(fmt::format("{} samples for {} replicas", samples, setup_.data));
    const std::uint64_t ranks = setup_.data / samples;
    assume(fmt::format("CP{}", setup_.context * ranks));
    setup_.context *= ranks;
    setup_.data = samples;
  }

  /// The most samples whose activations fit beside parameters, gradients and optimizer (Korthikanti et al.
  /// 2022: 34 bytes per token and element of hidden, scores not kept).
  std::uint64_t that_fits(std::uint64_t local) const {
    const auto tensor = static_cast<double>(setup_.tensor);
    const double state = setup_.model.parameters() / tensor * (6 + 12 / static_cast<double>(setup_.data));
    const double sample = 34.0 *
                          static_cast<double>(setup_.sequence * setup_.model.hidden * setup_.model.layers) /
                          tensor / static_cast<double>(setup_.context);
    std::uint64_t most = 1;
    for (std::uint64_t each = 1; each <= local; each *= 2)
      if (local % each == 0 && state + sample * static_cast<double>(each) < 0.9 * setup_.chip.capacity)
        most = each;
    return most;
  }

  void read_chunks() {
    if (setup_.pipeline == 1) return;
    const std::uint64_t layers = setup_.model.layers, stages = setup_.pipeline;
    if (const auto said = degree("\\bVP{1,2} ?=?(\\d+)"))
      setup_.chunks = *said;
    else if (is_torchtitan_)
      setup_.chunks = says(text_, "interleaved") ? 2 : 1;
    else if (setup_.framework.group == std::string("MLPerf"))
      setup_.chunks = layers % (8 * stages) == 0 || (layers + 2) % (8 * stages) == 0 ? 8 : 1;
    else
      setup_.chunks = layers % stages == 0         ? layers / stages
                      : (layers + 2) % stages == 0 ? (layers + 2) / stages
                                                   : 1;
    if (!degree("\\bVP{1,2} ?=?(\\d+)")) assume(fmt::format("VP{}", setup_.chunks));
    if (setup_.chunks > layers || setup_.chunks * stages > layers + 2)
      throw CannotSay(
          fmt::format("{} chunks of {} stages are more than {} layers", setup_.chunks, stages, layers));
  }

  const ValidationRow& row_;
  const std::string& text_;
  JobSetup setup_;
  bool is_torchtitan_ = false;
  const Benchmark* benchmark_ = nullptr;
  const Recipe* recipe_ = nullptr;
};

}  // namespace

Precision precision_of(const ValidationRow& row) {
  constexpr std::pair<const char*, Precision> kWords[] = {{"NVFP4|FP4", Precision::nvfp4},
                                                          {"MXFP8", Precision::mxfp8},
                                                          {"FP8|float8", Precision::fp8},
                                                          {"BF16|FP16|bfloat16", Precision::bf16}};
  for (const std::string& text : {row.size, row.operation, row.system, row.notes})
    for (const auto& [words, precision] : kWords)
      if (says(text, words)) return precision;
  // torchtitan's rows with tensor, pipeline or context parallelism are all FP8.
  const bool is_parallel = says(row.size, "\\b[TPC]P ?=?\\d|async|interleaved|1F1B");
  return framework_of(row).group == std::string("torchtitan") && is_parallel ? Precision::fp8
                                                                             : Precision::bf16;
}

JobSetup setup_of(const ValidationRow& row) { return Reader(row).setup(); }

const char* name_of(Precision precision) {
  constexpr const char* kNames[] = {"BF16", "FP8", "MXFP8", "NVFP4"};
  return kNames[static_cast<std::size_t>(precision)];
}

std::string JobSetup::text() const {
  std::string text;
  const std::pair<const char*, std::uint64_t> degrees[] = {
      {"TP", tensor}, {"PP", pipeline}, {"CP", context}, {"EP", expert}, {is_sharded ? "FSDP" : "DP", data}};
  for (const auto& [name, degree] : degrees)
    if (degree > 1) text += fmt::format("{}{}{}", text.empty() ? "" : " ", name, degree);
  return text.empty() ? "one rank" : text;
}

}  // namespace wafertlm::validate::steps
