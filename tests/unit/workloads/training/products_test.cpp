// SPDX-License-Identifier: Apache-2.0
// The matrix products of compute nodes.
#include <gtest/gtest.h>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/models/convolutional.h"
#include "workloads/models/transformer.h"
#include "workloads/training/training.h"

namespace wafertlm::training {
namespace {

using Products = std::vector<MatrixProduct>;
using Work = Plan::Work;

/// Microbatches of 3 samples, durations left to the NPU.
Strategy job(std::uint32_t mp, std::uint32_t dp, std::uint32_t pp) {
  Strategy s = strategy(mp, dp, pp);
  s.minibatch = std::uint64_t{12} * dp;
  s.effective_rate = 0;
  return s;
}

// 3 x 3, 64 to 128 channels, 28 x 28 pixels out, 3 images: X is 2352 x 576, W 576 x 128.
TEST(Products, AConvolutionIsItsIm2col) {
  const model::ConvolutionalSpec net{
      "net",
      56,
      3,
      {{"stem", 1, 3, 64, 56}, {"conv", 3, 64, 128, 28, 2}, {"depth", 3, 128, 128, 28, 1, 128}}};
  const Plan plan(model::convolutional(net), job(1, 1, 1));
  const auto pieces = plan.pieces(0, 0);
  EXPECT_EQ(plan.products(pieces[1], Work::forward), (Products{{2352, 128, 576, 1}}));
  EXPECT_EQ(plan.products(pieces[1], Work::input_gradient), (Products{{2352, 576, 128, 1}}));
  EXPECT_EQ(plan.products(pieces[1], Work::weight_gradient), (Products{{576, 128, 2352, 1}}));
  EXPECT_EQ(plan.products(pieces[0], Work::input_gradient), Products{});  // reads the images
  EXPECT_EQ(plan.products(pieces[2], Work::forward), (Products{{2352, 1, 9, 128}}));
}

// Megatron on 2 ranks: 384 tokens; query, key and value by columns, 4 of 8 heads of 32 elements, output by
// rows.
TEST(Products, AttentionIsSplitAsTheWeightsAre) {
  const Plan plan(model::transformer(small_transformer()), job(2, 1, 1));
  const Piece attention = plan.pieces(0, 0)[1];
  EXPECT_EQ(plan.products(attention, Work::forward),
            (Products{{384, 384, 256, 1}, {128, 128, 32, 12}, {128, 32, 128, 12}, {384, 256, 128, 1}}));
  // Of scores = Q K^T: dQ = dS K and dK^T = Q^T dS.
  EXPECT_EQ(plan.products(attention, Work::input_gradient), (Products{{384, 256, 384, 1},
                                                                      {128, 32, 128, 12},
                                                                      {32, 128, 128, 12},
                                                                      {128, 128, 32, 12},
                                                                      {128, 32, 128, 12},
                                                                      {384, 128, 256, 1}}));
}

// 12 experts on 2 ranks: each computes for 384 tokens with 6 of them, 64 tokens an expert.
TEST(Products, ExpertsDivideTheTokens) {
  model::TransformerSpec spec = small_transformer();
  spec.experts = 12;
  spec.experts_per_token = 1;
  Strategy s = job(1, 2, 1);
  s.expert_parallel = 2;
  const Plan plan(model::transformer(spec), s);
  EXPECT_EQ(plan.products(plan.pieces(0, 0)[2], Work::forward),
            (Products{{384, 12, 256, 1}, {64, 1024, 256, 6}, {64, 256, 1024, 6}}));
}

// 3 samples of 2 tokens: only 6 of 12 experts get one, each a row; 24 tokens find all 12, two rows each.
TEST(Products, FewTokensReachFewExperts) {
  model::TransformerSpec spec = small_transformer();
  spec.experts = 12;
  spec.experts_per_token = 1;
  spec.sequence = 2;
  const auto forward = [&] {
    const Plan plan(model::transformer(spec), job(1, 1, 1));
    return plan.products(plan.pieces(0, 0)[2], Work::forward);
  };
  EXPECT_EQ(forward(), (Products{{6, 12, 256, 1}, {1, 1024, 256, 6}, {1, 256, 1024, 6}}));
  spec.sequence = 8;
  EXPECT_EQ(forward(), (Products{{24, 12, 256, 1}, {2, 1024, 256, 12}, {2, 256, 1024, 12}}));
}

// Where everything divides, 2mnk of the products are the operations of every node, and only what is no
// product has none.
TEST(Products, MakeTheOperationsOfEveryNode) {
  model::TransformerSpec spec = small_transformer();
  spec.kv_heads = 4;
  spec.gated_mlp = true;
  for (const auto recompute : {model::Recompute::none, model::Recompute::selective, model::Recompute::full}) {
    Strategy s = job(2, 1, 2);
    s.recompute = recompute;
    const auto plan = std::make_shared<const Plan>(model::transformer(spec), s);
    for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
      TrainingGenerator generator(plan, rank);
      chakra::Node node;
      while (generator.next(node)) {
        if (!node.num_ops || node.name == "optimizer") {
          EXPECT_TRUE(node.products.empty()) << node.name;
          continue;
        }
        std::uint64_t operations = 0;
        for (const MatrixProduct& p : node.products) operations += 2 * p.m * p.n * p.k * p.count;
        EXPECT_EQ(operations, *node.num_ops) << node.name;
        EXPECT_EQ(node.duration_ps, 0U);  // no effective_flops
      }
    }
  }
}

// 4 blocks on 3 stages: each computes two thirds of two blocks, rounded up to whole rows.
TEST(Products, AFractionOfALayerIsOfItsRows) {
  model::TransformerSpec spec = small_transformer();
  spec.layers = 4;
  Strategy s = job(1, 1, 3);
  s.uneven = Uneven::fractional;
  const Plan plan(model::transformer(spec), s);
  const Piece attention = plan.pieces(1, 0)[0];
  const Products products = plan.products(attention, Work::forward);
  EXPECT_EQ(products[0], (MatrixProduct{256, 768, 256, 1}));
  EXPECT_EQ(products[1], (MatrixProduct{86, 128, 32, 24}));
}

}  // namespace
}  // namespace wafertlm::training
