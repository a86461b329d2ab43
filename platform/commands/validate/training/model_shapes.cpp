// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/model_shapes.h"

#include <memory>
#include <ostream>
#include <vector>

#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/validation_row.h"
#include "platform/describe/document.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/host/presets.h"
#include "platform/text/format.h"

namespace wafertlm::validate::steps {
namespace {

/// configs/validation/models.yaml.
struct Shapes {
  std::string name;
  std::vector<ModelShape> models;
};

std::shared_ptr<const config::Struct<Shapes>> shapes_type() {
  using namespace config;
  using M = ModelShape;
  static const auto type = [] {
    const auto size = integer<std::uint64_t>(0, 10'000'000);
    auto experts = std::make_shared<Struct<Experts>>("shape_experts");
    experts->required("count", &Experts::count, size, "Of a layer")
        .required("per_token", &Experts::per_token, size, "That a token goes to")
        .required("hidden", &Experts::hidden, size, "Width of one")
        .optional("shared_hidden", &Experts::shared_hidden, size, "Width of those that see every token")
        .optional("dense_layers", &Experts::dense_layers, size, "First layers without experts");
    auto latent = std::make_shared<Struct<Latent>>("shape_latent");
    latent->required("query_rank", &Latent::query_rank, size, "Of the compressed query")
        .required("value_rank", &Latent::value_rank, size, "Of the compressed key and value")
        .required("plain", &Latent::plain, size, "Elements of a head without positions")
        .required("rotary", &Latent::rotary, size, "… with positions")
        .required("value", &Latent::value, size, "… of its value");
    auto model = std::make_shared<Struct<M>>("shape");
    model->required("model", &M::name, text(), "What it is called")
        .required("pattern", &M::pattern, text(),
                  "Regular expression of its name in a row, whatever the case")
        .required("layers", &M::layers, size, "Of the decoder")
        .required("hidden", &M::hidden, size, "Elements of a token")
        .required("heads", &M::heads, size, "Of the attention")
        .optional("kv_heads", &M::kv_heads, size, "Of keys and values; 0: as many as heads")
        .required("head", &M::head, size, "Elements of a head")
        .required("mlp_hidden", &M::mlp_hidden, size, "Width of a plain layer's MLP")
        .optional("gated", &M::gated, boolean(), "The MLP has three matrices")
        .required("vocabulary", &M::vocabulary, size, "Tokens there are")
        .optional("tied", &M::tied, boolean(), "The head is the embedding")
        .required("sequence", &M::sequence, size, "Tokens trained with, if a row says none")
        .optional("experts", &M::experts, experts, "A mixture of experts")
        .optional("latent", &M::latent, latent, "Attention over a compressed key and value (MLA)");
    auto made = std::make_shared<Struct<Shapes>>("shapes");
    made->presets_in("validation");
    made->required("shapes", &Shapes::name, text(), "Name of the table")
        .required("models", &Shapes::models, list_of<M>(model, 1, 10'000), "The first that matches counts");
    return made;
  }();
  return type;
}

std::vector<ModelShape> load_shapes(const std::string& path) {
  const config::Node root = config::load_document(path, "shapes", "configs/validation/models.yaml");
  config::Origins origins;
  std::vector<ModelShape> models = shapes_type()->read(config::Reader(root, "", origins)).models;
  for (ModelShape& each : models)
    if (each.kv_heads == 0) each.kv_heads = each.heads;
  return models;
}

const std::vector<ModelShape>& shapes() {
  static const std::vector<ModelShape> table =
      load_shapes((required_configs_folder({"validation"}) / "validation" / "models.yaml").string());
  return table;
}

constexpr double kMostOfADimension = 1e6;

std::uint64_t dimension(const std::string& text, const char* expression, std::uint64_t otherwise = 0) {
  const auto value = number(text, expression);
  if (!value) return otherwise;
  if (!(*value >= 1 && *value <= kMostOfADimension))
    throw CannotSay("a dimension of the model is out of range");
  return static_cast<std::uint64_t>(*value);
}

/// A GPT by its dimensions.
ModelShape written_shape(const std::string& text) {
  ModelShape shape;
  shape.name = match(text, "(\\w+ ?[\\d.]+[BT])\\b").value_or("GPT");
  shape.layers = dimension(text, "(?:layers|\\bL) ?=?(\\d+)");
  shape.hidden = dimension(text, "(?:hidden(?: size)?|\\bh) ?=?(\\d+)");
  shape.heads = dimension(text, "heads ?=?(\\d+)");
  shape.kv_heads = dimension(text, "kv[ _]?heads ?=?(\\d+)", shape.heads);
  shape.head = shape.heads != 0 ? shape.hidden / shape.heads : 0;
  shape.mlp_hidden = dimension(text, "ffn(?: hidden)? ?=?(\\d+)", 4 * shape.hidden);
  shape.gated = says(text, "llama|swiglu|gated") || shape.mlp_hidden < 3 * shape.hidden;
  shape.vocabulary = dimension(text, "vocab(?:ulary)? ?=?(\\d+)", 51200);
  shape.tied = !shape.gated;
  shape.sequence = 2048;
  return shape;
}

}  // namespace

config::FileKind shapes_file_kind() {
  return {shapes_type().get(), "validate", "shapes of models that rows of training steps name",
          [](const config::CheckRequest& request, std::ostream& out) {
            out << config::check_line("models", counted(load_shapes(request.file).size(), "model"));
          }};
}

std::uint64_t ModelShape::query_width() const {
  return heads * (latent.query_rank != 0 ? latent.plain + latent.rotary : head);
}
std::uint64_t ModelShape::value_width() const {
  return heads * (latent.query_rank != 0 ? latent.value : head);
}
double ModelShape::attention_parameters() const {
  const auto of = [](std::uint64_t rows, std::uint64_t columns) {
    return static_cast<double>(rows * columns);
  };
  if (latent.query_rank == 0)
    return of(hidden, query_width() + 2 * kv_heads * head) + of(value_width(), hidden);
  return of(hidden, latent.query_rank) + of(latent.query_rank, query_width()) +
         of(hidden, latent.value_rank + latent.rotary) +
         of(latent.value_rank, heads * (latent.plain + latent.value)) + of(value_width(), hidden);
}
double ModelShape::mlp_parameters() const {
  return static_cast<double>((gated ? 3 : 2) * hidden * mlp_hidden);
}
double ModelShape::expert_parameters() const {
  return static_cast<double>((gated ? 3 : 2) * hidden * experts.hidden);
}
double ModelShape::shared_parameters() const {
  return attention_parameters() +
         static_cast<double>((gated ? 3 : 2) * hidden * experts.shared_hidden + hidden * experts.count);
}
double ModelShape::active_parameters() const {
  const auto mixtures = static_cast<double>(mixture_layers());
  const double plain = static_cast<double>(layers) - mixtures;
  return plain * (attention_parameters() + mlp_parameters()) + embedding_parameters() +
         mixtures * (shared_parameters() + static_cast<double>(experts.per_token) * expert_parameters());
}
double ModelShape::parameters() const {
  const auto mixtures = static_cast<double>(mixture_layers());
  const double others = static_cast<double>(experts.count) - static_cast<double>(experts.per_token);
  return active_parameters() + (tied ? 0 : embedding_parameters()) + mixtures * others * expert_parameters();
}

ModelShape shape_of(const std::string& text) {
  const ModelShape written = written_shape(text);
  if (written.layers != 0 && written.hidden != 0 && written.heads != 0) return written;
  for (const ModelShape& shape : shapes())
    if (says(text, shape.pattern)) return shape;
  throw CannotSay("no model of the table of shapes is named, and no layers, hidden and heads are given");
}

}  // namespace wafertlm::validate::steps
