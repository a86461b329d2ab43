// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/perceptron.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm::model {
namespace {

TEST(Perceptron, CountsByHand) {
  const Model model = perceptron({"mlp", {784, 512, 10}});
  EXPECT_EQ(parameters(model), 785U * 512 + 513U * 10);
  EXPECT_EQ(forward_operations(model), 2U * (784 * 512 + 512 * 10));
  // The first layer reads the samples.
  EXPECT_EQ(step_operations(model, Recompute::none),
            3 * forward_operations(model) - std::uint64_t{2} * 784 * 512);
  EXPECT_THROW(perceptron({"mlp", {784}}), std::invalid_argument);
  EXPECT_THROW(perceptron({"mlp", {784, 0}}), std::invalid_argument);
}

TEST(Dlrm, CountsByHand) {
  const Model model = dlrm({"dlrm", {13, 512, 64}, {256, 1}, 26, 1000, 1});
  const std::uint64_t interaction = 64 + 27 * 26 / 2;
  EXPECT_EQ(parameters(model), 14U * 512 + 513U * 64 + 26U * 1000 * 64 + (interaction + 1) * 256 + 257);
  std::uint64_t dispatched = 0;
  for_each_layer(model, [&](const Layer& layer, bool) { dispatched += layer.dispatched_elements; });
  EXPECT_EQ(dispatched, 26U * 64);
  EXPECT_EQ(forward_operations(model), 2U * (13 * 512 + 512 * 64 + 27 * 27 * 64 + interaction * 256 + 256));
  EXPECT_THROW(dlrm({"dlrm", {13, 64}, {1}, 0, 1000, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::model
