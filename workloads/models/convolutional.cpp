// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/convolutional.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace wafertlm::model {
namespace {

void check_layer(const Convolution& layer) {
  const auto fail = [&](const std::string& text) {
    throw std::invalid_argument("layer " + layer.name + ": " + text);
  };
  const std::pair<const char*, std::uint64_t> positive[] = {
      {"kernel", layer.kernel},     {"in_channels", layer.in_channels}, {"out_channels", layer.out_channels},
      {"out_size", layer.out_size}, {"stride", layer.stride},           {"groups", layer.groups}};
  for (const auto& [name, value] : positive)
    if (value == 0) fail(std::string(name) + " is 0");
  if (layer.in_channels % layer.groups != 0 || layer.out_channels % layer.groups != 0)
    fail(fmt::format("in_channels and out_channels must divide by groups, {}", layer.groups));
}

Layer to_layer(const Convolution& from, bool is_first) {
  check_layer(from);
  Layer layer;
  layer.name = from.name;
  const std::uint64_t pixels = from.out_size * from.out_size;
  const Gemm gemm{pixels,
                  from.out_channels / from.groups,
                  from.kernel * from.kernel * from.in_channels / from.groups,
                  from.groups,
                  Gemm::Operand::weights,
                  Gemm::Split::none};
  layer.gemms = {gemm};
  layer.shared_parameters = gemm.k * gemm.n * gemm.count + (from.batch_norm ? 2 * from.out_channels : 0) +
                            (from.bias ? from.out_channels : 0);
  layer.output_elements = pixels * from.out_channels;
  layer.input_elements = pixels * from.stride * from.stride * from.in_channels;
  layer.kept.shared_elements = layer.input_elements + (from.batch_norm ? layer.output_elements : 0);
  layer.needs_input_gradient = !is_first;
  return layer;
}

}  // namespace

Model convolutional(const ConvolutionalSpec& spec) {
  if (spec.layers.empty()) throw std::invalid_argument("the net " + spec.name + " has no layers");
  Model model;
  model.name = spec.name;
  model.sample = "an image";
  model.input_bytes = spec.image_size * spec.image_size * spec.image_channels;
  for (const Convolution& layer : spec.layers)
    model.blocks.push_back({layer.name, {to_layer(layer, model.blocks.empty())}});
  return model;
}

ConvolutionalSpec resnet(const std::string& name, const std::vector<std::uint64_t>& blocks) {
  constexpr std::uint64_t kExpansion = 4;  // a block's output channels over its width
  ConvolutionalSpec net;
  net.name = name;
  net.layers.push_back({"conv1", 7, 3, 64, 112, 2});
  std::uint64_t channels = 64, size = 56, width = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
    for (std::uint64_t block = 0; block < blocks[stage]; ++block) {
      const std::uint64_t stride = block == 0 && stage > 0 ? 2 : 1;
      const std::uint64_t out_size = size / stride;
      const std::string prefix = fmt::format("layer{}.{}.", stage + 1, block);
      net.layers.push_back({prefix + "conv1", 1, channels, width, size});
      net.layers.push_back({prefix + "conv2", 3, width, width, out_size, stride});
      net.layers.push_back({prefix + "conv3", 1, width, kExpansion * width, out_size});
      if (block == 0)
        net.layers.push_back({prefix + "downsample", 1, channels, kExpansion * width, out_size, stride});
      channels = kExpansion * width;
      size = out_size;
    }
  }
  net.layers.push_back({"fc", 1, channels, 1000, 1, 1, 1, false, true});
  return net;
}

}  // namespace wafertlm::model
