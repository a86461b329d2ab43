// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/model_spec.h"

namespace wafertlm::config {
namespace {

constexpr std::uint64_t kMaxCount = 1'000'000'000'000'000'000;  // parameters or operations
constexpr std::uint64_t kMaxSize = 100'000'000;                 // of one dimension

TypePtr<std::uint64_t> size() { return integer<std::uint64_t>(1, kMaxSize); }

std::shared_ptr<const Struct<LayerSpec>> layer_type() {
  auto type = std::make_shared<Struct<LayerSpec>>("layer");
  type->required("name", &LayerSpec::name, text(), "Name of the layer")
      .required("parameters", &LayerSpec::parameters, integer<std::uint64_t>(0, kMaxCount),
                "Trainable numbers")
      .required("forward_operations", &LayerSpec::forward_operations, integer<std::uint64_t>(0, kMaxCount),
                "Operations of the forward pass for one sample")
      .optional("activation_bytes", &LayerSpec::activation_bytes, integer<std::uint64_t>(0, kMaxCount),
                "Bytes of activations that a pass reads and writes for one sample, for durations: roofline; "
                "0: not known");
  return type;
}

std::shared_ptr<const Struct<model::TransformerSpec>> transformer_type() {
  using T = model::TransformerSpec;
  const auto or_none = integer<std::uint64_t>(0, kMaxSize);
  auto type = std::make_shared<Struct<T>>("transformer");
  type->required("layers", &T::layers, integer<std::uint64_t>(1, 100'000), "Attention and MLP blocks")
      .required("hidden", &T::hidden, size(), "Elements of a token between layers")
      .required("heads", &T::heads, size(), "Attention heads; divides hidden")
      .required("sequence", &T::sequence, size(), "Tokens of a sample")
      .required("vocabulary", &T::vocabulary, size(), "Different tokens")
      .optional("kv_heads", &T::kv_heads, or_none,
                "Grouped-query attention: key and value heads; 0: as many as heads")
      .optional("mlp_hidden", &T::mlp_hidden, or_none, "Elements inside the MLP; 0: 4 x hidden")
      .optional("gated_mlp", &T::gated_mlp, boolean(), "A second input matrix in the MLP (SwiGLU)")
      .optional("biases", &T::biases, boolean(), "Matrices have biases")
      .optional("norm", &T::norm, one_of<model::Norm>({"layer", "rms"}),
                "Normalisation: layer has scale and shift, rms scale alone")
      .optional("learned_positions", &T::learned_positions, boolean(), "A trained vector per position")
      .optional("tied_embeddings", &T::tied_embeddings, boolean(), "Embedding and head share their matrix")
      .optional("dropout", &T::dropout, boolean(), "Its masks are kept for the backward pass")
      .optional("experts", &T::experts, or_none, "Mixture of experts in place of the MLP; 0: none")
      .optional("experts_per_token", &T::experts_per_token, or_none, "Experts that work on a token")
      .optional("moe_every", &T::moe_every, size(), "Every so many-th block has experts");
  return type;
}

std::shared_ptr<const Struct<model::Convolution>> convolution_type() {
  using C = model::Convolution;
  auto type = std::make_shared<Struct<C>>("convolution");
  type->required("name", &C::name, text(), "Name of the layer")
      .required("in_channels", &C::in_channels, size(), "Input channels")
      .required("out_channels", &C::out_channels, size(), "Output channels")
      .optional("kernel", &C::kernel, size(), "Width and height of the kernel; 1 for a fully connected layer")
      .optional("out_size", &C::out_size, size(), "Width and height of the output")
      .optional("stride", &C::stride, size(), "Step of the kernel")
      .optional("groups", &C::groups, size(), "Groups of channels that do not see each other")
      .optional("batch_norm", &C::batch_norm, boolean(), "Its scale and shift count as parameters")
      .optional("bias", &C::bias, boolean(), "A parameter per output channel");
  return type;
}

std::shared_ptr<const Struct<model::DlrmSpec>> dlrm_type() {
  using D = model::DlrmSpec;
  const auto widths = list_of<std::uint64_t>(size(), 1, 1000);
  auto type = std::make_shared<Struct<D>>("dlrm");
  type->required("bottom", &D::bottom, widths,
                 "Widths of the bottom MLP, from the dense features to the embedding dimension")
      .required("top", &D::top, widths, "Widths of the top MLP behind the interaction, to the output")
      .required("tables", &D::tables, size(), "Embedding tables")
      .required("rows_per_table", &D::rows_per_table, integer<std::uint64_t>(1, kMaxCount), "Rows of each")
      .optional("lookups_per_table", &D::lookups_per_table, size(), "Rows summed per table and sample");
  return type;
}

void check_layers(const ModelSpec& spec, const Check& check) {
  try {
    build_model(spec);
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.transformer.heads, &spec.name}, error.what());
  }
}

/// The table as a model: operations rounded up to multiply-adds.
model::Model table_model(const ModelSpec& spec) {
  model::Model model;
  model.name = spec.name;
  model.sample = "a sample";
  for (const LayerSpec& row : spec.layers) {
    model::Layer layer;
    layer.name = row.name;
    layer.shared_parameters = row.parameters;
    model::Gemm multiply_adds{1, 1, (row.forward_operations + 1) / 2};
    multiply_adds.has_shape = false;
    layer.gemms = {multiply_adds};
    layer.needs_input_gradient = !model.blocks.empty();
    model.blocks.push_back({row.name, {layer}});
  }
  return model;
}

}  // namespace

model::Model build_model(const ModelSpec& spec) {
  switch (spec.kind) {
    case ModelKind::table:
      return table_model(spec);
    case ModelKind::transformer: {
      model::TransformerSpec transformer = spec.transformer;
      transformer.name = spec.name;
      return model::transformer(transformer);
    }
    case ModelKind::resnet:
      return model::convolutional(model::resnet(spec.name, spec.resnet_blocks));
    case ModelKind::convolutions: {
      model::ConvolutionalSpec net = spec.convolutions;
      net.name = spec.name;
      return model::convolutional(net);
    }
    case ModelKind::perceptron:
      return model::perceptron({spec.name, spec.perceptron_widths});
    case ModelKind::dlrm: {
      model::DlrmSpec dlrm = spec.dlrm;
      dlrm.name = spec.name;
      return model::dlrm(dlrm);
    }
  }
  return {};
}

std::shared_ptr<const Struct<ModelSpec>> model_type() {
  static const auto type = [] {
    using M = ModelSpec;
    auto model = std::make_shared<Struct<M>>("model");
    model->presets_in("workloads/models");
    model->required("model", &M::name, text(), "Name of the model");
    model->alternative(&M::kind, ModelKind::table)
        .required("layers", &M::layers, list_of<LayerSpec>(layer_type(), 1, 100'000),
                  "Layers in the order of the forward pass");
    model->alternative(&M::kind, ModelKind::transformer)
        .required("transformer", &M::transformer, transformer_type(), "A decoder-only transformer");
    model->alternative(&M::kind, ModelKind::resnet)
        .required("resnet", &M::resnet_blocks,
                  list_of<std::uint64_t>(integer<std::uint64_t>(1, 10'000), 1, 8),
                  "Bottleneck blocks of each stage: [3, 4, 6, 3] is ResNet-50, [3, 8, 36, 3] ResNet-152");
    model->alternative(&M::kind, ModelKind::convolutions)
        .required("convolutions", at(&M::convolutions, &model::ConvolutionalSpec::layers),
                  list_of<model::Convolution>(convolution_type(), 1, 100'000),
                  "Convolutions and fully connected layers in forward order");
    model->alternative(&M::kind, ModelKind::perceptron)
        .required("perceptron", &M::perceptron_widths, list_of<std::uint64_t>(size(), 2, 10'000),
                  "Widths of the layers, from the input to the output");
    model->alternative(&M::kind, ModelKind::dlrm)
        .required("dlrm", &M::dlrm, dlrm_type(), "A recommendation model");
    model->check(check_layers);
    return model;
  }();
  return type;
}

}  // namespace wafertlm::config
