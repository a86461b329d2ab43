// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/describe/origins.h"
#include "workloads/models/convolutional.h"
#include "workloads/models/perceptron.h"
#include "workloads/models/transformer.h"

namespace wafertlm::config {

/// One row of a table of layers.
struct LayerSpec {
  std::string name;
  std::uint64_t parameters = 0;
  std::uint64_t forward_operations = 0;  ///< for one sample
  std::uint64_t activation_bytes = 0;    ///< for one sample; 0: not known
};

enum class ModelKind : std::uint8_t { table, transformer, resnet, convolutions, perceptron, dlrm };

/// A model file, or the map below `model:` in a workload.
struct ModelSpec {
  std::string name;
  ModelKind kind = ModelKind::table;
  std::vector<LayerSpec> layers;             ///< for ModelKind::table
  model::TransformerSpec transformer;        ///< their names are not set
  std::vector<std::uint64_t> resnet_blocks;  ///< of its four stages
  model::ConvolutionalSpec convolutions;
  std::vector<std::uint64_t> perceptron_widths;
  model::DlrmSpec dlrm;
  Origins origins;
};

/// @throws std::invalid_argument naming what is wrong with it.
model::Model build_model(const ModelSpec& spec);

}  // namespace wafertlm::config
