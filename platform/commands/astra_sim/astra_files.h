// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/describe/node.h"
#include "workloads/chakra/node.h"

namespace wafertlm::astra_sim {

/// The files that ASTRA-sim is called with; empty or "empty": none.
struct Files {
  std::string workload;  ///< PREFIX of PREFIX.<rank>.et, or a text workload of ASTRA-sim 1.0
  std::string system, network, remote_memory, comm_groups;
  std::string logical_topology;  ///< with it `network` is a configuration of the ns-3 back end
  double injection_scale = 1;    ///< factor of endpoint-delay
};

/// Something that the files ask for and that is not modelled.
struct Warning {
  std::string text;
  std::optional<chakra::CollectiveType> only_with = {};  ///< it matters only if a trace has such a collective
};

/// What the files say, in our own keys; each value has the place where the user's file says it. Everything
/// that they ask for and that is not modelled is in `warnings`.
struct Conversion {
  config::Node platform;
  config::Node experiment;  ///< without its platform; empty without a workload
  std::vector<Warning> warnings;
  std::uint64_t npus = 0;
  std::string npus_name = "npus_count";  ///< what says how many there are
  config::SourceLocation npus_place;
  bool no_remote_memory = false;  ///< NO_MEMORY_EXPANSION: loads and stores are an error
};

/// @throws config::ConfigError with file, line and column: a file that cannot be read, an unknown key, a
/// value of another kind or out of range, a key twice, lists whose lengths differ.
Conversion convert(const Files& files);

/// The same as files of ours, names and texts: platform.yaml and, with a workload, experiment.yaml.
std::vector<std::pair<std::string, std::string>> yaml_files(const Conversion& conversion);

}  // namespace wafertlm::astra_sim
