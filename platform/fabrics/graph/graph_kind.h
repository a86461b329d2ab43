// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/spec/fabric_kind.h"
#include "tlm/shape/fabric_graph.h"

namespace wafertlm {

/// A list of links (tlm/shape/fabric_graph.h).
std::unique_ptr<const FabricKind> graph_kind();

namespace config {

struct DefectsSpec;
struct FileKind;
/// The row of a graph in a file of its own.
FileKind graph_file_kind();

struct GraphSwitchSpec {
  std::string name;
  TimePs pipeline_ps = 0;
};

struct GraphLinkSpec {
  std::string from, to;
  std::uint64_t bandwidth_bytes_per_s = 0;  ///< each direction
  TimePs latency_ps = 0;
  bool one_way = false;
};

/// A fabric as a list of links. NPU n is called npu<n>.
struct GraphSpec {
  std::string name;
  std::uint32_t npus = 0;
  std::vector<GraphSwitchSpec> switches;
  std::vector<GraphLinkSpec> links;
  std::vector<std::vector<std::string>> routes;  ///< in place of the shortest way
  std::vector<std::vector<std::string>> rings;   ///< whose links have datelines, in both directions
  FabricGraph::Shortest shortest = FabricGraph::Shortest::hops;
  std::vector<std::vector<std::string>> wafers;  ///< names of what is on each; empty: there is one

  /// Made once, when it is first asked for. @throws std::invalid_argument as FabricGraph
  std::shared_ptr<const FabricGraph> built() const;
  /// With links that do not work, or are slow. Routes are found again over what is left; where these could
  /// deadlock, by up*/down*. Made once, too.
  std::shared_ptr<const FabricGraph> built(const DefectsSpec& defects) const;
  /// By vertex; empty: there is one.
  std::vector<std::uint32_t> wafer_of() const;

 private:
  std::shared_ptr<const FabricGraph> made(std::vector<FabricGraph::Link> list, FabricGraph::Ways ways) const;

  mutable std::shared_ptr<const FabricGraph> built_;
  mutable std::vector<std::uint32_t> broken_percent_;  // of links' bandwidth, of broken_
  mutable std::shared_ptr<const FabricGraph> broken_;
};

}  // namespace config
}  // namespace wafertlm
