// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/describe/node.h"

namespace wafertlm::optimize {

/// What the command line says beside a file.
struct OptimizeRequest {
  std::vector<std::string> vary, prices, constraints, goals, set, coarse, workloads;
  std::string over, costs, method;
  std::optional<double> most_cost, most_power, fixed_price;
  std::string limit;  ///< a time; empty: none
  bool explain = false, predictions = false;
  std::optional<std::uint64_t> evaluations, coarse_evaluations, seed;
};

/// The map of an optimize file: that in `file` with the request on top, or one made of an experiment or a
/// study and the request. @throws config::ConfigError, std::invalid_argument that names the option.
config::Node optimize_document(const std::string& file, const OptimizeRequest& request);

/// "link:wafer.fabric.link_bandwidth=50..1500:50 GB/s" or "KEY=4 KiB,16 KiB" as a variable; without a name
/// it is called as the last part of the key. @throws std::invalid_argument that shows the form.
config::Node variable_of(const std::string& text);

}  // namespace wafertlm::optimize
