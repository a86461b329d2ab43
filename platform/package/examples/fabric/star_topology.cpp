// SPDX-License-Identifier: Apache-2.0
#include "star_topology.h"

namespace wafertlm::star {

StarTopology::StarTopology(const StarParams& star)
    : Topology({star.link_bytes_per_s, star.link_bytes_per_s}), star_(star) {}

TopologyLink StarTopology::link(std::size_t) const {
  return {star_.link_bytes_per_s, head_latency_ps(NpuId{0}, NpuId{1})};
}

std::string StarTopology::link_name(std::size_t number) const {
  const std::string npu = "npu" + std::to_string(number % star_.npus);
  return number < star_.npus ? "hub->" + npu : npu + "->hub";
}

void StarTopology::append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const {
  route.push_back(star_.npus + index_of(from));
  route.push_back(index_of(to));
}

TimePs StarTopology::head_latency_ps(NpuId, NpuId) const {
  return 2 * star_.link_latency_ps + star_.pipeline_ps;
}

std::shared_ptr<const FabricGraph> star_graph(const StarParams& star) {
  std::vector<FabricGraph::Vertex> vertices;
  std::vector<FabricGraph::Link> links;
  for (std::uint32_t n = 0; n < star.npus; ++n) {
    vertices.push_back({"npu" + std::to_string(n), 0});
    links.push_back({star.npus, n, star.link_bytes_per_s, star.link_latency_ps, 0, false});
  }
  for (std::uint32_t n = 0; n < star.npus; ++n)
    links.push_back({n, star.npus, star.link_bytes_per_s, star.link_latency_ps, 0, false});
  vertices.push_back({"hub", star.pipeline_ps});
  return std::make_shared<const FabricGraph>(star.npus, std::move(vertices), std::move(links));
}

}  // namespace wafertlm::star
