// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/report/perfetto_trace.h"
#include "platform/report/report.h"
#include "platform/report/run_waves.h"
#include "platform/report/sockets.h"
#include "platform/report/wave_file.h"
#include "platform/run/job_run.h"
#include "platform/run/observers.h"
#include "platform/run/run_command.h"
#include "waveforms/link_waves.h"

namespace wafertlm {

/// @throws std::invalid_argument: options of a run that contradict each other.
void require_options_that_fit(const ExperimentOptions& options);

/// @throws std::invalid_argument: instances that are not there. To be called before anything is opened, and
/// before anything of an earlier run is removed.
void require_names(const ExperimentOptions& options, Machine& machine, const Job& job);

/// What records a run beside the results: waveforms, a timeline, a log, what the report shows; as the options
/// ask.
class Recorders {
 public:
  /// Before the run; all outlive it. @param out folder of the results. @throws std::invalid_argument: a file
  /// that cannot be written.
  Recorders(const ExperimentOptions& options, const std::filesystem::path& out, Machine& machine,
            JobRun& job);
  /// Null without a report.
  ReportRecorder* report() { return report_.get(); }
  /// After the run. Returns lines about what was written. @throws std::runtime_error.
  std::vector<std::string> finish();

 private:
  const ExperimentOptions& options_;
  JobRun& job_;
  RunObservers run_;
  LinkObservers links_;
  MemoryObservers memories_;
  SocketHub sockets_;
  std::optional<WaveFile> wave_file_;
  std::unique_ptr<LinkWaves> link_waves_;
  std::unique_ptr<RunWaves> waves_;
  std::unique_ptr<ReportRecorder> report_;
  std::unique_ptr<PerfettoTrace> trace_;
  std::unique_ptr<TransactionLog> log_;
  std::string trace_path_, log_path_;
};

}  // namespace wafertlm
