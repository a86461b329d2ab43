// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "models/fred/routing/router.h"
#include "tlm/packets/flow.h"

namespace wafertlm {

/// In which order a FRED_m(P) adds the inputs of a flow that it carries alone: the expression that its
/// µswitches compute, found by routing the flow and pushing symbols through. With an even number of ports at
/// every level of the recursion the pairs of ports fix it; only at its end, in FRED_m(3), it depends on the
/// setting.
class RoutedOrder {
 public:
  RoutedOrder(std::uint32_t m, std::uint32_t ports);

  /// Positions of `inputs`, which are ports of the network like `outputs`.
  /// @throws std::invalid_argument: a port that the network does not have.
  const AdditionOrder& of(const std::vector<std::uint32_t>& inputs,
                          const std::vector<std::uint32_t>& outputs);

 private:
  FredNetwork network_;
  FredRouter router_;
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>, AdditionOrder> known_;
};

}  // namespace wafertlm
