// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/networks.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "workloads/models/convolutional.h"

namespace wafertlm::model {
namespace {

/// An inverted bottleneck: wider by `expansion`, a convolution of each channel, narrower.
struct Bottleneck {
  std::uint64_t expansion, out_channels, count, stride;
};

Convolution without_norm(const std::string& name, std::uint64_t kernel, std::uint64_t in, std::uint64_t out,
                         std::uint64_t size, bool has_bias) {
  return {name, kernel, in, out, size, 1, 1, false, has_bias};
}

/// Scale and shift of what it passes on, and no product.
Layer norm_layer(const std::string& name, std::uint64_t channels, std::uint64_t size) {
  Layer layer;
  layer.name = name;
  layer.shared_parameters = 2 * channels;
  layer.input_elements = layer.output_elements = channels * size * size;
  layer.kept.shared_elements = layer.input_elements;
  return layer;
}

}  // namespace

Model mobilenet_v2() {
  constexpr Bottleneck kBlocks[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                    {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  ConvolutionalSpec net;
  net.name = "MobileNet-V2";
  net.layers.push_back({"conv", 3, 3, 32, 112, 2});
  std::uint64_t channels = 32, size = 112, number = 0;
  for (const Bottleneck& block : kBlocks)
    for (std::uint64_t i = 0; i < block.count; ++i) {
      const std::uint64_t stride = i == 0 ? block.stride : 1, wide = channels * block.expansion;
      const std::string prefix = fmt::format("block{}.", ++number);
      if (block.expansion != 1) net.layers.push_back({prefix + "expand", 1, channels, wide, size});
      size /= stride;
      net.layers.push_back({prefix + "depthwise", 3, wide, wide, size, stride, wide});
      net.layers.push_back({prefix + "project", 1, wide, block.out_channels, size});
      channels = block.out_channels;
    }
  net.layers.push_back({"last", 1, channels, 1280, size});
  net.layers.push_back(without_norm("classifier", 1, 1280, 1000, 1, true));
  return convolutional(net);
}

Model vgg19() {
  constexpr std::pair<std::uint64_t, int> kStages[] = {{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}};
  ConvolutionalSpec net;
  net.name = "VGG-19";
  std::uint64_t channels = 3, size = 224;
  for (const auto& [width, count] : kStages) {
    for (int i = 0; i < count; ++i) {
      net.layers.push_back(
          without_norm(fmt::format("conv{}", net.layers.size() + 1), 3, channels, width, size, true));
      channels = width;
    }
    size /= 2;  // pooling
  }
  net.layers.push_back(without_norm("fc1", 1, channels * size * size, 4096, 1, true));
  net.layers.push_back(without_norm("fc2", 1, 4096, 4096, 1, true));
  net.layers.push_back(without_norm("fc3", 1, 4096, 1000, 1, true));
  return convolutional(net);
}

Model densenet121() {
  constexpr std::uint64_t kGrowth = 32, kWidth = 4 * kGrowth;
  ConvolutionalSpec net;
  net.name = "DenseNet-121";
  net.layers.push_back({"conv0", 7, 3, 64, 112, 2});
  // Normalisations by the layer they stand before.
  std::vector<std::pair<std::size_t, Layer>> norms;
  const auto add_norm = [&](const std::string& prefix, std::uint64_t channels, std::uint64_t size) {
    norms.emplace_back(net.layers.size(), norm_layer(prefix + "norm", channels, size));
  };
  std::uint64_t channels = 64, size = 56;
  int block = 0;
  for (const int count : {6, 12, 24, 16}) {
    ++block;
    for (int i = 1; i <= count; ++i, channels += kGrowth) {
      const std::string prefix = fmt::format("block{}.{}.", block, i);
      add_norm(prefix, channels, size);
      net.layers.push_back({prefix + "conv1", 1, channels, kWidth, size});  // its norm is that before conv2
      net.layers.push_back(without_norm(prefix + "conv2", 3, kWidth, kGrowth, size, false));
    }
    const std::string prefix = block == 4 ? "last." : fmt::format("transition{}.", block);
    add_norm(prefix, channels, size);
    if (block == 4) break;
    net.layers.push_back(without_norm(prefix + "conv", 1, channels, channels / 2, size, false));
    channels /= 2;
    size /= 2;
  }
  net.layers.push_back(without_norm("classifier", 1, channels, 1000, 1, true));
  Model model = convolutional(net);
  for (auto norm = norms.rbegin(); norm != norms.rend(); ++norm)
    model.blocks.insert(model.blocks.begin() + static_cast<std::ptrdiff_t>(norm->first),
                        {norm->second.name, {norm->second}});
  return model;
}

}  // namespace wafertlm::model
