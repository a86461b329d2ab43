// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/inputs.h"

#include <algorithm>

#include "platform/commands/tune/input_types.h"

namespace wafertlm::tune {

bool TuneSpec::is_simulated() const {
  return std::any_of(backends.begin(), backends.end(),
                     [](const BackendSpec& each) { return !each.algorithms.empty(); });
}

std::vector<backends::Backend> TuneSpec::all_backends() const {
  std::vector<backends::Backend> made;
  for (const BackendSpec& each : backends) {
    made.push_back(each.backend);
    for (const DeclaredCost& cost : each.costs) made.back().costs[cost.type].push_back(cost.range);
  }
  return made;
}

backends::IssuePlan TuneSpec::issue_plan() const {
  backends::IssuePlan plan;
  const auto number_of = [&](const std::string& operation) {
    return static_cast<std::size_t>(
        std::find_if(operations.begin(), operations.end(),
                     [&](const OperationSpec& each) { return each.name == operation; }) -
        operations.begin());
  };
  for (const OperationSpec& each : operations) {
    const auto backend = std::find_if(backends.begin(), backends.end(),
                                      [&](const BackendSpec& of) { return of.backend.name == each.backend; });
    plan.operations.push_back({each.name, each.backend, backend->backend.engine_name(), each.ranks});
  }
  for (const OrderSpec& order : orders) {
    if (plan.ranks.size() <= order.rank) plan.ranks.resize(order.rank + 1);
    for (const std::string& issue : order.issues)
      plan.ranks[order.rank].push_back(
          {number_of(issue),
           std::find(order.blocking.begin(), order.blocking.end(), issue) != order.blocking.end()});
  }
  return plan;
}

}  // namespace wafertlm::tune
