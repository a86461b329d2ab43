// SPDX-License-Identifier: Apache-2.0
// Every field of the layers of small models, by hand.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "workloads/models/convolutional.h"
#include "workloads/models/perceptron.h"
#include "workloads/models/transformer.h"

namespace wafertlm::model {
namespace {

using Texts = std::vector<std::string>;

/// "m×n×k·count of weights by columns"
std::string text_of(const Gemm& gemm) {
  static const char* const kSplits[] = {"", " by columns", " by rows", " by count"};
  return fmt::format("{}x{}x{}*{}{}{}{}", gemm.m, gemm.n, gemm.k, gemm.count,
                     gemm.operand == Gemm::Operand::activations ? " activations" : "",
                     kSplits[static_cast<std::size_t>(gemm.split)], gemm.of_experts ? " of experts" : "");
}

/// What is 0 or false is left out.
std::string text_of(const Layer& layer) {
  std::string text = layer.name;
  const auto add = [&](const char* what, std::uint64_t value) {
    if (value != 0) text += fmt::format(", {} {}", what, value);
  };
  const auto say = [&](const char* what, bool holds) { text += holds ? fmt::format(", {}", what) : ""; };
  add("split", layer.split_parameters);
  add("shared", layer.shared_parameters);
  add("expert", layer.expert_parameters);
  add("tied", layer.tied_parameters);
  add("in", layer.input_elements);
  add("out", layer.output_elements);
  add("kept split", layer.kept.split_elements);
  add("kept", layer.kept.shared_elements);
  add("mask", layer.kept.shared_mask_bytes);
  add("scores", layer.kept.score_elements);
  add("scores' mask", layer.kept.score_mask_bytes);
  add("dispatched", layer.dispatched_elements);
  add("exchanges", layer.exchanges);
  say("reduces output", layer.reduces_output);
  say("reduces gradient", layer.reduces_input_gradient);
  say("vocabulary", layer.holds_vocabulary);
  say("reads samples", !layer.needs_input_gradient);
  for (const Gemm& gemm : layer.gemms) {
    EXPECT_TRUE(gemm.has_shape);
    text += "; " + text_of(gemm);
  }
  return text;
}

Texts texts_of(const Model& model) {
  Texts texts;
  for_each_layer(model, [&](const Layer& layer, bool) { texts.push_back(text_of(layer)); });
  return texts;
}

Texts block_names(const Model& model) {
  Texts names;
  for (const Block& block : model.blocks) names.push_back(block.name);
  return names;
}

/// 5 tokens of 6 elements, 3 heads of 2, 11 words; everything that there is.
TransformerSpec full() {
  TransformerSpec spec;
  spec.name = "t";
  spec.layers = 2;
  spec.hidden = 6;
  spec.heads = 3;
  spec.kv_heads = 1;
  spec.mlp_hidden = 7;
  spec.sequence = 5;
  spec.vocabulary = 11;
  spec.experts = 4;
  spec.experts_per_token = 2;
  spec.moe_every = 2;
  spec.gated_mlp = spec.biases = spec.learned_positions = spec.tied_embeddings = spec.dropout = true;
  spec.norm = Norm::layer;
  return spec;
}

TEST(ModelFields, OfATransformer) {
  const Model model = transformer(full());
  EXPECT_EQ(model.name, "t");
  EXPECT_EQ(model.sample, "a sequence of 5 tokens");
  EXPECT_EQ(model.input_bytes, 20U);
  EXPECT_EQ(model.heads, 3U);
  EXPECT_EQ(model.kv_heads, 1U);
  EXPECT_EQ(model.experts, 4U);
  EXPECT_FALSE(model.has_equal_blocks);
  EXPECT_EQ(block_names(model), (Texts{"layer0", "layer1"}));
  // Query, key and value are 6 + 2 · 2 wide; a norm has 2 · 6 parameters; the last layer's MLP is of experts.
  const std::string attention =
      "attention, split 106, shared 18, in 30, out 30, kept split 80, kept 60, mask 30, scores 150, "
      "scores' mask 75, reduces output, reduces gradient; 5x10x6*1 by columns; 5x5x2*3 activations by count; "
      "5x2x5*3 activations by count; 5x6x6*1 by rows";
  EXPECT_EQ(
      texts_of(model),
      (Texts{
          "embedding, split 66, shared 30, tied 66, in 30, out 30, mask 30, reduces output, vocabulary, "
          "reads samples",
          attention,
          "mlp, split 140, shared 18, in 30, out 30, kept split 105, kept 60, mask 30, reduces output, "
          "reduces gradient; 5x7x6*2 by columns; 5x6x7*1 by rows",
          attention,
          "experts, shared 36, expert 584, in 30, out 30, kept split 210, kept 90, mask 30, dispatched 60, "
          "exchanges 2, reduces output, reduces gradient; 5x4x6*1; 10x7x6*2 by columns of experts; "
          "10x6x7*1 by rows of experts",
          "head, shared 12, tied 66, in 30, out 5, kept split 110, kept 60, reduces gradient, vocabulary; "
          "5x11x6*1 by columns"}));
}

TEST(ModelFields, OfATransformerWithoutExtras) {
  TransformerSpec spec = full();
  spec.layers = 1;
  spec.kv_heads = 0;    // as many as heads
  spec.mlp_hidden = 0;  // four times as wide
  spec.experts = spec.experts_per_token = 0;
  spec.gated_mlp = spec.biases = spec.learned_positions = spec.tied_embeddings = spec.dropout = false;
  spec.norm = Norm::rms;
  const Model model = transformer(spec);
  EXPECT_EQ(model.kv_heads, 3U);
  EXPECT_EQ(model.experts, 0U);
  EXPECT_TRUE(model.has_equal_blocks);
  EXPECT_EQ(
      texts_of(model),
      (Texts{"embedding, split 66, in 30, out 30, reduces output, vocabulary, reads samples",
             "attention, split 144, shared 6, in 30, out 30, kept split 120, kept 60, scores 75, reduces "
             "output, "
             "reduces gradient; 5x18x6*1 by columns; 5x5x2*3 activations by count; 5x2x5*3 activations by "
             "count; "
             "5x6x6*1 by rows",
             "mlp, split 288, shared 6, in 30, out 30, kept split 240, kept 60, reduces output, reduces "
             "gradient; "
             "5x24x6*1 by columns; 5x6x24*1 by rows",
             "head, split 66, shared 6, in 30, out 5, kept split 110, kept 60, reduces gradient, vocabulary; "
             "5x11x6*1 by columns"}));
  spec = full();
  spec.moe_every = 1;
  EXPECT_TRUE(transformer(spec).has_equal_blocks);
  EXPECT_EQ(transformer(spec).blocks[0].layers[1].name, "experts");
}

template <typename Spec, typename Build>
std::string refusal(const Spec& spec, const Build& build) {
  try {
    build(spec);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ModelFields, TransformersThatCannotBe) {
  const auto problem = [](const auto& change) {
    TransformerSpec spec = full();
    change(spec);
    return refusal(spec, transformer);
  };
  EXPECT_EQ(problem([](TransformerSpec&) {}), "");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.layers = 0; }), "transformer t: layers is 0");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.hidden = 0; }), "transformer t: hidden is 0");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.heads = 0; }), "transformer t: heads is 0");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.sequence = 0; }), "transformer t: sequence is 0");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.vocabulary = 0; }), "transformer t: vocabulary is 0");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.moe_every = 0; }), "transformer t: moe_every is 0");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.heads = 4; }),
            "transformer t: hidden (6) does not divide by heads (4); heads that do: 3 or 6");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.kv_heads = 2; }),
            "transformer t: heads (3) do not divide by kv_heads (2); kv_heads that do: 1 or 3");
  for (const std::uint64_t wrong : {0U, 5U})
    EXPECT_EQ(
        problem([&](TransformerSpec& spec) { spec.experts_per_token = wrong; }),
        fmt::format(
            "transformer t: experts_per_token is {}, but must lie between 1 and 4, the number of experts",
            wrong));
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.experts_per_token = 4; }), "");
  EXPECT_EQ(problem([](TransformerSpec& spec) { spec.experts = 0; }),
            "transformer t: experts_per_token without experts");
}

TEST(ModelFields, OfAPerceptron) {
  const Model model = perceptron({"p", {3, 5, 2}});
  EXPECT_EQ(model.name, "p");
  EXPECT_EQ(model.sample, "a sample");
  EXPECT_EQ(model.input_bytes, 12U);
  EXPECT_EQ(block_names(model), (Texts{"layer1", "layer2"}));
  EXPECT_EQ(texts_of(model), (Texts{"layer1, shared 20, in 3, out 5, kept 3, reads samples; 1x5x3*1",
                                    "layer2, shared 12, in 5, out 2, kept 5; 1x2x5*1"}));
  const auto problem = [](std::vector<std::uint64_t> widths) {
    return refusal(PerceptronSpec{"p", std::move(widths)}, perceptron);
  };
  EXPECT_EQ(problem({3}), "the model p: needs an input and an output width at least");
  EXPECT_EQ(problem({0, 3}), "the model p: a layer of width 0");
  EXPECT_EQ(problem({3, 0}), "the model p: a layer of width 0");
  EXPECT_EQ(problem({1, 1}), "");
}

TEST(ModelFields, OfADlrm) {
  const DlrmSpec good{"d", {3, 4, 2}, {5, 1}, 6, 10, 7};
  const Model model = dlrm(good);
  EXPECT_EQ(model.name, "d");
  EXPECT_EQ(model.sample, "a sample");
  EXPECT_EQ(model.input_bytes, 4U * (3 + 6 * 7));
  EXPECT_EQ(model.experts, 6U);
  EXPECT_EQ(block_names(model), (Texts{"bottom1", "bottom2", "embedding", "interaction", "top1", "top2"}));
  // The 7 vectors of 2 meet in pairs, 21 of them, beside the bottom's output.
  EXPECT_EQ(texts_of(model),
            (Texts{"bottom1, shared 16, in 3, out 4, kept 3, reads samples; 1x4x3*1",
                   "bottom2, shared 10, in 4, out 2, kept 4; 1x2x4*1",
                   "embedding, expert 120, out 12, dispatched 12, exchanges 1, reads samples",
                   "interaction, in 14, out 23, kept 14; 7x7x2*1 activations",
                   "top1, shared 120, in 23, out 5, kept 23; 1x5x23*1",
                   "top2, shared 6, in 5, out 1, kept 5; 1x1x5*1"}));
  const auto problem = [&](const auto& change) {
    DlrmSpec spec = good;
    change(spec);
    return refusal(spec, dlrm);
  };
  EXPECT_EQ(problem([](DlrmSpec& spec) { spec.bottom = {3}; }),
            "the model d: the bottom MLP needs two widths at least");
  EXPECT_EQ(problem([](DlrmSpec& spec) { spec.top = {}; }),
            "the model d: the top MLP needs a width at least");
  EXPECT_EQ(problem([](DlrmSpec& spec) { spec.top = {1}; }), "");
  const std::string counts = "the model d: tables, rows_per_table and lookups_per_table must be at least 1";
  EXPECT_EQ(problem([](DlrmSpec& spec) { spec.tables = 0; }), counts);
  EXPECT_EQ(problem([](DlrmSpec& spec) { spec.rows_per_table = 0; }), counts);
  EXPECT_EQ(problem([](DlrmSpec& spec) { spec.lookups_per_table = 0; }), counts);
}

TEST(ModelFields, OfConvolutions) {
  // Of two groups; a stride of 2; norm and bias.
  const Model model = convolutional(
      {"c", 10, 4, {{"a", 3, 4, 6, 5, 2, 2, true, true}, {"b", 1, 6, 2, 5, 1, 1, false, false}}});
  EXPECT_EQ(model.name, "c");
  EXPECT_EQ(model.sample, "an image");
  EXPECT_EQ(model.input_bytes, 400U);
  EXPECT_EQ(block_names(model), (Texts{"a", "b"}));
  EXPECT_EQ(texts_of(model), (Texts{"a, shared 126, in 400, out 150, kept 550, reads samples; 25x3x18*2",
                                    "b, shared 12, in 150, out 50, kept 150; 25x2x6*1"}));
  EXPECT_EQ(refusal(ConvolutionalSpec{"c", 10, 4, {}}, convolutional), "the net c has no layers");
}

// A stage after the first halves the image and doubles the width; its first block has a way past it.
TEST(ModelFields, OfAResNet) {
  const ConvolutionalSpec spec = resnet("r", {1, 2});
  EXPECT_EQ(spec.name, "r");
  Texts rows;
  for (const Convolution& layer : spec.layers)
    rows.push_back(fmt::format("{} {} {}->{} {}/{}{}{}", layer.name, layer.kernel, layer.in_channels,
                               layer.out_channels, layer.out_size, layer.stride,
                               layer.batch_norm ? " norm" : "", layer.bias ? " bias" : ""));
  EXPECT_EQ(rows, (Texts{"conv1 7 3->64 112/2 norm", "layer1.0.conv1 1 64->64 56/1 norm",
                         "layer1.0.conv2 3 64->64 56/1 norm", "layer1.0.conv3 1 64->256 56/1 norm",
                         "layer1.0.downsample 1 64->256 56/1 norm", "layer2.0.conv1 1 256->128 56/1 norm",
                         "layer2.0.conv2 3 128->128 28/2 norm", "layer2.0.conv3 1 128->512 28/1 norm",
                         "layer2.0.downsample 1 256->512 28/2 norm", "layer2.1.conv1 1 512->128 28/1 norm",
                         "layer2.1.conv2 3 128->128 28/1 norm", "layer2.1.conv3 1 128->512 28/1 norm",
                         "fc 1 512->1000 1/1 bias"}));
}

TEST(ModelFields, CountsThatFit) {
  Model model;
  model.name = "large";
  model.first.resize(2);
  model.first[0].shared_parameters = (std::uint64_t{1} << 63) - 2;
  model.first[1].shared_parameters = 1;
  EXPECT_EQ(parameters(model), (std::uint64_t{1} << 63) - 1);
  model.first[1].shared_parameters = 2;
  EXPECT_EQ(refusal(model, [](const Model& of) { return parameters(of); }),
            "the model large has more parameters than 63 bits can count");
  for (Layer& layer : model.first) layer.gemms = {{1U << 31U, 1U << 30U, 1, 1}};
  EXPECT_EQ(refusal(model, [](const Model& of) { return forward_operations(of); }),
            "the model large has more operations than 63 bits can count");
}

TEST(ModelFields, NearestDivisors) {
  for (std::uint64_t number = 1; number <= 60; ++number)
    for (std::uint64_t wanted = 1; wanted <= 70; ++wanted) {
      std::uint64_t below = wanted, above = wanted;
      while (number % below != 0) --below;
      while (above <= number && number % above != 0) ++above;
      EXPECT_EQ(nearest_divisors(number, wanted), below == above || above > number
                                                      ? std::to_string(below)
                                                      : fmt::format("{} or {}", below, above))
          << number << ' ' << wanted;
    }
  EXPECT_EQ(nearest_divisors(6, 0), "1");
}

}  // namespace
}  // namespace wafertlm::model
