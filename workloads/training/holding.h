// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "workloads/training/strategy.h"

namespace wafertlm::training {

/// Parameters by the ranks that compute with the same ones.
enum class Kind : std::uint8_t {
  dense,    ///< all of DP
  experts,  ///< those of DP that have the same experts
  tied,     ///< all of DP, on the first and on the last stage of a pipeline
};
constexpr std::array<Kind, 3> kKinds = {Kind::dense, Kind::experts, Kind::tied};

/// What there is of every parameter.
enum class Part : std::uint8_t {
  parameters,  ///< on the NPU; what a rank itself loads of those that are offloaded
  gradients,   ///< on the NPU, while they add up
  /// What a rank's optimizer works on: its state, the reduced gradients that it needs and the parameters that
  /// it changes. Also what a rank keeps in the remote memory, whatever of the three is offloaded.
  updated,
};

/// Ranks of a stage that compute with the same parameters.
std::uint32_t copies(const Strategy& strategy, Kind kind);

/// Who holds what: among how many of the copies() a part is divided, 1 or all. The only place that says so;
/// nodes, volumes and the memory account follow it. ZeRO (Rajbhandari et al. 2020) divides `updated` from
/// stage 1 on, gradients from 2, parameters from 3; reduce_scatter_all_gather makes stage 1 of stage 0.
std::uint32_t holders(const Strategy& strategy, Part part, Kind kind);

/// Whether a rank brings in parameters before it computes with them, from the remote memory or other ranks.
bool fetches(const Strategy& strategy, Kind kind);

}  // namespace wafertlm::training
