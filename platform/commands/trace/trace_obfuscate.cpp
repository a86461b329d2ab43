// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_obfuscate.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/synthesis_text.h"
#include "platform/commands/trace/trace_job.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/text/format.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"
#include "workloads/edit/obfuscate.h"
#include "workloads/statistics/trace_statistics.h"

namespace wafertlm {
namespace {

struct ObfuscateArguments {
  JobOutput out;
  std::string job, groups;
  double bound_percent = 5;
  std::uint64_t seed = 1;
  bool json = false;
};

std::string distances_text(const std::vector<statistics::Difference>& all) {
  std::string text = "  Kolmogorov-Smirnov distances:";
  for (const auto& each : all)
    if (each.count_a != 0) text += fmt::format(" {} {:.3f};", each.what, each.ks);
  text.back() = '\n';
  return text;
}

double percent(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(of);
}

int obfuscate_traces(const ObfuscateArguments& arguments) {
  const std::vector<std::string> files = chakra::find_rank_files(arguments.job);
  arguments.out.require_other_than(arguments.job);
  edit::Reidentification found;
  std::uint64_t identical = 0, nodes = 0;
  std::vector<std::unique_ptr<chakra::VectorSource>> sources;
  std::vector<chakra::NodeSource*> pointers;
  chakra::OneSet set;
  std::vector<statistics::TraceGraph> before, after;
  statistics::DurationGrid durations;
  for (const std::string& file : files) {
    const auto source = chakra::open_trace(file);
    set.add(*source);
    before.push_back(statistics::read_graph(*source));
    for (const chakra::Node& node : before.back().nodes) durations.add(node.duration_ps);
  }
  const TimePs grid_ps = durations.step_ps();
  statistics::RoundedBack rounded;
  for (std::uint32_t rank = 0; rank < files.size(); ++rank) {
    const edit::Nodes& source = before[rank].nodes;
    edit::Nodes changed = source;
    edit::obfuscate(changed, rank, {arguments.bound_percent / 100, grid_ps, arguments.seed});
    edit::attack(source, changed, found);
    identical = std::max(identical, edit::longest_identical_run(source, changed, grid_ps));
    for (std::size_t i = 0; i < source.size(); ++i)
      rounded.add(source[i].duration_ps, changed[i].duration_ps, grid_ps);
    nodes += changed.size();
    sources.push_back(std::make_unique<chakra::VectorSource>(arguments.out.file(rank), std::move(changed)));
    pointers.push_back(sources.back().get());
    after.push_back(statistics::read_graph(*sources.back()));
  }
  const auto ranks = static_cast<std::uint32_t>(files.size());
  const chakra::CommGroups groups = groups_of(arguments.groups, ranks, files);
  chakra::validate_job(pointers, groups);
  const std::string own_groups = arguments.groups.empty() ? groups_text(groups.to_map()) : "";
  write_job(arguments.out, pointers, own_groups, arguments.json);
  const auto distances =
      statistics::compare(statistics::statistics_of(before), statistics::statistics_of(after));
  if (arguments.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    for (const auto& each : distances)
      if (each.count_a != 0) all[each.what] = each.ks;
    print_json({{"ranks", ranks},
                {"nodes", nodes},
                {"bound_percent", arguments.bound_percent},
                {"duration_grid_ps", grid_ps},
                {"longest_identical_run", identical},
                {"attack",
                 {{"names", found.nodes},
                  {"right_percent", percent(found.right, found.nodes)},
                  {"by_chance_percent", percent(found.by_chance, found.nodes)}}},
                {"kolmogorov_smirnov", all},
                {"written", written_json(arguments.out, ranks, own_groups)}});
    return 0;
  }
  fmt::print(
      "{}: {}, {}; everything within {} % of the source{}\n", arguments.out.prefix, counted(ranks, "rank"),
      counted(nodes, "node"), arguments.bound_percent,
      grid_ps > 1 ? fmt::format(", durations within {} where that is more", format_time(2 * grid_ps)) : "");
  fmt::print("{}", groups_line(arguments.out, own_groups));
  fmt::print("  longest run of nodes that are as in the source: {}\n", identical);
  fmt::print("{}", rounded_text(rounded, grid_ps));
  fmt::print(
      "  nearest-neighbour attack: {:.1f} % of {} names guessed right; the most frequent name of each class "
      "alone: {:.1f} %\n",
      percent(found.right, found.nodes), found.nodes, percent(found.by_chance, found.nodes));
  fmt::print("{}", distances_text(distances));
  return 0;
}

}  // namespace

std::function<int()> add_trace_obfuscate(CLI::App& trace) {
  auto arguments = std::make_shared<ObfuscateArguments>();
  CLI::App* command = trace.add_subcommand(
      "obfuscate",
      "Traces that can be shown: names gone, times and sizes changed within a bound, structure kept");
  command->add_option("PREFIX", arguments->job, "Traces of all ranks, PREFIX.<rank>.et")->required();
  add_job_output(*command, arguments->out);
  add_json_flag(*command, arguments->json);
  add_shared_option(*command, "--bound", arguments->bound_percent)
      ->check(CLI::Range(0.1, 49.0))
      ->capture_default_str();
  add_shared_option(*command, "--seed", arguments->seed, "of the changes")->capture_default_str();
  add_shared_option(*command, "--comm-groups", arguments->groups);
  command->footer(
      "The order of operations and what depends on what stay, and can give a model's family away. The "
      "attack\n"
      "that is printed guesses names from durations and sizes alone.\n"
      "Example:\n"
      "  wafertlm trace obfuscate traces/job --bound 10 --out traces/public");
  return [=] { return command->parsed() ? obfuscate_traces(*arguments) : -1; };
}

}  // namespace wafertlm
