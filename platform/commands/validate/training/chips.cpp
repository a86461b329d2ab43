// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/chips.h"

#include <algorithm>

#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/systems.h"

namespace wafertlm::validate::steps {
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
  if (!chip.is_tpu) chip.scale_out = nic_rate(row.topology, system.gpus).value_or(chip.scale_out);
  constexpr double kTera = 1e12;
  if (const auto memory = number(row.topology, "HBM\\w* ([\\d.]+) ?TB/s")) chip.memory = *memory * kTera;
  return chip;
}

}  // namespace wafertlm::validate::steps
