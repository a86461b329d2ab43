// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/spec/wafer_spec.h"
#include "tlm/shape/dimensions.h"
#include "tlm/shape/fabric_graph.h"

namespace wafertlm {

/// One wafer as a piece of a graph: all that the kind of its fabric says of it. Its NPUs, switches and I/O
/// controllers have numbers from 0 on.
struct WaferPiece {
  std::vector<FabricGraph::Vertex> switches;  ///< named as on a single wafer
  std::vector<FabricGraph::Link> links;       ///< between switches; each stands for both directions
  /// From an NPU to its switch, and back; all alike, without ends.
  FabricGraph::Link injection, ejection;
  std::vector<std::uint32_t> switch_of_npu, switch_of_controller;
  bool npus_first = false;  ///< among the ports of a switch, which are served in turn; controllers come last
  /// The switches that packets pass from one to another, both included. Within a wafer nothing may wait in a
  /// circle: neither what stays, nor what comes from a controller, nor what goes to one.
  std::function<std::vector<std::uint32_t>(std::uint32_t from, std::uint32_t to)> way;
  FabricGraph::Shortest ways = FabricGraph::Shortest::hops;  ///< of NPUs that have no given route

  /// NPUs have windows by exit, as Fabric::exits() (0 to NPUs on the same switch, 1 to others, 2 to
  /// controllers), and as many channels as on one wafer alone.
  bool ports_as_alone = false;
  /// As Fabric::message_bytes_per_s(); 0: as of any graph.
  std::uint64_t message_bytes_per_s = 0;

  std::vector<FabricDimension> dimensions;  ///< within the wafer
  TimePs to_controller_ps = 0;              ///< of the head, from an NPU to the controller's link
  std::uint32_t columns = 1;                ///< for patterns of traffic
  std::string in_words;                     ///< "5 x 4"

  std::uint32_t npus() const { return static_cast<std::uint32_t>(switch_of_npu.size()); }
  std::uint32_t controllers() const { return static_cast<std::uint32_t>(switch_of_controller.size()); }
};

}  // namespace wafertlm
