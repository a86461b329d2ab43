// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/describe/node.h"

namespace wafertlm::astra_sim {

/// What the files of the ns-3 back end say.
struct Ns3Network {
  config::Node fabric;      ///< wafer.fabric, of kind ethernet
  config::Node dimensions;  ///< an item for each logical dimension
  std::uint64_t npus = 0;
  config::SourceLocation npus_place;
  std::vector<std::string> warnings;
};

/// A topology is looked for as it is written, from the current folder as ns-3 does; then from the
/// configuration's folder; then by its name in that folder.
/// @throws config::ConfigError with file and line: what the configuration, its topology or the logical
/// dimensions say wrong; dimensions that do not multiply to the topology's hosts.
Ns3Network read_ns3_network(const std::string& config, const std::string& logical_topology);

}  // namespace wafertlm::astra_sim
