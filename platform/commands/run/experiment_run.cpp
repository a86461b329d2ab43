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

#include "platform/commands/run/recorders.h"
#include "platform/commands/run/result_files.h"
#include "platform/commands/run/run_command.h"
#include "platform/host/host_memory.h"
#include "platform/host/interrupt.h"
#include "platform/host/output_folder.h"
#include "platform/host/progress.h"
#include "platform/machine/measurements.h"
#include "platform/machine/one_for_all.h"
#include "platform/machine/rtl/memory_views.h"
#include "platform/machine/rtl/rtl_views.h"
#include "platform/machine/wafer.h"
#include "platform/report/report.h"
#include "platform/results/cost.h"
#include "platform/results/results.h"
#include "platform/results/tables.h"
#include "platform/run/equal_ranks.h"
#include "platform/run/host_estimate.h"
#include "platform/run/job_run.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Clock = std::chrono::steady_clock;

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
  require_names(options, machine, job, observable_sockets());
  if (experiment.costs) cost::cost_of(experiment, machine.wafer().fabric());  // every link has its price
  const InterruptNotes interrupts;
  OutputFolder folder(out, "wafertlm run " + options.experiment);
  const config::ResolvedFiles configuration = config::resolved_files(experiment);
  folder.require_free(names_of_results(options, configuration));
  const fs::path working = folder.working();
  const bool was_accelerated =
      machine.not_accelerated().empty() ||
      (loaded.checks_for_log && experiment.platform.run.acceleration != config::Acceleration::off);
  MachineObservables observables(machine);
  Recorders recorders(options, working, machine, job_run, observables);
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
  const std::unique_ptr<SocketChoice> chosen = checkers_of(options, platform);
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
