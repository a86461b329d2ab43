// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/perceptron.h"

#include <fmt/core.h>

#include <stdexcept>

namespace wafertlm::model {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& text) {
  throw std::invalid_argument("the model " + name + ": " + text);
}

Layer dense(const std::string& name, std::uint64_t in, std::uint64_t out) {
  Layer layer;
  layer.name = name;
  layer.shared_parameters = (in + 1) * out;
  layer.gemms = {{1, out, in, 1, Gemm::Operand::weights, Gemm::Split::none}};
  layer.output_elements = out;
  layer.input_elements = layer.kept.shared_elements = in;
  return layer;
}

void add_layers(Model& model, const std::string& prefix, const std::vector<std::uint64_t>& widths) {
  for (std::size_t i = 1; i < widths.size(); ++i) {
    if (widths[i - 1] == 0 || widths[i] == 0) fail(model.name, "a layer of width 0");
    const std::string name = fmt::format("{}{}", prefix, i);
    model.blocks.push_back({name, {dense(name, widths[i - 1], widths[i])}});
  }
}

}  // namespace

Model perceptron(const PerceptronSpec& spec) {
  Model model;
  model.name = spec.name;
  model.sample = "a sample";
  if (spec.widths.size() < 2) fail(spec.name, "needs an input and an output width at least");
  model.input_bytes = 4 * spec.widths.front();
  add_layers(model, "layer", spec.widths);
  model.blocks.front().layers.front().needs_input_gradient = false;
  return model;
}

Model dlrm(const DlrmSpec& spec) {
  if (spec.bottom.size() < 2) fail(spec.name, "the bottom MLP needs two widths at least");
  if (spec.top.empty()) fail(spec.name, "the top MLP needs a width at least");
  if (spec.tables == 0 || spec.rows_per_table == 0 || spec.lookups_per_table == 0)
    fail(spec.name, "tables, rows_per_table and lookups_per_table must be at least 1");
  Model model;
  model.name = spec.name;
  model.sample = "a sample";
  const std::uint64_t dimension = spec.bottom.back();
  model.input_bytes = 4 * (spec.bottom.front() + spec.tables * spec.lookups_per_table);
  model.experts = spec.tables;
  add_layers(model, "bottom", spec.bottom);
  model.blocks.front().layers.front().needs_input_gradient = false;

  Layer embedding;
  embedding.name = "embedding";
  embedding.expert_parameters = spec.tables * spec.rows_per_table * dimension;
  embedding.output_elements = spec.tables * dimension;
  embedding.dispatched_elements = spec.tables * dimension;
  embedding.exchanges = 1;
  embedding.needs_input_gradient = false;
  model.blocks.push_back({embedding.name, {embedding}});

  Layer interaction;
  interaction.name = "interaction";
  const std::uint64_t vectors = spec.tables + 1;
  interaction.gemms = {{vectors, vectors, dimension, 1, Gemm::Operand::activations, Gemm::Split::none}};
  interaction.output_elements = dimension + vectors * (vectors - 1) / 2;
  interaction.input_elements = interaction.kept.shared_elements = vectors * dimension;
  model.blocks.push_back({interaction.name, {interaction}});

  std::vector<std::uint64_t> top{interaction.output_elements};
  top.insert(top.end(), spec.top.begin(), spec.top.end());
  add_layers(model, "top", top);
  return model;
}

}  // namespace wafertlm::model
