// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/model_shapes.h"

#include <vector>

#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/validation_row.h"

namespace wafertlm::validate::steps {
namespace {

/// The more special name first. Sources: the models' configuration files, and those of Megatron-LM,
/// llm-foundry (MPT) and MaxText (22B, 52B: configs/tpu/v4).
const std::vector<ModelShape>& shapes() {
  using M = ModelShape;
  static const std::vector<ModelShape> table = {
      M{"DeepSeek-V3",
        "DeepSeek[- ]?(V?3|R1)|\\b671B",
        61,
        7168,
        128,
        128,
        128,
        18432,
        true,
        129280,
        false,
        4096,
        {256, 8, 2048, 2048, 3},
        {1536, 512, 128, 64, 128}},
      M{"DeepSeek-V2",
        "DeepSeek[- ]?V2|\\b236B",
        60,
        5120,
        128,
        128,
        128,
        12288,
        true,
        102400,
        false,
        4096,
        {160, 6, 1536, 3072, 1},
        {1536, 512, 128, 64, 128}},
      M{"Kimi-K2",
        "Kimi[- ]?K2",
        61,
        7168,
        64,
        64,
        128,
        18432,
        true,
        163840,
        false,
        4096,
        {384, 8, 2048, 2048, 1},
        {1536, 512, 128, 64, 128}},
      M{"Mixtral-8x22B",
        "8 ?x ?22B",
        56,
        6144,
        48,
        8,
        128,
        16384,
        true,
        32768,
        false,
        4096,
        {8, 2, 16384},
        {}},
      M{"Mixtral-8x7B", "8 ?x ?7B", 32, 4096, 32, 8, 128, 14336, true, 32000, false, 4096, {8, 2, 14336}, {}},
      M{"Qwen3-235B-A22B",
        "235B",
        94,
        4096,
        64,
        4,
        128,
        12288,
        true,
        151936,
        false,
        4096,
        {128, 8, 1536},
        {}},
      M{"Qwen3-30B-A3B",
        "Qwen3[- ]?30B|30B-A3B",
        48,
        2048,
        32,
        4,
        128,
        6144,
        true,
        151936,
        false,
        4096,
        {128, 8, 768},
        {}},
      M{"Qwen2-57B-A14B",
        "57B-A14B",
        28,
        3584,
        28,
        4,
        128,
        18944,
        true,
        151936,
        false,
        4096,
        {64, 8, 2560, 20480},
        {}},
      M{"gpt-oss-120b",
        "oss[- ]?120B",
        36,
        2880,
        64,
        8,
        64,
        2880,
        true,
        201088,
        false,
        4096,
        {128, 4, 2880},
        {}},
      M{"gpt-oss-20b",
        "oss[- ]?20B",
        24,
        2880,
        64,
        8,
        64,
        2880,
        true,
        201088,
        false,
        4096,
        {32, 4, 2880},
        {}},
      M{"Llama-4-Maverick",
        "Maverick",
        48,
        5120,
        40,
        8,
        128,
        16384,
        true,
        202048,
        false,
        8192,
        {128, 1, 8192, 8192, 24},
        {}},
      M{"Llama-4-Scout",
        "Scout",
        48,
        5120,
        40,
        8,
        128,
        8192,
        true,
        202048,
        false,
        8192,
        {16, 1, 8192, 8192},
        {}},
      M{"Grok-1", "Grok", 64, 6144, 48, 8, 128, 32768, true, 131072, false, 8192, {8, 2, 32768}, {}},
      M{"DBRX", "DBRX", 40, 6144, 48, 8, 128, 10752, true, 100352, false, 4096, {16, 4, 10752}, {}},
      M{"MPT-70B", "MPT[- ]?70B", 80, 8192, 64, 64, 128, 32768, false, 50368, true, 2048, {}, {}},
      M{"MPT-30B", "MPT[- ]?30B", 48, 7168, 56, 56, 128, 28672, false, 50368, true, 2048, {}, {}},
      M{"MPT-13B", "MPT[- ]?13B", 40, 5120, 40, 40, 128, 20480, false, 50368, true, 2048, {}, {}},
      M{"MPT-7B", "MPT[- ]?7B", 32, 4096, 32, 32, 128, 16384, false, 50368, true, 2048, {}, {}},
      M{"MPT-3B", "MPT[- ]?3B", 32, 2560, 20, 20, 128, 10240, false, 50368, true, 2048, {}, {}},
      M{"MPT-1B", "MPT[- ]?1B", 24, 2048, 16, 16, 128, 8192, false, 50368, true, 2048, {}, {}},
      M{"MPT-760M", "MPT[- ]?760M", 24, 1536, 12, 12, 128, 6144, false, 50368, true, 2048, {}, {}},
      M{"MPT-350M", "MPT[- ]?350M", 24, 1024, 16, 16, 64, 4096, false, 50368, true, 2048, {}, {}},
      M{"MPT-125M", "MPT[- ]?125M", 12, 768, 12, 12, 64, 3072, false, 50368, true, 2048, {}, {}},
      M{"Llama-2-70B", "Llama[- ]?2[- ]?70B", 80, 8192, 64, 8, 128, 28672, true, 32000, false, 4096, {}, {}},
      M{"Llama-2-13B",
        "Llama[- ]?2?[- ]?13B",
        40,
        5120,
        40,
        40,
        128,
        13824,
        true,
        32000,
        false,
        4096,
        {},
        {}},
      M{"Llama-2-7B", "Llama[- ]?2?[- ]?7B", 32, 4096, 32, 32, 128, 11008, true, 32000, false, 4096, {}, {}},
      M{"Llama-65B", "Llama[- ]?1?[- ]?65B", 80, 8192, 64, 64, 128, 22016, true, 32000, false, 2048, {}, {}},
      M{"Llama-3.1-405B", "405B", 126, 16384, 128, 8, 128, 53248, true, 128256, false, 8192, {}, {}},
      M{"Llama-3-70B",
        "Llama[- ]?3[.\\d]*[- ]?(instruct[- ]?)?70B",
        80,
        8192,
        64,
        8,
        128,
        28672,
        true,
        128256,
        false,
        8192,
        {},
        {}},
      M{"Llama-3-8B",
        "Llama[- ]?3[.\\d]*[- ]?8B",
        32,
        4096,
        32,
        8,
        128,
        14336,
        true,
        128256,
        false,
        8192,
        {},
        {}},
      M{"Llama-3.2-3B",
        "Llama[- ]?3[.\\d]*[- ]?3B",
        28,
        3072,
        24,
        8,
        128,
        8192,
        true,
        128256,
        true,
        8192,
        {},
        {}},
      M{"Llama-3.2-1B",
        "Llama[- ]?3[.\\d]*[- ]?1B",
        16,
        2048,
        32,
        8,
        64,
        8192,
        true,
        128256,
        true,
        8192,
        {},
        {}},
      M{"Mistral-7B", "Mistral[- ]?7B", 32, 4096, 32, 8, 128, 14336, true, 32000, false, 8192, {}, {}},
      M{"Nemotron-4-340B", "340B", 96, 18432, 96, 8, 192, 73728, false, 256000, false, 4096, {}, {}},
      M{"Nemotron-4-15B",
        "Nemotron\\D*4?\\D*15B",
        32,
        6144,
        48,
        8,
        128,
        24576,
        false,
        256000,
        false,
        4096,
        {},
        {}},
      M{"Qwen-72B", "Qwen\\S*72B", 80, 8192, 64, 8, 128, 29568, true, 152064, false, 4096, {}, {}},
      M{"Qwen3-32B", "Qwen\\S*32B", 64, 5120, 64, 8, 128, 25600, true, 151936, false, 4096, {}, {}},
      M{"Qwen3-14B", "Qwen\\S*14B", 40, 5120, 40, 8, 128, 17408, true, 151936, false, 4096, {}, {}},
      M{"Qwen3-8B", "Qwen\\S*8B", 36, 4096, 32, 8, 128, 12288, true, 151936, false, 4096, {}, {}},
      M{"Gemma-2-27B", "Gemma\\S*27B", 46, 4608, 32, 16, 128, 36864, true, 256000, true, 8192, {}, {}},
      M{"Gemma-2-9B", "Gemma\\S*9B", 42, 3584, 16, 8, 256, 14336, true, 256000, true, 8192, {}, {}},
      M{"Falcon-180B", "180B", 80, 14848, 232, 8, 64, 59392, false, 65024, true, 2048, {}, {}},
      M{"BLOOM-176B", "BLOOM|176B", 70, 14336, 112, 112, 128, 57344, false, 250880, true, 2048, {}, {}},
      M{"MT-NLG-530B", "530B", 105, 20480, 128, 128, 160, 81920, false, 51200, true, 2048, {}, {}},
      M{"PaLM-540B", "540B", 118, 18432, 48, 1, 256, 73728, true, 256000, true, 2048, {}, {}},
      M{"GPT-3-175B", "175B", 96, 12288, 96, 96, 128, 49152, false, 51200, true, 2048, {}, {}},
      M{"GPT-NeoX-20B", "NeoX", 44, 6144, 64, 64, 96, 24576, false, 50432, false, 2048, {}, {}},
      M{"GPT-J-6B", "GPT-?J", 28, 4096, 16, 16, 256, 16384, false, 50400, false, 2048, {}, {}},
      M{"MaxText-22B", "\\b22B", 48, 6144, 24, 24, 256, 24576, false, 32000, false, 2048, {}, {}},
      M{"MaxText-52B", "\\b52B", 32, 12288, 32, 32, 256, 49152, false, 32000, false, 2048, {}, {}},
      M{"Llama-3-70B", "\\b70B", 80, 8192, 64, 8, 128, 28672, true, 128256, false, 8192, {}, {}},
      M{"Llama-3-8B", "\\b8B", 32, 4096, 32, 8, 128, 14336, true, 128256, false, 8192, {}, {}},
  };
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
  shape.words = "";
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
    if (says(text, shape.words)) return shape;
  throw CannotSay("no model of the table of shapes is named, and no layers, hidden and heads are given");
}

}  // namespace wafertlm::validate::steps
