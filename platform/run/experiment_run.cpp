// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "platform/command/files.h"
#include "platform/command/format.h"
#include "platform/config/load.h"
#include "platform/results/results.h"
#include "platform/results/summary.h"
#include "platform/run/recorders.h"
#include "platform/run/run_command.h"
#include "tlm/socket_choice.h"

namespace wafertlm {
namespace {

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
         "which "
         "matrix products it is: give traces a tensor_size, a table of layers their activation_bytes (with "
         "data_parallel), or take a model by its shape (transformer, convolutions).\n";
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
