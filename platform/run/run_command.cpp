// SPDX-License-Identifier: Apache-2.0
#include "platform/run/run_command.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "platform/command/files.h"
#include "platform/command/format.h"
#include "platform/config/load.h"
#include "platform/report/report.h"
#include "platform/results/results.h"
#include "platform/results/summary.h"
#include "platform/run/job_run.h"
#include "platform/run/observers.h"
#include "waveforms/link_waves.h"

namespace wafertlm {
namespace {

struct Options {
  std::string experiment, out, vcd, report;
  std::vector<std::string> overrides;
  bool critical_path = false;
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

std::unique_ptr<LinkWaves> trace_links(Fabric& fabric, const std::string& path) {
  auto waves = std::make_unique<LinkWaves>(path);
  for (const FabricLink& link : fabric.links()) {
    std::string name = link.name;
    name.replace(name.find("->"), 2, "_to_");  // a scope name has no arrows
    waves->add_link(link.from, link.output, name);
  }
  return waves;
}

/// What looks at a run beside the results: made as the options ask for it, before the run.
struct Lookers {
  RunObservers run;
  LinkObservers links;
  MemoryObservers memories;
  std::unique_ptr<LinkWaves> waves;
  std::unique_ptr<ReportRecorder> report;

  Lookers(const Options& options, Machine& machine) {
    if (!options.vcd.empty()) links.add(*(waves = trace_links(machine.wafer().fabric(), options.vcd)));
    if (!options.report.empty()) {
      report = std::make_unique<ReportRecorder>(machine);
      run.add(report->timeline());
      links.add(report->usage());
      memories.add(report->usage());
    }
  }
  void attach(Machine& machine, JobRun& job) {
    if (!run.empty()) job.observe(run);
    if (!links.empty()) machine.observe_links(links);
    if (!memories.empty()) machine.observe_memories(memories);
  }
};

int run(const Options& options) {
  namespace fs = std::filesystem;
  const auto start = Clock::now();
  const config::ExperimentSpec experiment = config::load_experiment(options.experiment, options.overrides);
  const Job job = load_job(experiment);
  const fs::path out =
      options.out.empty() ? fs::path("out") / fs::path(options.experiment).stem() : fs::path(options.out);
  Machine machine(experiment.platform);
  JobRun job_run(machine, job, experiment);
  require_writable_folder(out);
  remove_files(out, {"results.json", "results.csv", "resolved.yaml", "report.html"});
  Lookers lookers(options, machine);
  lookers.attach(machine, job_run);
  {
    ProgressLine progress;
    job_run.run([&](TimePs now, std::uint64_t done, std::uint64_t all) { progress.update(now, done, all); });
  }
  if (lookers.waves) lookers.waves->finish(job_run.end_ps());
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  const auto results = results_json(experiment, job_run, machine, {wall_s, peak_rss_bytes()});
  std::vector<std::pair<std::string, std::string>> files = {
      {"results.json", results.dump(1) + "\n"},
      {"results.csv", results_csv(results)},
      {"resolved.yaml", config::resolved_yaml(experiment)},
  };
  if (lookers.report)
    files.emplace_back(options.report, report_html(lookers.report->data(
                                           results, config::resolved_yaml(experiment), experiment, job_run)));
  write_files(out, files);
  fmt::print("{}{}Written:\n", options.critical_path ? critical_path_text(results) : "",
             run_summary(results));
  for (const auto& [name, text] : files) fmt::print("  {}\n", (out / name).string());
  if (lookers.waves) fmt::print("  {}   (gtkwave {})\n", options.vcd, options.vcd);
  return 0;
}

}  // namespace

std::function<int()> add_run_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("run", "Simulate the training iterations of an experiment and explain the time");
  command->add_option("EXPERIMENT", options->experiment, "Experiment file")->required()->type_name("FILE");
  command
      ->add_option("--out", options->out,
                   "Folder for the results; out/<name of the experiment file> if not given")
      ->type_name("DIR");
  command->add_option(
      "--set", options->overrides,
      "Change a key: wafer.fabric.link_bandwidth=1TB/s, iterations=1, workload.bucket_bytes=50MiB");
  command->add_option("--vcd", options->vcd, "Write the waveforms of all links to this file")
      ->type_name("FILE");
  command->add_flag("--report{report.html}", options->report,
                    "Write a page that shows the run, report.html in the folder of the results; "
                    "--report=NAME.html for another name");
  command->add_flag("--critical-path", options->critical_path,
                    "Print what the last iteration's end waited for, operation by operation");
  command->footer(
      "Examples:\n"
      "  wafertlm run configs/experiments/resnet50_dp20_mesh_5x4.yaml\n"
      "  wafertlm run configs/experiments/resnet50_dp20_mesh_5x4.yaml --set "
      "wafer.fabric.link_bandwidth=375GB/s --out slow");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
