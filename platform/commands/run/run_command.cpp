// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/run/run_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "platform/host/interrupt.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/parallel/launch.h"
#include "platform/results/results.h"
#include "platform/spec/descriptions.h"

namespace wafertlm {
namespace {

struct Options : ExperimentOptions {
  bool critical_path = false;
  std::string json = {};
};

/// Ends all processes: others may wait for this one, or have gone.
void end_all(Transport& transport, Seat& seat, const std::exception& error) {
  const auto* const interrupted = dynamic_cast<const Interrupted*>(&error);
  if (interrupted) seat.ends_by(interrupted->signal());
  if (!interrupted || !seat.is_watched()) {
    seat.fails();
    fmt::print(stderr, "wafertlm: {}\n", error.what());
    // mpirun passes that on, unless it ends first
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  transport.abort(interrupted ? 128 + interrupted->signal() : 1);
}

/// As one of several processes. Empty: another process prints.
std::optional<ExperimentRun> run_as_one_of_several(const Options& options) {
  Seat seat;
  const InterruptNotes interrupts;
  try {
    const std::unique_ptr<Transport> transport = mpi_transport();
    try {
      ExperimentRun done = run_as_process(options, *transport, seat);
      if (transport->process() == 0) return done;
    } catch (const OtherFailed&) {
    } catch (const std::exception& error) {
      if (transport->do_all_end()) throw;
      end_all(*transport, seat, error);
    }
  } catch (const std::exception&) {
    seat.fails();
    throw;
  }
  return std::nullopt;
}

int run(const Options& options) {
  const bool is_one_of_several = launched_processes() > 1;
  if (!is_one_of_several && options.processes > 1) return launch(options.processes);
  if (!is_one_of_several && !options.dealing.empty())
    throw std::invalid_argument("--deal shares wafers out to processes; give --processes too");
  const std::optional<ExperimentRun> made =
      is_one_of_several ? run_as_one_of_several(options) : run_experiment(options);
  if (!made) return 0;
  const ExperimentRun& done = *made;
  if (options.json.empty() || !write_json(options.json, done.results))
    fmt::print("{}{}", options.critical_path ? critical_path_text(done.results) : "", done.summary);
  if (!done.failure.empty()) throw std::runtime_error(done.failure);
  return 0;
}

}  // namespace

std::function<int()> add_run_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("run", "Simulate the training iterations of an experiment and explain the time");
  add_file(*command, "EXPERIMENT", options->experiment, "Experiment file", "experiments");
  add_shared_option(*command, "--out", options->out,
                    "folder of the results; out/<name of the experiment file> if not given")
      ->check(names_output(OutputKind::folder));
  add_set_option(
      *command, options->overrides, [] { return config::experiment_type()->all_paths(); },
      "wafer.fabric.link_bandwidth=1TB/s, iterations=1, workload.bucket_bytes=50M");
  command
      ->add_option("--vcd", options->vcd,
                   "Write waveforms to this file, .vcd or .fst: of all links, or what --signals chooses")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  command
      ->add_option("--signals", options->signals,
                   "Instances with a waveform: 'router3_to_*' or 'operations_0' (sockets), npu3, hbm_3")
      ->type_name("GLOB");
  add_shared_option(*command, "--trace", options->trace,
                    "trace.perfetto-trace in the folder of the results, of instances (npu3, hbm_3, "
                    "'router0->*'), with @CLASS and :FROM-TO if need be");
  command
      ->add_option("--trace-file", options->trace_file,
                   "Another name for the timeline; it is compressed if that ends in .gz")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  command
      ->add_option("--log", options->log,
                   "Write every transaction of these sockets, with its phases, to transactions.sqlite in the "
                   "folder of the results: 'router3_to_*', 'operations_*', 'memory_0'")
      ->type_name("GLOB");
  command->add_flag("--report{report.html}", options->report,
                    description_of(option_row("--report"), "--report=NAME.html for another name"));
  command
      ->add_option(
          "--processes", options->processes,
          "Simulate several wafers in so many processes (MPI), each with some of the wafers: the same "
          "results, sooner. Or: mpirun -n N wafertlm run")
      ->type_name("N")
      ->check(CLI::Range(1U, 1024U));
  command
      ->add_option(
          "--deal", options->dealing,
          "Which process has which wafer: a file with the process of each wafer, in their order; without "
          "it as many ranks to each")
      ->type_name("FILE");
  add_shared_flag(*command, "--force", options->force, "a run that needs more memory than there is");
  add_json_option(*command, options->json, results_schema);
  command->add_flag("--critical-path", options->critical_path,
                    "Print what the last iteration's end waited for, operation by operation");
  command->footer(
      "Examples:\n"
      "  wafertlm run configs/experiments/resnet50_dp20_mesh_5x4.yaml\n"
      "  wafertlm run configs/experiments/resnet50_dp20_mesh_5x4.yaml --set "
      "wafer.fabric.link_bandwidth=375GB/s --out slow\n"
      "  wafertlm run configs/experiments/resnet50_dp20_mesh_5x4.yaml --report --trace 'npu*:0us-900us'\n"
      "  wafertlm run configs/experiments/resnet50_dp20_mesh_5x4.yaml --vcd a.fst --signals 'router0_to_*' "
      "npu0\n"
      "  wafertlm run four_wafers.yaml --processes 4");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
