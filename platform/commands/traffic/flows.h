// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/commands/traffic/traffic_run.h"

namespace wafertlm::traffic {

/// One message from every node that sends, all at once, on a fabric that carries whole messages.
struct FlowsSetup {
  TrafficSetup traffic;  ///< its platform, pattern, class and seed
  std::uint64_t flow_bytes = 0;
};

struct Flow {
  std::uint32_t from = 0, to = 0;
  TimePs completion_ps = 0;  ///< from time 0 until all of it is there
};

struct FlowsResult {
  std::vector<Flow> flows;  ///< by sender
  /// No network can be faster: what the busiest NPU sends or receives at the rate of its port, with headers,
  /// and the shortest way.
  TimePs bound_ps = 0;
  std::uint64_t packet_hops = 0;
  nlohmann::ordered_json of_fabric = nlohmann::ordered_json::object();  ///< as in results.json
  std::string text;                                                     ///< … and in the printed table
  double cpu_s = 0;                                                     ///< of the host, with building

  TimePs last_ps() const;
  /// Nearest rank.
  TimePs percentile_ps(double percent) const;
  double mean_ps() const;
};

/// @throws std::invalid_argument: packets travel on this fabric; a pattern that does not fit.
FlowsResult run_flows(const FlowsSetup& setup);

std::string flows_report(const FlowsSetup& setup, const FlowsResult& result);
nlohmann::ordered_json flows_json(const FlowsSetup& setup, const FlowsResult& result);
nlohmann::ordered_json flows_schema();

}  // namespace wafertlm::traffic
