// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm::astra_sim {

/// The files that ASTRA-sim is called with; empty or "empty": none.
struct Files {
  std::string workload;  ///< PREFIX of PREFIX.<rank>.et
  std::string system, network, remote_memory, comm_groups;
};

/// What the files say, as our own YAML. Everything that they ask for and that is not modelled is in
/// `warnings`.
struct Conversion {
  std::string platform_yaml, experiment_yaml;
  std::vector<std::string> warnings;
  std::uint64_t npus = 0;
  bool no_remote_memory = false;  ///< NO_MEMORY_EXPANSION: loads and stores are an error
};

/// @throws std::invalid_argument naming file and key: a file that cannot be read, an unknown key, a value of
/// another kind or out of range, lists whose lengths differ.
/// `platform_file`: the name under which the experiment refers to the platform.
Conversion convert(const Files& files, const std::string& platform_file);

}  // namespace wafertlm::astra_sim
