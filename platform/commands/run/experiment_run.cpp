// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/commands/run/result_files.h"
#include "platform/commands/run/run_command.h"
#include "platform/host/files.h"
#include "platform/host/host_memory.h"
#include "platform/host/interrupt.h"
#include "platform/host/output_folder.h"
#include "platform/host/progress.h"
#include "platform/machine/machine_links.h"
#include "platform/machine/measurements.h"
#include "platform/machine/one_for_all.h"
#include "platform/machine/rtl/memory_views.h"
#include "platform/machine/rtl/rtl_views.h"
#include "platform/machine/wafer.h"
#include "platform/report/perfetto_trace.h"
#include "platform/report/report.h"
#include "platform/report/run_waves.h"
#include "platform/results/cost.h"
#include "platform/results/results.h"
#include "platform/results/tables.h"
#include "platform/run/equal_ranks.h"
#include "platform/run/host_estimate.h"
#include "platform/run/job_run.h"
#include "platform/run/observers.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"
#include "tlm/checking/socket_choice.h"
#include "tlm/memory/memory_observer.h"
#include "waveforms/link_waves.h"

namespace wafertlm {
namespace {

std::unique_ptr<LinkWaves> trace_links(const Machine& machine, const std::string& path) {
  auto waves = std::make_unique<LinkWaves>(path);
  for (const MachineLink& link : machine_links(machine)) {
    std::string name = link.name;
    name.replace(name.find("->"), 2, "_to_");  // a scope name has no arrows
    waves->add_link(link.from, link.output, name);
  }
  return waves;
}

std::vector<std::string> class_names(const ClassTable& classes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < classes.size(); ++i) names.push_back(classes[static_cast<ClassId>(i)].name);
  return names;
}

/// @throws std::invalid_argument: options of a run that contradict each other.
void require_options_that_fit(const ExperimentOptions& options) {
  if (!options.signals.empty() && options.vcd.empty())
    throw std::invalid_argument("--signals chooses what --vcd writes; give --vcd FILE too");
  if (!options.trace_file.empty() && options.trace.empty())
    throw std::invalid_argument("--trace-file is where --trace writes; give --trace 'npu*' too");
  std::vector<std::string> taken = kept_names();
  taken.emplace_back("transactions.sqlite");
  for (const std::string& each : taken)
    if (options.report == each)
      throw std::invalid_argument("--report=" + options.report +
                                  ": that is the name of another file of the run");
  if (!options.vcd.empty() && options.vcd == options.trace_file)
    throw std::invalid_argument("--vcd and --trace-file name the same file, " + options.vcd);
  if (options.report.find('/') != std::string::npos)
    throw std::invalid_argument(
        "--report=" + options.report +
        ": give a name; the report is written into the folder of the results (--out)");
}

/// @throws std::invalid_argument: instances that are not there. To be called before anything is opened.
void require_names(const ExperimentOptions& options, Machine& machine, const Job& job) {
  if (!options.vcd.empty()) WaveFile{options.vcd};
  require_signals(options.signals, machine, job.npus);
  chosen_sockets(options.log);
  require_instances(options.trace, machine, job);
}

/// What records a run beside the results: waveforms, a timeline, a log, what the report shows; as the options
/// ask.
class Recorders {
 public:
  /// Before the run; all outlive it. @param out folder of the results. @throws std::invalid_argument: a file
  /// that cannot be written.
  Recorders(const ExperimentOptions& options, const std::filesystem::path& out, Machine& machine,
            JobRun& job) {
    const Placement& npus = job.job().npus;
    if (!options.signals.empty()) {
      waves_ = std::make_unique<RunWaves>(options.vcd, options.signals, machine, npus, sockets_);
      run_.add(*waves_);
      if (waves_->has_memories()) memories_.add(waves_->memories());
    } else if (!options.vcd.empty()) {
      wave_file_.emplace(options.vcd);
      links_.add(*(link_waves_ = trace_links(machine, wave_file_->vcd())));
    }
    if (!options.report.empty()) {
      report_ = std::make_unique<ReportRecorder>(machine);
      run_.add(report_->timeline());
      links_.add(report_->usage());
      memories_.add(report_->usage());
      machine.observe_episodes(report_->usage());
    }
    if (!options.trace.empty()) {
      if (!options.trace_file.empty()) trace_file_.emplace("--trace-file", options.trace_file);
      trace_path_ = trace_file_ ? trace_file_->incomplete() : (out / "trace.perfetto-trace").string();
      trace_ = std::make_unique<PerfettoTrace>(trace_path_, options.trace, machine, job.job());
      run_.add(*trace_);
      if (trace_->wants_links()) links_.add(*trace_);
      if (trace_->wants_memories()) memories_.add(*trace_);
    }
    if (!options.log.empty()) {
      log_path_ = (out / "transactions.sqlite").string();
      log_ = attach_log(log_path_, options.log, class_names(machine.wafer().classes), sockets_);
    }
    if (!run_.empty()) job.observe(run_);
    if (!links_.empty()) machine.observe_links(links_);
    if (!memories_.empty()) machine.observe_memories(memories_);
  }
  /// Null without a report.
  ReportRecorder* report() { return report_.get(); }
  /// After the run, or when it was cut short at `end_ps`. Returns lines about what was written.
  /// @throws std::runtime_error.
  std::vector<std::string> finish(TimePs end_ps, bool complete) {
    std::vector<std::string> lines;
    if (link_waves_) {
      link_waves_->finish(end_ps);
      lines.push_back(fmt::format("{0}   (gtkwave {0})", wave_file_->finish(complete)));
    }
    if (waves_)
      lines.push_back(fmt::format("{0}   ({1} signals; gtkwave {0} {0}.gtkw)",
                                  waves_->finish(end_ps, complete), waves_->signals()));
    if (trace_) {
      trace_->finish(end_ps);
      if (trace_file_) complete ? trace_file_->put_in_place() : trace_file_->keep();
      const PerfettoWriter& writer = trace_->writer();
      lines.push_back(fmt::format("{}   ({} slices, {} ends of arrows, {} counter values; ui.perfetto.dev)",
                                  trace_file_ && complete ? trace_file_->path() : trace_path_,
                                  writer.slices(), writer.flows(), writer.counter_values()));
    }
    if (log_) {
      log_->finish(end_ps);
      lines.push_back(fmt::format("{}   ({} transactions)", log_path_, log_->transactions()));
      if (const std::string idle = log_->idle_sockets(); !idle.empty())
        lines.push_back(fmt::format("{}   (nothing passed through {})", log_path_, idle));
    }
    return lines;
  }

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

bool records_some(const ExperimentOptions& options) {
  return !options.vcd.empty() || !options.report.empty() || !options.trace.empty() || !options.log.empty();
}

using Clock = std::chrono::steady_clock;

/// What a run that failed leaves; a second failure must not hide the first.
void close_after_failure(Recorders& recorders, OutputFolder& folder) {
  folder.keep();
  const TimePs now = kernel_now_ps();
  std::string text = fmt::format("Incomplete, up to {} of simulated time:\n  {}   (the same run again)\n",
                                 format_time(now), (folder.working() / "resolved.yaml").string());
  try {
    for (const std::string& line : recorders.finish(now, false)) text += "  " + line + "\n";
  } catch (const std::exception& error) {
    text += fmt::format("  {}\n", error.what());
  }
  fmt::print(stderr, "{}", text);
}

/// Simulates; after a failure what was recorded is there as incomplete, unless the run is made again.
void simulate(JobRun& job_run, RtlViews& rtl, Recorders& recorders, OutputFolder& folder, bool made_again) {
  try {
    ProgressLine progress;
    const auto look = [&](TimePs now, std::uint64_t done, std::uint64_t all) {
      if (progress.is_due())
        progress.show(fmt::format("{} simulated, {} of {} nodes", format_time(now), done, all),
                      static_cast<double>(done) / static_cast<double>(all));
      if (const int signal = InterruptNotes::signal())
        throw Interrupted(signal, fmt::format("ended by {} at {} of simulated time", signal_name(signal),
                                              format_time(now)));
    };
    rtl.run([&] { job_run.run(look); }, folder.working().string());
  } catch (const Interrupted&) {
    close_after_failure(recorders, folder);
    throw;
  } catch (const std::exception&) {
    if (!made_again) close_after_failure(recorders, folder);
    throw;
  }
}

/// An experiment that has been read.
struct Loaded {
  const ExperimentOptions& options;
  config::ExperimentSpec experiment;
  Job job;
  config::PlatformSpec platform;  ///< that is simulated
  bool checks_for_log;            ///< it has checkers because they are what sees the sockets
  Clock::time_point start;
  std::clock_t begin;
};

/// @param equal whether rank 0 stands for all; then it may be made again without
ExperimentRun run_loaded(const Loaded& loaded, const EqualRanks& equal) {
  namespace fs = std::filesystem;
  const ExperimentOptions& options = loaded.options;
  const config::ExperimentSpec& experiment = loaded.experiment;
  const Job& job = loaded.job;
  const fs::path out = results_folder(options);
  const std::uint64_t available_bytes = available_memory_bytes();
  const bool one_for_all = equal.places.one_for_all;
  if (!options.force)
    require_host_memory(experiment, estimated_bytes(experiment, job, one_for_all), available_bytes);
  Machine machine(loaded.platform, false, nullptr, nullptr, equal.places);
  machine.allow_sampling();
  JobRun job_run(machine, job, experiment, equal);
  require_names(options, machine, job);
  if (experiment.costs) cost::cost_of(experiment, machine.wafer().fabric());  // every link has its price
  const InterruptNotes interrupts;
  OutputFolder folder(out, "wafertlm run " + options.experiment);
  const config::ResolvedFiles configuration = config::resolved_files(experiment);
  folder.require_free(names_of_results(options, configuration));
  const fs::path working = folder.working();
  const bool was_accelerated =
      machine.not_accelerated().empty() ||
      (loaded.checks_for_log && experiment.platform.run.acceleration != config::Acceleration::off);
  Recorders recorders(options, working, machine, job_run);
  const bool is_accelerated = machine.not_accelerated().empty();
  const HostEstimate estimate = host_estimate(experiment, job, job_run.work(), is_accelerated, one_for_all);
  if (was_accelerated && !is_accelerated)
    fmt::print(stderr, "warning: {}, so nothing is accelerated; the run takes {}\n",
               machine.not_accelerated(), estimate.text());
  fmt::print(stderr, "{}", host_warning(experiment, estimate, available_bytes));
  Files files = given_files(options, configuration);
  for (const auto& [name, text] : files) folder.write(name, text);
  RtlViews& rtl = machine.wafer().rtl();
  simulate(job_run, rtl, recorders, folder, one_for_all);
  folder.keep();
  const std::vector<std::string> written = recorders.finish(job_run.end_ps(), true);
  rtl.finish(working.string(), folder.in_place(working.string()));
  machine.memory_rtl().finish();
  const double cpu_s = static_cast<double>(std::clock() - loaded.begin) / CLOCKS_PER_SEC;
  const double wall_s = std::chrono::duration<double>(Clock::now() - loaded.start).count();
  const Measurements measured = measure(machine);
  const auto results = results_json(experiment, job_run, machine, measured, {wall_s, peak_rss_bytes()});
  files = made_files(results);
  if (ReportRecorder* const report = recorders.report())
    files.emplace_back(options.report,
                       report_html(report->data(results, configuration.yaml, experiment, job_run)));
  for (const auto& [name, text] : files) folder.write(name, text);
  files.emplace_back("resolved.yaml", "");
  for (const auto& [name, text] : configuration.tables) files.emplace_back(name, "");
  std::string summary = run_summary(results) + operands_text(experiment.platform, measured) +
                        rtl.text(cpu_s - rtl.host_s(), measured.packet_hops) + machine.memory_rtl().text() +
                        "Written:\n";
  for (const auto& [name, text] : files) summary += fmt::format("  {}\n", (working / name).string());
  for (const std::string& line : written) summary += fmt::format("  {}\n", line);
  std::string failure;
  try {
    rtl.require_equal();
    machine.memory_rtl().require_equal();
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  folder.commit();
  return {results, folder.in_place(summary), folder.in_place(failure)};
}

/// But for what may differ. @throws std::logic_error: one did not stand for all
void require_same(nlohmann::ordered_json of_one, nlohmann::ordered_json of_all) {
  for (nlohmann::ordered_json* results : {&of_one, &of_all}) results->erase("host");
  if (of_one == of_all) return;
  const auto first = nlohmann::ordered_json::diff(of_one, of_all).front();
  const nlohmann::ordered_json::json_pointer at(first["path"].get<std::string>());
  throw std::logic_error(fmt::format(
      "run.acceleration: verify: with one rank in place of all, results.json has {} at {}, and with all {}",
      of_one.contains(at) ? of_one[at].dump() : "nothing", at.to_string(),
      of_all.contains(at) ? of_all[at].dump() : "nothing"));
}

}  // namespace

ExperimentRun run_experiment(const ExperimentOptions& options) {
  const auto start = Clock::now();
  const std::clock_t begin = std::clock();
  require_options_that_fit(options);
  config::ExperimentSpec experiment = options.converted
                                          ? config::load_experiment(*options.converted, options.overrides)
                                          : config::load_experiment(options.experiment, options.overrides);
  Job job = load_job(experiment);
  if (options.when_loaded) options.when_loaded(job);
  config::PlatformSpec platform = experiment.platform;
  // Protocol checkers are what sees the sockets; results are the same with them.
  std::unique_ptr<SocketChoice> chosen;
  if (!platform.run.checkers && (!options.log.empty() || !options.signals.empty())) {
    platform.run.checkers = true;
    std::vector<std::string> globs = options.log;
    globs.insert(globs.end(), options.signals.begin(), options.signals.end());
    chosen = std::make_unique<SocketChoice>(std::move(globs));
  }
  const Loaded loaded{
      options, std::move(experiment), std::move(job), std::move(platform), chosen != nullptr, start, begin};
  EqualRanks equal = equal_ranks(loaded.platform, loaded.job);
  if (!equal.places.one_for_all) return run_loaded(loaded, equal);
  std::string why = records_some(options) ? "what is recorded is of all NPUs" : "";
  const auto run_one = [&] { return run_loaded(loaded, equal); };
  auto run = why.empty() ? run_one_for_all(run_one, why) : std::nullopt;
  if (run && loaded.platform.run.acceleration != config::Acceleration::verify) return *std::move(run);
  ExperimentRun of_all =
      run_loaded(loaded, {{false, run ? "run.acceleration: verify simulates all, too" : why}});
  if (run) require_same(run->results, of_all.results);
  return of_all;
}

}  // namespace wafertlm
