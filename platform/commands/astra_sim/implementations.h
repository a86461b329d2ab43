// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "platform/commands/astra_sim/astra_files.h"
#include "platform/commands/astra_sim/input_keys.h"

namespace wafertlm::astra_sim {

/// What `…-implementation` says.
struct Implementations {
  config::Node algorithms = config::Node::map({});    ///< keys below `collectives`
  config::Node by_dimension = config::Node::map({});  ///< keys below `collectives.dimensions`
  std::vector<Warning> warnings;
};

/// Of all types of collectives; `order`: ours of the dimensions. @throws config::ConfigError: an unknown
/// algorithm, or not one for each dimension.
Implementations read_implementations(InputKeys& system, std::size_t dimensions, const std::string& order);

}  // namespace wafertlm::astra_sim
