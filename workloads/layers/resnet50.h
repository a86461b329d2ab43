// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "workloads/layers/layer.h"

namespace wafertlm::layers {

/// ResNet-50 for 224 × 224 images and 1000 classes (He et al. 2015, with the stride in the 3 × 3 convolution
/// as torchvision has it): 53 convolutions and the fully connected layer in forward order, computed from the
/// architecture.
///
/// Parameters: convolutions have no bias; the 2 × channels of the batch normalisation after a convolution are
/// counted with it. Together 25,557,032. Operations: the multiply-adds of convolutions and the fully
/// connected layer, 2 operations each: 4,089,184,256 multiply-adds, 8.18 GFLOP per sample. Normalisation,
/// activation, pooling and the residual additions are left out (below 1 %).
std::vector<Layer> resnet50();

}  // namespace wafertlm::layers
