// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "platform/commands/traffic/flows.h"
#include "platform/commands/traffic/traffic_options.h"
#include "platform/commands/traffic/traffic_report.h"
#include "platform/commands/traffic/traffic_run.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/run/host_estimate.h"
#include "platform/spec/descriptions.h"
#include "platform/text/quantity.h"

namespace wafertlm {
namespace {

using namespace traffic;

constexpr const char* kExamples = R"(Examples:
  wafertlm traffic configs/platforms/mesh_8x8_flit.yaml --load 0.05:0.5:0.05
  wafertlm traffic configs/platforms/mesh_8x8_flit.yaml --pattern transpose --load 0.1 --packet 1flits
  wafertlm traffic configs/platforms/wafer_mesh_5x4.yaml --packet 3072B --pattern hotspot --hotspot 7 --load 0.1
  wafertlm traffic configs/platforms/fred_d.yaml --packet 3072B --pattern neighbor --load 0.1:0.9:0.2
  wafertlm traffic my.yaml --set wafer.fabric.input_queue=fifo --load 0.1:0.9:0.1 --jobs 2 --json out.json
  wafertlm traffic configs/platforms/ethernet_leaf_spine_32.yaml --pattern incast --flow 1MiB
Load: flits per sending node and cycle. A flit is wafer.fabric.flit_bytes (a whole packet where that is 0); a
cycle is the time of a flit on a mesh link (of FRED: at an NPU's port) and must be a whole number of ps. The
patterns see a FRED wafer as a grid with a row for each L1 switch and a column for each of its NPUs.)";

struct Command {
  TrafficOptions options;
  std::string json_file;
  std::string flow;  ///< size of a flow; empty: loads
  unsigned jobs = 1;
  bool force = false;
};

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::uint64_t flow_bytes(const std::string& text) {
  std::uint64_t bytes = 0;
  try {
    bytes = config::parse_size(text);
  } catch (const config::QuantityError& error) {
    throw std::invalid_argument(fmt::format("--flow {}: {}", text, error.what()));
  }
  if (bytes == 0) throw std::invalid_argument("--flow 0: a flow has a byte or more");
  return bytes;
}

int run_all_at_once(const Command& command) {
  const FlowsSetup setup{resolve_common(command.options, command.options.overrides),
                         flow_bytes(command.flow)};
  require_host_memory(setup.traffic.platform, 1, command.force);
  const bool only_json = command.json_file == "-";
  const FlowsResult result = run_flows(setup);
  if (!only_json) print(flows_report(setup, result));
  if (command.json_file.empty()) return 0;
  write_json(command.json_file, flows_json(setup, result));
  if (!only_json) print(fmt::format("\nwrote {}\n", command.json_file));
  return 0;
}

int run(const Command& command) {
  if (!command.flow.empty()) return run_all_at_once(command);
  const std::vector<double> loads = parse_loads(command.options.load);
  const TrafficSetup setup = resolve(command.options);
  require_host_memory(setup.platform, std::min<std::size_t>(command.jobs, loads.size()), command.force);
  const bool only_json = command.json_file == "-";
  const auto say = [&](const std::string& text) {
    if (!only_json) print(text);
  };
  say(report_heading(setup));
  const std::vector<TrafficResult> results =
      run_sweep(setup, loads, command.jobs, [&](const TrafficResult& result) { say(report_row(result)); });
  say(report_saturation(results));
  say(report_links(results.back()));
  if (command.json_file.empty()) return 0;
  write_json(command.json_file, sweep_json(setup, results));
  say(fmt::format("\nwrote {}\n", command.json_file));
  return 0;
}

}  // namespace

std::function<int()> add_traffic_command(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  TrafficOptions& options = command->options;
  CLI::App* sub = app.add_subcommand("traffic", "Latency and throughput under synthetic traffic");
  sub->footer(kExamples);
  add_file(*sub, "PLATFORM", options.platform_file, "Platform file", "platforms");
  sub->add_option("--pattern", options.pattern.name, "One of " + pattern_names())->capture_default_str();
  CLI::Option* const load =
      sub->add_option("--load", options.load, "Offered load, or first:last:step, in flits per node and cycle")
          ->capture_default_str();
  CLI::Option* const packet = sub->add_option(
      "--packet", options.packet, "Packet: 8flits on the wire, or payload such as 4KiB [platform's]");
  CLI::Option* const flow =
      sub->add_option("--flow", command->flow,
                      "In place of loads: a message of this size from every node, all at once (Ethernet)")
          ->type_name("SIZE");
  sub->add_option("--hotspot", options.pattern.hotspot_node,
                  "Node that hotspot prefers, and to which incast goes [0]");
  sub->add_option("--hotspot-fraction", options.pattern.hotspot_fraction,
                  "Part of the packets that go there [0.1]");
  sub->add_option("--permutation", options.pattern.permutation_file, "File of 'source destination' lines");
  sub->add_option("--pairs", options.pattern.pairs_file,
                  "The same for pairs, where several may send to one node");
  add_shared_option(*sub, "--class", options.traffic_class, "[the platform's first]");
  add_set_option(*sub, options.overrides, [] { return config::platform_type()->all_paths(); });
  CLI::Option* const warmup = sub->add_option("--warmup-packets", options.warmup_packets,
                                              "Before measuring, all nodes [200 per node]")
                                  ->check(positive());
  CLI::Option* const measure =
      sub->add_option("--measure", options.measure_packets, "Packets to measure, all nodes [1000 per node]")
          ->check(positive());
  for (CLI::Option* const of_loads : {load, packet, warmup, measure}) flow->excludes(of_loads);
  add_shared_option(*sub, "--seed", options.seed, "[the platform's]");
  add_shared_flag(*sub, "--force", command->force, "a run that needs more memory than there is");
  add_json_option(*sub, command->json_file, [] {
    return nlohmann::ordered_json{{"oneOf", {sweep_schema(), flows_schema()}}};
  });
  add_jobs_option(*sub, command->jobs, "loads");
  return [command] { return run(*command); };
}

}  // namespace wafertlm
