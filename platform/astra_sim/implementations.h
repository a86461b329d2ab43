// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "platform/astra_sim/astra_files.h"
#include "platform/astra_sim/input_keys.h"

namespace wafertlm::astra_sim {

/// What `…-implementation` says, as YAML.
struct Implementations {
  std::string algorithms;    ///< keys below `collectives`
  std::string by_dimension;  ///< keys below `collectives.dimensions`
  std::string custom;        ///< `collectives.custom`, or nothing
  std::vector<Warning> warnings;
};

/// Of all types of collectives. @throws std::invalid_argument: an unknown algorithm, or not one for each
/// dimension.
Implementations read_implementations(InputKeys& system, std::size_t dimensions);

}  // namespace wafertlm::astra_sim
