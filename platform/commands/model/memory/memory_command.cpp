// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/hbm/dram/dram_memory.h"
#include "platform/commands/model/memory/memory_study.h"
#include "platform/commands/model/model_commands.h"
#include "platform/describe/document.h"
#include "platform/describe/node_json.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/results/parts.h"
#include "platform/spec/load.h"
#include "platform/spec/npu_spec.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

struct Options {
  std::string generation = "hbm3", out, table, map = "hashed", level = "burst", refresh = "per_bank";
  std::uint32_t stacks = 1, writes = 0, outstanding = 16;
  std::uint64_t bytes = 65'536, stride = 1, requests = 2000, every = 1;
  bool json = false;
  CLI::App *compare = nullptr, *make_table = nullptr, *stream = nullptr;
};

std::string stride_text(const ClosedLoop& loop) {
  return loop.stride == 0 ? "random" : std::to_string(loop.stride / loop.bytes);
}

/// Prints the table; returns the worst error in percent.
double print(const std::vector<LevelComparison>& rows, const char* title, const char* fast,
             const char* detailed, double limit, bool json, nlohmann::ordered_json& out) {
  if (!json)
    fmt::print("\n{}\n  {:>7} {:>7} {:>7} {:>11} {:>9} {:>9} {:>8}\n", title, "bytes", "stride", "writes",
               "outstanding", fast, detailed, "error");
  double worst = 0;
  for (const LevelComparison& row : rows) {
    worst = std::max(worst, std::abs(row.error_percent()));
    if (json)
      out.push_back({{"bytes", row.loop.bytes},
                     {"stride", row.loop.stride},
                     {"writes_percent", row.loop.writes_percent},
                     {"outstanding", row.loop.outstanding},
                     {fast, row.fast},
                     {detailed, row.detailed},
                     {"error_percent", row.error_percent()}});
    else
      fmt::print("  {:>7} {:>7} {:>5} % {:>11} {:>7.2f} % {:>7.2f} % {:>+6.2f} %{}\n", row.loop.bytes,
                 stride_text(row.loop), row.loop.writes_percent, row.loop.outstanding, 100 * row.fast,
                 100 * row.detailed, row.error_percent(), std::abs(row.error_percent()) > limit ? "  <" : "");
  }
  if (!json)
    fmt::print("  {} of {} within {} %; worst {:.2f} %\n",
               std::count_if(rows.begin(), rows.end(),
                             [&](const auto& row) { return std::abs(row.error_percent()) <= limit; }),
               rows.size(), limit, worst);
  return worst;
}

/// Of one of `every` points.
template <typename Compare>
std::vector<LevelComparison> compared(const std::vector<ClosedLoop>& points, std::uint64_t every,
                                      const Compare& compare) {
  std::vector<LevelComparison> rows;
  for (std::size_t k = 0; k < points.size(); k += every) rows.push_back(compare(points[k]));
  return rows;
}

DramRefresh refresh_of(const Options& options) {
  return options.refresh == "all_bank" ? DramRefresh::all_bank : DramRefresh::per_bank;
}

int compare(const Options& options) {
  const DramTiming& timing = dram_timing(options.generation);
  nlohmann::ordered_json json = {{"generation", timing.name},
                                 {"burst_command", nlohmann::ordered_json::array()},
                                 {"flow_burst", nlohmann::ordered_json::array()}};
  if (!options.json) fmt::print("{}: part of the pins' bandwidth that requests get\n", timing.name);
  const auto by_burst = [&](const ClosedLoop& loop) {
    return burst_against_command(timing, loop, refresh_of(options));
  };
  double worst = print(compared(burst_command_points(), options.every, by_burst),
                       "A pseudo-channel by bursts against command by command", "burst", "command", 3,
                       options.json, json["burst_command"]);
  bool good = worst <= 3;
  if (!options.table.empty()) {
    const config::EfficiencySpec spec = config::load_efficiency(options.table);
    if (options.generation != spec.generation)
      throw std::invalid_argument(options.table + " is not the table of " + options.generation);
    const EfficiencyTable table = config::efficiency_table(spec);
    const auto by_flow = [&](const ClosedLoop& loop) {
      return flow_against_burst(timing, table, options.stacks, loop);
    };
    worst = print(compared(flow_burst_points(), options.every, by_flow), "By flow against bursts", "flow",
                  "burst", 5, options.json, json["flow_burst"]);
    good &= worst <= 5;
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
  return good ? 0 : 1;
}

int make_table(const Options& options) {
  const DramTiming& timing = dram_timing(options.generation);
  const std::string text = efficiency_yaml(timing, measure_efficiency(timing));
  if (!options.out.empty()) write_file("--out", options.out, text);
  if (options.json && !options.out.empty()) print_json({{"written", {options.out}}});
  if (options.json && options.out.empty())
    print_json(config::to_json(config::parse_override_value(text, "table")));
  if (!options.json && options.out.empty()) fmt::print("{}", text);
  return 0;
}

int stream(const Options& options) {
  DramParams params;
  params.timing = dram_timing(options.generation);
  params.level = options.level == "command" ? DramLevel::command : DramLevel::burst;
  params.map = {options.stacks, options.map == "hashed" ? "" : options.map};
  params.queue.refresh = refresh_of(options);
  DramMemory memory(params);
  const ClosedLoop loop{options.bytes,       options.stride * options.bytes, options.writes,
                        options.outstanding, std::uint64_t{1} << 33,         1};
  const auto begin = std::chrono::steady_clock::now();
  const ClosedLoop::Result result = loop.run_all(memory, options.requests);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const MemoryLosses losses = attribute_losses(memory, 0);
  const nlohmann::ordered_json parts = loss_parts(losses);
  const double whole = static_cast<double>(losses.channels) * static_cast<double>(losses.total_fs);
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"generation", options.generation},
                                              {"bandwidth_bytes_per_s", memory.bytes_per_s()},
                                              {"delivered_bytes_per_s", result.bytes_per_s()},
                                              {"latency_s", seconds(result.latency_ps)},
                                              {"worst_latency_s", seconds(result.worst_latency_ps)},
                                              {"channels", losses.channels},
                                              {"channel_time_fs", losses.total_fs},
                                              {"time_of_all_channels_fs", parts},
                                              {"row_visits", losses.sum.row_visits},
                                              {"row_hits", losses.sum.row_hits}}
                           .dump(2));
    return 0;
  }
  fmt::print("{} x {}: {:.1f} GB/s of {:.1f} GB/s ({:.1f} %), latency {} in the mean, {} at worst\n",
             options.stacks, options.generation, result.bytes_per_s() * 1e-9,
             static_cast<double>(memory.bytes_per_s()) * 1e-9,
             100 * result.bytes_per_s() / static_cast<double>(memory.bytes_per_s()),
             format_time(result.latency_ps), format_time(result.worst_latency_ps));
  fmt::print("Where the time of the {} data buses went, to the end of the last transfer:\n", losses.channels);
  for (const auto& [name, fs] : parts.items())
    if (fs != 0) fmt::print("  {:<20} {:>6.2f} %\n", name, 100 * fs.get<double>() / whole);
  fmt::print("{} row visits, {:.1f} % in an open row; {:.0f} ns of this computer each\n",
             losses.sum.row_visits,
             100.0 * static_cast<double>(losses.sum.row_hits) / static_cast<double>(losses.sum.row_visits),
             wall_s * 1e9 / static_cast<double>(losses.sum.row_visits));
  return 0;
}

}  // namespace

std::function<int()> add_memory_command(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("memory", "HBM by itself: its levels compared, its bandwidth explained");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  wafertlm model memory compare hbm3 --table configs/memory/hbm3.yaml   # the errors of the fast "
      "levels\n"
      "  wafertlm model memory table hbm3 --out configs/memory/hbm3.yaml       # what level flow knows of "
      "hbm3\n"
      "  wafertlm model memory stream hbm3 --stacks 4 --writes 33              # bandwidth, and what kept "
      "the "
      "rest\n"
      "  wafertlm model memory stream hbm3 --map 'channel row bank group column'  # a bad address map");
  const auto generation = [&](CLI::App* sub) {
    sub->add_option("generation", options->generation, "hbm2, hbm2e, hbm3 or hbm3e")
        ->required()
        ->check(CLI::IsMember(dram_generations()));
  };
  options->compare =
      command->add_subcommand("compare", "Bandwidth at the burst and the command level, and by flow");
  generation(options->compare);
  options->compare->add_option("--table", options->table, "Efficiency table: compares flow with burst, too")
      ->type_name("FILE")
      ->transform(preset_or_file([] { return std::vector<std::string>{"memory"}; }));
  add_shared_option(*options->compare, "--stacks", options->stacks, "by flow and burst")
      ->check(CLI::Range(1, 16));
  options->compare->add_option("--every", options->every, "Only one of so many points: quicker")
      ->check(CLI::Range(1, 192));
  add_json_flag(*options->compare, options->json);
  options->make_table = command->add_subcommand("table", "Measures the efficiency table of level flow");
  generation(options->make_table);
  add_shared_option(*options->make_table, "--out", options->out, "a file; the terminal if not given")
      ->check(names_output(OutputKind::file));
  add_json_flag(*options->make_table, options->json);
  options->stream = command->add_subcommand("stream", "Requests in a closed loop, and where the time went");
  generation(options->stream);
  add_shared_option(*options->stream, "--stacks", options->stacks)->check(CLI::Range(1, 16));
  options->stream->add_option("--bytes", options->bytes, "Of a request: 64, 4K")
      ->type_name("SIZE")
      ->transform(size_in_bytes())
      ->check(CLI::Range(1, 1 << 20));
  options->stream->add_option("--stride", options->stride, "In sizes of a request; 0: random")
      ->check(CLI::Range(0, 1 << 20));
  options->stream->add_option("--writes", options->writes, "Percent of the requests")
      ->check(CLI::Range(0, 100));
  options->stream->add_option("--outstanding", options->outstanding, "Requests at a time")
      ->check(CLI::Range(1, 4096));
  options->stream->add_option("--requests", options->requests, "That are measured")
      ->check(CLI::Range(1, 100'000'000));
  options->stream->add_option("--map", options->map,
                              "Address map: hashed, or fields as in npu.hbm.address_map");
  options->stream->add_option("--level", options->level, "burst or command")
      ->check(CLI::IsMember({"burst", "command"}));
  for (CLI::App* sub : {options->compare, options->stream})
    add_shared_option(*sub, "--refresh", options->refresh)->check(CLI::IsMember({"per_bank", "all_bank"}));
  add_json_flag(*options->stream, options->json);
  return [options] {
    if (*options->compare) return compare(*options);
    return *options->make_table ? make_table(*options) : stream(*options);
  };
}

}  // namespace wafertlm
