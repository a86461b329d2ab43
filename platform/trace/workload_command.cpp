// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "platform/command/files.h"
#include "platform/command/format.h"
#include "platform/commands.h"
#include "platform/config/load.h"
#include "platform/run/job.h"
#include "platform/trace/stale_ranks.h"
#include "platform/trace/workload_show.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

struct WorkloadOptions {
  std::string workload, out, form = "et";
  std::vector<std::string> overrides;
  bool json = false;
  bool force = false;
};

int generate(const WorkloadOptions& options) {
  namespace fs = std::filesystem;
  const config::WorkloadSpec spec = config::load_workload(options.workload, options.overrides);
  const auto sources = workload_sources(spec);
  const auto ranks = static_cast<std::uint32_t>(sources.size());
  std::vector<chakra::NodeSource*> pointers;
  for (const auto& source : sources) pointers.push_back(source.get());
  // Nothing is written that could not be run.
  chakra::ValidateOptions validate;
  validate.dependencies = spec.traces.dependencies;
  chakra::validate_job(pointers, workload_groups(spec, ranks), validate);
  require_writable_folder(options.out);
  const std::string prefix = (fs::path(options.out) / fs::path(options.workload).stem()).string();
  std::vector<std::string> names;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    names.push_back(fmt::format("{}.{}.{}", prefix, rank, options.form));
  const auto stale = chakra::stale_rank_files(prefix, names);
  if (!options.force) require_no_stale_ranks(stale, false);
  std::uint64_t nodes = 0;
  chakra::TraceFiles files;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) nodes += files.add(*sources[rank], names[rank]);
  require_no_stale_ranks(stale, options.force);
  files.commit();
  if (spec.kind == config::WorkloadKind::training) {
    const std::string groups = fs::path(options.workload).stem().string() + ".comm_groups.json";
    write_files(options.out,
                {{groups, nlohmann::json(training_plan(spec.training)->groups()).dump(1) + "\n"}});
    fmt::print("{}: the communicator groups\n", (fs::path(options.out) / groups).string());
    // Traces do not say where ranks are; this file does, so that they run as the workload would.
    const std::string name = fs::path(options.workload).stem().string();
    write_files(options.out,
                {{name + ".traces.yaml",
                  fmt::format("workload: {}\nchakra: {}\ncomm_groups: {}\nplacement: \"{}\"\nplaced_as: {}\n",
                              nlohmann::json(spec.name).dump(), name, groups, spec.policy(),
                              to_string(spec.placed_as(ranks)))}});
    fmt::print("{}: the workload to run, with placement {}\n",
               (fs::path(options.out) / (name + ".traces.yaml")).string(), spec.policy());
  }
  fmt::print("{}.<rank>.{}: {}, {}\n", prefix, options.form, counted(ranks, "rank"), counted(nodes, "node"));
  return 0;
}

int show(const WorkloadOptions& options) {
  const WorkloadTotals totals = workload_totals(config::load_workload(options.workload, options.overrides));
  if (options.json)
    fmt::print("{}\n", totals_json(totals).dump(2));
  else
    fmt::print("{}", totals_text(totals));
  return 0;
}

}  // namespace

std::function<int()> add_workload_command(CLI::App& app) {
  auto options = std::make_shared<WorkloadOptions>();
  CLI::App* command = app.add_subcommand("workload", "Look at a workload, or make Chakra traces of it");
  command->require_subcommand(1);
  CLI::App* generate_command =
      command->add_subcommand("generate", "Write what a workload file describes as a trace per rank");
  generate_command->add_option("WORKLOAD", options->workload, "Workload file")->required()->type_name("FILE");
  generate_command->add_option("--out", options->out, "Folder for the traces")->required()->type_name("DIR");
  generate_command->add_option("--form", options->form, "et, et.gz or json")
      ->check(CLI::IsMember({"et", "et.gz", "json"}))
      ->capture_default_str();
  generate_command->add_option("--set", options->overrides, "Change a key: data_parallel=4");
  generate_command->add_flag(
      "--force", options->force,
      "Remove ranks of an earlier job that would stand beside the new ones; refused if "
      "not given");
  generate_command->footer(
      "The files are DIR/<name of the workload file>.<rank>.<form>.\n"
      "Examples:\n"
      "  wafertlm workload generate configs/workloads/resnet50_dp20.yaml --out traces\n"
      "  wafertlm workload generate configs/workloads/resnet50_dp20.yaml --out traces --set data_parallel=8 "
      "--form json --force");
  CLI::App* show_command = command->add_subcommand(
      "show", "Totals of a workload: parameters, operations, bytes by traffic class, message sizes, memory");
  show_command->add_option("WORKLOAD", options->workload, "Workload file")->required()->type_name("FILE");
  show_command->add_option("--set", options->overrides, "Change a key: microbatches=4");
  show_command->add_flag("--json", options->json, "Print JSON, with every rank");
  command->footer(
      "Examples:\n"
      "  wafertlm workload generate configs/workloads/resnet50_dp20.yaml --out traces\n"
      "  wafertlm workload show configs/workloads/transformer_17b.yaml");
  return [options, show_command] { return show_command->parsed() ? show(*options) : generate(*options); };
}

}  // namespace wafertlm
