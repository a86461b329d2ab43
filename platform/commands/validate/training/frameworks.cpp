// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/frameworks.h"

#include <array>
#include <string>

#include "platform/commands/validate/row_text.h"

namespace wafertlm::validate::steps {
namespace {

constexpr TensorOverlap kNone = TensorOverlap::none, kPipelined = TensorOverlap::pipelined;

// MLPerf, NeMo: NVIDIA's submissions and Megatron-Bridge's performance recipes reduce gradients in BF16;
// Megatron-LM's own table and torchtitan in FP32.
const std::array<Framework, 9> kFrameworks = {{
    {"MLPerf", "MLPerf", kNothing, kPipelined, false, 2, false, false, false, false},
    {"torchtitan", "torchtitan", kEverySecond, kNone, true, 4, true, true, false, false},
    {"NeMo", "NeMo|Megatron-Bridge", kNothing, kPipelined, false, 2, false, false, false, true},
    {"Megatron-LM", "Megatron", kNothing, kPipelined, false, 4, false, false, false, false},
    {"MaxText / TPU", "MaxText|TPU", kAllButLast, kPipelined, true, 2, true, false, false, true},
    {"MPT", "MPT|llm-foundry|Mosaic", kAll, kNone, true, 2, false, false, false, false},
    {"Llama 3", "Llama ?3", kNothing, kPipelined, false, 4, true, false, false, true},
    {"DeepSeek", "DeepSeek", kNothing, kPipelined, false, 4, false, false, true, true},
    {"other", "", kNothing, kPipelined, false, 4, false, false, false, false},
}};

constexpr Recomputed kContextKept = {true, false, true, true, false, true, 1};
constexpr Recomputed kQueryKept = {false, false, true, true, false, true, 1};
constexpr Recomputed kQueryOnlyKept = {false, true, true, true, false, true, 1};
constexpr Recomputed kProjectionsKept = {false, true, false, true, false, true, 1};
constexpr Recomputed kMlpIn = {false, false, false, true, false, true, 1};
constexpr Recomputed kMlp = {false, false, false, true, true, true, 1};
constexpr Recomputed kOutputKept = {true, true, false, true, false, true, 1};

// AI-Hypercomputer/tpu-recipes (training/v5p, training/ironwood), maxtext benchmarks and configs/tpu/v4:
// per_device_batch_size, max_target_length, remat_policy. A TPU7x chip is two devices. Megatron-Bridge
// (scripts/performance/configs): micro_batch_size where it is not 1.
const std::array<Recipe, 26> kRecipes = {{
    {"TPU v4", "MaxText-22B", 2048, 13, 1, kAllButLast},
    {"TPU v4", "MaxText-52B", 2048, 7, 1, kAllButLast},
    {"TPU v5p", "DeepSeek-V3", 8192, 6, 1, kOutputKept},
    {"TPU v5p", "Llama-3.1-405B", 8192, 2, 1, kContextKept},
    {"TPU v5p", "Mixtral-8x7B", 4096, 36, 1, kAllButLast},
    {"TPU v5p", "Llama-2-70B", 4096, 4, 1, kMlpIn},
    {"TPU v5p", "Llama-2-7B", 4096, 4, 1, kNothing},
    {"TPU v5p", "GPT-3-175B", 4096, 0.5, 2, kMlp},
    {"TPU v5p", "Llama-4-Scout", 8192, 8, 1, kAllButLast},
    {"TPU v5p", "Llama-4-Maverick", 8192, 4, 4, kOutputKept},
    {"TPU7x", "Llama-3-70B", 8192, 4, 1, kQueryKept},
    {"TPU7x", "Llama-3-70B", 131072, 0.25, 1, kQueryKept},
    {"TPU7x", "Llama-3.1-405B", 8192, 6, 1, kAllButLast},
    {"TPU7x", "gpt-oss-120b", 8192, 20, 1, kAllButLast},
    {"TPU v6e", "Llama-3-8B", 8192, 4, 1, kProjectionsKept},
    {"TPU v6e", "Llama-3-70B", 8192, 5, 1, kQueryOnlyKept},
    {"TPU v6e", "Llama-3.1-405B", 8192, 1, 1, kAllButLast},
    {"TPU v6e", "Llama-2-70B", 4096, 3, 1, kQueryOnlyKept},
    {"TPU v6e", "Mixtral-8x7B", 4096, 12, 1, kProjectionsKept},
    {"TPU v6e", "GPT-3-175B", 2048, 3, 1, kAllButLast},
    {"GB300", "DeepSeek-V3", 4096, 0, 1, kNothing, 2},
    {"GB300", "Qwen3-235B-A22B", 4096, 0, 1, kNothing, 2},
    {"GB300", "Qwen3-30B-A3B", 4096, 0, 1, kNothing, 8},
    {"B300", "Qwen3-30B-A3B", 4096, 0, 1, kNothing, 8},
    {"GB200", "Qwen3-30B-A3B", 4096, 0, 1, kNothing, 4},
    {"B200", "Qwen3-30B-A3B", 4096, 0, 1, kNothing, 4},
}};

}  // namespace

const Framework& framework_of(const ValidationRow& row) {
  for (const std::string& text : {row.system, row.source})
    for (const Framework& each : kFrameworks)
      if (*each.words != '\0' && says(text, each.words)) return each;
  return kFrameworks.back();
}

const Recipe* recipe_of(const Chip& chip, const std::string& model, std::uint64_t sequence) {
  for (const Recipe& each : kRecipes)
    if (chip.name == each.chip && model == each.model && (sequence == 0 || sequence == each.sequence))
      return &each;
  return nullptr;
}

}  // namespace wafertlm::validate::steps
