// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/models/layer.h"

namespace wafertlm::model {

// Nets for 224 × 224 images and 1000 classes, with the shapes of torchvision's.

/// Sandler et al. 2018, width 1: 3,504,872 parameters, 300,774,272 multiply-adds.
Model mobilenet_v2();

/// Simonyan and Zisserman 2014, without batch normalisation: 143,667,240 parameters, 19,632,062,464
/// multiply-adds.
Model vgg19();

/// Huang et al. 2016, growth 32, blocks of 6, 12, 24, 16: 7,978,856 parameters, 2,834,161,664 multiply-adds.
/// The normalisations before the convolutions are layers without products.
Model densenet121();

}  // namespace wafertlm::model
