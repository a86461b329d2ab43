// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/chips.h"

#include <algorithm>

#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/systems.h"

namespace wafertlm::validate::steps {
namespace {

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
  const MeasuredSystem& system = system_of(row);
  const config::NpuSpec npu = accelerator_of(system);
  const auto devices = static_cast<double>(system.devices);
  const auto peak = [&](const config::RateSpec& rate) {
    return devices * rate.peak_operations_per_s.value_or(0);
  };
  Chip chip;
  chip.name = system.name;
  chip.is_tpu = system.kind == MeasuredSystem::Kind::tpu;
  chip.bf16 = std::max(peak(npu.compute.bf16), peak(npu.compute.fp16));
  chip.fp8 = std::max(peak(npu.compute.fp8), chip.bf16);
  chip.memory = devices * static_cast<double>(npu.hbm.bytes_per_s(false));
  chip.capacity = devices * static_cast<double>(npu.hbm.capacity_bytes);
  chip.scale_up = server_bytes_per_s(system);
  chip.domain = system.domain != 0 ? system.domain : system.gpus;
  chip.scale_out = static_cast<double>(system.nic_bytes_per_s);
  chip.attention_forward = system.attention_forward;
  chip.attention_backward = system.attention_backward;
  chip.devices = system.devices;
  chip.matrix_unit = system.matrix_unit;
  constexpr double kTera = 1e12, kTrayGpus = 4, kServerGpus = 8;
  const double node = system.gpus > kServerGpus ? kTrayGpus : kServerGpus;
  if (const double rate = scale_out_of(row.topology, node); rate > 0 && !chip.is_tpu) chip.scale_out = rate;
  if (const auto memory = number(row.topology, "HBM\\w* ([\\d.]+) ?TB/s")) chip.memory = *memory * kTera;
  return chip;
}

}  // namespace wafertlm::validate::steps
