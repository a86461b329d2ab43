// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace wafertlm::model {
namespace {

using Operand = Gemm::Operand;
using Split = Gemm::Split;

/// Names the parts of a transformer per sequence; s tokens of h elements each.
class Builder {
 public:
  explicit Builder(const TransformerSpec& spec)
      : spec_(spec),
        s_(spec.sequence),
        h_(spec.hidden),
        head_(spec.hidden / spec.heads),
        kv_(spec.kv_heads != 0 ? spec.kv_heads : spec.heads),
        f_(spec.mlp_hidden != 0 ? spec.mlp_hidden : 4 * spec.hidden) {}

  Layer embedding() const {
    Layer layer;
    layer.name = "embedding";
    layer.split_parameters = spec_.vocabulary * h_;
    layer.shared_parameters = spec_.learned_positions ? s_ * h_ : 0;
    layer.tied_parameters = tied();
    layer.input_elements = layer.output_elements = s_ * h_;
    layer.kept.shared_mask_bytes = mask(s_ * h_);
    layer.reduces_output = layer.holds_vocabulary = true;
    layer.needs_input_gradient = false;
    return layer;
  }

  Layer attention() const {
    Layer layer;
    layer.name = "attention";
    const std::uint64_t outputs = h_ + 2 * kv_ * head_;  // query, key and value
    layer.split_parameters = h_ * outputs + h_ * h_ + bias(outputs);
    layer.shared_parameters = bias(h_) + norm();
    layer.gemms = {{s_, outputs, h_, 1, Operand::weights, Split::columns},
                   {s_, s_, head_, spec_.heads, Operand::activations, Split::count},
                   {s_, head_, s_, spec_.heads, Operand::activations, Split::count},
                   {s_, h_, h_, 1, Operand::weights, Split::rows}};
    layer.input_elements = layer.output_elements = s_ * h_;
    layer.kept.split_elements = s_ * (outputs + h_);  // query, key, value; the projection's input
    layer.kept.shared_elements = 2 * s_ * h_;         // the norm's input, the products' input
    layer.kept.shared_mask_bytes = mask(s_ * h_);
    const std::uint64_t scores = spec_.heads * s_ * s_;
    layer.kept.score_elements = (spec_.dropout ? 2 : 1) * scores;  // softmax, and what dropout leaves of it
    layer.kept.score_mask_bytes = mask(scores);
    layer.reduces_output = layer.reduces_input_gradient = true;
    return layer;
  }

  Layer mlp() const {
    Layer layer;
    layer.name = "mlp";
    layer.split_parameters = matrices() * h_ * f_ + bias((matrices() - 1) * f_);
    layer.shared_parameters = bias(h_) + norm();
    layer.gemms = {{s_, f_, h_, matrices() - 1, Operand::weights, Split::columns},
                   {s_, h_, f_, 1, Operand::weights, Split::rows}};
    layer.input_elements = layer.output_elements = s_ * h_;
    layer.kept.split_elements = s_ * f_ * matrices();  // before and behind the activation
    layer.kept.shared_elements = 2 * s_ * h_;
    layer.kept.shared_mask_bytes = mask(s_ * h_);
    layer.reduces_output = layer.reduces_input_gradient = true;
    return layer;
  }

  Layer mixture() const {
    Layer layer = mlp();
    layer.name = "experts";
    const std::uint64_t per_token = spec_.experts_per_token;
    layer.expert_parameters = spec_.experts * (layer.split_parameters + bias(h_));
    layer.split_parameters = 0;
    layer.shared_parameters = norm() + h_ * spec_.experts;
    layer.gemms = {{s_, spec_.experts, h_, 1, Operand::weights, Split::none},
                   {s_ * per_token, f_, h_, matrices() - 1, Operand::weights, Split::columns, true},
                   {s_ * per_token, h_, f_, 1, Operand::weights, Split::rows, true}};
    layer.kept.split_elements *= per_token;
    layer.kept.shared_elements = (1 + per_token) * s_ * h_;
    layer.dispatched_elements = s_ * per_token * h_;
    layer.exchanges = 2;
    return layer;
  }

  Layer head() const {
    Layer layer;
    layer.name = "head";
    layer.split_parameters = spec_.vocabulary * h_ - tied();
    layer.tied_parameters = tied();
    layer.shared_parameters = norm();
    layer.gemms = {{s_, spec_.vocabulary, h_, 1, Operand::weights, Split::columns}};
    layer.input_elements = s_ * h_;
    layer.output_elements = s_;                             // a loss per token
    layer.kept.split_elements = 2 * s_ * spec_.vocabulary;  // logits in 4 bytes
    layer.kept.shared_elements = 2 * s_ * h_;
    layer.reduces_input_gradient = layer.holds_vocabulary = true;
    return layer;
  }

 private:
  std::uint64_t bias(std::uint64_t outputs) const { return spec_.biases ? outputs : 0; }
  std::uint64_t norm() const { return spec_.norm == Norm::layer ? 2 * h_ : h_; }
  std::uint64_t mask(std::uint64_t elements) const { return spec_.dropout ? elements : 0; }
  std::uint64_t tied() const { return spec_.tied_embeddings ? spec_.vocabulary * h_ : 0; }
  std::uint64_t matrices() const { return spec_.gated_mlp ? 3 : 2; }

  const TransformerSpec& spec_;
  std::uint64_t s_, h_, head_, kv_, f_;
};

void check(const TransformerSpec& spec) {
  const auto fail = [&](const std::string& text) {
    throw std::invalid_argument("transformer " + spec.name + ": " + text);
  };
  const std::pair<const char*, std::uint64_t> positive[] = {
      {"layers", spec.layers},     {"hidden", spec.hidden},         {"heads", spec.heads},
      {"sequence", spec.sequence}, {"vocabulary", spec.vocabulary}, {"moe_every", spec.moe_every}};
  for (const auto& [name, value] : positive)
    if (value == 0) fail(std::string(name) + " is 0");
  if (spec.hidden % spec.heads != 0)
    fail(fmt::format("hidden ({}) does not divide by heads ({}); heads that do: {}", spec.hidden, spec.heads,
                     nearest_divisors(spec.hidden, spec.heads)));
  if (spec.kv_heads != 0 && spec.heads % spec.kv_heads != 0)
    fail(fmt::format("heads ({}) do not divide by kv_heads ({}); kv_heads that do: {}", spec.heads,
                     spec.kv_heads, nearest_divisors(spec.heads, spec.kv_heads)));
  if (spec.experts != 0 && (spec.experts_per_token == 0 || spec.experts_per_token > spec.experts))
    fail(fmt::format("experts_per_token is {}, but must lie between 1 and {}, the number of experts",
                     spec.experts_per_token, spec.experts));
  if (spec.experts == 0 && spec.experts_per_token != 0) fail("experts_per_token without experts");
}

}  // namespace

Model transformer(const TransformerSpec& spec) {
  check(spec);
  const Builder build(spec);
  Model model;
  model.name = spec.name;
  model.sample = fmt::format("a sequence of {} tokens", spec.sequence);
  model.tokens = spec.sequence;
  model.input_bytes = 4 * spec.sequence;  // token numbers
  model.heads = spec.heads;
  model.kv_heads = spec.kv_heads != 0 ? spec.kv_heads : spec.heads;
  model.experts = spec.experts;
  model.has_equal_blocks = spec.experts == 0 || spec.moe_every == 1;
  model.first = {build.embedding()};
  model.last = {build.head()};
  for (std::uint64_t b = 0; b < spec.layers; ++b) {
    const bool has_experts = spec.experts != 0 && (b + 1) % spec.moe_every == 0;
    model.blocks.push_back(
        {fmt::format("layer{}", b), {build.attention(), has_experts ? build.mixture() : build.mlp()}});
  }
  return model;
}

}  // namespace wafertlm::model
