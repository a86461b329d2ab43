// SPDX-License-Identifier: Apache-2.0
#include "platform/libra/wiring.h"

#include <algorithm>

namespace wafertlm::libra {

double link_share(const NetworkDimension& dimension) {
  if (dimension.shape == Shape::ring) return dimension.size == 2 ? 1 : 0.5;
  return dimension.shape == Shape::fully_connected ? 1.0 / (dimension.size - 1) : 1;
}

std::vector<std::vector<double>> wire_factors(const Load& load, const Network& network) {
  std::vector<std::vector<double>> wires;
  for (const astra_text::Layer& layer : load.workload.layers)
    for (std::size_t pass = 0; pass < astra_text::kPasses; ++pass) {
      const std::vector<int>& groups = load.communicator[pass];
      const astra_text::Phase& phase = layer.phases[pass];
      if (!phase.communicates || phase.bytes == 0 ||
          std::none_of(groups.begin(), groups.end(), [](int size) { return size > 1; }))
        continue;  // as time_problem()
      wires.emplace_back();
      for (std::size_t d = 0; d < groups.size(); ++d) {
        const NetworkDimension& dimension = network.dimensions[d];
        const bool is_part = dimension.shape == Shape::fully_connected && groups[d] > 1;
        wires.back().push_back(is_part ? (dimension.size - 1.0) / (groups[d] - 1.0) : 1);
      }
    }
  return wires;
}

}  // namespace wafertlm::libra
