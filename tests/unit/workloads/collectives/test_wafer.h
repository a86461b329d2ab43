// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <random>

#include "models/mesh/mesh_topology.h"
#include "tests/support/groups.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/planner.h"

namespace wafertlm::test {

/// 750 GB/s links, 3 TB/s ports, 20 ns per hop.
inline FabricTraits wafer_of(std::uint32_t width, std::uint32_t height) {
  MeshParams mesh;
  mesh.width = width;
  mesh.height = height;
  mesh.link_bytes_per_s = 750'000'000'000;
  mesh.injection_bytes_per_s = mesh.ejection_bytes_per_s = 3'000'000'000'000;
  mesh.link_latency_ps = 20'000;
  FabricTraits traits;
  traits.topology = std::make_shared<MeshTopology>(mesh);
  return traits;
}

/// Some of the NPUs, in any order; one time in three all of them.
inline Group random_group(std::mt19937_64& random, std::uint32_t npu_count) {
  Group group = first_npus(npu_count);
  for (std::size_t i = group.size(); i > 1; --i) std::swap(group[i - 1], group[random() % i]);
  if (random() % 3 != 0) group.resize(1 + random() % npu_count);
  return group;
}

}  // namespace wafertlm::test
