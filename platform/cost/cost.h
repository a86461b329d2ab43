// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/config/platform_spec.h"

namespace wafertlm {
class Fabric;
}

namespace wafertlm::cost {

/// What links cost and draw whose name fits a pattern (`*` and `?`, names as in results: "node0->…").
struct LinkPrice {
  std::string links;
  double price = 0, power = 0;  ///< $ and W per GB/s of one direction: link, port and NIC together
};

/// Prices and powers of a platform's parts.
struct CostTable {
  std::string name;
  double npu = 0, npu_power = 0;        ///< $ and W each
  double memory = 0, memory_power = 0;  ///< $ and W per GB
  std::vector<LinkPrice> links;         ///< the first that fits counts
};

/// Of a whole platform.
struct PlatformCost {
  struct Part {
    std::string name;             ///< "NPUs", "memory", or the pattern of links
    double amount = 0;            ///< NPUs, GB, or GB/s
    double price = 0, power = 0;  ///< $ and W in all
  };
  std::vector<Part> parts;
  std::uint32_t npus = 0;

  double price() const;
  double power() const;
};

/// A file with the top-level key `costs`. @throws config::ConfigError.
CostTable load_costs(const std::string& path);

/// A link of a built fabric; each direction is one of its own.
struct Link {
  std::string name;
  std::uint64_t bytes_per_s = 0;
};
std::vector<Link> links_of(const Fabric& fabric);

/// @throws std::invalid_argument: a link that no pattern fits, or a pattern that fits none.
PlatformCost cost_of(const config::PlatformSpec& platform, const std::vector<Link>& links,
                     const CostTable& table);

/// A line per part, then per NPU and in all.
std::string cost_text(const PlatformCost& cost, const CostTable& table);

}  // namespace wafertlm::cost
