// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/shape/topology.h"

namespace wafertlm {

/// All that carries bytes between the NPUs of a fabric: a directed graph, as lower bounds and synthesized
/// collectives look at it. NPU n is vertex n; the others are switches and routers.
struct LinkGraph {
  struct Link {
    std::uint32_t from = 0, to = 0;  ///< vertices
    std::uint64_t bytes_per_s = 0;
  };
  std::uint32_t npus = 0;
  std::vector<std::string> vertices;  ///< names, as in results
  std::vector<Link> links;            ///< also NPUs' own ports; there may be several between two vertices

  std::string link_name(std::size_t number) const {
    return vertices[links[number].from] + "->" + vertices[links[number].to];
  }
};

/// A topology that can say all its links, and whose switches pass packets on to one output each: they neither
/// add nor copy.
class KnowsLinks {
 public:
  virtual ~KnowsLinks() = default;
  virtual LinkGraph link_graph() const = 0;
  /// Whether a link of the topology, by number, carries nothing, because it or one of its ends has failed.
  /// The graph is without it; routes do not look at that.
  virtual bool has_failed(std::size_t /*link*/) const { return false; }
};

/// None: the topology does not know its links one by one.
inline const KnowsLinks* links_of(const Topology& topology) {
  return dynamic_cast<const KnowsLinks*>(&topology);
}

}  // namespace wafertlm
