// SPDX-License-Identifier: Apache-2.0
#include "platform/collective/collective_command.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/collective/collective_run.h"
#include "platform/command/child.h"
#include "platform/command/format.h"
#include "platform/command/ranges.h"
#include "platform/config/load.h"
#include "platform/system/machine.h"

namespace wafertlm {
namespace {

struct Options {
  std::string platform, type, sizes, npus, algorithm, traffic_class = "dp";
  std::vector<std::string> overrides;
  std::uint32_t root = 0;
  bool choices = false, json = false;
};

CollectiveType type_of(const std::string& name) {
  for (const CollectiveType type : kCollectiveTypes)
    if (name == to_string(type)) return type;
  throw std::invalid_argument("no collective '" + name +
                              "'");  // the option's check does not let it come here
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const CollectiveType type : kCollectiveTypes) names.emplace_back(to_string(type));
  return names;
}

std::string algorithm_of(const Options& options, const config::CollectivesSpec& spec, CollectiveType type) {
  if (!options.algorithm.empty()) return options.algorithm == "auto" ? "" : options.algorithm;
  return platform_algorithm(spec, type);
}

nlohmann::json run_size(const config::PlatformSpec& spec, const CollectiveRequest& request,
                        const Options& options) {
  const CollectiveResult result = run_collective(spec, request, options.traffic_class);
  const auto ratio = [&](TimePs to) {
    return to == 0 ? nlohmann::json() : nlohmann::json(seconds(result.time_ps) / seconds(to));
  };
  const double rate = result.time_ps == 0 ? 0 : static_cast<double>(request.bytes) / seconds(result.time_ps);
  return {{"bytes", request.bytes},
          {"algorithm", request.algorithm},
          {"chunks", request.chunks},
          {"time_s", seconds(result.time_ps)},
          {"time_ps", result.time_ps},
          {"predicted_s", seconds(result.predicted_ps)},
          {"predicted_ps", result.predicted_ps},
          {"bound_s", seconds(result.bound_ps)},
          {"bound_ps", result.bound_ps},
          {"algorithm_bandwidth_bytes_per_s", rate},
          {"bus_bandwidth_bytes_per_s", rate * bus_factor(request.type, request.group.size())},
          {"time_over_bound", ratio(result.bound_ps)},
          {"time_over_predicted", ratio(result.predicted_ps)},
          {"busiest_link_payload_bytes", result.busiest_link_payload_bytes},
          {"packet_hops", result.packet_hops},
          {"scheduler_events", result.events},
          {"values_proven", result.proven}};
}

std::string optional_ratio(const nlohmann::json& value) {
  return value.is_null() ? "-" : fmt::format("{:.3f}", value.get<double>());
}

void print_row(const nlohmann::json& row) {
  fmt::print("{:>10} {:>11} {:>12} {:>12} {:>11} {:>11} {:>8} {:>9}  {}, chunks {}\n",
             format_bytes(row["bytes"].get<std::uint64_t>()), format_time(row["time_ps"].get<TimePs>()),
             format_bandwidth(row["algorithm_bandwidth_bytes_per_s"].get<double>()),
             format_bandwidth(row["bus_bandwidth_bytes_per_s"].get<double>()),
             format_time(row["predicted_ps"].get<TimePs>()), format_time(row["bound_ps"].get<TimePs>()),
             optional_ratio(row["time_over_bound"]), optional_ratio(row["time_over_predicted"]),
             row["algorithm"].get<std::string>(), row["chunks"].get<std::uint32_t>());
  std::fflush(stdout);
}

void print_head(const config::PlatformSpec& spec, const nlohmann::json& report) {
  fmt::print("{} of {} NPUs on {}: class {}{}\n", report["type"].get<std::string>(),
             report["group_size"].get<std::size_t>(), spec.name, report["class"].get<std::string>(),
             spec.run.functional ? ", values proven" : "");
  fmt::print("{:>10} {:>11} {:>12} {:>12} {:>11} {:>11} {:>8} {:>9}  {}\n", "size", "time", "algbw", "busbw",
             "predicted", "bound", "/bound", "/predict", "algorithm");
}

std::vector<std::uint64_t> sizes_of(const Options& options, CollectiveType type) {
  if (options.sizes.empty() && type == CollectiveType::barrier) return {0};
  return parse_sizes(options.sizes.empty() ? "1MiB" : options.sizes);
}

/// What would run at each size, without running it.
int print_choices(const CollectiveRequest& request, const std::vector<std::uint64_t>& sizes,
                  const FabricTraits& fabric, bool json) {
  nlohmann::json rows = nlohmann::json::array();
  if (!json)
    fmt::print("{:>10} {:>6}  {:<20} {:>6} {:>11} {:>11} {:>8}\n", "size", "ranks", "algorithm", "chunks",
               "predicted", "bound", "/bound");
  for (const PlannerChoice& choice : planner_choices(request, sizes, fabric)) {
    const nlohmann::json ratio =
        choice.bound_ps == 0 ? nlohmann::json()
                             : nlohmann::json(seconds(choice.predicted_ps) / seconds(choice.bound_ps));
    rows.push_back({{"bytes", choice.bytes},
                    {"group_size", choice.ranks},
                    {"algorithm", choice.algorithm},
                    {"chunks", choice.chunks},
                    {"predicted_ps", choice.predicted_ps},
                    {"bound_ps", choice.bound_ps}});
    if (!json)
      fmt::print("{:>10} {:>6}  {:<20} {:>6} {:>11} {:>11} {:>8}\n", format_bytes(choice.bytes), choice.ranks,
                 choice.algorithm, choice.chunks, format_time(choice.predicted_ps),
                 format_time(choice.bound_ps), optional_ratio(ratio));
  }
  if (json) fmt::print("{}\n", nlohmann::json{{"rows", rows}}.dump(2));
  return 0;
}

int run(const Options& options) {
  const config::PlatformSpec spec = config::load_platform(options.platform, options.overrides);
  CollectiveRequest request;
  request.type = type_of(options.type);
  request.group = parse_npus(options.npus, spec.wafer.npu_count());
  request.algorithm = algorithm_of(options, spec.collectives, request.type);
  request.chunks = spec.collectives.requested_chunks();
  request.root = options.root;
  const std::vector<std::uint64_t> sizes = sizes_of(options, request.type);
  const FabricTraits fabric = fabric_traits(mesh_params(spec.wafer));
  if (options.choices) return print_choices(request, sizes, fabric, options.json);
  // Refuses bad input before the first line of the table.
  std::vector<CollectiveRequest> requests;
  for (const std::uint64_t bytes : sizes) {
    request.bytes = bytes;
    requests.push_back(settled(request, fabric));
  }
  class_table(spec.wafer.fabric).find(options.traffic_class);

  nlohmann::json report = {{"platform", spec.name},
                           {"type", options.type},
                           {"algorithm", requests.front().algorithm},
                           {"class", options.traffic_class},
                           {"group_size", request.group.size()},
                           {"rows", nlohmann::json::array()}};
  for (const CollectiveRequest& full : requests) {
    const nlohmann::json row = run_in_child([&] { return run_size(spec, full, options); });
    report["rows"].push_back(row);
    if (!options.json && report["rows"].size() == 1) print_head(spec, report);
    if (!options.json) print_row(row);
  }
  if (options.json) fmt::print("{}\n", report.dump(2));
  return 0;
}

}  // namespace

std::function<int()> add_collective_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("collective", "Time a collective on an idle wafer, like nccl-tests");
  command->add_option("PLATFORM", options->platform, "Platform file")->required()->type_name("FILE");
  command->add_option("--type", options->type, "What to run")
      ->required()
      ->check(CLI::IsMember(collective_names()));
  command->add_option(
      "--size", options->sizes,
      "Bytes of the full vector: one, a list, or FROM:TO:FACTOR; 1MiB if not given, none for a barrier");
  command->add_option("--npus", options->npus, "The group, for instance 0-4,10; all if not given");
  command->add_option("--algorithm", options->algorithm, "Override the platform's choice")
      ->check(CLI::IsMember({"auto", "hierarchical_2d", "bidirectional_ring", "ring", "halving_doubling",
                             "double_binary_tree", "tree", "direct"}));
  command
      ->add_option("--root", options->root, "Rank (position in the group) of the root of a rooted collective")
      ->capture_default_str();
  command->add_flag("--choices", options->choices,
                    "Print what would run at each size, with prediction and bound, and run nothing");
  command->add_option("--class", options->traffic_class, "Traffic class")->capture_default_str();
  command->add_option("--set", options->overrides,
                      "Change a key of the platform: wafer.fabric.link_bandwidth=1TB/s");
  command->add_flag("--json", options->json, "Print JSON instead of the table");
  command->footer(
      "size is the full vector per rank; algbw = size/time; busbw = algbw x 2(p-1)/p for all-reduce, 1 for "
      "broadcast "
      "and reduce, (p-1)/p otherwise;\n"
      "predicted: closed form of the algorithm with nothing shared; bound: no algorithm can be faster.\n"
      "Examples:\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB:1GiB:4\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_gather --npus 0-4 --set "
      "run.functional=true");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
