// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/resnet50.h"

#include <fmt/core.h>

#include <utility>

namespace wafertlm::layers {
namespace {

/// A convolution with a square kernel and the batch normalisation behind it.
Layer convolution(std::string name, std::uint64_t kernel, std::uint64_t in, std::uint64_t out,
                  std::uint64_t out_size) {
  const std::uint64_t weights = kernel * kernel * in * out;
  return {std::move(name), weights + 2 * out, 2 * weights * out_size * out_size};
}

}  // namespace

std::vector<Layer> resnet50() {
  constexpr std::uint64_t kStages = 4;
  constexpr std::uint64_t kBlocks[kStages] = {3, 4, 6, 3};
  constexpr std::uint64_t kExpansion = 4;  // a block's output channels over its width
  constexpr std::uint64_t kClasses = 1000;

  std::vector<Layer> layers{convolution("conv1", 7, 3, 64, 112)};
  std::uint64_t channels = 64;
  std::uint64_t size = 56;  // after the stride of conv1 and the pooling
  for (std::uint64_t stage = 0; stage < kStages; ++stage) {
    const std::uint64_t width = std::uint64_t{64} << stage;
    const std::uint64_t out_size = std::uint64_t{56} >> stage;
    for (std::uint64_t block = 0; block < kBlocks[stage]; ++block) {
      const std::string name = fmt::format("layer{}.{}.", stage + 1, block);
      layers.push_back(convolution(name + "conv1", 1, channels, width, size));
      layers.push_back(convolution(name + "conv2", 3, width, width, out_size));
      layers.push_back(convolution(name + "conv3", 1, width, kExpansion * width, out_size));
      if (block == 0)
        layers.push_back(convolution(name + "downsample", 1, channels, kExpansion * width, out_size));
      channels = kExpansion * width;
      size = out_size;
    }
  }
  layers.push_back({"fc", channels * kClasses + kClasses, 2 * channels * kClasses});
  return layers;
}

}  // namespace wafertlm::layers
