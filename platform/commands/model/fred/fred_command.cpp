// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/fred/routing/network.h"
#include "platform/commands/model/fred/fred_sweep.h"
#include "platform/commands/model/model_commands.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"
#include "platform/text/suggest.h"

namespace wafertlm {
namespace {

/// "4,4,3": whole numbers of at least `least`. @param option for the error. @throws std::invalid_argument.
std::vector<std::uint32_t> number_list(const std::string& option, const std::string& text, char separator,
                                       std::uint32_t least) {
  std::vector<std::uint32_t> found;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < least || (stop != end && *stop != separator))
      throw std::invalid_argument(fmt::format("{} {}: expected whole numbers from {}, joined by '{}'", option,
                                              text, least, separator));
    found.push_back(value);
    if (stop == end) return found;
    at = stop + 1;
  }
}

struct Counts {
  std::string ports = "2-16", ms = "1,2,3,4";
  bool json = false;
};

/// The µswitches of FRED_m(P).
int print_counts(const Counts& options) {
  const auto ends = number_list("--ports", options.ports, '-', 2);
  const auto ms = number_list("--m", options.ms, ',', 1);
  if (ends.size() > 2 || ends.front() > ends.back())
    throw std::invalid_argument("--ports " + options.ports + ": expected a number, or FROM-TO");
  constexpr std::pair<const char*, MicroSwitchKind> kKinds[] = {
      {"r", MicroSwitchKind::reduce},
      {"d", MicroSwitchKind::distribute},
      {"rd", MicroSwitchKind::reduce_distribute},
      {"demux", MicroSwitchKind::demux},
      {"mux", MicroSwitchKind::mux},
  };
  nlohmann::json rows = nlohmann::json::array();
  std::string text = fmt::format("{:>6}{:>4}", "ports", "m");
  for (const auto& kind : kKinds) text += fmt::format("{:>9}", kind.first);
  text += fmt::format("{:>8}\n", "stages");
  for (std::uint32_t ports = ends.front(); ports <= ends.back(); ++ports)
    for (const std::uint32_t m : ms) {
      const FredNetwork network(m, ports);
      nlohmann::json row = {{"ports", ports}, {"m", m}, {"stages", FredNetwork::stages(ports)}};
      text += fmt::format("{:>6}{:>4}", ports, m);
      for (const auto& [name, kind] : kKinds) {
        row[name] = network.netlist().count(kind);
        text += fmt::format("{:>9}", network.netlist().count(kind));
      }
      text += fmt::format("{:>8}\n", FredNetwork::stages(ports));
      rows.push_back(std::move(row));
    }
  const std::string output = options.json ? nlohmann::json{{"rows", rows}}.dump(2) + "\n" : text;
  std::fputs(output.c_str(), stdout);
  return 0;
}

/// `wafertlm model fred counts`. Returns the function that runs it.
std::function<int()> add_fred_counts_command(CLI::App& fred) {
  auto options = std::make_shared<Counts>();
  CLI::App* count = fred.add_subcommand("counts", "The µswitches and stages of FRED_m(P), as built");
  count->add_option("--ports", options->ports, "P, or FROM-TO")->capture_default_str();
  add_shared_option(*count, "--m", options->ms)->capture_default_str();
  add_json_flag(*count, options->json);
  count->footer("Example:\n  wafertlm model fred counts --ports 2-16 --m 2,3");
  return [options] { return print_counts(*options); };
}

const std::vector<std::string> kPlacements = {"paper", "contiguous", "row_major", "random"};

struct Options {
  FredWaferShape shape;
  std::string platform, view, io, type = "all_reduce", parallelism, ms, placement, workers;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1, seeds = 20;
  std::string note;  // of the platform
  bool sweep = false, print = false, json = false;
  CLI::Option *l1 = nullptr, *npus = nullptr, *uplinks = nullptr, *l2 = nullptr, *seed_option = nullptr,
              *seeds_option = nullptr;
};

/// What the command takes from a platform file where no option says otherwise.
void take_platform(Options& options) {
  if (options.platform.empty()) {
    if (!options.overrides.empty())
      throw std::invalid_argument("--set changes keys of a platform file; give one");
    if (options.view.empty()) options.view = "physical";
    if (options.ms.empty()) options.ms = "2,3";
    return;
  }
  const config::PlatformSpec spec = config::load_platform(options.platform, options.overrides);
  if (!spec.wafer.fabric.has<FredParams>())
    throw std::invalid_argument(options.platform + " is no FRED wafer (wafer.fabric.kind)");
  const FredParams fred = fred_params(spec.wafer, true);
  if (fred.geometry.levels() != 2)
    throw std::invalid_argument(options.platform +
                                " has three levels of switches; routes are known for two (l2_switches: 1)");
  options.note = fmt::format("{}: {}\n", spec.name,
                             fred.in_network ? fmt::format("m = {}", fred.flows.middle_switches)
                                             : "its switches do not reduce (in_network: false)");
  if (options.view.empty()) options.view = "logical";
  if (options.ms.empty()) {
    options.ms = "2,3";
    if (const std::uint32_t m = fred.in_network ? fred.flows.middle_switches : 3; m != 2 && m != 3)
      options.ms += fmt::format(",{}", m);
  }
  if (!options.l1->count()) options.shape.l1_switches = fred.geometry.l1_switches;
  if (!options.npus->count()) options.shape.npus_per_l1 = fred.geometry.npus_per_l1;
  if (!options.uplinks->count()) {
    options.shape.uplinks = static_cast<std::uint32_t>(fred.streams(fred.l1_uplink_bytes_per_s));
    if (options.view == "logical" && options.shape.uplinks < fred.geometry.npus_per_l1)
      options.note += fmt::format(
          "an uplink of {} is {} port{}: flows that find none free are a conflict here, and take turns in a "
          "run\n",
          format_bandwidth(static_cast<double>(fred.l1_uplink_bytes_per_s)), options.shape.uplinks,
          options.shape.uplinks == 1 ? "" : "s");
  }
  if (options.io.empty()) {
    options.shape.io_per_l1.assign(options.shape.l1_switches, 0);
    for (const std::uint32_t l1 : fred.geometry.io)
      if (l1 < options.shape.l1_switches) ++options.shape.io_per_l1[l1];
  }
}

FredWaferShape shape_of(const Options& options) {
  FredWaferShape shape = options.shape;
  if (options.view == "logical") {
    if (options.l2->count())
      throw std::invalid_argument(
          "--l2: the logical view has one L2 switch; leave it out, or choose --view physical");
    shape.l2_switches = shape.planes = 1;
  } else if (options.view != "physical") {
    throw std::invalid_argument("no view '" + options.view + "'" +
                                config::suggestion(options.view, {"physical", "logical"}, "views"));
  }
  const bool same_l1 = !options.l1->count();
  if (!options.io.empty())
    shape.io_per_l1 = number_list("--io", options.io, ',', 0);
  else if (!same_l1 && options.platform.empty())
    shape.io_per_l1.assign(shape.l1_switches, 4);
  if (options.npus->count() && !options.uplinks->count() && options.platform.empty())
    shape.uplinks = shape.npus_per_l1;
  shape.check();
  return shape;
}

CollectiveType type_of(const std::string& name) {
  std::vector<std::string> names;
  for (const CollectiveType type : kCollectiveTypes) {
    if (name == to_string(type)) return type;
    names.emplace_back(to_string(type));
  }
  throw std::invalid_argument("no collective '" + name + "'" +
                              config::suggestion(name, names, "collectives"));
}

void check_placement(const std::string& name) {
  if (std::find(kPlacements.begin(), kPlacements.end(), name) != kPlacements.end()) return;
  if (name.rfind("file:", 0) == 0) return;
  throw std::invalid_argument("no placement '" + name + "'" +
                              config::suggestion(name, kPlacements, "placements, beside file:PATH"));
}

std::vector<std::string> sweep_placements(const std::string& list) {
  if (list.empty()) return {"paper", "row_major", "random"};
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    check_placement(names.back());
    if (names.back().rfind("file:", 0) == 0)
      throw std::invalid_argument("--sweep: a file places the workers of one parallelism; choose among " +
                                  config::listed(kPlacements));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      throw std::invalid_argument("--placement: " + names.back() + " is listed twice");
    at = end + 1;
  }
  return names;
}

FredSweepQuery sweep_query(const Options& options, const FredRoutesQuery& routes) {
  if (!options.parallelism.empty())
    throw std::invalid_argument("--sweep goes over all parallelisms; leave --parallelism out");
  if (options.print) throw std::invalid_argument("--print shows one parallelism; leave --sweep out");
  FredSweepQuery query;
  query.routes = routes;
  query.placements = sweep_placements(options.placement);
  const bool random = std::count(query.placements.begin(), query.placements.end(), "random") != 0;
  if (!random && (options.seed_option->count() || options.seeds_option->count()))
    throw std::invalid_argument("only --placement random has seeds; leave --seed and --seeds out");
  query.seeds = options.seeds;
  query.fewest_workers = query.most_workers = routes.shape.npus();
  if (!options.workers.empty()) {
    const auto ends = number_list("--workers", options.workers, '-', 1);
    if (ends.size() > 2 || ends.front() > ends.back() || ends.back() > routes.shape.npus())
      throw std::invalid_argument(fmt::format("--workers {}: expected a number up to {}, or FROM-TO",
                                              options.workers, routes.shape.npus()));
    query.fewest_workers = ends.front();
    query.most_workers = ends.back();
  }
  return query;
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

int run(const Options& given) {
  Options options = given;
  take_platform(options);
  FredRoutesQuery routes;
  routes.shape = shape_of(options);
  routes.ms = number_list("--m", options.ms, ',', 1);
  routes.type = type_of(options.type);
  routes.seed = options.seed;
  routes.print_configurations = options.print;
  if (options.sweep) {
    const FredSweepQuery query = sweep_query(options, routes);
    const FredSweep sweep = sweep_routes(query);
    print(options.json ? sweep_json(query, sweep).dump(2) + "\n" : options.note + sweep_text(query, sweep));
    return 0;
  }
  if (options.parallelism.empty())
    throw std::invalid_argument("give --parallelism \"MP(2)-DP(5)-PP(2)\", or --sweep for all of them");
  if (!options.workers.empty()) throw std::invalid_argument("--workers belongs to --sweep; leave it out");
  if (options.seeds_option->count()) throw std::invalid_argument("--seeds belongs to --sweep; leave it out");
  routes.placement = options.placement.empty() ? "paper" : options.placement;
  check_placement(routes.placement);
  if (routes.placement != "random" && options.seed_option->count())
    throw std::invalid_argument("--seed: only --placement random has a seed; leave it out");
  const Parallelism parallelism = parse_parallelism(options.parallelism, routes.shape.npus());
  if (parallelism.workers() == 1)
    throw std::invalid_argument(to_string(parallelism) + " has one worker, there is nothing to communicate");
  print(options.json ? routes_json(routes, parallelism).dump(2) + "\n"
                     : options.note + routes_text(routes, parallelism));
  return 0;
}

void add_shape_options(CLI::App& command, Options& options) {
  options.l1 = command.add_option("--l1", options.shape.l1_switches, "L1 switches")->capture_default_str();
  options.npus = command.add_option("--npus-per-l1", options.shape.npus_per_l1, "NPUs of an L1 switch")
                     ->capture_default_str();
  command.add_option("--io", options.io, "I/O controllers of each L1 switch [4,4,4,3,3; with --l1 4 each]");
  options.uplinks =
      command.add_option("--uplinks", options.shape.uplinks,
                         "Ports of an L1 switch towards L2 [4; with --npus-per-l1 one per NPU]");
  options.l2 = command.add_option("--l2", options.shape.l2_switches, "L2 switches that share the uplinks")
                   ->capture_default_str();
  command.add_option("--view", options.view,
                     "physical: a plane of chips, 2 L2 chips; logical: one L2 switch for all uplinks "
                     "[physical; with a platform logical]");
}

}  // namespace

std::function<int()> add_fred_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("fred", "What the switches of a FRED wafer can carry at the same time");
  command->require_subcommand(1);
  CLI::App* routes =
      command->add_subcommand("routes", "Flows of each phase in each switch, and whether they route");
  const std::function<int()> counts = add_fred_counts_command(*command);
  add_file(*routes, "PLATFORM", options->platform,
           "Platform file that gives switches, uplinks, controllers and m; without one the wafer of the FRED "
           "paper",
           "platforms")
      ->required(false);
  add_set_option(
      *routes, options->overrides, [] { return config::platform_type()->all_paths(); },
      "wafer.fabric.middle_switches=2");
  add_shared_option(*routes, "--parallelism", options->parallelism);
  add_shared_option(*routes, "--m", options->ms, "[2,3, and the platform's]");
  add_shared_option(*routes, "--placement", options->placement,
                    "paper (consecutive workers fill an L1 switch), contiguous, row_major (consecutive "
                    "workers on different L1 switches), random, file:PATH; with --sweep a list [paper; "
                    "paper,row_major,random]");
  options->seed_option =
      add_shared_option(*routes, "--seed", options->seed, "of a random placement")->capture_default_str();
  add_shared_option(*routes, "--type", options->type, "of the MP and DP groups")->capture_default_str();
  routes->add_flag("--print", options->print, "Also print what every µswitch does, with backtracking");
  routes->add_flag("--sweep", options->sweep, "Conflict rates over all parallelisms and several placements");
  routes->add_option("--workers", options->workers, "--sweep: MP x DP x PP, or FROM-TO [all NPUs]");
  options->seeds_option =
      add_shared_option(*routes, "--seeds", options->seeds, "of --sweep, a random placement each")
          ->check(CLI::Range(1, 100000))
          ->capture_default_str();
  add_json_flag(*routes, options->json);
  add_shape_options(*routes, *options);
  routes->footer(
      "All groups of a class communicate at once. 'impossible' is proven; 'not found': this way of routing\n"
      "found none. A phase that does not route is no failure of the command: the exit code is 0.\n"
      "Ports of an L1 switch: its NPUs, its uplinks, its I/O controllers; NPU n is port n mod 4 of L1\n"
      "switch n / 4 (with 4 NPUs each). Ports of an L2 switch: the uplinks of L1 switch 0, then of 1, ...\n"
      "Examples:\n"
      "  wafertlm model fred routes --parallelism \"MP(2)-DP(5)-PP(2)\"\n"
      "  wafertlm model fred routes configs/platforms/fred_d.yaml --parallelism \"MP(2)-DP(5)-PP(2)\"\n"
      "  wafertlm model fred routes --parallelism \"MP(5)-DP(4)\" --placement random --seed 7 --m 2 --print\n"
      "  wafertlm model fred routes --parallelism \"MP(4)-DP(4)\" --l1 8 --npus-per-l1 2 --l2 1 --json\n"
      "  wafertlm model fred routes --sweep --workers 18-20");
  return [options, counts, routes] { return routes->parsed() ? run(*options) : counts(); };
}

}  // namespace wafertlm
