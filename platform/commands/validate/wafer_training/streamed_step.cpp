// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/wafer_training/streamed_step.h"

#include <fmt/core.h>

#include <optional>

#include "platform/commands/validate/cores/core_wafers.h"
#include "platform/commands/validate/row_text.h"

namespace wafertlm::validate::wafers {
namespace {

constexpr double kMostOfADimension = 1e7;
constexpr std::uint32_t kMostWafers = 4096, kSamplesOfASpeedUp = 8;

/// Replaces `value` if the text says it.
void take_dimension(std::uint64_t& value, const std::string& text, const char* expression) {
  const auto said = number(text, expression);
  if (!said) return;
  if (!(*said >= 1 && *said <= kMostOfADimension))
    throw CannotSay(fmt::format("{} is out of range", match(text, expression).value_or("")));
  value = static_cast<std::uint64_t>(*said);
}

void read_dimensions(steps::ModelShape& model, const std::string& text) {
  const std::uint64_t hidden = model.hidden, heads = model.heads, kv_heads = model.kv_heads;
  take_dimension(model.layers, text, "(?:(?:n_?)?layers ?[=:]? ?|\\bL ?=?)(\\d+)");
  take_dimension(model.hidden, text, "(?:\\bhidden(?:[ _]size)? ?[=:]? ?|\\b[hd] ?=?|d_model ?=? ?)(\\d+)");
  take_dimension(model.heads, text, "\\bheads ?[=:]? ?(\\d+)");
  if (model.heads != heads && kv_heads == heads) model.kv_heads = model.heads;
  take_dimension(model.kv_heads, text, "\\bkv[ _]?heads ?[=:]? ?(\\d+)");
  if (model.hidden != hidden && hidden != 0) model.mlp_hidden = model.mlp_hidden * model.hidden / hidden;
  take_dimension(model.mlp_hidden, text, "\\b(?:ffn|mlp|d_ff)(?:[ _]hidden)? ?[=:]? ?(\\d+)");
  take_dimension(model.vocabulary, text, "\\bvocab(?:ulary)?(?:[ _]size)? ?[=:]? ?([\\d,]+)");
}

/// By the name in front of the dimensions; else by all of them.
steps::ModelShape named_shape(const std::string& text) {
  try {
    return steps::shape_of(text.substr(0, text.find('(')));
  } catch (const CannotSay&) {
    return steps::shape_of(text);
  }
}

/// "seq 2048", "sequence length 4096", "msl 2048"; where the table only guesses, "2048 is likely".
std::uint64_t sequence_of(const std::string& text, StreamedStep& step) {
  std::uint64_t sequence = 0;
  take_dimension(sequence, text, "\\b(?:seq(?:uence)?(?:[ _-]?len(?:gth)?)?|msl)[ =:]*([\\d,]+k?)");
  if (sequence == 0) take_dimension(sequence, text, "([\\d,]+k?) is likely");
  if (sequence != 0) return sequence;
  step.assumptions.push_back(fmt::format("sequence {}", step.model.sequence));
  return step.model.sequence;
}

}  // namespace

std::string platform_of(const ValidationRow& row) {
  if (!row.preset.empty()) return row.preset;
  const std::optional<std::string> wafer = wafer_of(row);
  if (!wafer || *wafer == "WSE-1")
    throw CannotSay("no preset of this wafer; there are WSE-2 (CS-2) and WSE-3 (CS-3)");
  return wafer_preset(*wafer);
}

steps::ModelShape streamed_shape(const std::string& text) {
  steps::ModelShape model = named_shape(text);
  read_dimensions(model, text);
  if (model.is_mixture() || model.latent.query_rank != 0)
    throw CannotSay("mixtures of experts and latent attention are not streamed");
  if (model.heads == 0 || model.hidden % model.heads != 0)
    throw CannotSay(fmt::format("hidden {} does not divide by {} heads", model.hidden, model.heads));
  if (model.kv_heads == 0 || model.heads % model.kv_heads != 0)
    throw CannotSay(fmt::format("{} heads do not divide by {} of keys", model.heads, model.kv_heads));
  return model;
}

StreamedStep streamed_step_of(const ValidationRow& row) {
  StreamedStep step;
  step.platform = platform_of(row);
  const std::string text = in_ascii(row.size);
  step.model = streamed_shape(text);
  step.sequence = sequence_of(text, step);
  step.wafers = ranks_of(row);
  if (step.wafers == 0 || step.wafers > kMostWafers) throw CannotSay("ranks say no number of wafers");
  take_dimension(step.samples, text, "\\b(?:GBS|(?:global[ _])?batch(?:[ _]?size)?)[ =:]*([\\d,]+)");
  if (step.samples == 0 && says(row.operation, "speed-?up")) {  // the same of every wafer, whatever it is
    step.samples = std::uint64_t{kSamplesOfASpeedUp} * step.wafers;
    step.assumptions.push_back(fmt::format("{} samples per wafer", kSamplesOfASpeedUp));
  }
  if (step.samples == 0) throw CannotSay("the batch is not said");
  if (says(text, "batch[^,;]*per (wafer|system|CS-?\\d)")) step.samples *= step.wafers;
  if (step.samples % step.wafers != 0)
    throw CannotSay(fmt::format("{} samples for {} wafers", step.samples, step.wafers));
  return step;
}

}  // namespace wafertlm::validate::wafers
