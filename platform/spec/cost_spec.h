// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace wafertlm::config {

/// What links cost and draw whose name fits a pattern (`*` and `?`, names as in results: "node0->…").
struct LinkPriceSpec {
  std::string links;
  double price = 0, power = 0;  ///< $ and W per GB/s of one direction: link, port and NIC together
};

/// Prices and powers of a platform's parts.
struct CostSpec {
  std::string name;
  double npu = 0, npu_power = 0;                  ///< $ and W each
  double memory = 0, memory_power = 0;            ///< $ and W per GB of an NPU's memory
  double expanded = 0, expanded_power = 0;        ///< $ and W per GB of the remote memory
  double wafer = 0, wafer_yield = 1;              ///< $ of one, good or not; part of them that is good
  std::optional<double> depreciation_years = {};  ///< in which prices are paid off
  double electricity = 0;                         ///< $ per kWh
  std::vector<LinkPriceSpec> links;               ///< the first that fits counts
};

}  // namespace wafertlm::config
