// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm::model {

/// `count` matrix products (m × k) · (k × n) for one sample.
struct Gemm {
  /// What the k × n matrix is. Weights have a gradient of their own; of two activations both have one, and
  /// both belong to the input gradient.
  enum class Operand : std::uint8_t { weights, activations };
  /// What tensor parallelism divides.
  enum class Split : std::uint8_t {
    none,     ///< every rank computes all of it
    columns,  ///< n
    rows,     ///< k: the ranks' results are partial sums
    count,    ///< whole products, such as the heads of an attention
  };
  std::uint64_t m = 0, n = 0, k = 0, count = 1;
  Operand operand = Operand::weights;
  Split split = Split::none;
  bool of_experts =
      false;              ///< the m rows are divided among the model's experts, each with weights of its own
  bool has_shape = true;  ///< else it stands for m · n · k · count multiply-adds of unknown shape

  /// A multiply-add is 2 operations.
  std::uint64_t operations() const { return 2 * m * n * k * count; }
};

/// What the backward pass needs of a layer, per sample.
struct KeptActivations {
  std::uint64_t split_elements = 0;   ///< divided by tensor parallelism
  std::uint64_t shared_elements = 0;  ///< on every tensor-parallel rank, unless the sequence is split
  std::uint64_t shared_mask_bytes = 0;
  /// Divided by tensor parallelism; selective recomputation does not keep them (an attention's scores).
  std::uint64_t score_elements = 0, score_mask_bytes = 0;
};

/// A layer of a model; all counts are for the whole model, operations and elements per sample.
struct Layer {
  std::string name;
  std::uint64_t split_parameters = 0;   ///< divided by tensor parallelism
  std::uint64_t shared_parameters = 0;  ///< on every tensor-parallel rank: norms, some biases
  std::uint64_t expert_parameters = 0;  ///< of all experts; divided by expert and tensor parallelism
  /// Of a matrix that the model's first and last layer share, divided as split_parameters. The first owns it:
  /// there they are among its split_parameters.
  std::uint64_t tied_parameters = 0;
  std::vector<Gemm> gemms;
  std::uint64_t input_elements = 0;
  std::uint64_t output_elements = 0;  ///< handed to the next layer
  KeptActivations kept;
  // With tensor parallelism: what is a sum over the ranks, and all-reduced.
  bool reduces_output = false;
  bool reduces_input_gradient = false;
  bool holds_vocabulary = false;          ///< is split only if the strategy splits the vocabulary
  std::uint64_t dispatched_elements = 0;  ///< that an all-to-all to or from the experts carries
  std::uint32_t exchanges = 0;            ///< all-to-alls of the forward pass: there, and back
  bool needs_input_gradient = true;       ///< false for what reads the samples themselves

  std::uint64_t parameters() const { return split_parameters + shared_parameters + expert_parameters; }
};

/// Layers that stay on one pipeline stage.
struct Block {
  std::string name;
  std::vector<Layer> layers;
};

struct Model {
  std::string name;
  std::string sample;              ///< what a sample is: "an image", "a sequence of 1024 tokens"
  std::uint64_t tokens = 0;        ///< of a sample; 0: it is no sequence of tokens
  std::uint64_t input_bytes = 0;   ///< of a sample
  std::vector<Layer> first, last;  ///< before and behind the blocks, on the first and the last stage
  std::vector<Block> blocks;
  bool has_equal_blocks = false;  ///< all alike: a stage may hold a fraction of one
  std::uint64_t heads = 0;        ///< of an attention; 0: none
  std::uint64_t kv_heads = 0;
  std::uint64_t experts = 0;  ///< of a mixture; 0: none
};

/// Sums over a model. @throws std::invalid_argument when one does not fit 63 bits.
std::uint64_t parameters(const Model& model);
std::uint64_t forward_operations(const Model& model);

/// Operations of the parts of a training step, per sample. The two gradients of a product with weights take
/// as many as the product; those of a product of two activations twice as many, all in the input gradient.
std::uint64_t forward_operations(const Layer& layer);
std::uint64_t input_gradient_operations(const Layer& layer);
std::uint64_t weight_gradient_operations(const Layer& layer);

enum class Recompute : std::uint8_t {
  none,
  selective,  ///< an attention's scores
  full,       ///< the forward pass of a block, from its input
};
/// Forward, backward and recomputation of all layers; the first and last layers are not recomputed (as in
/// Narayanan et al., SC 2021).
std::uint64_t step_operations(const Model& model, Recompute recompute);

/// The divisors of `number` next below and above `wanted`, as "4 or 7"; one if there is only one.
std::string nearest_divisors(std::uint64_t number, std::uint64_t wanted);

/// Visits all layers in forward order: visit(layer, of_a_block).
template <typename Visit>
void for_each_layer(const Model& model, const Visit& visit) {
  for (const Layer& layer : model.first) visit(layer, false);
  for (const Block& block : model.blocks)
    for (const Layer& layer : block.layers) visit(layer, true);
  for (const Layer& layer : model.last) visit(layer, false);
}

}  // namespace wafertlm::model
