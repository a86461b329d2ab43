// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/commands/goodput/fault_events.h"
#include "platform/commands/goodput/intervals.h"
#include "platform/commands/goodput/long_run.h"

namespace wafertlm::goodput {

/// Goodput of simulated runs, one for each seed.
struct SimulatedRuns {
  double mean = 0, least = 0, most = 0;
  double error = 0;  ///< standard error of the mean
  Account account;   ///< of all of them together
};

/// An interval of the scan.
struct ScanRow {
  double interval_s = 0, formula = 0;
  SimulatedRuns runs;
};

/// A rule for the interval.
struct IntervalRow {
  std::string rule;
  double interval_s = 0;
  double goodput = 0;  ///< by formula
};

struct PolicyRow {
  Policy policy = Policy::restart;
  SimulatedRuns runs;
};

struct GoodputStudy {
  Checkpointing job{};
  double interval_s = 0, goodput = 0;  ///< of the run, by formula
  double simulated_interval_s = 0;     ///< the best; 0: the scan does not show one
  std::vector<IntervalRow> intervals;
  std::vector<ScanRow> scan;
  std::vector<PolicyRow> policies;
};

SimulatedRuns simulated_runs(const LongRun& run, Policy policy, double interval_s);
/// Intervals from half to twice Daly's for the scan; policies at the run's own.
GoodputStudy goodput_study(const LongRun& run);

}  // namespace wafertlm::goodput
