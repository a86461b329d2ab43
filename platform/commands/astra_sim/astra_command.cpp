// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "platform/commands/astra_sim/astra_files.h"
#include "platform/commands/run/run_command.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/host/validators.h"
#include "platform/results/results.h"
#include "platform/run/job.h"
#include "platform/spec/descriptions.h"
#include "workloads/astra_text/training_job.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

struct Options {
  astra_sim::Files files;
  std::string out, logging_configuration, json;
  std::vector<std::string> overrides;
  double comm_scale = 1;
  int queues = 1;
  bool rendezvous = false, force = false, convert = false;
};

void add_file_options(CLI::App& command, Options& options) {
  command.add_option("--workload-configuration", options.files.workload,
                     "PREFIX of the traces PREFIX.<rank>.et, or a text workload of ASTRA-sim 1.0 (.txt)");
  command.add_option("--system-configuration", options.files.system, "JSON file")->required();
  command
      .add_option("--network-configuration", options.files.network,
                  "YAML file; with --logical-topology-configuration a configuration of ns-3")
      ->required();
  command.add_option("--logical-topology-configuration", options.files.logical_topology,
                     "JSON file of the ns-3 back end");
  command.add_option("--remote-memory-configuration", options.files.remote_memory, "JSON file");
  command.add_option("--comm-group-configuration", options.files.comm_groups, "JSON file, or 'empty'");
  const OptionRow& out = option_row("--out");
  command
      .add_option(std::string(out.names) + ",--logging-folder", options.out,
                  description_of(out,
                                 "folder of the results; out/astra-sim if not given, with --convert "
                                 "the current one"))
      ->type_name(out.type)
      ->check(names_output(OutputKind::folder));
  command.add_option("--logging-configuration", options.logging_configuration, "Has no effect here");
}

void warn_all(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
}

using Types = std::set<chakra::CollectiveType>;

/// Of all ranks; all have the same in a text workload.
void visit_nodes(const astra_sim::Conversion& conversion, const std::string& workload,
                 const std::function<void(const chakra::Node&, const std::string& file)>& visit) {
  if (astra_text::is_text_workload(workload)) {
    const astra_text::TrainingJob job(workload, static_cast<std::uint32_t>(conversion.npus));
    for (const chakra::Node& node : job.nodes(0)) visit(node, workload);
    return;
  }
  chakra::Node node;
  for (const std::string& file : chakra::find_rank_files(workload)) {
    const auto trace = chakra::open_trace(file);
    while (trace->next(node)) visit(node, file);
  }
}

Types collectives_in(const astra_sim::Conversion& conversion, const std::string& workload) {
  Types types;
  visit_nodes(conversion, workload, [&](const chakra::Node& node, const std::string&) {
    if (node.is_collective()) types.insert(*node.comm_type);
  });
  return types;
}

Types collectives_in(const Job& job) {
  Types types;
  for (const chakra::TraceSummary& rank : job.summaries)
    for (const auto& [kind, collectives] : rank.collective_kinds) types.insert(kind.type);
  return types;
}

/// Those that matter to a workload of these collectives; without one (nullopt), all.
std::vector<std::string> warnings_for(const astra_sim::Conversion& conversion,
                                      const std::optional<Types>& collectives) {
  std::vector<std::string> texts;
  for (const astra_sim::Warning& warning : conversion.warnings)
    if (!warning.only_with || !collectives || collectives->count(*warning.only_with) != 0)
      texts.push_back(warning.text);
  return texts;
}

/// ASTRA-sim has a trace for every NPU.
void require_all_ranks(const std::string& workload, const astra_sim::Conversion& conversion) {
  if (astra_text::is_text_workload(workload)) return;
  const std::size_t files = chakra::find_rank_files(workload).size();
  if (files == conversion.npus) return;
  const std::string missing =
      files < conversion.npus ? fmt::format("; {}.{}.et is missing", workload, files) : "";
  throw config::ConfigError(
      conversion.npus_place,
      fmt::format("'{}' is of {} NPUs, and there are traces of {} ranks ({}){}; both must be the same",
                  conversion.npus_name, conversion.npus, files, workload, missing));
}

std::vector<std::string> option_warnings(const Options& options) {
  std::vector<std::string> warnings;
  const auto ignored = [&](const char* option) {
    warnings.push_back(std::string(option) + " is not modelled and has no effect");
  };
  if (!options.logging_configuration.empty() && options.logging_configuration != "empty")
    ignored("--logging-configuration");
  if (options.comm_scale != 1) ignored("--comm-scale");
  if (options.queues != 1) ignored("--num-queues-per-dim");
  if (options.rendezvous) ignored("--rendezvous-protocol");
  return warnings;
}

std::int64_t whole_ns(double seconds) { return std::llround(seconds * 1e9); }

/// A line per rank as ASTRA-sim prints it; a cycle is a nanosecond, and exposed is all but computation.
void print_ranks(const nlohmann::ordered_json& results) {
  const auto& iteration = results["iterations"].back();
  for (const auto& rank : iteration["ranks"]) {
    const std::int64_t done = whole_ns(rank["done_s"].get<double>());
    fmt::print("sys[{}] finished, {} cycles, exposed communication {} cycles.\n",
               rank["rank"].get<std::uint64_t>(), done,
               done - whole_ns(rank["breakdown_s"]["compute"].get<double>()));
  }
}

bool is_access(chakra::NodeType type) {
  return type == chakra::NodeType::MemLoad || type == chakra::NodeType::MemStore;
}

/// As ASTRA-sim, which ends at the first of them; before anything is simulated or written.
void require_no_accesses(const Job& job, const astra_sim::Conversion& conversion,
                         const std::string& workload) {
  std::uint64_t accesses = 0;
  for (const chakra::TraceSummary& rank : job.summaries)
    for (std::size_t type = 0; type < rank.by_type.size(); ++type)
      if (is_access(static_cast<chakra::NodeType>(type))) accesses += rank.by_type[type];
  if (accesses == 0) return;
  visit_nodes(conversion, workload, [](const chakra::Node& node, const std::string& file) {
    if (is_access(node.type))
      throw std::invalid_argument(fmt::format(
          "{}: node {} ({}) uses remote memory, and 'memory-type' is NO_MEMORY_EXPANSION; name another type "
          "in the file of --remote-memory-configuration",
          file, node.id, node.name));
  });
}

int run(const Options& options) {
  if (options.files.workload.empty()) throw std::invalid_argument("--workload-configuration is missing");
  const std::filesystem::path out = options.out.empty() ? "out/astra-sim" : options.out;
  const astra_sim::Conversion conversion = astra_sim::convert(options.files);
  require_all_ranks(options.files.workload, conversion);
  warn_all(option_warnings(options));
  config::Node experiment = conversion.experiment;
  experiment.add("platform", conversion.platform);
  ExperimentOptions run;
  run.experiment = "of ASTRA-sim's files";
  run.out = out.string();
  run.overrides = options.overrides;
  run.converted = experiment;
  run.with_results = astra_sim::yaml_files(conversion);
  run.force = options.force;
  run.when_loaded = [&](const Job& job) {
    warn_all(warnings_for(conversion, collectives_in(job)));
    if (conversion.no_remote_memory) require_no_accesses(job, conversion, options.files.workload);
  };
  const ExperimentRun done = run_experiment(run);
  if (!options.json.empty() && write_json(options.json, done.results)) return 0;
  print_ranks(done.results);
  fmt::print("\n{}", done.summary);
  return 0;
}

int write_converted(const Options& options) {
  const std::filesystem::path out = options.out.empty() ? "." : options.out;
  const astra_sim::Conversion conversion = astra_sim::convert(options.files);
  const std::string& workload = options.files.workload;
  if (!workload.empty()) require_all_ranks(workload, conversion);
  warn_all(warnings_for(
      conversion, workload.empty() ? std::nullopt : std::optional(collectives_in(conversion, workload))));
  const auto files = astra_sim::yaml_files(conversion);
  OutputFolder folder(out, "wafertlm astra-sim --convert");
  for (const auto& [name, text] : files) folder.write(name, text);
  folder.commit(folder.earlier());
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  std::string lines;
  for (const auto& [name, text] : files) {
    written.push_back((out / name).string());
    lines += "  " + (out / name).string() + "\n";
  }
  if (options.json.empty() || !write_json(options.json, {{"written", written}}))
    fmt::print("Written:\n{}", lines);
  return 0;
}

}  // namespace

std::function<int()> add_astra_sim_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("astra-sim", "Run ASTRA-sim's inputs as they are, with its option names");
  add_file_options(*command, *options);
  CLI::Option* const convert = command->add_flag(
      "--convert", options->convert,
      "Only write what the files become: platform.yaml and, with a workload, experiment.yaml");
  add_set_option(
      *command, options->overrides, [] { return config::experiment_type()->all_paths(); },
      "of what the files become")
      ->excludes(convert);
  add_json_option(*command, options->json, results_schema);
  command->add_option("--comm-scale", options->comm_scale, "Has no effect here");
  command->add_option("--injection-scale", options->files.injection_scale, "Factor of endpoint-delay")
      ->check(not_negative());
  command->add_option("--num-queues-per-dim", options->queues, "Has no effect here");
  command->add_option("--rendezvous-protocol", options->rendezvous, "Has no effect here");
  add_shared_flag(*command, "--force", options->force, "a run that needs more memory than there is")
      ->excludes(convert);
  command->footer(
      "A cycle is a nanosecond. What the files ask for and is not modelled is named in a warning.\n"
      "Examples:\n"
      "  wafertlm astra-sim --workload-configuration=traces/all_reduce --system-configuration=system.json "
      "\\\n"
      "      --network-configuration=network.yml --remote-memory-configuration=memory.json "
      "--logging-folder=out\n"
      "  wafertlm astra-sim --convert --system-configuration=system.json "
      "--network-configuration=network.yml --out converted");
  return [options] { return options->convert ? write_converted(*options) : run(*options); };
}

}  // namespace wafertlm
