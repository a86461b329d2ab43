// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/routed_order.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "models/fred/routing/evaluate.h"

namespace wafertlm {

RoutedOrder::RoutedOrder(std::uint32_t m, std::uint32_t ports) : network_(m, ports), router_(network_) {}

const AdditionOrder& RoutedOrder::of(const std::vector<std::uint32_t>& inputs,
                                     const std::vector<std::uint32_t>& outputs) {
  const auto [found, is_new] = known_.try_emplace({inputs, outputs});
  AdditionOrder& order = found->second;
  if (!is_new || inputs.size() == 1) return order;
  const FredRouting routing = router_.route({{inputs, outputs}});
  if (!routing.routed()) throw std::logic_error("a flow alone does not route: " + routing.reason);
  const FredValues values = evaluate(network_.netlist(), routing.configuration);
  // The sum of a node lies where its left part was.
  const std::function<std::uint32_t(std::uint32_t)> add = [&](std::uint32_t node) -> std::uint32_t {
    if (node < values.ports)
      return static_cast<std::uint32_t>(std::find(inputs.begin(), inputs.end(), node) - inputs.begin());
    const FredValues::Sum& sum = values.sums[node - values.ports];
    const std::uint32_t into = add(sum.left), from = add(sum.right);
    order.push_back({into, from});
    return into;
  };
  add(*values.output[outputs.front()]);
  return order;
}

}  // namespace wafertlm
