// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/describe/node.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// The experiment of a file with every bandwidth below wafer.fabric `factor` times as large, at most what a
/// configuration takes.
struct FasterLinks {
  config::Node experiment;
  std::vector<std::string> settings;  ///< "wafer.fabric.link_bandwidth=1.5 TB/s"; "…[k]…" in lists
};
/// Of the map of a resolved experiment.
FasterLinks faster_links(config::Node experiment, std::uint64_t factor);

/// Time of the last iteration, simulated in a process of its own.
/// @throws as the run does.
TimePs simulated_iteration_ps(const config::Node& experiment);

}  // namespace wafertlm
