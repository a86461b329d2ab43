// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "platform/commands/trace/trace_classify.h"
#include "platform/commands/trace/trace_convert.h"
#include "platform/commands/trace/trace_edit.h"
#include "platform/commands/trace/trace_export.h"
#include "platform/commands/trace/trace_import.h"
#include "platform/commands/trace/trace_job.h"
#include "platform/commands/trace/trace_obfuscate.h"
#include "platform/commands/trace/trace_stats.h"
#include "platform/commands/trace/trace_synthesize.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/text/aligned.h"
#include "platform/text/config_error.h"
#include "platform/text/format.h"
#include "waveforms/transaction_log.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/peer_messages.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"

namespace wafertlm {
namespace {

/// What is in the traces of a job, as it stands there: nothing is judged.
struct TraceInfo {
  struct Collectives {
    std::uint64_t count = 0, bytes = 0;
  };
  std::uint64_t ranks = 0, nodes = 0, cpu_ops = 0, dependencies = 0;
  std::array<std::uint64_t, chakra::kNodeTypes> by_type{};
  std::map<std::string, Collectives> collectives;  ///< by type; bytes as the nodes give them
  std::uint64_t launches = 0;                      ///< COMM_COLL nodes that are the CPU side of one
  std::uint64_t sent_bytes = 0, received_bytes = 0, memory_bytes = 0, operations = 0;
  std::uint64_t cpu_ps = 0;                                 ///< durations of CPU operations, all ranks
  std::uint64_t compute_ps = 0;                             ///< of COMP nodes that are not, all ranks
  std::uint64_t least_compute_ps = 0, most_compute_ps = 0;  ///< of one rank
  std::uint64_t least_nodes = 0, most_nodes = 0;
};

void add(TraceInfo& info, const chakra::Node& node, std::uint64_t& compute_ps) {
  ++info.nodes;
  ++info.by_type[static_cast<std::size_t>(node.type)];
  info.dependencies += node.ctrl_deps.size() + node.data_deps.size();
  info.cpu_ops += node.is_cpu_op ? 1 : 0;
  info.launches += node.is_launch() ? 1 : 0;
  info.operations += node.num_ops.value_or(0);
  using chakra::NodeType;
  const std::uint64_t bytes = node.comm_size.value_or(0);
  if (node.type == NodeType::Comp) (node.is_cpu_op ? info.cpu_ps : compute_ps) += node.duration_ps;
  if (node.type == NodeType::CommSend) info.sent_bytes += bytes;
  if (node.type == NodeType::CommRecv) info.received_bytes += bytes;
  if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore)
    info.memory_bytes += node.tensor_size.value_or(0);
  if (node.type != NodeType::CommColl) return;
  if (node.is_launch()) {
    info.cpu_ps += node.duration_ps;
    return;
  }
  const char* const way = !node.io_stream                                       ? ""
                          : node.comm_type == chakra::CollectiveType::Broadcast ? " (streams in)"
                                                                                : " (streams out)";
  auto& kind = info.collectives[to_string(*node.comm_type) + std::string(way)];
  ++kind.count;
  kind.bytes += bytes;
}

std::string range(const std::string& least, const std::string& most) {
  return least == most ? least : least + " to " + most;
}

/// Reads the job's files, one after the other. @throws chakra::TraceError for what cannot be read.
TraceInfo read_info(const TraceJob& job) {
  TraceInfo info;
  for (const std::string& file : job.files) {
    const auto source = chakra::open_trace(file);
    chakra::Node node;
    std::uint64_t compute_ps = 0;
    const std::uint64_t before = info.nodes;
    while (source->next(node)) add(info, node, compute_ps);
    const std::uint64_t nodes = info.nodes - before;
    info.least_nodes = info.ranks == 0 ? nodes : std::min(info.least_nodes, nodes);
    info.most_nodes = std::max(info.most_nodes, nodes);
    info.least_compute_ps = info.ranks == 0 ? compute_ps : std::min(info.least_compute_ps, compute_ps);
    info.most_compute_ps = std::max(info.most_compute_ps, compute_ps);
    info.compute_ps += compute_ps;
    ++info.ranks;
  }
  return info;
}

std::string info_text(const TraceJob& job, const TraceInfo& info) {
  TextRows rows;
  const auto row = [&rows](const std::string& name, const std::string& value) {
    rows.push_back({name, value});
  };
  row("ranks", job.is_whole ? std::to_string(info.ranks) : fmt::format("1 file, of rank {}", job.rank));
  row("nodes", fmt::format("{} ({} per rank), {} dependencies", info.nodes,
                           range(std::to_string(info.least_nodes), std::to_string(info.most_nodes)),
                           info.dependencies));
  for (std::size_t type = 0; type < info.by_type.size(); ++type)
    if (info.by_type[type] != 0)
      row(chakra::to_string(static_cast<chakra::NodeType>(type)), std::to_string(info.by_type[type]));
  for (const auto& [type, kind] : info.collectives)
    row("  " + type, fmt::format("{}, {} B in all", kind.count, kind.bytes));
  if (info.launches != 0) row("  launches", fmt::format("{} (CPU side of a collective)", info.launches));
  if (info.cpu_ops != 0)
    row("CPU operations", fmt::format("{}, {} in all", info.cpu_ops, format_time(info.cpu_ps)));
  row("compute",
      fmt::format("{} ps per rank ({})",
                  range(std::to_string(info.least_compute_ps), std::to_string(info.most_compute_ps)),
                  format_time(info.most_compute_ps)));
  if (info.operations != 0) row("operations", std::to_string(info.operations));
  if (info.sent_bytes != 0 || info.received_bytes != 0)
    row("messages", fmt::format("{} B sent, {} B received", info.sent_bytes, info.received_bytes));
  if (info.memory_bytes != 0) row("memory", fmt::format("{} B", info.memory_bytes));
  return job.name + "\n" + aligned(rows, "l");
}

namespace fs = std::filesystem;

/// A file whose job is not known may name any rank.
constexpr std::uint32_t kAnyRanks = 65'536;

struct TraceOptions {
  std::vector<std::string> files;
  std::string dependencies = "all", groups, out, form;
  std::uint32_t replicate = 0;
  bool force = false, json = false;
};

chakra::ValidateOptions validate_options(const TraceOptions& options) {
  chakra::ValidateOptions validate;
  validate.dependencies = dependencies_of(options.dependencies);
  return validate;
}

nlohmann::ordered_json info_json(const TraceJob& job, const TraceInfo& info) {
  nlohmann::ordered_json types = nlohmann::ordered_json::object(), collectives = types;
  for (std::size_t type = 0; type < info.by_type.size(); ++type)
    if (info.by_type[type] != 0)
      types[chakra::to_string(static_cast<chakra::NodeType>(type))] = info.by_type[type];
  for (const auto& [type, kind] : info.collectives)
    collectives[type] = {{"count", kind.count}, {"bytes", kind.bytes}};
  return {{"job", job.name},
          {"ranks", info.ranks},
          {"is_whole", job.is_whole},
          {"nodes", info.nodes},
          {"least_nodes_of_a_rank", info.least_nodes},
          {"most_nodes_of_a_rank", info.most_nodes},
          {"dependencies", info.dependencies},
          {"types", types},
          {"collectives", collectives},
          {"launches", info.launches},
          {"cpu_operations", info.cpu_ops},
          {"cpu_ps", info.cpu_ps},
          {"compute_ps", info.compute_ps},
          {"least_compute_of_a_rank_ps", info.least_compute_ps},
          {"most_compute_of_a_rank_ps", info.most_compute_ps},
          {"operations", info.operations},
          {"bytes_sent", info.sent_bytes},
          {"bytes_received", info.received_bytes},
          {"memory_bytes", info.memory_bytes}};
}

int info(const TraceOptions& options) {
  if (options.json) {
    nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
    for (const TraceJob& job : find_trace_jobs(options.files)) jobs.push_back(info_json(job, read_info(job)));
    print_json({{"jobs", jobs}});
    return 0;
  }
  for (const TraceJob& job : find_trace_jobs(options.files)) fmt::print("{}", info_text(job, read_info(job)));
  return 0;
}

std::vector<chakra::TraceSummary> check_job(const TraceJob& job, const TraceOptions& options) {
  std::vector<std::unique_ptr<chakra::NodeSource>> sources;
  std::vector<chakra::NodeSource*> ranks;
  const std::size_t copies = options.replicate != 0 ? options.replicate : job.files.size();
  if (options.replicate != 0 && job.files.size() != 1)
    throw std::invalid_argument(
        fmt::format("--replicate goes with one trace file, and {} has {}", job.name, job.files.size()));
  if (options.replicate != 0)
    sources = chakra::replicas(job.files.front(), options.replicate);
  else
    for (const std::string& file : job.files) sources.push_back(chakra::open_trace(file));
  for (const auto& source : sources) ranks.push_back(source.get());
  const bool whole = job.is_whole || options.replicate != 0;
  const auto size = whole ? static_cast<std::uint32_t>(copies) : kAnyRanks;
  const chakra::CommGroups groups = groups_of(options.groups, size, job.files);
  const auto summaries =
      whole ? chakra::validate_job(ranks, groups, validate_options(options))
            : std::vector{chakra::validate(*ranks.front(), job.rank, groups, validate_options(options))};
  if (!options.groups.empty()) chakra::require_group_of_file(summaries, groups.count(), options.groups);
  return summaries;
}

/// What the rank that needs most needs of its NPU's memory; nothing if no trace says anything of it.
std::string memory_line(const std::vector<chakra::TraceSummary>& ranks) {
  std::uint64_t most = 0;
  std::string gap;
  for (const chakra::TraceSummary& rank : ranks) {
    most = std::max(most, rank.footprint.bytes);
    if (gap.empty()) gap = rank.footprint.gap;
  }
  if (most == 0) return "";
  return gap.empty() ? fmt::format("  a rank needs up to {} of memory\n", format_bytes(most))
                     : fmt::format("  a rank needs {} of memory or more: {}\n", format_bytes(most), gap);
}

int check(const TraceOptions& options) {
  nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
  for (const TraceJob& job : find_trace_jobs(options.files)) {
    const auto summaries = check_job(job, options);
    std::uint64_t nodes = 0, missing = 0, left_out = 0;
    chakra::AttributeCounts unknown;
    for (const chakra::TraceSummary& rank : summaries) {
      for (const auto& [name, count] : rank.unknown_attributes) unknown[name] += count;
      nodes += rank.nodes;
      missing += rank.missing_ctrl_deps + rank.missing_data_deps;
      left_out += rank.left_out_ctrl_deps;
    }
    if (options.json) {
      jobs.push_back({{"job", job.name},
                      {"ok", true},
                      {"ranks", summaries.size()},
                      {"is_whole", job.is_whole || options.replicate != 0},
                      {"nodes", nodes},
                      {"control_dependencies_left_out", left_out},
                      {"dependencies_on_missing_nodes", missing},
                      {"unknown_attributes", unknown}});
      continue;
    }
    fmt::print("{}: ok, {}, {}\n", job.name, counted(summaries.size(), "rank"), counted(nodes, "node"));
    if (left_out != 0)
      fmt::print("  {} left out\n", counted(left_out, "control dependency was", "control dependencies were"));
    for (const auto& [name, count] : unknown)
      fmt::print("  attribute {} is not known and changes nothing, on {}\n", config::quoted(name),
                 counted(count, "node"));
    if (missing != 0)
      fmt::print("  {} on nodes that are not there\n", counted(missing, "dependency is", "dependencies are"));
    if (summaries.size() == 1 && !job.is_whole && options.replicate == 0)
      fmt::print("  one rank by itself: nothing was compared with other ranks\n");
    fmt::print("{}", memory_line(summaries));
  }
  if (options.json) print_json({{"jobs", jobs}});
  return 0;
}

int diff(const TraceOptions& options) {
  const auto log = [](const std::string& path) {
    return fs::is_directory(path) ? (fs::path(path) / "transactions.sqlite").string() : path;
  };
  const std::string found = first_divergence(log(options.files[0]), log(options.files[1]));
  if (options.json)
    print_json({{"same", found.empty()}, {"first_difference", found}});
  else
    fmt::print("{}", found.empty() ? "The logs are the same.\n" : found);
  return found.empty() ? 0 : 1;
}

void add_files(CLI::App& command, TraceOptions& options) {
  command.add_option("FILES", options.files, "Trace files, or PREFIX for PREFIX.<rank>.et")
      ->required()
      ->type_name("FILES");
  add_json_flag(command, options.json);
}

}  // namespace

std::function<int()> add_trace_command(CLI::App& app) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* command = app.add_subcommand("trace", "Look at, check and convert Chakra execution traces");
  command->require_subcommand(1);

  CLI::App* info_command = command->add_subcommand("info", "What is in the traces");
  add_files(*info_command, *options);
  info_command->footer(
      "Examples:\n"
      "  wafertlm trace info traces/job                  all ranks, traces/job.<rank>.et\n"
      "  wafertlm trace info traces/job.0.et traces/job.1.et.gz");

  CLI::App* check_command =
      command->add_subcommand("check", "Whether they can be run; exit code 2 names what is wrong");
  add_files(*check_command, *options);
  add_shared_option(*check_command, "--dependencies", options->dependencies)
      ->check(CLI::IsMember({"all", "existing", "data"}))
      ->capture_default_str();
  add_shared_option(*check_command, "--comm-groups", options->groups,
                    "if not given there is only the group of all ranks");
  add_shared_option(*check_command, "--replicate", options->replicate, "if not given every rank has a file")
      ->check(CLI::Range(1U, 65'536U));
  check_command->footer(
      "What a platform cannot do (traffic classes, sizes of its memory, number of NPUs) is found by\n"
      "`wafertlm check EXPERIMENT.yaml`.\n"
      "Examples:\n"
      "  wafertlm trace check traces/job\n"
      "  wafertlm trace check traces/job.*.et --comm-groups traces/groups.json\n"
      "  wafertlm trace check pytorch.0.et --replicate 8 --dependencies data");

  CLI::App* convert_command = command->add_subcommand(
      "convert", "Write them in another form; all files appear when all are complete, or none");
  add_files(*convert_command, *options);
  const OptionRow& form = option_row("--form");
  convert_command
      ->add_option(std::string(form.names) + ",--to", options->form,
                   description_of(form, "not needed with two file names, FROM TO"))
      ->type_name(form.type)
      ->check(CLI::IsMember({"et", "et.gz", "json"}));
  add_shared_option(*convert_command, "--out", options->out, "a folder; beside the original if not given")
      ->check(names_output(OutputKind::folder));
  add_shared_option(*convert_command, "--replicate", options->replicate,
                    "of a text workload of ASTRA-sim 1.0 or SimAI (.txt), which becomes NAME.<rank>.et")
      ->check(CLI::Range(1U, 65'536U));
  add_shared_flag(*convert_command, "--force", options->force,
                  "removes ranks of an earlier job that would stand beside the new ones");
  convert_command->footer(
      "Examples:\n"
      "  wafertlm trace convert traces/job --form json --out readable\n"
      "  wafertlm trace convert job.0.json job.0.et.gz");

  CLI::App* diff_command = command->add_subcommand(
      "diff", "The first transaction in which two runs differ; exit code 1 if there is one");
  diff_command
      ->add_option("LOGS", options->files,
                   "Two transactions.sqlite of `wafertlm run --log`, or the folders that hold them")
      ->required()
      ->expected(2)
      ->type_name("LOG");
  add_json_flag(*diff_command, options->json);
  diff_command->footer("Example:\n  wafertlm trace diff out/tlm out/rtl");

  const std::function<int()> others[] = {add_trace_import(*command),    add_trace_stats(*command),
                                         add_trace_export(*command),    add_trace_edit(*command),
                                         add_trace_obfuscate(*command), add_trace_synthesize(*command),
                                         add_trace_classify(*command)};

  command->footer(
      "Examples:\n"
      "  wafertlm trace info traces/job\n"
      "  wafertlm trace check traces/job.*.et\n"
      "  wafertlm trace convert traces/job --form json --out readable\n"
      "  wafertlm trace convert job.0.json job.0.et.gz");
  return [=] {
    if (info_command->parsed()) return info(*options);
    if (diff_command->parsed()) return diff(*options);
    if (check_command->parsed()) return check(*options);
    for (const auto& other : others)
      if (const int code = other(); code >= 0) return code;
    convert_traces(
        {options->files, options->out, options->form, options->replicate, options->force, options->json});
    return 0;
  };
}

}  // namespace wafertlm
