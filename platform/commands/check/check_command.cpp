// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <functional>

#include <memory>
#include <stdexcept>
#include <utility>

#include "platform/commands/comet/cluster.h"
#include "platform/commands/optimize/spec.h"
#include "platform/commands/partition/inputs.h"
#include "platform/commands/pipeline/inputs.h"
#include "platform/commands/precision/inputs.h"
#include "platform/commands/study/study_command.h"
#include "platform/commands/tune/inputs.h"
#include "platform/describe/document.h"
#include "platform/host/files.h"
#include "platform/host/host_memory.h"
#include "platform/host/presets.h"
#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/results/cost.h"
#include "platform/results/results.h"
#include "platform/run/host_estimate.h"
#include "platform/run/job.h"
#include "platform/run/job_run.h"
#include "platform/run/table_file.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/json_schema.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

struct Options {
  std::string file, costs;
  std::vector<std::string> overrides;
  bool resolved = false, force = false;
};

void show(const config::PlatformSpec& spec, const Wafer& wafer) {
  fmt::print("platform  {}, {} NPUs\n{}", spec.name, spec.wafer.npu_count(),
             fabric_kind(spec.wafer).describe(spec.wafer));
  if (const std::uint32_t controllers = wafer.fabric().io_controllers())
    fmt::print("I/O       {} controllers of {} each\n", controllers,
               format_bandwidth(static_cast<double>(spec.wafer.io.bandwidth_bytes_per_s)));
  for (std::size_t i = 0; i < wafer.classes.size(); ++i) {
    const TrafficClass& entry = wafer.classes[static_cast<ClassId>(i)];
    fmt::print("class     {:<8} virtual channels {} to {}, priority {}\n", entry.name, entry.first_vc,
               entry.first_vc + entry.vcs - 1, entry.priority);
  }
}

/// Something that nobody takes apart: of a large wafer that is half as much work as to build it, and the
/// process ends here.
template <class T, class... Arguments>
T& kept(Arguments&&... arguments) {
  static T* const made = new T(std::forward<Arguments>(arguments)...);
  return *made;
}

/// Builds the fabric, so that what only elaboration finds (routes that can deadlock) is found too.
void show(const config::PlatformSpec& spec, bool) { show(spec, kept<Wafer>(spec, false, true)); }

/// All that a run does before it simulates.
void show(const config::ExperimentSpec& spec, bool force) {
  fmt::print("experiment {}, {}\n", spec.name, counted(spec.iterations, "iteration"));
  const Job& job = kept<Job>(load_job(spec));
  if (!force) require_host_memory(spec, estimated_bytes(spec.platform, job), available_memory_bytes());
  Machine& machine = kept<Machine>(spec.platform);
  const JobRun& ready = kept<JobRun>(machine, job, spec);
  show(spec.platform, machine.wafer());
  if (spec.costs) fmt::print("{}", cost::cost_text(cost::cost_of(spec, machine.wafer().fabric())));
  std::uint64_t nodes = 0, collectives = 0;
  for (const chakra::TraceSummary& rank : job.summaries) {
    nodes += rank.nodes;
    collectives += rank.collectives;
  }
  fmt::print("workload  {}: {}, {}, {}\n", spec.workload.name, counted(job.size(), "rank"),
             counted(nodes, "node"),
             counted(collectives, "entry into a collective", "entries into collectives"));
  fmt::print("host      a run takes {}, within a factor of 3\n",
             host_estimate(spec, job, ready.work()).text());
}

void show(const config::WorkloadSpec& spec, bool) { fmt::print("workload  {}\n", spec.name); }
void show(const config::StudySpec&, bool) {}
void show(const config::ModelSpec& spec, bool) {
  const model::Model model = config::build_model(spec);
  fmt::print("model     {}: {} parameters, {} operations forward per sample, {} blocks\n", model.name,
             format_count(model::parameters(model)), format_count(model::forward_operations(model)),
             model.blocks.size());
}

template <typename Spec>
int check(const Spec& spec, const Options& options) {
  if (options.resolved) {
    fmt::print("{}", config::resolved_yaml(spec));
    return 0;
  }
  show(spec, options.force);
  fmt::print("ok\n");
  return 0;
}

int check_cells(const config::StudySpec& spec, const Options& options) {
  const std::size_t cells = check_study(spec, options.file);
  if (!options.resolved) fmt::print("study     {}: {}\n", spec.name, counted(cells, "cell"));
  return check(spec, options);
}

/// What a platform costs, or that of an experiment.
int show_costs(const Options& options) {
  const cost::CostTable table = cost::load_costs(options.costs);
  const config::FileKind kind = config::detect_kind(options.file);
  if (kind != config::FileKind::platform && kind != config::FileKind::experiment)
    throw std::invalid_argument("--costs needs a platform or an experiment");
  const config::PlatformSpec platform =
      kind == config::FileKind::platform ? config::load_platform(options.file, options.overrides)
                                         : config::load_experiment(options.file, options.overrides).platform;
  const Wafer& wafer = kept<Wafer>(platform, false, true);
  fmt::print("{}", cost_text(cost_of(platform, cost::links_of(wafer.fabric()), table)));
  return 0;
}

/// Files that one command alone reads. @return whether it is one of them
bool check_own_file(const Options& options) {
  const std::string& file = options.file;
  const config::Node root = config::load_document(file);
  const bool is_costs = root.find("costs") != nullptr && root.find("experiment") == nullptr;
  const bool is_own = root.find("comet") != nullptr || root.find("pipeline") != nullptr ||
                      root.find("partition") != nullptr || root.find("optimize") != nullptr ||
                      root.find("tune") != nullptr || root.find("tuning_table") != nullptr ||
                      root.find("precision") != nullptr || is_costs;
  if (is_own && (!options.overrides.empty() || options.resolved))
    throw std::invalid_argument("--set and --resolved have no effect on this kind of file; leave them out");
  if (root.find("comet") != nullptr) {
    fmt::print("comet     {}\nok\n", comet::load_cluster(file).name);
    return true;
  }
  if (root.find("pipeline") != nullptr) {
    fmt::print("pipeline  {}\nok\n", pipelines::load_pipeline(file).name);
    return true;
  }
  if (root.find("partition") != nullptr) {
    const partition::PartitionSpec spec = partition::load_partition(file);
    fmt::print("partition {}: {}, {}\nok\n", spec.name, counted(spec.chain.size(), "layer"),
               counted(spec.workers, "worker"));
    return true;
  }
  if (root.find("optimize") != nullptr) {
    const optimize::OptimizeSpec spec = optimize::load_optimize(file);
    fmt::print("optimize  {}: {}\nok\n", spec.name, counted(spec.variables.size(), "variable"));
    return true;
  }
  if (root.find("tune") != nullptr) {
    fmt::print("tune      {}\nok\n", tune::load_tune(file).name);
    return true;
  }
  if (root.find("tuning_table") != nullptr) {
    fmt::print("table     {}\nok\n", counted(load_tuning_table(file).rows().size(), "row"));
    return true;
  }
  if (root.find("precision") != nullptr) {
    fmt::print("precision {}\nok\n", precision::load_precision(file).name);
    return true;
  }
  if (is_costs) {
    fmt::print("costs     {}\nok\n", cost::load_costs(file).name);
    return true;
  }
  return false;
}

int run(const Options& options) {
  if (!options.costs.empty()) return show_costs(options);
  if (check_own_file(options)) return 0;
  switch (config::detect_kind(options.file)) {
    case config::FileKind::platform:
      return check(config::load_platform(options.file, options.overrides), options);
    case config::FileKind::experiment:
      return check(config::load_experiment(options.file, options.overrides), options);
    case config::FileKind::workload:
      return check(config::load_workload(options.file, options.overrides), options);
    case config::FileKind::model:
      return check(config::load_model(options.file, options.overrides), options);
    case config::FileKind::study:
      return check_cells(config::load_study(options.file, options.overrides), options);
  }
  return 2;
}

}  // namespace

std::function<int()> add_check_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a platform, experiment, workload, model or study file without running");
  command->add_option("FILE", options->file, "YAML file")
      ->required()
      ->transform(preset_or_file(preset_kinds()))
      ->type_name("FILE");
  command->add_option("--set", options->overrides, "Change a key, as in `run`");
  command->add_flag("--resolved", options->resolved,
                    "Print every value with its origin instead of a summary");
  command
      ->add_option("--costs", options->costs,
                   "Print what the platform costs and draws by this table instead (configs/costs)")
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Also an experiment that needs more memory than there is");
  command->footer("Example:\n  wafertlm check configs/experiments/resnet50_dp20_mesh_5x4.yaml");
  return [options] { return run(*options); };
}

std::function<int()> add_schema_command(CLI::App& app) {
  struct SchemaOptions {
    bool of_results = false;
    std::string out;
  };
  auto options = std::make_shared<SchemaOptions>();
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of all YAML files, for editors");
  command->add_flag("--results", options->of_results,
                    "Print that of results.json instead, for programs that read it");
  command->add_option("--out", options->out, "Write it into this file instead")->type_name("FILE");
  command->footer(
      "Example, with an editor that has a YAML language server:\n"
      "  wafertlm schema --out wafertlm.schema.json\n"
      "and as the first line of a file: # yaml-language-server: $schema=wafertlm.schema.json");
  return [options] {
    const std::string text = (options->of_results ? results_schema().dump(2) : config::json_schema()) + "\n";
    if (options->out.empty()) {
      fmt::print("{}", text);
    } else {
      require_writable_file("--out", options->out);
      write_file(options->out, text);
    }
    return 0;
  };
}

}  // namespace wafertlm
