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
#include "platform/results/results.h"
#include "platform/results/summary.h"
#include "platform/run/job_run.h"
#include "waveforms/link_waves.h"

namespace wafertlm {
namespace {

struct Options : ExperimentOptions {
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
  fabric.observe(*waves);
  return waves;
}

int run(const Options& options) {
  const ExperimentRun done = run_experiment(options);
  fmt::print("{}{}", options.critical_path ? critical_path_text(done.results) : "", done.summary);
  return 0;
}

}  // namespace

ExperimentRun run_experiment(const ExperimentOptions& options) {
  namespace fs = std::filesystem;
  const auto start = Clock::now();
  const config::ExperimentSpec experiment = config::load_experiment(options.experiment, options.overrides);
  const Job job = load_job(experiment);
  const fs::path out =
      options.out.empty() ? fs::path("out") / fs::path(options.experiment).stem() : fs::path(options.out);
  Machine machine(experiment.platform);
  JobRun job_run(machine, job, experiment);
  require_writable_folder(out);
  remove_files(out, {"results.json", "results.csv", "resolved.yaml"});
  std::unique_ptr<LinkWaves> waves;
  if (!options.vcd.empty()) waves = trace_links(machine.wafer().fabric(), options.vcd);
  {
    ProgressLine progress;
    job_run.run([&](TimePs now, std::uint64_t done, std::uint64_t all) { progress.update(now, done, all); });
  }
  if (waves) waves->finish(job_run.end_ps());
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  const auto results = results_json(experiment, job_run, machine, {wall_s, peak_rss_bytes()});
  const std::vector<std::pair<std::string, std::string>> files = {
      {"results.json", results.dump(1) + "\n"},
      {"results.csv", results_csv(results)},
      {"resolved.yaml", config::resolved_yaml(experiment)},
  };
  write_files(out, files);
  std::string summary = run_summary(results) + "Written:\n";
  for (const auto& [name, text] : files) summary += fmt::format("  {}\n", (out / name).string());
  if (waves) summary += fmt::format("  {}   (gtkwave {})\n", options.vcd, options.vcd);
  return {results, summary};
}

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
