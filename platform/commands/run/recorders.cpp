// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/run/recorders.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "platform/commands/run/result_files.h"
#include "platform/host/output_folder.h"
#include "platform/machine/machine_links.h"
#include "platform/machine/wafer.h"
#include "platform/run/job.h"
#include "platform/spec/platform_spec.h"
#include "platform/text/format.h"

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

}  // namespace

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

void require_names(const ExperimentOptions& options, const Machine& machine, const Job& job,
                   const std::vector<ObservableSocket>& sockets) {
  if (!options.vcd.empty()) WaveFile{options.vcd};
  require_signals(options.signals, machine, job.npus, sockets);
  chosen_sockets(options.log, sockets);
  require_instances(options.trace, machine, job);
}

std::unique_ptr<SocketChoice> checkers_of(const ExperimentOptions& options, config::PlatformSpec& platform) {
  if (platform.run.checkers || (options.log.empty() && options.signals.empty())) return nullptr;
  platform.run.checkers = true;
  std::vector<std::string> globs = options.log;
  globs.insert(globs.end(), options.signals.begin(), options.signals.end());
  return std::make_unique<SocketChoice>(std::move(globs));
}

bool records_some(const ExperimentOptions& options) {
  return !options.vcd.empty() || !options.report.empty() || !options.trace.empty() || !options.log.empty();
}

Recorders::Recorders(const ExperimentOptions& options, const std::filesystem::path& out,
                     const Machine& machine, JobRun& job, Observables& observables) {
  const Placement& npus = job.job().npus;
  if (!options.signals.empty()) {
    waves_ = std::make_unique<RunWaves>(options.vcd, options.signals, machine, npus, observables.sockets(),
                                        sockets_);
    run_.add(*waves_);
    if (waves_->has_memories()) memories_.add(waves_->memories());
  } else if (!options.vcd.empty()) {
    wave_file_.emplace(options.vcd);
    links_.add(*(link_waves_ = trace_links(machine, wave_file_->vcd())));
  }
  if (!options.report.empty()) {
    report_ = std::make_unique<ReportRecorder>(machine);
    run_.add(report_->timeline());
    if (!observables.add_usage(report_->usage())) {
      links_.add(report_->usage());
      memories_.add(report_->usage());
      observables.observe_episodes(report_->usage());
    }
  }
  if (!options.trace.empty()) {
    if (!options.trace_file.empty()) trace_file_.emplace("--trace-file", options.trace_file);
    trace_path_ = trace_file_ ? trace_file_->incomplete() : (out / "trace.perfetto-trace").string();
    trace_ = std::make_unique<PerfettoTrace>(trace_path_, options.trace, machine, job.job(), observables);
    run_.add(*trace_);
    if (trace_->wants_links()) links_.add(*trace_);
    if (trace_->wants_memories()) memories_.add(*trace_);
  }
  if (!options.log.empty()) {
    log_path_ = (out / "transactions.sqlite").string();
    log_ = attach_log(log_path_, options.log, class_names(machine.wafer().classes), observables.sockets(),
                      sockets_);
  }
  if (!run_.empty()) job.observe(run_);
  if (!links_.empty()) observables.observe_links(links_);
  if (!memories_.empty()) observables.observe_memories(memories_);
}
std::vector<std::string> Recorders::finish(TimePs end_ps, bool complete) {
  std::vector<std::string> lines;
  if (link_waves_) {
    link_waves_->finish(end_ps);
    lines.push_back(fmt::format("{0}   (gtkwave {0})", wave_file_->finish(complete)));
  }
  if (waves_)
    lines.push_back(fmt::format("{0}   ({1} signals; gtkwave {0} {0}.gtkw)", waves_->finish(end_ps, complete),
                                waves_->signals()));
  if (trace_) {
    trace_->finish(end_ps);
    if (trace_file_) complete ? trace_file_->put_in_place() : trace_file_->keep();
    const PerfettoWriter& writer = trace_->writer();
    lines.push_back(fmt::format("{}   ({} slices, {} ends of arrows, {} counter values; ui.perfetto.dev)",
                                trace_file_ && complete ? trace_file_->path() : trace_path_, writer.slices(),
                                writer.flows(), writer.counter_values()));
  }
  if (log_) {
    log_->finish(end_ps);
    lines.push_back(fmt::format("{}   ({} transactions)", log_path_, log_->transactions()));
    if (const std::string idle = log_->idle_sockets(); !idle.empty())
      lines.push_back(fmt::format("{}   (nothing passed through {})", log_path_, idle));
  }
  return lines;
}

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

}  // namespace wafertlm
