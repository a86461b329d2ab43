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
  std::string platform, type, sizes = "1MiB", npus, algorithm, traffic_class = "dp";
  std::vector<std::string> overrides;
  bool json = false;
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
  fmt::print("{:>10} {:>11} {:>12} {:>12} {:>11} {:>11} {:>8} {:>9}\n",
             format_bytes(row["bytes"].get<std::uint64_t>()), format_time(row["time_ps"].get<TimePs>()),
             format_bandwidth(row["algorithm_bandwidth_bytes_per_s"].get<double>()),
             format_bandwidth(row["bus_bandwidth_bytes_per_s"].get<double>()),
             format_time(row["predicted_ps"].get<TimePs>()), format_time(row["bound_ps"].get<TimePs>()),
             optional_ratio(row["time_over_bound"]), optional_ratio(row["time_over_predicted"]));
  std::fflush(stdout);
}

void print_head(const config::PlatformSpec& spec, const nlohmann::json& report, std::uint32_t chunks) {
  fmt::print("{} of {} NPUs on {}: {}, class {}, chunks {}{}\n", report["type"].get<std::string>(),
             report["group_size"].get<std::size_t>(), spec.name, report["algorithm"].get<std::string>(),
             report["class"].get<std::string>(), chunks, spec.run.functional ? ", values proven" : "");
  fmt::print("{:>10} {:>11} {:>12} {:>12} {:>11} {:>11} {:>8} {:>9}\n", "size", "time", "algbw", "busbw",
             "predicted", "bound", "/bound", "/predict");
}

int run(const Options& options) {
  const config::PlatformSpec spec = config::load_platform(options.platform, options.overrides);
  CollectiveRequest request;
  request.type = type_of(options.type);
  request.group = parse_npus(options.npus, spec.wafer.npu_count());
  request.algorithm = algorithm_of(options, spec.collectives, request.type);
  request.chunks = spec.collectives.requested_chunks();
  const std::vector<std::uint64_t> sizes = parse_sizes(options.sizes);
  // Refuses bad input before the first line of the table.
  const auto program = plan_collective(request, fabric_traits(mesh_params(spec.wafer)));
  class_table(spec.wafer.fabric).find(options.traffic_class);

  nlohmann::json report = {{"platform", spec.name},
                           {"type", options.type},
                           {"algorithm", program->algorithm},
                           {"class", options.traffic_class},
                           {"group_size", request.group.size()},
                           {"rows", nlohmann::json::array()}};
  for (const std::uint64_t bytes : sizes) {
    request.bytes = bytes;
    const nlohmann::json row = run_in_child([&] { return run_size(spec, request, options); });
    report["rows"].push_back(row);
    if (!options.json && report["rows"].size() == 1) print_head(spec, report, request.chunks);
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
  command
      ->add_option("--size", options->sizes,
                   "Bytes per rank (the full vector): one, a list, or FROM:TO:FACTOR")
      ->capture_default_str();
  command->add_option("--npus", options->npus, "The group, for instance 0-4,10; all if not given");
  command->add_option("--algorithm", options->algorithm, "Override the platform's choice")
      ->check(CLI::IsMember({"auto", "hierarchical_2d", "bidirectional_ring", "ring", "halving_doubling",
                             "double_binary_tree", "tree", "direct"}));
  command->add_option("--class", options->traffic_class, "Traffic class")->capture_default_str();
  command->add_option("--set", options->overrides,
                      "Change a key of the platform: wafer.fabric.link_bandwidth=1TB/s");
  command->add_flag("--json", options->json, "Print JSON instead of the table");
  command->footer(
      "size is the full vector per rank; algbw = size/time; busbw = algbw x 2(p-1)/p for all-reduce, (p-1)/p "
      "otherwise;\n"
      "predicted: closed form of the algorithm with nothing shared; bound: no algorithm can be faster.\n"
      "Examples:\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB:1GiB:4\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_gather --npus 0-4 --set "
      "run.functional=true");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
