// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/tune/inputs.h"
#include "platform/spec/platform_spec.h"
#include "workloads/collectives/tuning_table.h"

namespace wafertlm::tune {

/// One operation at one size: what each algorithm of each backend takes, simulated alone on the idle wafer
/// (with `parallelism`: all groups of the class at once), with the backend's launch.
struct MeasuredPoint {
  CollectiveType type = CollectiveType::all_reduce;
  Group npus;  ///< the first group
  std::uint64_t bytes = 0;
  struct Result {
    std::size_t backend = 0;
    std::string algorithm;
    TimePs time_ps = 0;
  };
  std::vector<Result> results;  ///< in the order of backends and algorithms

  /// The fastest, of one backend if asked for; of equals the first. Null: none can.
  const Result* fastest(std::optional<std::size_t> backend = {}) const;
};

/// Simulates all that `spec.measure` lists, up to `jobs` at a time.
/// @throws std::invalid_argument: what cannot be planned, or that none of the algorithms can do.
std::vector<MeasuredPoint> measure(const TuneSpec& spec, const config::PlatformSpec& platform, unsigned jobs);

/// The fastest of each point.
backends::TuningTable table_of(const TuneSpec& spec, const std::vector<MeasuredPoint>& points);

}  // namespace wafertlm::tune
