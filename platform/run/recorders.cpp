// SPDX-License-Identifier: Apache-2.0
#include "platform/run/recorders.h"

#include <fmt/core.h>

#include <stdexcept>

#include "tlm/socket_choice.h"

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

}  // namespace

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

void require_names(const ExperimentOptions& options, Machine& machine, const Job& job) {
  if (!options.vcd.empty()) WaveFile{options.vcd};
  require_signals(options.signals, machine, job.npus);
  chosen_sockets(options.log);
  require_instances(options.trace, machine, job);
}

Recorders::Recorders(const ExperimentOptions& options, const std::filesystem::path& out, Machine& machine,
                     JobRun& job)
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

std::vector<std::string> Recorders::finish() {
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

}  // namespace wafertlm
