// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/machine/measurements.h"
#include "platform/run/job_run.h"

namespace wafertlm {

/// Of one of the processes that simulate a machine together.
struct ProcessCost {
  std::vector<std::uint32_t> wafers = {};
  double windows_wall_s = 0;  ///< from the first window to the last
  double work_s = 0;          ///< of its processor, in windows
  double around_s = 0;        ///< of its processor, before and after them
  std::uint64_t bytes_sent = 0;
  std::uint64_t peak_rss_bytes = 0;
};

/// What depends on the machine that simulates, not on the one that is simulated.
struct HostCost {
  double wall_s = 0;
  std::uint64_t peak_rss_bytes = 0;  ///< of one process, the most
  // By process; empty: there was one.
  std::vector<ProcessCost> processes = {};
  std::uint64_t windows = 0;
  double critical_work_s = 0;  ///< of each window the most that a process worked
};

/// The fields of results.json (see platform/README.md), each described once: see Fields. Everything that may
/// differ between two runs is under `host`. `measured`: of all of the machine; what the machine itself is
/// asked for is known without a run, or is of what only runs in one process (RTL, faults, remote memory,
/// Ethernet, sampling, acceleration).
nlohmann::ordered_json results_json(const config::ExperimentSpec& experiment, const JobRun& job,
                                    Machine& machine, const Measurements& measured, const HostCost& host);

/// The JSON Schema of results.json.
nlohmann::ordered_json results_schema();

/// What a user sees after a run: where the time went, the collectives beside their bounds, the busiest links.
std::string run_summary(const nlohmann::ordered_json& results);

/// The critical path, an operation per line.
std::string critical_path_text(const nlohmann::ordered_json& results);

}  // namespace wafertlm
