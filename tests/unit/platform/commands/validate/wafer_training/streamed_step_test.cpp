// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/wafer_training/streamed_step.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "platform/commands/validate/row_kind.h"
#include "tests/support/measured_row.h"

namespace wafertlm::validate::wafers {
namespace {

ValidationRow wafer_row(const std::string& system, const std::string& ranks, const std::string& size,
                        const std::string& unit = "s/step",
                        const std::string& operation = "training step, weight streaming") {
  return test::measured_row(system, ranks, operation, size, unit);
}

TEST(StreamedStep, ARowSaysModelBatchAndWafers) {
  const StreamedStep step = streamed_step_of(wafer_row(
      "Cerebras CS-2", "2",
      "GPT-J-6B (L28 h4096 heads16 ffn16384 vocab50257), seq 2048, batch 64 (modelzoo params_gptj_6B.yaml)"));
  EXPECT_EQ(step.platform, "wse2");
  EXPECT_EQ(step.wafers, 2u);
  EXPECT_EQ(step.samples_of_wafer(), 32u);
  EXPECT_EQ(step.sequence, 2048u);
  EXPECT_EQ(step.model.layers, 28u);
  EXPECT_EQ(step.model.heads, 16u);
  EXPECT_EQ(step.model.mlp_hidden, 16384u);
  EXPECT_EQ(step.model.vocabulary, 50257u);
  EXPECT_FALSE(step.model.tied);
  EXPECT_TRUE(step.assumptions.empty());
}

TEST(StreamedStep, ASequenceThatIsLikelyIsTaken) {
  const StreamedStep step = streamed_step_of(
      wafer_row("Cerebras CS-3", "1",
                "Llama-2-7B (L32 h4096 heads32 ffn11008 vocab32000), batch 128; sequence not printed: model "
                "allows 4096, 2048 is likely"));
  EXPECT_EQ(step.sequence, 2048u);
  EXPECT_EQ(step.samples, 128u);
  EXPECT_TRUE(step.model.gated);
}

TEST(StreamedStep, DimensionsInTheTextCountBeforeThoseOfTheTable) {
  const steps::ModelShape model = streamed_shape("BERT-large (L24 h1024), seq 128, batch 1024");
  EXPECT_EQ(model.name, "BERT-large");
  EXPECT_EQ(model.heads, 16u);
  const steps::ModelShape wide = streamed_shape("GPT-2 small (layers 6, hidden 1536, vocab 50,304)");
  EXPECT_EQ(wide.layers, 6u);
  EXPECT_EQ(wide.hidden, 1536u);
  EXPECT_EQ(wide.mlp_hidden, 4 * 1536u);
  EXPECT_EQ(wide.vocabulary, 50304u);
  EXPECT_EQ(streamed_shape("ESM-2 35M (L12), batch 2048").hidden, 480u);
}

TEST(StreamedStep, WhatARowDoesNotSayIsNotGuessed) {
  const std::tuple<const char*, const char*, const char*> rows[] = {
      {"Cerebras CS-1", "1", "Llama-2-7B, batch 8"},
      {"Cerebras CS-3", "1", "Llama-2-7B"},
      {"Cerebras CS-3", "1", "a model, batch 8"},
      {"Cerebras CS-3", "some", "Llama-2-7B, batch 8"},
      {"Cerebras CS-3", "3", "Llama-2-7B, batch 8"},
      {"Cerebras CS-3", "1", "Mixtral-8x7B, batch 8"},
      {"Cerebras CS-3", "1", "GPT-2 small (heads 7), batch 8"},
      {"Cerebras CS-3", "1", "Llama-2-7B (L99999999999), batch 8"}};
  for (const auto& [system, ranks, size] : rows)
    EXPECT_THROW(streamed_step_of(wafer_row(system, ranks, size)), CannotSay) << size;
}

TEST(StreamedStep, ItsRowsHaveUnitsOfAStepOrASpeedUp) {
  const RowKind kind = wafer_training_rows();
  const char* const size = "Llama-2-7B, batch 8";
  for (const char* unit : {"s/step", "s", "ms", "samples/s", "tokens/s"}) {
    const ValidationRow row = wafer_row("Cerebras CS-3", "1", size, unit);
    EXPECT_EQ(kind_of(row)->name, std::string(kind.name)) << unit;
    EXPECT_NO_THROW(kind.check(row)) << unit;
  }
  EXPECT_THROW(kind.check(wafer_row("Cerebras CS-3", "1", size, "GB/s")), std::invalid_argument);
  EXPECT_NO_THROW(kind.check(wafer_row("Cerebras CS-3", "16", size, "x", "speed-up over 1 wafer")));
  EXPECT_THROW(kind.check(wafer_row("Cerebras CS-3", "16", size, "s", "speed-up over 1 wafer")),
               std::invalid_argument);
  for (const char* operation : {"vendor compiler estimate", "power", "all-reduce of 2 KiB"})
    EXPECT_FALSE(kind.takes(wafer_row("Cerebras CS-3", "1", size, "x", operation))) << operation;
  EXPECT_FALSE(kind.takes(wafer_row("H100 Megatron-LM", "8", size)));
}

}  // namespace
}  // namespace wafertlm::validate::wafers
