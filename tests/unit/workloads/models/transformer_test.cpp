// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace wafertlm::model {
namespace {

TransformerSpec gpt(std::uint64_t hidden, std::uint64_t layers, std::uint64_t heads = 24) {
  TransformerSpec spec;
  spec.name = "GPT";
  spec.layers = layers;
  spec.hidden = hidden;
  spec.heads = heads;
  spec.sequence = 2048;
  spec.vocabulary = 51'200;
  return spec;
}

// Narayanan et al., SC 2021, table 1: billions of parameters, to one digit.
TEST(Transformer, ParametersOfTheModelsOfMegatron) {
  struct Row {
    std::uint64_t hidden, layers, heads;
    double billions;
  };
  const Row rows[] = {{2304, 24, 24, 1.7},      {3072, 30, 32, 3.6},     {4096, 36, 32, 7.5},
                      {6144, 40, 48, 18.4},     {8192, 48, 64, 39.1},    {10240, 60, 80, 76.1},
                      {12288, 80, 96, 145.6},   {16384, 96, 128, 310.1}, {20480, 105, 128, 529.6},
                      {25600, 128, 160, 1008.0}};
  for (const Row& row : rows) {
    const Model model = transformer(gpt(row.hidden, row.layers, row.heads));
    EXPECT_NEAR(static_cast<double>(parameters(model)) / 1e9, row.billions, 0.0501) << row.hidden;
  }
}

// 96·B·s·l·h²·(1 + s/6h + V/16lh) with full recomputation (the same paper), here per sequence.
TEST(Transformer, OperationsOfAStep) {
  for (const auto& [hidden, layers] : {std::pair<std::uint64_t, std::uint64_t>{2304, 24}, {25600, 128}}) {
    const Model model = transformer(gpt(hidden, layers, 32));
    const auto h = static_cast<double>(hidden), l = static_cast<double>(layers);
    const double s = 2048, v = 51'200;
    const double expected = 96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
    EXPECT_NEAR(static_cast<double>(step_operations(model, Recompute::full)) / expected, 1, 1e-12);
    const double forward = 24 * s * l * h * h * (1 + s / (6 * h)) + 2 * s * h * v;
    EXPECT_NEAR(static_cast<double>(forward_operations(model)) / forward, 1, 1e-12);
    EXPECT_NEAR(static_cast<double>(step_operations(model, Recompute::none)) / (3 * forward), 1, 1e-12);
    const double scores = 4 * s * s * h * l;
    EXPECT_NEAR(static_cast<double>(step_operations(model, Recompute::selective)) / (3 * forward + scores), 1,
                1e-12);
  }
}

TransformerSpec llama3_8b() {
  TransformerSpec spec;
  spec.name = "Llama 3 8B";
  spec.layers = 32;
  spec.hidden = 4096;
  spec.heads = 32;
  spec.kv_heads = 8;
  spec.mlp_hidden = 14'336;
  spec.sequence = 8192;
  spec.vocabulary = 128'256;
  spec.gated_mlp = true;
  spec.biases = spec.learned_positions = spec.tied_embeddings = spec.dropout = false;
  spec.norm = Norm::rms;
  return spec;
}

// The published checkpoints' counts.
TEST(Transformer, ParametersOfLlama3) {
  TransformerSpec spec = llama3_8b();
  EXPECT_EQ(parameters(transformer(spec)), 8'030'261'248U);
  spec.layers = 80;
  spec.hidden = 8192;
  spec.heads = 64;
  spec.mlp_hidden = 28'672;
  EXPECT_EQ(parameters(transformer(spec)), 70'553'706'496U);
}

// The published checkpoint of Mixtral 8x7B; 12.9 B of its parameters work on a token.
TEST(Transformer, ParametersOfAMixtureOfExperts) {
  TransformerSpec spec = llama3_8b();
  spec.name = "Mixtral 8x7B";
  spec.sequence = 4096;
  spec.vocabulary = 32'000;
  spec.experts = 8;
  spec.experts_per_token = 2;
  const Model model = transformer(spec);
  EXPECT_EQ(parameters(model), 46'702'792'704U);
  for_each_layer(model, [](const Layer& layer, bool) {
    EXPECT_EQ(layer.dispatched_elements, layer.name == "experts" ? 2U * 4096 * 4096 : 0U);
  });
}

// Korthikanti et al. 2022, table 2: s·b·h·(34 + 5·a·s/h) bytes per layer.
TEST(Transformer, KeptActivations) {
  const Model model = transformer(gpt(12'288, 1, 96));
  std::uint64_t kept = 0, scores = 0, shared = 0;
  for (const Layer& layer : model.blocks[0].layers) {
    shared += 2 * layer.kept.shared_elements + layer.kept.shared_mask_bytes;
    kept += 2 * layer.kept.split_elements;
    scores += 2 * layer.kept.score_elements + layer.kept.score_mask_bytes;
  }
  const std::uint64_t s = 2048, h = 12'288, a = 96;
  EXPECT_EQ(shared, 10 * s * h);
  EXPECT_EQ(kept, 24 * s * h);
  EXPECT_EQ(scores, 5 * a * s * s);
}

std::string error_of(const TransformerSpec& spec) {
  try {
    transformer(spec);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Transformer, BadShapesNameTheNearestGoodOnes) {
  TransformerSpec spec = gpt(4256, 78, 27);
  EXPECT_NE(error_of(spec).find("hidden (4256) does not divide by heads (27); heads that do: 19 or 28"),
            std::string::npos)
      << error_of(spec);
  spec = gpt(4096, 2, 32);
  spec.kv_heads = 5;
  EXPECT_NE(error_of(spec).find("4 or 8"), std::string::npos);
  spec = gpt(4096, 0, 32);
  EXPECT_NE(error_of(spec).find("layers is 0"), std::string::npos);
  spec = gpt(4096, 2, 32);
  spec.experts = 4;
  EXPECT_NE(error_of(spec).find("between 1 and 4"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::model
