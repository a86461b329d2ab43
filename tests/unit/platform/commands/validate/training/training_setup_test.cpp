// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/setup.h"

#include <gtest/gtest.h>

#include <string>

#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/training/units.h"
#include "tests/support/measured_row.h"

namespace wafertlm::validate::steps {
namespace {

ValidationRow row_of(const std::string& system, const std::string& ranks, const std::string& facts,
                     const std::string& size, const std::string& unit = "s") {
  ValidationRow row = test::measured_row(system, ranks, "training step", size, unit);
  row.topology = facts;
  row.measured = "1";
  row.value = 1;
  row.is_value = true;
  return row;
}

constexpr const char* kEos = "HGX H100: NVLink 4 450 GB/s, 8 x 400 Gb/s NDR per node, Eos";

TEST(TrainingSetup, ARowSaysDegreesBatchAndSequence) {
  const JobSetup setup = setup_of(
      row_of("MLPerf v5.0 H100", "512", kEos,
             "Llama-3.1-405B, FP8, seq 8192, GBS 1152, tp8 pp8 cp2, grad. accumulation 288, micro-batch 1"));
  EXPECT_EQ(setup.text(), "TP8 PP8 CP2 DP4");
  EXPECT_EQ(setup.microbatches, 288u);
  EXPECT_EQ(setup.micro_batch, 1u);
  EXPECT_EQ(setup.chunks, 8u);
  EXPECT_EQ(setup.precision, Precision::fp8);
  EXPECT_EQ(setup.tokens(), 1152. * 8192);
  EXPECT_EQ(setup.tokens_of_rank(), 4096);
}

TEST(TrainingSetup, SpellingsOfDegreesAreAlike) {
  for (const char* size :
       {"Llama 3 70B BF16 tp4 pp2 batch 64 seq 4096", "Llama-3.1-70B TP4 PP2 GBS 64 sequence 4096",
        "llama3.1-70b, TP=4, PP=2, global batch size 64, seq len 4k",
        "Llama 3.1 70B TP 4 PP 2 GBS=64 seq 4,096"}) {
    const JobSetup setup = setup_of(row_of("DGX-H100 NeMo", "16", "", size));
    EXPECT_EQ(setup.text(), "TP4 PP2 DP2") << size;
    EXPECT_EQ(setup.samples, 64) << size;
    EXPECT_EQ(setup.sequence, 4096u) << size;
    EXPECT_EQ(setup.model.name, "Llama-3-70B") << size;
  }
}

TEST(TrainingSetup, TheSameOfTorchtitanIsTheBenchmarksModelOfThatManyGpus) {
  const auto of = [](const char* ranks, const char* size) {
    return setup_of(row_of("H100 torchtitan", ranks, "H100 (HBM2e 2.4 TB/s, 500 W), NVLink, 400 Gb/s per GPU",
                           size, "tokens/s/GPU"));
  };
  EXPECT_EQ(of("8", "the same, FP8").model.name, "Llama-3-8B");
  EXPECT_EQ(of("128", "the same, FP8").text(), "FSDP128");
  EXPECT_EQ(of("256", "the same + async TP").text(), "TP8 FSDP32");
  const JobSetup largest = of("512", "the same, interleaved 1F1B");
  EXPECT_EQ(largest.text(), "TP8 PP8 DP8");
  EXPECT_EQ(largest.chunks, 2u);
  EXPECT_EQ(largest.microbatches, 8u);
  const JobSetup ring = of("8", "FSDP4 CP2 seq 65536");
  EXPECT_EQ(ring.text(), "CP2 FSDP4");
  EXPECT_EQ(ring.samples, 4);
  EXPECT_FALSE(ring.is_balanced);
}

TEST(TrainingSetup, ATpuRowCountsChipsAndTakesTheRecipesBatch) {
  const char* const facts = "TPU v5p: 3-D torus, 459 TFLOPS BF16, ICI 600 GB/s per chip";
  EXPECT_EQ(setup_of(row_of("TPU v5p", "256", facts, "Mixtral-8x7B BF16 seq 4096 (8x4x4)")).ranks, 128u);
  const JobSetup unknown = setup_of(row_of("TPU v5p", "?", facts, "Llama-3.1-405B, 124.6"));
  EXPECT_EQ(unknown.tokens() / static_cast<double>(unknown.ranks), 16384);
  EXPECT_FALSE(unknown.assumptions.empty());
  EXPECT_EQ(setup_of(row_of("TPU v4", "64 chips (v4-128)", "", "22B, 1 slice")).samples, 13 * 64);
}

TEST(TrainingSetup, TopologyFactsGiveTheRatesOfAChip) {
  const auto rate = [](const std::string& system, const std::string& facts) {
    return chip_of(row_of(system, "8", facts, "")).scale_out;
  };
  EXPECT_DOUBLE_EQ(rate("H100", kEos), 50e9);
  EXPECT_DOUBLE_EQ(rate("A100-40", "A100-40, 1600 Gb/s RoCE per node"), 25e9);
  EXPECT_DOUBLE_EQ(rate("GB200", "NVLink 5 900 GB/s within rack, 4 x 400 Gb/s per 4-GPU tray"), 50e9);
  EXPECT_DOUBLE_EQ(rate("H100", "2-level: NVLink 450 GB/s, 800 Gb/s RoCE per GPU"), 100e9);
  EXPECT_DOUBLE_EQ(chip_of(row_of("H100", "8", "H100 (HBM2e 2.4 TB/s, 500 W)", "")).memory, 2.4e12);
}

TEST(TrainingSetup, WhatARowLacksIsSaid) {
  const auto reason = [](const ValidationRow& row) -> std::string {
    try {
      setup_of(row);
    } catch (const CannotSay& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(reason(row_of("abacus", "8", "", "Llama 3 8B GBS 8")).find("no preset"), std::string::npos);
  EXPECT_NE(reason(row_of("H100", "8", "", "a model GBS 8")).find("no model"), std::string::npos);
  EXPECT_NE(reason(row_of("H100", "many", "", "Llama 3 8B GBS 8")).find("ranks"), std::string::npos);
  EXPECT_NE(reason(row_of("H100", "8", "", "Llama 3 8B")).find("batch"), std::string::npos);
  EXPECT_NE(reason(row_of("H100", "8", "", "Llama 3 8B TP3 GBS 8")).find("divide"), std::string::npos);
  EXPECT_NE(reason(row_of("H100", "8", "", "layers 99999999, hidden 8, heads 1")).find("range"),
            std::string::npos);
  EXPECT_NE(reason(row_of("H100", "64", "", "Llama 3 8B PP64 VP1 GBS 100000")).find("too many"),
            std::string::npos);
}

TEST(TrainingSetup, ShapesHaveThePublishedNumbersOfParameters) {
  const auto check = [](const char* name, double all, double active) {
    const ModelShape shape = shape_of(name);
    EXPECT_NEAR(shape.parameters() / 1e9, all, 0.02 * all) << name;
    EXPECT_NEAR(shape.active_parameters() / 1e9, active, 0.07 * active) << name;
  };
  check("Llama-3.1-405B", 405.9, 403.7);
  check("Llama-3.1-8B", 8.03, 7.5);
  check("DeepSeek-V3", 671, 36.6);
  check("Mixtral-8x7B", 46.7, 12.75);
  check("Qwen3-30B-A3B", 30.5, 3.03);
  check("Qwen3-235B-A22B", 235, 21.6);
  check("MPT 30B", 29.97, 29.97);
  check("GPT 16B: heads 48, hidden 6144, layers 32, vocab 131072", 15.3, 15.3);
}

TEST(TrainingRows, AUnitOfAnotherThingIsRefusedWithItsPlace) {
  const ValidationRow row = row_of("MLPerf v5.0 H100", "512", kEos, "Llama-3.1-405B GBS 8", "GB/s busbw");
  try {
    training_rows().check(row);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).rfind("rows.csv:2: r1: unit: 'GB/s busbw'", 0), 0u) << error.what();
  }
  for (const char* unit :
       {"s", "s/step", "ms", "TFLOP/s per GPU (model)", "TFLOPs/s/device", "tokens/s/GPU", "% MFU",
        "tokens/s/device", "samples/s", "tokens/sec/GPU", "TFLOP/s per device", "tok/s"})
    EXPECT_TRUE(unit_of(unit)) << unit;
}

TEST(TrainingRows, GroupsAreBenchmarksAndWafersThatStreamAreNotTaken) {
  const RowKind kind = training_rows();
  const auto group = [&](const char* system) { return kind.group(row_of(system, "8", "", "")); };
  EXPECT_EQ(group("MLPerf v5.0 GB200"), "MLPerf");
  EXPECT_EQ(group("H100 Megatron-LM"), "Megatron-LM");
  EXPECT_EQ(group("DGX-GB200 NeMo"), "NeMo");
  EXPECT_EQ(group("TPU7x"), "MaxText / TPU");
  EXPECT_EQ(group("A100-40 RoCE MPT FSDP"), "MPT");
  ValidationRow wafer = row_of("Cerebras CS-3", "1", "", "Llama-2-7B");
  wafer.operation = "training step, weight streaming";
  EXPECT_FALSE(kind.takes(wafer));
  EXPECT_TRUE(kind.takes(row_of("TPU v4", "64", "", "22B")));
}

}  // namespace
}  // namespace wafertlm::validate::steps
