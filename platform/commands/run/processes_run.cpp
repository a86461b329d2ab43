// SPDX-License-Identifier: Apache-2.0
// One of the processes that simulate an experiment together.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>

#include "platform/commands/run/recorders.h"
#include "platform/commands/run/result_files.h"
#include "platform/commands/run/run_command.h"
#include "platform/host/digest.h"
#include "platform/host/host_memory.h"
#include "platform/host/interrupt.h"
#include "platform/host/output_folder.h"
#include "platform/host/progress.h"
#include "platform/machine/machine.h"
#include "platform/machine/measurements.h"
#include "platform/machine/operation_log.h"
#include "platform/machine/simulate.h"
#include "platform/machine/wafer.h"
#include "platform/parallel/dealing.h"
#include "platform/parallel/launch.h"
#include "platform/parallel/part_run.h"
#include "platform/parallel/sights.h"
#include "platform/parallel/windows.h"
#include "platform/results/cost.h"
#include "platform/results/results.h"
#include "platform/run/host_estimate.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/text/format.h"
#include "tlm/kernel/simulation_context.h"

namespace wafertlm {
namespace {

/// @throws std::invalid_argument: what one process would have to see whole.
void require_divisible(const config::PlatformSpec& platform, std::uint32_t processes) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument(what + "; leave it out, or run it in one process");
  };
  const Wafers wafers = fabric_kind(platform.wafer).wafers(platform.wafer);
  if (wafers.count < 2)
    throw std::invalid_argument(fmt::format(
        "{} processes share whole wafers, and {} is one wafer: simulate it in one process, or give "
        "it a wafer.outer (a graph: wafers)",
        processes, platform.name));
  if (processes > wafers.count)
    throw std::invalid_argument(
        fmt::format("{} processes for {} wafers: each needs a wafer; take {} or fewer", processes,
                    wafers.count, wafers.count));
  if (wafers.lookahead_ps == 0)
    throw std::invalid_argument(
        "between the wafers a packet or its credit takes no time, so that no process may run ahead of "
        "another: "
        "set wafer.outer.latency (of a graph: that of its links), or run it in one process");
  if (platform.run.fault) refuse("run.fault counts the packets of a whole machine");
  if (!platform.run.faults.empty()) refuse("run.faults change routes everywhere at once");
  if (platform.run.acceleration == config::Acceleration::sampled)
    refuse("run.acceleration: sampled compares all NPUs");
  if (platform.remote_memory) refuse("remote_memory is one pool for all wafers");
  if (!platform.wafer.fabric.rtl.empty() || !platform.npu.hbm.rtl.empty())
    refuse("RTL takes part (wafer.fabric.rtl, npu.hbm.rtl)");
}

/// What all processes must agree on.
struct SharedJob {
  config::ExperimentSpec experiment;
  Job job;
  config::ResolvedFiles configuration;
  std::vector<std::uint32_t> dealing;
};

SharedJob load_shared(const ExperimentOptions& options, std::uint32_t processes) {
  if (options.processes > 1 && options.processes != processes)
    throw std::invalid_argument(
        fmt::format("--processes {}, but {} have been started: leave it out under mpirun or srun",
                    options.processes, processes));
  require_options_that_fit(options);
  config::ExperimentSpec experiment = config::load_experiment(options.experiment, options.overrides);
  require_divisible(experiment.platform, processes);
  Job job = load_job(experiment);
  const Wafers wafers = fabric_kind(experiment.platform.wafer).wafers(experiment.platform.wafer);
  std::vector<std::uint32_t> dealing = options.dealing.empty()
                                           ? deal_wafers(wafers, job.npus, processes)
                                           : read_dealing(options.dealing, wafers.count, processes);
  config::ResolvedFiles configuration = config::resolved_files(experiment);
  return {std::move(experiment), std::move(job), std::move(configuration), std::move(dealing)};
}

/// What a process hands to the first one.
struct PartResult {
  std::string failure;
  bool is_done = false;
  std::vector<std::string> pending;
  Transport::Bytes logs, measured;
  Sights sights;
  WindowCounts counts;
  double windows_wall_s = 0;
  double windows_cpu_s = 0, cpu_s = 0;  // of the processor, waiting included
  std::uint64_t peak_rss_bytes = 0;

  Transport::Bytes pack() const {
    ByteWriter writer;
    writer.put(is_done);
    writer.put(counts);
    writer.put(windows_wall_s);
    writer.put(windows_cpu_s);
    writer.put(cpu_s);
    writer.put(peak_rss_bytes);
    writer.put_block(failure);
    writer.put_block(logs);
    writer.put_block(measured);
    writer.put_block(sights.log);
    writer.put_block(sights.usage);
    for (const std::string& line : pending) writer.put_block(line);
    return writer.take();
  }
  static PartResult unpack(const Transport::Bytes& packed) {
    ByteReader reader(packed);
    PartResult result;
    result.is_done = reader.get<bool>();
    result.counts = reader.get<WindowCounts>();
    result.windows_wall_s = reader.get<double>();
    result.windows_cpu_s = reader.get<double>();
    result.cpu_s = reader.get<double>();
    result.peak_rss_bytes = reader.get<std::uint64_t>();
    result.failure = reader.get_block<std::string>();
    result.logs = reader.get_block<Transport::Bytes>();
    result.measured = reader.get_block<Transport::Bytes>();
    result.sights.log = reader.get_block<Transport::Bytes>();
    result.sights.usage = reader.get_block<Transport::Bytes>();
    while (!reader.at_end()) result.pending.push_back(reader.get_block<std::string>());
    return result;
  }
};

/// What a process takes that has hardly anything to simulate: the program and MPI.
constexpr std::uint64_t kBytesOfProcess = 50'000'000;

/// Of the processes on this computer together. @throws std::invalid_argument: there is not so much.
void require_memory(const SharedJob& shared, std::uint32_t here, std::uint32_t processes) {
  const std::uint64_t shares = estimated_bytes(shared.experiment, shared.job) * here / processes;
  require_host_memory(shared.experiment, shares + (here - 1) * kBytesOfProcess, available_memory_bytes());
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double process_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What recorders (recorders.h) are made of.
WantedSights wanted_sights(const ExperimentOptions& options) {
  WantedSights wanted;
  wanted.links = !options.trace.empty() || (!options.vcd.empty() && options.signals.empty());
  wanted.memories = !options.trace.empty() || !options.signals.empty();
  wanted.usage = !options.report.empty();
  wanted.sockets = options.log;
  wanted.sockets.insert(wanted.sockets.end(), options.signals.begin(), options.signals.end());
  return wanted;
}

/// At process 0, the sockets of all: their names.
std::vector<ObservableSocket> sockets_of_all(Transport& transport) {
  ByteWriter own;
  for (const ObservableSocket& socket : observable_sockets()) own.put_block(socket.name);
  std::vector<ObservableSocket> all;
  for (const Transport::Bytes& names : transport.gather(own.take()))
    for (ByteReader reader(names); !reader.at_end();)
      all.push_back({reader.get_block<std::string>(), "", {}});
  return all;
}

PartResult simulate_part(const ExperimentOptions& options, const SharedJob& shared, Transport& transport,
                         Watch& watch) {
  config::PlatformSpec platform = shared.experiment.platform;
  const std::unique_ptr<SocketChoice> chosen = checkers_of(options, platform);
  PartResult result;
  OperationLogs logs;
  Places places;
  places.part = Part{transport.process(), shared.dealing};
  places.logs = &logs;
  std::unique_ptr<Machine> machine;
  std::unique_ptr<PartRun> part;
  std::exception_ptr failure;
  try {
    machine = std::make_unique<Machine>(platform, false, nullptr, nullptr, places);
    part = std::make_unique<PartRun>(*machine, shared.job, shared.experiment);
    if (shared.experiment.costs)
      cost::cost_of(shared.experiment, machine->wafer().fabric());  // every link has its price
    elaborate();
  } catch (...) {
    failure = std::current_exception();
  }
  require_all(transport, failure);
  if (records_some(options)) {
    const std::vector<ObservableSocket> sockets = sockets_of_all(transport);
    if (transport.process() == 0) try {
        require_names(options, *machine, shared.job, sockets);
      } catch (...) {
        failure = std::current_exception();
      }
    require_all(transport, failure);
  }
  SightLog sights(*machine, wanted_sights(options));
  Windows windows(transport, *machine, *part,
                  fabric_kind(platform.wafer).wafers(platform.wafer).lookahead_ps);
  ProgressLine progress;
  const auto start = std::chrono::steady_clock::now();
  const double start_cpu_s = process_cpu_s();
  windows.run(platform.run.watchdog_ps, [&](TimePs now) {
    watch.reached(now);
    if (InterruptNotes::signal() != 0) watch.look();
    if (transport.process() == 0 && progress.is_due())
      progress.show(fmt::format("{} simulated, {} of {} nodes of process 0", format_time(now),
                                part->finished(), part->nodes()),
                    static_cast<double>(part->finished()) /
                        static_cast<double>(std::max<std::uint64_t>(part->nodes(), 1)));
  });
  result.windows_wall_s = seconds_since(start);
  result.windows_cpu_s = process_cpu_s() - start_cpu_s;
  result.failure = windows.failure();
  result.is_done = part->is_done();
  result.counts = windows.counts();
  if (result.failure.empty() && result.is_done) try {
      machine->require_rest();
    } catch (const std::logic_error& error) {
      result.failure = error.what();
    }
  if (!result.is_done) result.pending = machine->pending();
  result.logs = logs.pack();
  result.measured = wafertlm::pack(measure(*machine));
  result.sights = sights.take();
  result.peak_rss_bytes = peak_rss_bytes();
  result.cpu_s = process_cpu_s();
  return result;
}

std::vector<std::uint32_t> wafers_of(const std::vector<std::uint32_t>& dealing, std::uint32_t process) {
  std::vector<std::uint32_t> wafers;
  for (std::uint32_t wafer = 0; wafer < dealing.size(); ++wafer)
    if (dealing[wafer] == process) wafers.push_back(wafer);
  return wafers;
}

ProcessCost cost_of(const PartResult& part, std::vector<std::uint32_t> wafers) {
  return {std::move(wafers),
          part.windows_wall_s,
          1e-9 * static_cast<double>(part.counts.work_ns),
          part.cpu_s - part.windows_cpu_s,
          part.counts.bytes_sent,
          part.peak_rss_bytes};
}

/// Of all processes.
struct Whole {
  OperationLogs logs;
  Measurements measured;
  std::vector<Sights> sights;  // by process
  HostCost host;
};

/// @throws std::runtime_error: what failed in the first process in which something did.
Whole sum_of(const std::vector<Transport::Bytes>& parts, const std::vector<std::uint32_t>& dealing,
             const std::vector<std::string>& names) {
  Whole whole;
  for (std::uint32_t process = 0; process < parts.size(); ++process) {
    PartResult part = PartResult::unpack(parts[process]);
    if (!part.failure.empty()) throw std::runtime_error(names[process] + ": " + part.failure);
    whole.logs.add(part.logs);
    whole.logs.pending.insert(whole.logs.pending.end(), part.pending.begin(), part.pending.end());
    add(whole.measured, unpack(part.measured));
    whole.sights.push_back(std::move(part.sights));
    whole.host.windows = part.counts.windows;
    whole.host.critical_work_s = 1e-9 * static_cast<double>(part.counts.critical_ns);
    whole.host.processes.push_back(cost_of(part, wafers_of(dealing, process)));
  }
  return whole;
}

/// What comes out when what all processes did is played.
struct Played {
  nlohmann::ordered_json results;
  std::string report;                // empty: none is asked for
  std::vector<std::string> written;  // about what recorders have written
};

/// Where the job's time went, who waits for whom if it is stuck, and what there was to see.
Played play(const ExperimentOptions& options, const SharedJob& shared, Whole& whole, OutputFolder& folder,
            Watch& watch, double windows_cpu_s, std::chrono::steady_clock::time_point start) {
  const SimulationContext context;
  Places places;
  places.part = Part{static_cast<std::uint32_t>(whole.host.processes.size()), shared.dealing};  // nobody's
  places.logs = &whole.logs;
  Machine machine(shared.experiment.platform, false, nullptr, nullptr, places);
  JobRun job_run(machine, shared.job, shared.experiment);
  PlayedSights sights(whole.sights, machine.wafer().scheduler);
  Recorders recorders(options, folder.working(), machine, job_run, sights);
  try {
    job_run.run([&](TimePs, std::uint64_t, std::uint64_t) {
      if (InterruptNotes::signal() != 0) watch.look();
    });
  } catch (const std::exception&) {
    if (records_some(options)) close_after_failure(recorders, folder);
    throw;
  }
  Played played;
  played.written = recorders.finish(job_run.end_ps(), true);
  HostCost& host = whole.host;
  host.processes.front().peak_rss_bytes = peak_rss_bytes();  // it has played the logs of all, too
  host.processes.front().around_s = process_cpu_s() - windows_cpu_s;
  for (const ProcessCost& each : host.processes)
    host.peak_rss_bytes = std::max(host.peak_rss_bytes, each.peak_rss_bytes);
  host.wall_s = seconds_since(start);
  played.results = results_json(shared.experiment, job_run, machine, whole.measured, host);
  if (ReportRecorder* const report = recorders.report())
    played.report =
        report_html(report->data(played.results, shared.configuration.yaml, shared.experiment, job_run));
  return played;
}

/// Writes the results. @return what is printed
std::string write(const Played& played, const Measurements& measured, const ExperimentOptions& options,
                  const SharedJob& shared, Files files, OutputFolder& folder) {
  for (auto& file : made_files(played.results)) files.push_back(std::move(file));
  if (!played.report.empty()) files.emplace_back(options.report, played.report);
  for (const auto& [name, text] : files) folder.write(name, text);
  const nlohmann::ordered_json& processes = played.results["host"]["processes"];
  std::string summary = run_summary(played.results) + operands_text(shared.experiment.platform, measured);
  summary += fmt::format(
      "{} processes: {} windows, {} exchanged; speed-up at most {:.2f} by their work.\nWritten:\n",
      processes["each"].size(), processes["windows"].get<std::uint64_t>(),
      format_bytes(processes["bytes_exchanged"].get<std::uint64_t>()),
      processes["work_s"].get<double>() / processes["critical_work_s"].get<double>());
  for (const auto& [name, text] : files) summary += fmt::format("  {}\n", (folder.working() / name).string());
  for (const std::string& line : played.written) summary += fmt::format("  {}\n", line);
  folder.commit();
  return folder.in_place(summary);
}

}  // namespace

ExperimentRun run_as_process(const ExperimentOptions& options, Transport& transport, Seat& seat) {
  const auto start = std::chrono::steady_clock::now();
  Watch watch(transport, seat);
  transport.while_waiting([&watch] { watch.look(); });
  std::optional<SharedJob> shared;
  std::exception_ptr failure;
  std::unique_ptr<OutputFolder> folder;
  try {
    shared.emplace(load_shared(options, transport.processes()));
    if (!options.force) require_memory(*shared, watch.here(), transport.processes());
    if (transport.process() == 0) {
      folder = std::make_unique<OutputFolder>(results_folder(options), "wafertlm run " + options.experiment);
      folder->require_free(names_of_results(options, shared->configuration));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  require_all(transport, failure);
  require_same_text(transport, "the program", sha256_of_file("/proc/self/exe"));
  require_same_text(transport, "the experiment", sha256(shared->configuration.yaml));
  std::string dealing;
  for (const std::uint32_t process : shared->dealing) dealing += std::to_string(process) + " ";
  require_same_text(transport, "the dealing of wafers", dealing);
  const std::vector<std::string> names = process_names(shared->dealing, transport.processes());
  watch.call_them(names);
  const PartResult own = simulate_part(options, *shared, transport, watch);
  const std::vector<Transport::Bytes> parts = transport.gather(own.pack());
  std::exception_ptr failed;
  ExperimentRun done;
  if (transport.process() == 0) try {
      Whole whole = sum_of(parts, shared->dealing, names);
      Files files = given_files(options, shared->configuration);
      for (const auto& [name, text] : files) folder->write(name, text);
      Played played = play(options, *shared, whole, *folder, watch, own.windows_cpu_s, start);
      done.summary = write(played, whole.measured, options, *shared, std::move(files), *folder);
      done.results = std::move(played.results);
    } catch (...) {
      failed = std::current_exception();
    }
  require_all(transport, failed);
  transport.while_waiting({});
  return done;
}

}  // namespace wafertlm
