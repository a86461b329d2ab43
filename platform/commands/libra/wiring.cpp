// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/wiring.h"

namespace wafertlm::libra {

double link_share(const NetworkDimension& dimension) {
  if (dimension.shape == Shape::ring) return dimension.size == 2 ? 1 : 0.5;
  return dimension.shape == Shape::fully_connected ? 1.0 / (dimension.size - 1) : 1;
}

std::vector<std::vector<double>> wire_factors(const Load& load, const Network& network) {
  std::vector<std::vector<double>> wires;
  for (const LoadCollective& each : collectives_of(load).all) {
    wires.emplace_back();
    for (std::size_t d = 0; d < each.groups.size(); ++d) {
      const NetworkDimension& dimension = network.dimensions[d];
      const bool is_part = dimension.shape == Shape::fully_connected && each.groups[d] > 1;
      wires.back().push_back(is_part ? (dimension.size - 1.0) / (each.groups[d] - 1.0) : 1);
    }
  }
  return wires;
}

}  // namespace wafertlm::libra
