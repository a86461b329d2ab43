// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm {

/// A flow through a FRED switch: the sum over the input ports goes to all output ports. Unicast 1→1,
/// multicast 1→k, reduce k→1, all-reduce k→k.
struct FredFlow {
  std::vector<std::uint32_t> inputs, outputs;  ///< ports, sorted
};

/// Sorts the ports of each flow. Flows that are in a switch at the same time share no input port and no
/// output port.
/// @throws std::invalid_argument that names the flow and the port: no inputs or outputs, a port that the
/// switch does not have, a port twice in a flow or (unless `take_turns`) in two flows.
std::vector<FredFlow> checked_flows(std::vector<FredFlow> flows, std::uint32_t ports,
                                    bool take_turns = false);

bool share_a_port(const FredFlow& a, const FredFlow& b);

/// Tells sets of flows apart: the input and output ports of each, one after the other.
std::vector<std::uint32_t> ports_of_all(const std::vector<FredFlow>& flows);

/// "0,1->4".
std::string to_string(const FredFlow& flow);

}  // namespace wafertlm
