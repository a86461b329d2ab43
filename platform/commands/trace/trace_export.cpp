// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_export.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>

#include "platform/commands/trace/chrome_trace.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/machine/machine.h"
#include "platform/run/job.h"
#include "platform/run/job_run.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"
#include "workloads/chakra/node.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string folder, out;
  bool json = false;
};

/// A file per rank, filled as the run goes on. Streams of the device are numbered as a profiler would: 7
/// computes, the others communicate or move memory.
class KinetoFiles final : public RunObserver {
 public:
  KinetoFiles(const Job& job, const fs::path& out) : folder_(out, "wafertlm trace export", "kineto") {
    std::vector<std::string> names;
    for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
      ranks_.push_back(std::make_unique<Rank>());
      Rank& of = *ranks_.back();
      names.push_back(fmt::format("rank{}.json", rank));
      of.name = (out / names.back()).string();
      of.file.open(folder_.working() / names.back());
      of.trace = std::make_unique<ChromeTrace>(
          of.file, ChromeTrace::Json{{"distributedInfo", {{"rank", rank}, {"world_size", job.size()}}}});
      of.trace->name_process(kHost, fmt::format("rank {} CPU", rank));
      of.trace->name_process(kDevice, fmt::format("rank {} NPU", rank));
    }
    folder_.require_free(names);
  }

  void operation_ended(std::uint32_t rank, const Task& task, TimePs start, TimePs end) override {
    Rank& of = *ranks_[rank];
    const bool on_cpu = task.kind == Task::Kind::cpu;
    const std::string unit = unit_of(task);
    const auto [number, is_new] = of.units.emplace(unit, kFirstStream + of.units.size());
    const std::uint64_t process = on_cpu ? kHost : kDevice;
    if (is_new) of.trace->name_thread(process, number->second, unit);
    ChromeTrace::Json arguments;
    arguments["node"] = task.id;
    if (!on_cpu) arguments.update({{"device", 0}, {"stream", number->second}});
    if (task.kind == Task::Kind::collective)
      arguments.update({{"Collective name", chakra::to_string(task.collective)},
                        {"Process Group Name", task.group.empty() ? "0" : task.group},
                        {"bytes", task.bytes}});
    of.trace->add(process, number->second, category_of(task), task.name.empty() ? unit : task.name, start,
                  end, arguments);
    ++of.events;
  }

  /// Gives the files their names. @return them, with their events
  nlohmann::ordered_json commit() {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const auto& rank : ranks_) {
      rank->trace->finish();
      rank->file.close();
      if (!rank->file) throw std::runtime_error(rank->name + ": cannot be written; is the disk full?");
    }
    folder_.commit();
    for (const auto& rank : ranks_) files.push_back({{"file", rank->name}, {"events", rank->events}});
    return files;
  }

 private:
  static constexpr std::uint64_t kDevice = 0, kHost = 1, kFirstStream = 7;
  struct Rank {
    std::string name;
    std::ofstream file;
    std::unique_ptr<ChromeTrace> trace;
    std::map<std::string, std::uint64_t> units;
    std::uint64_t events = 0;
  };

  static const char* category_of(const Task& task) {
    switch (task.kind) {
      case Task::Kind::cpu:
        return "cpu_op";
      case Task::Kind::memory_load:
      case Task::Kind::memory_store:
        return "gpu_memcpy";
      default:
        return "kernel";
    }
  }
  static std::string unit_of(const Task& task) {
    const std::string number = task.unit == 0 ? "" : " " + std::to_string(task.unit);
    switch (task.kind) {
      case Task::Kind::cpu:
        return "thread" + number;
      case Task::Kind::compute:
        return "compute" + number;
      case Task::Kind::send:
        return "sends";
      case Task::Kind::receive:
        return "receives";
      case Task::Kind::memory_load:
        return "loads";
      case Task::Kind::memory_store:
        return "stores";
      default:
        return "collectives " + task.traffic_class + (task.group.empty() ? "" : " " + task.group);
    }
  }

  OutputFolder folder_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

int export_run(const ExportArguments& arguments) {
  const fs::path given = arguments.folder;
  const fs::path file = (fs::is_directory(given) ? given : given.parent_path()) / "resolved.yaml";
  const bool is_experiment = given.extension() == ".yaml";
  if (!is_experiment && !fs::is_regular_file(file))
    throw std::invalid_argument(file.string() +
                                " is not there; give a folder that `wafertlm run` has written, or "
                                "an experiment");
  const config::ExperimentSpec experiment =
      config::load_experiment(is_experiment ? given.string() : file.string());
  const Job job = load_job(experiment);
  Machine machine(experiment.platform);
  JobRun run(machine, job, experiment);
  KinetoFiles files(job, arguments.out);
  run.observe(files);
  run.run();
  const nlohmann::ordered_json written = files.commit();
  if (arguments.json) {
    print_json({{"end_s", static_cast<double>(run.end_ps()) * 1e-12}, {"written", written}});
    return 0;
  }
  fmt::print("{}, simulated again: {}\nWritten:\n", file.string(), format_time(run.end_ps()));
  for (const auto& each : written)
    fmt::print("  {}: {}\n", each["file"].get<std::string>(),
               counted(each["events"].get<std::uint64_t>(), "event"));
  return 0;
}

}  // namespace

std::function<int()> add_trace_export(CLI::App& trace) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = trace.add_subcommand(
      "export", "A run as Kineto traces (Chrome JSON), one of each rank; simulates it again");
  add_file(*command, "RUN", arguments->folder,
           "Folder that `wafertlm run` has written, or an experiment (.yaml)", "experiments", "DIR");
  add_json_flag(*command, arguments->json);
  add_shared_option(*command, "--out", arguments->out, "a folder for rank<N>.json")
      ->required()
      ->check(names_output(OutputKind::folder));
  command->footer(
      "ui.perfetto.dev, chrome://tracing and Holistic Trace Analysis read them, and so does `trace import`.\n"
      "Example:\n"
      "  wafertlm trace export out/resnet50_dp20_mesh_5x4 --out kineto");
  return [=] { return command->parsed() ? export_run(*arguments) : -1; };
}

}  // namespace wafertlm
