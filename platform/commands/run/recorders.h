// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/run/run_command.h"
#include "platform/host/files.h"
#include "platform/report/perfetto_trace.h"
#include "platform/report/report.h"
#include "platform/report/run_waves.h"
#include "platform/run/observers.h"
#include "tlm/checking/socket_choice.h"
#include "waveforms/link_waves.h"

namespace wafertlm {

class OutputFolder;

/// @throws std::invalid_argument: options of a run that contradict each other.
void require_options_that_fit(const ExperimentOptions& options);
/// @throws std::invalid_argument: instances that are not there. To be called before anything is opened.
void require_names(const ExperimentOptions& options, const Machine& machine, const Job& job,
                   const std::vector<ObservableSocket>& sockets);
/// Protocol checkers are what sees the sockets, and results are the same with them: `platform` gets those of
/// the sockets that are looked at. Null if it has all, or none is; else to be kept while it is simulated.
std::unique_ptr<SocketChoice> checkers_of(const ExperimentOptions& options, config::PlatformSpec& platform);
bool records_some(const ExperimentOptions& options);

/// What records a run beside the results: waveforms, a timeline, a log, what the report shows; as the options
/// ask.
class Recorders {
 public:
  /// Before the run; all outlive it. @param out folder of the results. @throws std::invalid_argument: a file
  /// that cannot be written.
  Recorders(const ExperimentOptions& options, const std::filesystem::path& out, const Machine& machine,
            JobRun& job, Observables& observables);
  /// Null without a report.
  ReportRecorder* report() { return report_.get(); }
  /// After the run, or when it was cut short at `end_ps`. Returns lines about what was written.
  /// @throws std::runtime_error.
  std::vector<std::string> finish(TimePs end_ps, bool complete);

 private:
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
  std::optional<PendingFile> trace_file_;
  std::string trace_path_, log_path_;
};

/// What a run that failed leaves; a second failure must not hide the first.
void close_after_failure(Recorders& recorders, OutputFolder& folder);

}  // namespace wafertlm
