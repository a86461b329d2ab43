// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "star_params.h"
#include "tlm/shape/topology.h"

namespace wafertlm::star {

/// Link n leads to NPU n, link npus + n comes from it.
class StarTopology final : public Topology {
 public:
  explicit StarTopology(const StarParams& star);

  std::uint32_t npus() const override { return star_.npus; }
  std::size_t links() const override { return std::size_t{2} * star_.npus; }
  TopologyLink link(std::size_t number) const override;
  std::string link_name(std::size_t number) const override;
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override;

 private:
  const StarParams star_;
};

}  // namespace wafertlm::star
