// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/models/layer.h"

namespace wafertlm::model {

/// A convolution with a square kernel, or a fully connected layer (kernel 1, output size 1).
struct Convolution {
  std::string name;
  std::uint64_t kernel = 1, in_channels = 0, out_channels = 0;
  std::uint64_t out_size = 1;  ///< the output is out_size × out_size
  std::uint64_t stride = 1;
  std::uint64_t groups = 1;
  bool batch_norm = true;  ///< with scale and shift, counted with the convolution
  bool bias = false;
};

struct ConvolutionalSpec {
  std::string name;
  std::uint64_t image_size = 224, image_channels = 3;
  std::vector<Convolution> layers;  ///< forward order
};

/// A net as a table of convolutions, each a product of out_size² × (kernel² · in/groups) × out/groups per
/// group and image. Normalisation, activation, pooling and residual additions take no operations here (below
/// 1 % in a ResNet).
/// @throws std::invalid_argument naming the layer that is wrong.
Model convolutional(const ConvolutionalSpec& spec);

/// The bottleneck ResNets of He et al. 2015 for 224 × 224 images and 1000 classes, with the stride in the 3 ×
/// 3 convolution as torchvision has it: {3, 4, 6, 3} is ResNet-50 (25,557,032 parameters, 4,089,184,256
/// multiply-adds), {3, 8, 36, 3} ResNet-152 (60,192,808 parameters).
ConvolutionalSpec resnet(const std::string& name, const std::vector<std::uint64_t>& blocks);

}  // namespace wafertlm::model
