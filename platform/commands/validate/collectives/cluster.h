// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
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
  bool pipelines =
      true;  ///< small vectors, too; the kernels of MSCCL++ have a phase after the other for them
};

/// @throws CannotSay: no preset, or unequal servers.
Cluster cluster_of(const ValidationRow& row);

/// Bytes/s of a GPU's share of the network interfaces that a text tells: "8 x 400 Gb/s NDR per node", "400
/// Gb/s per GPU"; none: it does not say it. `gpus`: of a server.
std::optional<double> nic_rate(const std::string& text, std::uint32_t gpus);

}  // namespace wafertlm::validate
