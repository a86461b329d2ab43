// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::astra_sim {

/// The files that ASTRA-sim is called with; empty or "empty": none.
struct Files {
  std::string workload;  ///< PREFIX of PREFIX.<rank>.et
  std::string system, network, remote_memory, comm_groups;
  double injection_scale = 1;  ///< factor of endpoint-delay
};

/// Something that the files ask for and that is not modelled.
struct Warning {
  std::string text;
  std::optional<chakra::CollectiveType> only_with = {};  ///< it matters only if a trace has such a collective
};

/// What the files say, as our own YAML. Everything that they ask for and that is not modelled is in
/// `warnings`.
struct Conversion {
  std::string platform_yaml, experiment_yaml;
  std::vector<Warning> warnings;
  std::uint64_t npus = 0;
  bool no_remote_memory = false;  ///< NO_MEMORY_EXPANSION: loads and stores are an error
};

/// @throws std::invalid_argument naming file and key: a file that cannot be read, an unknown key, a value of
/// another kind or out of range, a key twice, lists whose lengths differ.
/// `platform_file`: the name under which the experiment refers to the platform.
Conversion convert(const Files& files, const std::string& platform_file);

}  // namespace wafertlm::astra_sim
