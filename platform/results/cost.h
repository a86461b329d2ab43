// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/spec/experiment_spec.h"

namespace wafertlm {
class Fabric;
}

namespace wafertlm::cost {

using CostTable = config::CostSpec;

/// Of a whole platform.
struct PlatformCost {
  struct Part {
    std::string name;             ///< "NPUs", "memory, GB", or the pattern of links
    double amount = 0;            ///< NPUs, GB, or GB/s
    double price = 0, power = 0;  ///< $ and W in all
  };
  std::vector<Part> parts;
  std::uint32_t npus = 0;
  std::string table;  ///< its name

  std::optional<double> depreciation_years = {};
  double electricity = 0;  ///< $ per kWh

  double price() const;
  double power() const;
  /// $ per second: the price over the years in which it is paid off, and electricity; none without years.
  std::optional<double> price_per_s() const;
};

/// What a platform gets done in some time.
struct Output {
  double time_s = 0;
  std::optional<double> samples = {}, tokens = {};
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

/// Of an experiment with costs.
PlatformCost cost_of(const config::ExperimentSpec& experiment, const Fabric& fabric);

/// A line per part, then per NPU and in all.
std::string cost_text(const PlatformCost& cost);
/// {table, price, power_w, price_per_npu, power_per_npu_w, price_per_hour, price_per_sample, price_per_token,
/// time_per_token_s, parts[]}: the field `cost` of results.json.
nlohmann::ordered_json cost_json(const std::optional<PlatformCost>& cost, const Output& output);
nlohmann::ordered_json cost_schema();

}  // namespace wafertlm::cost
