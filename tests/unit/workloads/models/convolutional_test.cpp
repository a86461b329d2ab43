// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/convolutional.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm::model {
namespace {

// torchvision's model table; He et al. 2015 give 3.8 and 11.3 G multiply-adds for the stride in the first
// convolution.
TEST(ResNet, TotalsAreThoseOfTorchvision) {
  const Model resnet50 = convolutional(resnet("ResNet-50", {3, 4, 6, 3}));
  EXPECT_EQ(parameters(resnet50), 25'557'032U);
  EXPECT_EQ(forward_operations(resnet50), 2 * std::uint64_t{4'089'184'256});
  const Model resnet152 = convolutional(resnet("ResNet-152", {3, 8, 36, 3}));
  EXPECT_EQ(parameters(resnet152), 60'192'808U);
  EXPECT_NEAR(static_cast<double>(forward_operations(resnet152)) / 2e9, 11.51, 0.01);
}

// Rows by hand, from table 1 of He et al.
TEST(ResNet, LayersAreThoseOfThePaper) {
  const Model model = convolutional(resnet("ResNet-50", {3, 4, 6, 3}));
  ASSERT_EQ(model.blocks.size(), 54U);
  const auto& layer = [&](std::size_t i) -> const Layer& { return model.blocks[i].layers.front(); };
  EXPECT_EQ(layer(0).name, "conv1");
  EXPECT_EQ(layer(0).parameters(), 7U * 7 * 3 * 64 + 128);
  EXPECT_EQ(forward_operations(layer(0)), 2U * 118'013'952);
  EXPECT_EQ(input_gradient_operations(layer(0)), 0U);
  EXPECT_EQ(layer(4).name, "layer1.0.downsample");
  EXPECT_EQ(forward_operations(layer(4)), 2U * 64 * 256 * 56 * 56);
  EXPECT_EQ(forward_operations(layer(11)), 2U * 256 * 128 * 56 * 56);
  EXPECT_EQ(forward_operations(layer(12)), 2U * 9 * 128 * 128 * 28 * 28);
  EXPECT_EQ(layer(53).parameters(), 2'049'000U);
  EXPECT_EQ(weight_gradient_operations(layer(53)), 4'096'000U);
}

TEST(Convolutional, GroupsDivideProductsAndParameters) {
  ConvolutionalSpec spec{"depthwise", 32, 3, {{"a", 3, 64, 64, 16, 1, 64, false, false}}};
  const Model model = convolutional(spec);
  EXPECT_EQ(parameters(model), 9U * 64);
  EXPECT_EQ(forward_operations(model), 2U * 9 * 64 * 16 * 16);
}

TEST(Convolutional, BadTables) {
  ConvolutionalSpec spec{"bad", 32, 3, {}};
  EXPECT_THROW(convolutional(spec), std::invalid_argument);
  spec.layers = {{"a", 3, 64, 0, 16}};
  EXPECT_THROW(convolutional(spec), std::invalid_argument);
  spec.layers = {{"a", 3, 64, 64, 16, 1, 48}};
  EXPECT_THROW(convolutional(spec), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::model
