// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/chips.h"

#include <array>
#include <string>

#include "platform/commands/validate/row_text.h"

namespace wafertlm::validate::steps {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;
constexpr std::uint64_t kSlice = 1u << 14;  // a torus, whole

// Peaks, memory and network: data sheets. NVLink: links times payload, as NCCL counts it. Attention:
// FlashAttention-2 (A100: arXiv 2307.08691), -3 (H100: arXiv 2407.08608), cuDNN and -4 on Blackwell, causal,
// head 128, long sequences.
const std::array<Chip, 19> kChips = {{
    {"GB300", "GB300", false, 2500 * kTera, 5000 * kTera, 8000 * kGiga, 279 * kGiga, 721.8 * kGiga, 72,
     100 * kGiga, 0.65, 0.48, 1},
    {"GB200", "GB200", false, 2500 * kTera, 5000 * kTera, 8000 * kGiga, 186 * kGiga, 721.8 * kGiga, 72,
     50 * kGiga, 0.65, 0.48, 1},
    {"B300", "B300", false, 2250 * kTera, 4500 * kTera, 8000 * kGiga, 270 * kGiga, 721.8 * kGiga, 8,
     100 * kGiga, 0.65, 0.48, 1},
    {"B200", "B200", false, 2250 * kTera, 4500 * kTera, 8000 * kGiga, 180 * kGiga, 721.8 * kGiga, 8,
     50 * kGiga, 0.65, 0.48, 1},
    {"H200", "H200", false, 989 * kTera, 1979 * kTera, 4800 * kGiga, 141 * kGiga, 370.8 * kGiga, 8,
     50 * kGiga, 0.62, 0.53, 1},
    {"H100", "H100", false, 989 * kTera, 1979 * kTera, 3350 * kGiga, 80 * kGiga, 370.8 * kGiga, 8, 50 * kGiga,
     0.62, 0.53, 1},
    {"H800", "H800", false, 989 * kTera, 1979 * kTera, 3350 * kGiga, 80 * kGiga, 160 * kGiga, 8, 50 * kGiga,
     0.62, 0.53, 1},
    {"H20", "\\bH20\\b", false, 148 * kTera, 296 * kTera, 4000 * kGiga, 96 * kGiga, 370.8 * kGiga, 8,
     50 * kGiga, 0.62, 0.53, 1},
    {"A100-40", "A100[- ](SXM4[- ])?40", false, 312 * kTera, 312 * kTera, 1555 * kGiga, 40 * kGiga,
     240 * kGiga, 8, 25 * kGiga, 0.6, 0.55, 1},
    {"A100", "A100|A800", false, 312 * kTera, 312 * kTera, 2039 * kGiga, 80 * kGiga, 240 * kGiga, 8,
     25 * kGiga, 0.6, 0.55, 1},
    {"V100", "V100", false, 125 * kTera, 125 * kTera, 900 * kGiga, 32 * kGiga, 120 * kGiga, 8, 12.5 * kGiga,
     0.4, 0.4, 1},
    {"MI355X", "MI355", false, 2516 * kTera, 5033 * kTera, 8000 * kGiga, 288 * kGiga, 432 * kGiga, 8,
     50 * kGiga, 0.5, 0.4, 1},
    {"MI325X", "MI325", false, 1307 * kTera, 2615 * kTera, 6000 * kGiga, 256 * kGiga, 336 * kGiga, 8,
     50 * kGiga, 0.4, 0.3, 1},
    {"MI300X", "MI300", false, 1307 * kTera, 2615 * kTera, 5300 * kGiga, 192 * kGiga, 336 * kGiga, 8,
     50 * kGiga, 0.4, 0.3, 1},
    {"TPU7x", "TPU ?v?7|Ironwood", true, 2307 * kTera, 4614 * kTera, 7370 * kGiga, 192 * kGiga, 600 * kGiga,
     kSlice, 12.5 * kGiga, 0, 0, 2, 256},
    {"TPU v6e", "v6e|Trillium", true, 918 * kTera, 918 * kTera, 1640 * kGiga, 32 * kGiga, 224 * kGiga, 256,
     12.5 * kGiga, 0, 0, 1, 256},
    {"TPU v5p", "v5p", true, 459 * kTera, 459 * kTera, 2765 * kGiga, 95 * kGiga, 300 * kGiga, kSlice,
     6.25 * kGiga, 0, 0, 1, 128},
    {"TPU v5e", "v5e|v5 ?lite", true, 197 * kTera, 197 * kTera, 819 * kGiga, 16 * kGiga, 100 * kGiga, 256,
     6.25 * kGiga, 0, 0, 1, 128},
    {"TPU v4", "TPU ?v4|\\bv4\\b", true, 275 * kTera, 275 * kTera, 1228 * kGiga, 32 * kGiga, 150 * kGiga,
     kSlice, 6.25 * kGiga, 0, 0, 1, 128},
}};

/// "8 x 400 Gb/s NDR per node", "1600 Gb/s RoCE per node", "400 Gb/s per GPU": B/s of a chip. 0: not said.
double scale_out_of(const std::string& facts, double chips_of_a_node) {
  constexpr double kBytes = 1e9 / 8;
  if (const auto rate = number(facts, "([\\d.]+) ?Gb/s[^,;]* per GPU")) return *rate * kBytes;
  const auto rate = number(facts, "([\\d.]+) ?Gb/s[^,;]*per (?:node|server|\\d-GPU)");
  if (!rate) return 0;
  const double ports = number(facts, "(\\d+) ?x ?[\\d.]+ ?Gb/s").value_or(1);
  return ports * *rate * kBytes / number(facts, "per (\\d+)-GPU").value_or(chips_of_a_node);
}

}  // namespace

double Chip::peak(Precision precision) const {
  switch (precision) {
    case Precision::bf16:
      return bf16;
    case Precision::nvfp4:
      return 2 * fp8;
    default:
      return fp8;
  }
}

Chip chip_of(const ValidationRow& row) {
  for (const std::string& text : {row.system, row.topology})
    for (const Chip& each : kChips) {
      if (!says(text, each.words)) continue;
      Chip chip = each;
      const double node = chip.domain == 72 ? 4 : 8;
      if (const double rate = scale_out_of(row.topology, node); rate > 0 && !chip.is_tpu)
        chip.scale_out = rate;
      if (const auto memory = number(row.topology, "HBM\\w* ([\\d.]+) ?TB/s")) chip.memory = *memory * kTera;
      return chip;
    }
  throw CannotSay("no chip of the table is named");
}

}  // namespace wafertlm::validate::steps
