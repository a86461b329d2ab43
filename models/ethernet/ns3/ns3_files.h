// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <istream>
#include <string>
#include <vector>

#include "models/ethernet/engine/engine_params.h"
#include "models/ethernet/network/network.h"

namespace wafertlm::ethernet {

// The files of the ns-3 models of HPCC's authors and of ASTRA-sim. Errors are std::invalid_argument with
// "file:line: ".

struct Ns3Topology {
  Network network;
  std::uint32_t hosts_with_several_links = 0;
};

/// A topology: "nodes switches links", the switches' numbers, then "from to 200Gbps 0.005ms error-rate" per
/// link. Hosts keep their order. A host with several links has a switch of its own behind them, which is as
/// fast as they are together and passes packets of others on.
Ns3Topology read_ns3_topology(std::istream& in, const std::string& file);

struct Ns3Config {
  EthernetParams params;
  std::string topology_file;         ///< as it is written; empty: it is not
  std::size_t topology_line = 0;     ///< where
  std::vector<std::string> ignored;  ///< keys that say where and what to write, or what has no meaning here
};

/// A configuration ("KEY value …"; "{…}" behind it is a comment). Frames have 38 bytes beside payload and
/// telemetry, as there. @throws also for what would change results and is not modelled: link errors, links
/// that go down, HPCC-PINT.
Ns3Config read_ns3_config(std::istream& in, const std::string& file);

}  // namespace wafertlm::ethernet
