// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/wafer_shape.h"

#include <stdexcept>
#include <string>

namespace wafertlm {

void FredWaferShape::check() const {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument("FRED wafer: " + message);
  };
  require(l1_switches >= 2, "two L1 switches or more, not " + std::to_string(l1_switches));
  require(npus_per_l1 >= 1, "an L1 switch has an NPU or more");
  require(std::uint64_t{l1_switches} * npus_per_l1 <= 65536, "at most 65536 NPUs");
  require(uplinks >= 1 && l2_switches >= 1 && planes >= 1, "one uplink, L2 switch and plane or more");
  require(uplinks % l2_switches == 0, std::to_string(uplinks) + " uplinks cannot be shared equally by " +
                                          std::to_string(l2_switches) + " L2 switches");
  require(uplinks <= 4096, "at most 4096 uplinks");
  require(io_per_l1.empty() || io_per_l1.size() == l1_switches,
          "I/O controllers are given for " + std::to_string(io_per_l1.size()) +
              " L1 switches and there are " + std::to_string(l1_switches) + "; list one number for each");
}

}  // namespace wafertlm
