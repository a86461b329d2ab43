// SPDX-License-Identifier: Apache-2.0
// Layers that cannot be are refused by name.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "workloads/models/convolutional.h"

namespace wafertlm::model {
namespace {

std::string problem(const std::function<void(Convolution&)>& change) {
  Convolution layer;
  layer.name = "c";
  layer.kernel = 3;
  layer.in_channels = 4;
  layer.out_channels = 8;
  layer.out_size = 10;
  layer.groups = 2;
  change(layer);
  try {
    convolutional({"net", 10, 4, {layer}});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Convolution, WhatCannotBe) {
  EXPECT_EQ(problem([](Convolution&) {}), "");
  EXPECT_EQ(problem([](Convolution& layer) { layer.kernel = 0; }), "layer c: kernel is 0");
  EXPECT_EQ(problem([](Convolution& layer) { layer.in_channels = 0; }), "layer c: in_channels is 0");
  EXPECT_EQ(problem([](Convolution& layer) { layer.out_channels = 0; }), "layer c: out_channels is 0");
  EXPECT_EQ(problem([](Convolution& layer) { layer.out_size = 0; }), "layer c: out_size is 0");
  EXPECT_EQ(problem([](Convolution& layer) { layer.stride = 0; }), "layer c: stride is 0");
  EXPECT_EQ(problem([](Convolution& layer) { layer.groups = 0; }), "layer c: groups is 0");
  const std::string divide = "layer c: in_channels and out_channels must divide by groups, ";
  EXPECT_EQ(problem([](Convolution& layer) { layer.groups = 8; }), divide + "8");  // out does, in does not
  EXPECT_EQ(problem([](Convolution& layer) { layer.out_channels = 9; }), divide + "2");
  EXPECT_EQ(problem([](Convolution& layer) { layer.groups = 4; }), "");
}

}  // namespace
}  // namespace wafertlm::model
