// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/goodput/goodput_study.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wafertlm::goodput {

SimulatedRuns simulated_runs(const LongRun& run, Policy policy, double interval_s) {
  SimulatedRuns runs;
  double squares = 0;
  for (std::uint32_t i = 0; i < run.seeds; ++i) {
    const Account each = simulate(run, policy, interval_s, run.seed + i);
    const double goodput = each.goodput();
    runs.least = i == 0 ? goodput : std::min(runs.least, goodput);
    runs.most = std::max(runs.most, goodput);
    // Welford's update.
    const double change = goodput - runs.mean;
    runs.mean += change / (i + 1);
    squares += change * (goodput - runs.mean);
    runs.account.useful_s += each.useful_s;
    runs.account.checkpoint_s += each.checkpoint_s;
    runs.account.lost_s += each.lost_s;
    runs.account.down_s += each.down_s;
    runs.account.slower_s += each.slower_s;
    runs.account.failures += each.failures;
  }
  runs.error = std::sqrt(squares / (run.seeds - 1.0) / run.seeds);
  return runs;
}

GoodputStudy goodput_study(const LongRun& run) {
  GoodputStudy study;
  study.job = {run.mtbf_s(), run.checkpoint_s(), run.restart_s()};
  const double daly = daly_interval(study.job);
  study.interval_s = run.interval_ps > 0 ? static_cast<double>(run.interval_ps) / 1e12 : daly;
  study.goodput = expected_goodput(study.job, study.interval_s);

  std::vector<std::pair<double, double>> points;
  for (int step = -4; step <= 4; ++step) {
    ScanRow row{daly * std::exp2(step / 4.0), 0, {}};
    row.formula = expected_goodput(study.job, row.interval_s);
    row.runs = simulated_runs(run, Policy::restart, row.interval_s);
    points.emplace_back(row.interval_s, row.runs.mean);
    study.scan.push_back(row);
  }
  study.simulated_interval_s = fitted_interval(points);

  const auto rule = [&](const char* name, double interval) {
    study.intervals.push_back({name, interval, expected_goodput(study.job, interval)});
  };
  rule("Young", young_interval(study.job));
  rule("Daly", daly);
  rule("exact", exact_interval(study.job));
  if (study.simulated_interval_s > 0) rule("simulated", study.simulated_interval_s);

  const std::pair<Policy, bool> policies[] = {{Policy::restart, true},
                                              {Policy::retry, run.retry.has_value()},
                                              {Policy::shrink, run.shrink.has_value()},
                                              {Policy::spares, run.spares.has_value()}};
  for (const auto& [policy, is_given] : policies)
    if (is_given) study.policies.push_back({policy, simulated_runs(run, policy, study.interval_s)});
  return study;
}

}  // namespace wafertlm::goodput
