// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/commands/validate/systems.h"
#include "platform/machine/collective_run.h"
#include "platform/machine/machine.h"
#include "platform/spec/ranges.h"
#include "platform/text/format.h"
#include "workloads/collectives/gpu_library/choice.h"

namespace wafertlm::validate {

/// The platform that a row is measured on: a preset with the row's GPUs and network interfaces.
struct Cluster {
  config::PlatformSpec spec;
  std::string name;  ///< "h100_cluster of 2x8, 50 GB/s each"
  std::string calibrated_by;
  std::uint32_t ranks = 0;
  /// Small vectors, too; for them the kernels of MSCCL++ have one phase after the other.
  bool pipelines = true;
};

/// @throws CannotSay: no preset, or unequal servers.
Cluster cluster_of(const ValidationRow& row);

}  // namespace wafertlm::validate
