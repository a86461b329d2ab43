// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/commands/collective/collective_setup.h"
#include "platform/commands/collective/collective_tables.h"
#include "platform/commands/collective/explain_bound.h"
#include "platform/describe/table.h"
#include "platform/host/child.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/machine/faults_report.h"
#include "platform/machine/machine.h"
#include "platform/results/parts.h"
#include "platform/run/host_estimate.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "platform/spec/ranges.h"
#include "platform/spec/tuned.h"
#include "platform/text/format.h"
#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

using Json = nlohmann::json;

Json times(std::uint64_t bytes, TimePs time, TimePs predicted, TimePs bound, double bus_factor, TimePs skew) {
  const double rate = time == 0 ? 0 : static_cast<double>(bytes) / seconds(time);
  return {{"bytes", bytes},
          {"time_s", seconds(time)},
          {"time_ps", time},
          {"predicted_s", seconds(predicted)},
          {"predicted_ps", predicted},
          {"bound_s", seconds(bound)},
          {"bound_ps", bound},
          {"algorithm_bandwidth_bytes_per_s", rate},
          {"bus_bandwidth_bytes_per_s", rate * bus_factor},
          {"time_over_bound", ratio(time, bound)},
          {"skew_s", seconds(skew)},
          {"time_after_last_entry_s", seconds(time - std::min(time, skew))},
          {"time_over_predicted", ratio(time - std::min(time, skew), predicted)}};
}

std::vector<std::size_t> numbers(const Group& group) {
  std::vector<std::size_t> npus;
  for (const NpuId npu : group) npus.push_back(index_of(npu));
  return npus;
}

/// Where an I/O controller hangs.
Json place_of(std::uint32_t controller, const FabricTraits& fabric) {
  Json place = Json::object();
  for (const auto& [name, value] : fabric.topology->io_place(controller))
    std::visit([&, key = name](const auto& of) { place[key] = of; }, value);
  return place;
}

/// What would run at each size, without running it.
void print_choices(const CollectiveSetup& setup, const std::vector<std::uint64_t>& sizes,
                   const FabricTraits& fabric, bool json) {
  std::vector<PlannerChoice> choices;
  for (const std::uint64_t bytes : sizes)
    for (PlannerChoice& choice : planner_choices(setup.first_request(bytes), {bytes}, fabric))
      choices.push_back(std::move(choice));
  const Table<PlannerChoice> table = choices_table();
  fmt::print("{}", json ? Json{{"rows", Json(table.list(choices))}}.dump(2) + "\n" : table.text(choices, 0));
}

/// The table, or the JSON, of `wafertlm collective`.
class CollectiveReport {
 public:
  /// Plans once, so that bad input is refused before anything is printed.
  CollectiveReport(const config::PlatformSpec& spec, const CollectiveSetup& setup, const std::string& type,
                   const std::vector<std::uint64_t>& sizes, bool json)
      : setup_(setup),
        fabric_(platform_traits(spec)),
        json_(json),
        functional_(spec.run.functional),
        bit_error_rate_(spec.wafer.fabric.bit_error_rate),
        ideal_endpoints_(spec.npu.endpoint.is_ideal()) {
    const CollectivePlan plan = setup.plan(sizes.front(), fabric_);
    const std::uint64_t most = *std::max_element(sizes.begin(), sizes.end());
    require_watchdog(spec, most == sizes.front() ? plan : setup.plan(most, fabric_));
    std::string classes;
    for (const CollectiveLane& lane : setup.lanes())
      classes += (classes.empty() ? "" : ",") + lane.traffic_class;
    const config::FabricSpec& fabric = spec.wafer.fabric;
    if (fabric.buffer_bytes != 0) {
      // A window of whole packets per round trip and packet.
      const std::uint64_t packet = fabric.wire_packet_bytes();
      const std::uint64_t window = fabric.buffer_bytes / packet * packet;
      const FabricLinkRate link = fabric_kind(spec.wafer).fastest_link(spec.wafer);
      const TimePs round = fabric.link_latency_ps + link.pipeline_ps + fabric.credit_delay_ps +
                           transfer_time_ps(packet, link.bytes_per_s);
      const double rate = static_cast<double>(window) / seconds(round);
      if (!fabric.format.by_flit && rate < static_cast<double>(link.bytes_per_s))
        notes_.push_back(fmt::format(
            "wafer.fabric.input_buffer: {} sustain {} of a link's {} ({} per round trip of {}); auto has no "
            "loss",
            format_bytes(fabric.buffer_bytes), format_bandwidth(rate),
            format_bandwidth(static_cast<double>(link.bytes_per_s)), format_bytes(window),
            format_time(round)));
    }
    report_ = {{"platform", spec.name},
               {"type", type},
               {"algorithm", plan.collectives.front().program->algorithm},
               {"class", setup.streams() ? plan.collectives.front().traffic_class : classes},
               {"group_size", setup.streams() ? fabric_.npus() : setup.lanes().front().groups.front().size()},
               {"notes", notes_},
               {"rows", Json::array()}};
  }

  /// The rows of one size: one for each lane; of a stream one.
  Json rows(std::uint64_t bytes, const CollectiveResult& result) const {
    Json rows = Json::array();
    if (setup_.streams()) {
      rows.push_back(stream_row(bytes, result));
    } else {
      const CollectivePlan plan = setup_.plan(bytes, fabric_);
      std::size_t first = 0;
      for (std::size_t lane = 0; lane < setup_.lanes().size(); ++lane) {
        const std::size_t count = setup_.lanes()[lane].groups.size();
        rows.push_back(lane_row(bytes, result, plan, lane, first, count));
        first += count;
      }
    }
    for (Json& row : rows) {
      row["busiest_link_payload_bytes"] = result.busiest_link_payload_bytes;
      row["packet_hops"] = result.packet_hops;
      row["starved_link"] = {
          {"name", result.starved_link},
          {"blocked_fraction",
           {{"credit", result.time_ps == 0 ? 0 : seconds(result.starved_ps) / seconds(result.time_ps)}}}};
      row["scheduler_events"] = result.events;
      row["simulated_npus"] = result.simulated_npus;
      row["values_proven"] = result.proven;
      for (const auto& [name, value] : result.of_fabric.items()) row[name] = value;
      if (!result.faults.is_null()) row["faults"] = result.faults;
      if (result.reliability) row["reliability"] = to_json(*result.reliability, bit_error_rate_);
    }
    if (!result.rtl.is_null()) rows.front()["rtl"] = result.rtl;
    if (!result.memory_rtl.is_null()) rows.front()["memory_rtl"] = result.memory_rtl;
    if (!result.rtl_text.empty()) {
      rows.front()["rtl_text"] = result.rtl_text;
      rows.front()["rtl_failure"] = result.rtl_failure;
    }
    return rows;
  }
  /// Adds them; the table grows line by line.
  void add(const Json& given) {
    for (Json row : given) {
      std::string rtl_text;
      if (row.contains("rtl_text")) {
        rtl_text = row["rtl_text"].get<std::string>();
        if (rtl_failure_.empty()) rtl_failure_ = row["rtl_failure"].get<std::string>();
        row.erase("rtl_text");
        row.erase("rtl_failure");
      }
      report_["rows"].push_back(row);
      mostly_latency_ |= row.value("mostly_latency", false);
      if (json_) continue;
      if (report_["rows"].size() == 1) print_head();
      print_row(row);
      if (!rtl_text.empty()) fmt::print("{}", rtl_text);
    }
  }
  /// @throws std::runtime_error: RTL of a switch differs from its model.
  void finish() {
    if (mostly_latency_ && ideal_endpoints_) note(kIdealEndpoints);
    std::string faster;
    for (const Json& row : report_["rows"])
      if (row.contains("faster"))
        faster += fmt::format("{}{} {} in {} chunks, {} predicted", faster.empty() ? "" : "; ",
                              format_bytes(row["bytes"].get<std::uint64_t>()),
                              row["faster"]["algorithm"].get<std::string>(),
                              row["faster"]["chunks"].get<std::uint32_t>(),
                              format_time(row["faster"]["predicted_ps"].get<TimePs>()));
    if (!faster.empty())
      note("chosen as in the FRED paper's baseline (collectives.algorithm: paper); fastest would take: " +
           faster);
    if (json_) fmt::print("{}\n", report_.dump(2));
    std::fflush(stdout);
    if (!rtl_failure_.empty()) throw std::runtime_error(rtl_failure_);
  }

 private:
  void note(const std::string& text) {
    report_["notes"].push_back(text);
    if (!json_) fmt::print("note: {}\n", text);
  }
  Json lane_row(std::uint64_t bytes, const CollectiveResult& result, const CollectivePlan& plan,
                std::size_t lane, std::size_t first, std::size_t count) const {
    Json groups = Json::array();
    TimePs slowest = 0, fastest = kNever, predicted = 0, bound = 0;
    std::size_t decomposed = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      const PlannedCollective& each = plan.collectives[i];
      const CollectiveCost& cost = result.decomposed[i] ? each.decomposed_cost : each.cost;
      groups.push_back({{"npus", numbers(each.program->group)},
                        {"time_s", seconds(result.end_ps[i])},
                        {"time_ps", result.end_ps[i]},
                        {"predicted_s", seconds(cost.predicted_ps)},
                        {"bound_s", seconds(cost.bound_ps)},
                        {"algorithm", result.decomposed[i] ? decomposed_name(*each.program->decomposed)
                                                           : each.program->algorithm}});
      decomposed += result.decomposed[i] ? 1 : 0;
      slowest = std::max(slowest, result.end_ps[i]);
      fastest = std::min(fastest, result.end_ps[i]);
      predicted = std::max(predicted, cost.predicted_ps);
      bound = std::max(bound, cost.bound_ps);
    }
    if (lane < plan.lanes.size()) {
      if (decomposed == 0) predicted = std::max(predicted, plan.lanes[lane].predicted_ps);
      bound = std::max(bound, plan.lanes[lane].bound_ps);
    }
    const PlannedCollective& one = plan.collectives[first];
    const std::size_t ranks = one.program->group.size();
    Json row = times(bytes, slowest, predicted, bound, bus_factor(setup_.type(), ranks), result.skew_ps);
    row["mostly_latency"] = one.cost.mostly_latency;
    row["class"] = one.traffic_class;
    row["algorithm"] = one.program->algorithm;
    if (decomposed != 0) {
      const std::string name = decomposed_name(*one.program->decomposed);
      row["algorithm"] = decomposed == count ? name
                                             : fmt::format("{}; {} of {} groups {}", one.program->algorithm,
                                                           decomposed, count, name);
    }
    row["decomposed_groups"] = decomposed;
    row["flow_conflicts"] = result.conflicts.flows;
    row["chunks"] = one.program->chunks;
    row["group_size"] = ranks;
    if (plan.collectives.size() == 1)
      if (const auto faster = faster_choice(setup_.first_request(bytes), one.cost.predicted_ps, fabric_))
        row["faster"] = {{"algorithm", faster->algorithm},
                         {"chunks", faster->chunks},
                         {"predicted_ps", faster->predicted_ps}};
    if (setup_.first_request(bytes).algorithm == kNccl)
      if (const auto choices = nccl_choices(setup_.first_request(bytes), fabric_); choices.size() > 1)
        row["runner_up"] = choices[1].algorithm;
    row["fastest_group_s"] = seconds(fastest);
    row["fastest_group_ps"] = fastest;
    row["groups"] = std::move(groups);
    return row;
  }
  Json stream_row(std::uint64_t bytes, const CollectiveResult& result) const {
    const IoStream stream = setup_.plan_stream(bytes, fabric_);
    Json row = times(bytes, result.time_ps, result.predicted_ps, result.bound_ps, 1, result.skew_ps);
    const double line_rate =
        fabric_.topology->io_controllers() * static_cast<double>(fabric_.topology->ports().io_bytes_per_s);
    row["line_rate_bytes_per_s"] = line_rate;
    row["fraction_of_line_rate"] = row["algorithm_bandwidth_bytes_per_s"].get<double>() / line_rate;
    row["class"] = report_["class"];
    row["algorithm"] = report_["algorithm"];
    row["chunk_bytes"] = stream.chunk_bytes;
    row["busiest_link_shares"] = stream.busiest_link_shares;
    row["planned_busiest_link_bytes"] = stream.busiest_link_bytes;
    row["channels"] = Json::array();
    for (std::uint32_t k = 0; k < fabric_.topology->io_controllers(); ++k) {
      Json channel = {{"name", "io" + std::to_string(k)},
                      {"bytes", stream.channels[k]->bytes},
                      {"time_s", seconds(result.end_ps[k])},
                      {"time_ps", result.end_ps[k]}};
      channel.update(place_of(k, fabric_));
      row["channels"].push_back(std::move(channel));
    }
    return row;
  }
  void print_head() const {
    const std::string type = report_["type"].get<std::string>(), on = report_["platform"].get<std::string>();
    const char* const proven = functional_ ? ", values proven" : "";
    if (setup_.streams())
      fmt::print("{} over {} controllers of {} on {}, class {}{}\n", type, fabric_.topology->io_controllers(),
                 format_bandwidth(static_cast<double>(fabric_.topology->ports().io_bytes_per_s)), on,
                 report_["class"].get<std::string>(), proven);
    for (const CollectiveLane& lane : setup_.lanes()) {
      const std::size_t groups = lane.groups.size(), npus = lane.groups.front().size();
      const std::string of =
          groups == 1 ? ""
                      : fmt::format("{} groups{} of ", groups, setup_.lanes().size() == 1 ? " at once" : "");
      fmt::print("{} of {}{} NPUs on {}, class {}{}\n", type, of, npus, on, lane.traffic_class, proven);
    }
    if (setup_.lanes().size() > 1) fmt::print("all of these at once\n");
    for (const std::string& note : notes_) fmt::print("note: {}\n", note);
    fmt::print("{}", table_.head());
  }
  void print_row(const Json& row) const {
    fmt::print("{}", table_.line(row));
    if (!notes_.empty())
      fmt::print("           no credit: {} idle for {:.2f} % of the time with a packet ready\n",
                 row["starved_link"]["name"].get<std::string>(),
                 100 * row["starved_link"]["blocked_fraction"]["credit"].get<double>());
    if (row.contains("faults")) fmt::print("{}", faults_text(row["faults"]));
    if (row.contains("reliability")) fmt::print("           {}", goodput_line(row["reliability"]));
    if (setup_.streams()) {
      fmt::print("           chunks of {}, busiest link {} shares = {}; channels end:",
                 format_bytes(row["chunk_bytes"].get<std::uint64_t>()),
                 row["busiest_link_shares"].get<std::uint32_t>(),
                 format_bytes(row["busiest_link_payload_bytes"].get<std::uint64_t>()));
      std::size_t shown = 0;
      for (const Json& channel : row["channels"])
        fmt::print("{}{} {}", shown++ % 6 == 0 ? "\n           " : "  ", channel["name"].get<std::string>(),
                   format_time(channel["time_ps"].get<TimePs>()));
      fmt::print("\n");
    }
    std::fflush(stdout);
  }

  const CollectiveSetup& setup_;
  const Table<Json> table_ = rows_table(setup_.streams(), setup_.lanes().size() > 1);
  FabricTraits fabric_;
  bool json_, functional_;
  double bit_error_rate_;
  bool ideal_endpoints_, mostly_latency_ = false;
  std::vector<std::string> notes_;  // named losses
  nlohmann::json report_;
  std::string rtl_failure_;
};

struct Options {
  CollectiveOptions what;
  std::string platform, sizes;  // empty: 1 MiB, of a barrier 0
  std::vector<std::string> overrides;
  bool choices = false, explain_bound = false, json = false, force = false;
};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const CollectiveType type : kCollectiveTypes) names.emplace_back(to_string(type));
  names.insert(names.end(), {"weight_load", "gradient_store"});
  return names;
}

int run(const Options& options) {
  const config::PlatformSpec spec = config::load_platform(options.platform, options.overrides);
  if (spec.run.acceleration == config::Acceleration::sampled)
    throw std::invalid_argument(
        "run.acceleration: sampled is for runs of many alike collectives; take exact, the default");
  const CollectiveSetup setup(spec, options.what);
  const bool barrier = options.what.type == to_string(CollectiveType::barrier);
  const std::vector<std::uint64_t> sizes = parse_sizes(!options.sizes.empty() ? options.sizes
                                                       : barrier              ? "0B"
                                                                              : "1MiB");
  if (options.choices) {
    print_choices(setup, sizes, platform_traits(spec), options.json);
    return 0;
  }
  if (options.explain_bound) {
    const nlohmann::ordered_json explained = explained_bounds(setup, sizes, platform_traits(spec));
    fmt::print("{}", options.json ? explained.dump(2) + "\n" : bounds_text(explained));
    return 0;
  }
  require_host_memory(spec, 1, options.force);
  // Refuses bad input before the first line of the table.
  CollectiveReport report(spec, setup, options.what.type, sizes, options.json);
  for (const std::uint64_t bytes : sizes)
    report.add(run_in_child([&] {
      const CollectiveResult result =
          run_collectives(spec, [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); });
      return report.rows(bytes, result);
    }));
  report.finish();
  return 0;
}

}  // namespace

std::function<int()> add_collective_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CollectiveOptions& what = options->what;
  CLI::App* command = app.add_subcommand("collective", "Time collectives on an idle wafer, like nccl-tests");
  add_file(*command, "PLATFORM", options->platform, "Platform file", "platforms");
  add_shared_option(*command, "--type", what.type)->required()->check(one_of_names(type_names()));
  add_shared_option(*command, "--size", options->sizes,
                    "one, a list, or FROM:TO:FACTOR such as 1K:1G:2. Of weight_load and gradient_store: all "
                    "controllers together. 1M if not given, of a barrier 0");
  add_shared_option(*command, "--npus", what.npus);
  const CLI::Validator named = one_of_names(algorithm_choices());
  add_shared_option(
      *command, "--algorithm", what.algorithm,
      "in place of the platform's: a name, an MSCCL program (.xml), PREFIX or folder of Chakra traces that "
      "are an algorithm, or a table of `wafertlm tune` (.yaml)")
      ->check([named](std::string text) {
        return config::names_tuning_table(text) || is_custom_algorithm(text) ? std::string() : named(text);
      });
  command->add_option("--root", what.root,
                      "Rank (position in the group) of the root of a rooted collective; 0 if not given");
  command->add_flag("--choices", options->choices,
                    "Print what would run at each size, with prediction and bound, and run nothing");
  command
      ->add_flag(
          "--explain-bound", options->explain_bound,
          "Print the lower bound at each size with the cut or partition of the fabric that makes it, and "
          "run nothing")
      ->excludes("--choices");
  add_shared_option(
      *command, "--class", what.traffic_class,
      "dp if not given. With --parallelism: whose groups communicate, all of them at once: mp, dp, pp, "
      "several (mp,dp), or all: all workers as one group, in class dp");
  add_shared_option(*command, "--parallelism", what.parallelism);
  add_shared_option(
      *command, "--placement", what.placement,
      "paper (down the columns, MP first, then PP, then DP), contiguous (MP groups are "
      "rectangles), grid (rectangles, row by row), ring (rectangles, along a closed ring), entwined "
      "(DP groups are rectangles, side by side), row_major, random, file:PATH (lines with an "
      "NPU, or with a worker and an NPU)")
      ->capture_default_str();
  add_shared_option(*command, "--seed", what.seed, "of a random placement; run.seed if not given");
  command->add_option("--late", what.late,
                      "NPUs that enter later than the others, for instance 7:10us,12:1us; times count from "
                      "the first entry, /predict from the last one");
  add_set_option(
      *command, options->overrides, [] { return config::platform_type()->all_paths(); },
      "wafer.fabric.link_bandwidth=1TB/s");
  add_shared_flag(*command, "--force", options->force, "a run that needs more memory than there is");
  add_json_flag(*command, options->json, collective_schema);
  command->footer(
      "size is the full vector per rank; algbw = size/time; busbw = algbw x 2(p-1)/p for all-reduce, "
      "(p-1)/p\n"
      "for all-gather, reduce-scatter and all-to-all, else 1; predicted: alone on an idle fabric, a closed "
      "form\n"
      "where no messages meet, else from short runs; of several groups what their busiest link takes if that "
      "is\n"
      "longer; bound: no algorithm can be faster. With several groups the time is that of the slowest.\n"
      "weight_load: every NPU gets all of size, an equal share of it from each I/O controller;\n"
      "gradient_store: the sum over all NPUs leaves the same way. Their bound is what the busiest link of "
      "the\n"
      "trees takes; busbw = algbw; 'of line' is the part of the controllers' bandwidth that is used.\n"
      "Examples:\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB:1GiB:4\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_gather --npus 0-4 --set "
      "run.functional=true\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 64MiB \\\n"
      "      --parallelism \"MP(2)-DP(5)-PP(2)\" --class dp --placement paper\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type weight_load --size 288MiB");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
