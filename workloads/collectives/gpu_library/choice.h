// SPDX-License-Identifier: Apache-2.0
// How a collective library of GPUs chooses: the model of its tuner (NCCL 2.30.7, src/graph/tuning.cc).
#pragma once
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/shape/gpu_library.h"
#include "workloads/collectives/gpu_library/servers.h"

namespace wafertlm {

enum class GpuAlgorithm : std::uint8_t { ring, tree, nvls, nvls_tree };

/// Something that the library may take, and what its own model says that it lasts.
struct GpuChoice {
  GpuAlgorithm algorithm{};
  GpuProtocol protocol{};
  TimePs latency_ps = 0;
  double bytes_per_s = 0;  ///< of the vector

  TimePs time_ps(std::uint64_t bytes) const {
    return latency_ps + static_cast<TimePs>(static_cast<double>(bytes) / bytes_per_s * kPsPerSecond);
  }
  /// Row of the table of algorithms: "ring_ll128", "nvls".
  std::string name() const;
};

/// What the library compares for a vector of `bytes`, fastest first. Empty: it cannot do this type.
std::vector<GpuChoice> gpu_choices(CollectiveType type, std::uint64_t bytes, const GpuLibrary& library,
                                   const Servers& servers);

}  // namespace wafertlm
