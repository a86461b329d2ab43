// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/report/timeline.h"
#include "platform/report/usage.h"
#include "platform/run/job_run.h"

namespace wafertlm {

/// Takes notes of a run for its report. Made before the run, read after it.
class ReportRecorder {
 public:
  explicit ReportRecorder(const Machine& machine) : usage_(machine) {}
  Timeline& timeline() { return timeline_; }
  Usage& usage() { return usage_; }

  /// What report.html shows: {results, resolved, layout, timeline, bounds, links, memories}.
  nlohmann::ordered_json data(const nlohmann::ordered_json& results, const std::string& resolved_yaml,
                              const config::ExperimentSpec& experiment, const JobRun& job);

 private:
  Timeline timeline_;
  Usage usage_;
};

/// One self-contained page that needs no network, of a run's data.
std::string report_html(const nlohmann::ordered_json& data);
/// The same that shows several runs side by side: (name, results.json), and run_differences() of them.
std::string compare_html(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& runs,
                         const nlohmann::ordered_json& differences);

/// Their times, a line each; the speedup is to the first.
std::string compare_table(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& runs);

}  // namespace wafertlm
