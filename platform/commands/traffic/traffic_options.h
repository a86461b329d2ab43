// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/traffic/traffic_run.h"

namespace wafertlm::traffic {

/// What the user typed.
struct TrafficOptions {
  std::string platform_file;
  std::vector<std::string> overrides;  ///< of --set
  std::string load = "0.05:0.5:0.05";
  std::string packet;  ///< "8flits", "4KiB"; empty: the platform's
  PatternOptions pattern;
  std::string traffic_class;
  std::uint64_t warmup_packets = 0, measure_packets = 0;
  std::optional<std::uint64_t> seed;  ///< none: the platform's run.seed
};

/// What both kinds of traffic have: platform, pattern, class and seed. What has no effect on traffic is left
/// out with a note where the platform's file has it, and refused where `overrides` ask for it.
/// @throws config::ConfigError, std::invalid_argument: one line with a way out.
TrafficSetup resolve_common(const TrafficOptions& options, const std::vector<std::string>& overrides);

/// Whether whole messages travel on the platform, which flows of a size show and loads do not.
/// @throws config::ConfigError
bool carries_messages(const TrafficOptions& options);

/// "0.3", or "first:last:step" with the last included.
/// @throws std::invalid_argument for anything else, a load that is not positive, or above 10000 points.
std::vector<double> parse_loads(const std::string& text);

/// Reads the platform and puts the packet size into it (so that automatic buffers follow). Everything that
/// can be checked without a simulation has been when it returns.
/// @throws config::ConfigError, std::invalid_argument: one line with a way out.
TrafficSetup resolve(const TrafficOptions& options);

}  // namespace wafertlm::traffic
