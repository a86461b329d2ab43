// SPDX-License-Identifier: Apache-2.0
// Parameters: those of torchvision's models. Multiply-adds: of convolutions and fully connected layers,
// summed from the shapes of the papers; torchvision says 0.301, 19.632 and 2.834 billion.
#include "workloads/models/networks.h"

#include <gtest/gtest.h>

namespace wafertlm::model {
namespace {

TEST(Networks, HaveTheParametersOfTorchvision) {
  EXPECT_EQ(parameters(mobilenet_v2()), 3'504'872U);
  EXPECT_EQ(parameters(vgg19()), 143'667'240U);
  EXPECT_EQ(parameters(densenet121()), 7'978'856U);
}

TEST(Networks, HaveTheOperationsOfTheirShapes) {
  EXPECT_EQ(forward_operations(mobilenet_v2()), 2 * 300'774'272U);
  EXPECT_EQ(forward_operations(vgg19()), 2 * std::uint64_t{19'632'062'464});
  EXPECT_EQ(forward_operations(densenet121()), 2 * std::uint64_t{2'834'161'664});
}

TEST(Networks, ChangeTheSizeOfTheImage) {
  const Model mobile = mobilenet_v2();
  EXPECT_EQ(mobile.blocks.front().layers[0].output_elements, 112U * 112 * 32);
  EXPECT_EQ(mobile.blocks[mobile.blocks.size() - 2].layers[0].output_elements, 7U * 7 * 1280);
  const Model dense = densenet121();
  EXPECT_EQ(dense.blocks[1].name, "block1.1.norm");
  EXPECT_EQ(dense.blocks[1].layers[0].output_elements, 56U * 56 * 64);
  EXPECT_EQ(dense.blocks[dense.blocks.size() - 2].layers[0].output_elements, 7U * 7 * 1024);
  EXPECT_EQ(dense.blocks.size(), 121U + 58 + 4);  // with a norm for each dense layer, transition and the end
}

}  // namespace
}  // namespace wafertlm::model
