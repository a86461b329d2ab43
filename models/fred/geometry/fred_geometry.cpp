// SPDX-License-Identifier: Apache-2.0
#include "models/fred/geometry/fred_geometry.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {

std::uint32_t FredGeometry::turn_level(NpuId from, NpuId to) const {
  const std::uint32_t a = l1_of(from), b = l1_of(to);
  return a == b ? 1 : l2_of(a) == l2_of(b) ? 2 : 3;
}

std::uint32_t FredGeometry::most_io() const {
  std::vector<std::uint32_t> count(l1_switches);
  for (const std::uint32_t l1 : io) ++count[l1];
  return *std::max_element(count.begin(), count.end());
}

void FredGeometry::check() const {
  if (l1_switches == 0 || npus_per_l1 == 0 || l2_switches == 0)
    throw std::invalid_argument("a FRED wafer needs at least one L1 switch, one L2 switch and one NPU");
  if (l1_switches % l2_switches != 0)
    throw std::invalid_argument(std::to_string(l1_switches) + " L1 switches cannot be shared evenly by " +
                                std::to_string(l2_switches) + " L2 switches");
  for (const std::uint32_t l1 : io)
    if (l1 >= l1_switches)
      throw std::invalid_argument("an I/O controller on L1 switch " + std::to_string(l1) +
                                  ", which does not exist");
}

std::vector<std::uint32_t> spread_io(std::uint32_t controllers, std::uint32_t l1_switches) {
  std::vector<std::uint32_t> io;
  for (std::uint32_t l1 = 0; l1 < l1_switches; ++l1)
    io.insert(io.end(), controllers / l1_switches + (l1 < controllers % l1_switches ? 1 : 0), l1);
  return io;
}

}  // namespace wafertlm
