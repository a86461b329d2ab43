// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/npu/npu.h"
#include "platform/command/files.h"
#include "platform/command/format.h"
#include "platform/config/load.h"
#include "platform/report/perfetto_trace.h"
#include "platform/report/report.h"
#include "platform/report/run_waves.h"
#include "platform/results/results.h"
#include "platform/run/job_run.h"
#include "platform/run/observers.h"
#include "platform/run/run_command.h"
#include "tlm/socket_choice.h"
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

/// @throws std::invalid_argument: options of a run that contradict each other.
void require_options_that_fit(const ExperimentOptions& options) {
  if (!options.signals.empty() && options.vcd.empty())
    throw std::invalid_argument("--signals chooses what --vcd writes; give --vcd FILE too");
  if (!options.trace_file.empty() && options.trace.empty())
    throw std::invalid_argument("--trace-file is where --trace writes; give --trace 'npu*' too");
  for (const char* taken : {"results.json", "results.csv", "resolved.yaml", "transactions.sqlite"})
    if (options.report == taken)
      throw std::invalid_argument("--report=" + options.report +
                                  ": that is the name of another file of the run");
  if (!options.vcd.empty() && options.vcd == options.trace_file)
    throw std::invalid_argument("--vcd and --trace-file name the same file, " + options.vcd);
  if (options.report.find('/') != std::string::npos)
    throw std::invalid_argument(
        "--report=" + options.report +
        ": give a name; the report is written into the folder of the results (--out)");
}

/// @throws std::invalid_argument: instances that are not there. To be called before anything is opened, and
/// before anything of an earlier run is removed.
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
  Recorders(const ExperimentOptions& options, const std::filesystem::path& out, Machine& machine, JobRun& job)
      : options_(options), job_(job) {
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
    }
    if (!options.trace.empty()) {
      trace_path_ = options.trace_file.empty() ? (out / "trace.perfetto-trace").string() : options.trace_file;
      trace_ = std::make_unique<PerfettoTrace>(trace_path_, options.trace, machine, job.job());
      run_.add(*trace_);
      if (trace_->wants_links()) links_.add(*trace_);
      if (trace_->wants_memories()) memories_.add(*trace_);
    }
    if (!options.log.empty()) {
      log_path_ = (out / "transactions.sqlite").string();
      log_ = attach_log(log_path_, options.log, sockets_);
    }
    if (!run_.empty()) job.observe(run_);
    if (!links_.empty()) machine.observe_links(links_);
    if (!memories_.empty()) machine.observe_memories(memories_);
  }
  /// Null without a report.
  ReportRecorder* report() { return report_.get(); }
  /// After the run. Returns lines about what was written. @throws std::runtime_error.
  std::vector<std::string> finish() {
    const TimePs end_ps = job_.end_ps();
    std::vector<std::string> lines;
    if (link_waves_) link_waves_->finish(end_ps);
    if (wave_file_) wave_file_->finish();
    if (link_waves_) lines.push_back(fmt::format("{0}   (gtkwave {0})", options_.vcd));
    if (waves_) {
      waves_->finish(end_ps);
      lines.push_back(
          fmt::format("{0}   ({1} signals; gtkwave {0} {0}.gtkw)", options_.vcd, waves_->signals()));
    }
    if (trace_) {
      trace_->finish(end_ps);
      const PerfettoWriter& writer = trace_->writer();
      lines.push_back(fmt::format("{}   ({} slices, {} ends of arrows, {} counter values; ui.perfetto.dev)",
                                  trace_path_, writer.slices(), writer.flows(), writer.counter_values()));
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

using Clock = std::chrono::steady_clock;

/// A line on a terminal that shows how far a long run is; nothing when the output is piped.
class ProgressLine {
 public:
  void update(TimePs now, std::uint64_t done, std::uint64_t all) {
    if (!terminal_ || Clock::now() - shown_ < std::chrono::milliseconds(500)) return;
    shown_ = Clock::now();
    fmt::print(stderr, "\r\033[K{} simulated, {} of {} nodes done", format_time(now), done, all);
    std::fflush(stderr);
  }
  ~ProgressLine() {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point shown_ = Clock::now();
};

std::uint64_t peak_rss_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Says so if a key had no effect, which only the run shows.
std::string operands_text(const Machine& machine) {
  const std::uint32_t npus = machine.wafer().npus();
  for (std::uint32_t n = 0; n < npus; ++n) {
    const OperandStream* const operands = machine.npu(static_cast<NpuId>(n)).operands();
    if (!operands || operands->bytes_loaded() != 0) return {};
  }
  return "npu.compute.operands: hbm had no effect, because no computation says how many bytes it moves or "
         "which matrix products it is: give traces a tensor_size, a table of layers their activation_bytes "
         "(with data_parallel), or take a model by its shape (transformer, convolutions).\n";
}

}  // namespace

ExperimentRun run_experiment(const ExperimentOptions& options) {
  namespace fs = std::filesystem;
  const auto start = Clock::now();
  const std::clock_t begin = std::clock();
  require_options_that_fit(options);
  const config::ExperimentSpec experiment = config::load_experiment(options.experiment, options.overrides);
  const Job job = load_job(experiment);
  const fs::path out =
      options.out.empty() ? fs::path("out") / fs::path(options.experiment).stem() : fs::path(options.out);
  config::PlatformSpec platform = experiment.platform;
  // Protocol checkers are what sees the sockets; results are the same with them.
  std::unique_ptr<SocketChoice> chosen;
  if (!platform.run.checkers && (!options.log.empty() || !options.signals.empty())) {
    platform.run.checkers = true;
    std::vector<std::string> globs = options.log;
    globs.insert(globs.end(), options.signals.begin(), options.signals.end());
    chosen = std::make_unique<SocketChoice>(std::move(globs));
  }
  Machine machine(platform);
  JobRun job_run(machine, job, experiment);
  require_names(options, machine, job);
  require_writable_folder(out);
  remove_files(out, {"results.json", "results.csv", "resolved.yaml", "report.html", "transactions.sqlite",
                     "trace.perfetto-trace"});
  Recorders recorders(options, out, machine, job_run);
  {
    ProgressLine progress;
    job_run.run([&](TimePs now, std::uint64_t done, std::uint64_t all) { progress.update(now, done, all); });
  }
  const std::vector<std::string> written = recorders.finish();
  RtlViews& rtl = machine.wafer().rtl();
  rtl.finish(out.string());
  const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  const auto results = results_json(experiment, job_run, machine, {wall_s, peak_rss_bytes()});
  std::vector<std::pair<std::string, std::string>> files = {
      {"results.json", results.dump(1) + "\n"},
      {"results.csv", results_csv(results)},
      {"resolved.yaml", config::resolved_yaml(experiment)},
  };
  if (ReportRecorder* const report = recorders.report())
    files.emplace_back(options.report, report_html(report->data(results, config::resolved_yaml(experiment),
                                                                experiment, job_run)));
  write_files(out, files);
  std::string summary = run_summary(results) + operands_text(machine) +
                        rtl.text(cpu_s - rtl.host_s(), machine.wafer().fabric().packet_hops()) + "Written:\n";
  for (const auto& [name, text] : files) summary += fmt::format("  {}\n", (out / name).string());
  for (const std::string& line : written) summary += fmt::format("  {}\n", line);
  std::string failure;
  try {
    rtl.require_equal();
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  return {results, summary, failure};
}

}  // namespace wafertlm
