// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/data_parallel.h"

#include <gtest/gtest.h>

namespace wafertlm::layers {
namespace {

// torchvision's resnet50: 25,557,032 parameters and 4.089 G multiply-adds (its model table).
TEST(ResNet50, TotalsAreThoseOfTorchvision) {
  std::uint64_t parameters = 0;
  std::uint64_t operations = 0;
  for (const Layer& layer : resnet50()) {
    parameters += layer.parameters;
    operations += layer.forward_operations;
  }
  EXPECT_EQ(parameters, 25'557'032U);
  EXPECT_EQ(operations, 2 * std::uint64_t{4'089'184'256});
}

// Rows by hand, from the paper's table 1.
TEST(ResNet50, LayersAreThoseOfThePaper) {
  const auto layers = resnet50();
  ASSERT_EQ(layers.size(), 54U);
  EXPECT_EQ(layers[0].name, "conv1");
  EXPECT_EQ(layers[0].parameters, 7U * 7 * 3 * 64 + 128);
  EXPECT_EQ(layers[0].forward_operations, 2U * 118'013'952);
  EXPECT_EQ(layers[1].parameters, 64U * 64 + 128);
  EXPECT_EQ(layers[4].name, "layer1.0.downsample");
  EXPECT_EQ(layers[4].forward_operations, 2U * 64 * 256 * 56 * 56);
  EXPECT_EQ(layers[11].name, "layer2.0.conv1");  // 1 + (4 + 3 + 3) before it
  EXPECT_EQ(layers[11].forward_operations, 2U * 256 * 128 * 56 * 56);
  EXPECT_EQ(layers[12].forward_operations, 2U * 9 * 128 * 128 * 28 * 28);
  EXPECT_EQ(layers[53].name, "fc");
  EXPECT_EQ(layers[53].parameters, 2'049'000U);
  EXPECT_EQ(layers[53].forward_operations, 4'096'000U);
}

}  // namespace
}  // namespace wafertlm::layers
