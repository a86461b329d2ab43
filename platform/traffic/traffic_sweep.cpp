// SPDX-License-Identifier: Apache-2.0
#include "platform/traffic/traffic_sweep.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/command/child.h"
#include "platform/traffic/traffic_report.h"

namespace wafertlm::traffic {

std::vector<TrafficResult> run_sweep(const TrafficSetup& setup, const std::vector<double>& loads,
                                     unsigned jobs, const std::function<void(const TrafficResult&)>& done) {
  std::vector<TrafficResult> results;
  const auto work = [&](std::size_t i) {
    try {
      return to_json(run_traffic(setup, loads[i]));
    } catch (const std::invalid_argument&) {
      throw;
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("load {:g}: {}", loads[i], error.what()));
    }
  };
  run_in_children(loads.size(), jobs, work, [&](std::size_t, const nlohmann::json& result) {
    results.push_back(result_from_json(result));
    if (done) done(results.back());
  });
  return results;
}

}  // namespace wafertlm::traffic
