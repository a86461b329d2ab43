// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/fred/routing/netlist.h"

namespace wafertlm {

/// What arrives at the output ports: sums of input ports, with the order in which they were added.
struct FredValues {
  /// A sum of two earlier nodes. Nodes 0 to ports-1 are the input ports themselves.
  struct Sum {
    std::uint32_t left, right;
  };
  std::uint32_t ports = 0;
  std::vector<Sum> sums;                             ///< node ports + i
  std::vector<std::optional<std::uint32_t>> output;  ///< node of each output port; none: nothing arrives

  /// The expression tree as text: "((0+1)+5)"; "" when nothing arrives.
  std::string expression(std::uint32_t output_port) const;
};

/// Pushes symbolic values through the configured µswitches. It knows wires and configurations only, nothing
/// of how they were chosen.
/// @throws std::invalid_argument that names a µswitch asked for what it cannot do (check_configuration), or
/// one that takes an input on which nothing arrives and so would wait for ever.
FredValues evaluate(const FredNetlist& netlist, const FredConfiguration& configuration);

}  // namespace wafertlm
