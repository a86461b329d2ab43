// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/commands/tune/measure.h"
#include "platform/commands/tune/study.h"
#include "platform/host/files.h"
#include "platform/host/presets.h"
#include "platform/run/table_file.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"
namespace wafertlm {
namespace {

using namespace tune;
using nlohmann::ordered_json;

struct TuneOptions {
  std::string file, out;
  std::vector<std::string> overrides;
  unsigned jobs = 1;
  bool json = false;
};

ordered_json points_json(const TuneSpec& spec, const std::vector<MeasuredPoint>& points) {
  ordered_json rows = ordered_json::array();
  for (const MeasuredPoint& point : points) {
    ordered_json row{{"type", to_string(point.type)},
                     {"npus", backends::group_text(point.npus)},
                     {"bytes", point.bytes},
                     {"algorithm", point.fastest()->algorithm},
                     {"backend", spec.backends[point.fastest()->backend].backend.name},
                     {"time_ps", point.fastest()->time_ps}};
    for (const MeasuredPoint::Result& each : point.results)
      row["all"].push_back({{"backend", spec.backends[each.backend].backend.name},
                            {"algorithm", each.algorithm},
                            {"time_ps", each.time_ps}});
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Where the declared costs of two backends cross, of those with one range.
ordered_json cross_overs_json(const TuneSpec& spec) {
  ordered_json rows = ordered_json::array();
  const std::vector<backends::Backend> all = spec.all_backends();
  for (const backends::Backend& low : all)
    for (const backends::Backend& high : all)
      for (const auto& [type, ranges] : low.costs) {
        const auto other = high.costs.find(type);
        if (other == high.costs.end() || ranges.size() != 1 || other->second.size() != 1) continue;
        if (const auto bytes = cross_over_bytes(ranges.front(), other->second.front()))
          rows.push_back(
              {{"type", to_string(type)}, {"small", low.name}, {"large", high.name}, {"bytes", *bytes}});
      }
  return rows;
}

ordered_json sequence_json(const SequenceStudy& study) {
  ordered_json json{{"operations", study.operations()}, {"compute_ps", study.compute_ps()}};
  for (const Choice& each : study.choices())
    json["choices"].push_back({{"choice", each.name},
                               {"communication_ps", each.assignment.time_ps},
                               {"changes", each.assignment.changes},
                               {"iteration_ps", each.iteration_ps}});
  json["path"] = study.path_lines();
  if (const Choice* const single = study.best_single()) {
    json["best_single"] = single->backend;
    json["throughput_gain"] = seconds(single->iteration_ps) / seconds(study.path().iteration_ps) - 1;
  }
  return json;
}

std::string deadlock_text(const ordered_json& json) {
  if (json["cycle"].empty()) return "No deadlock: every operation gets done.\n";
  std::string text = "Deadlock: these wait in a circle\n";
  for (const auto& line : json["cycle"]) text += "  " + line.get<std::string>() + "\n";
  const auto cure = [&](const char* key) { return json[key].get<bool>() ? "cures it" : "does not"; };
  return text + fmt::format("  One issue order on all ranks {}; an engine for each backend {}.\n",
                            cure("cured_by_one_order"), cure("cured_by_own_engines"));
}

std::string points_text(const ordered_json& rows) {
  std::string text = fmt::format("  {:<16}{:<12}{:>10}  {:<22}{:<12}{:>12}  {}\n", "operation", "NPUs",
                                 "size", "fastest", "backend", "time", "others");
  for (const auto& row : rows) {
    std::string others;
    for (const auto& each : row["all"])
      if (each["algorithm"] != row["algorithm"] || each["backend"] != row["backend"])
        others += fmt::format("{}{} {}", others.empty() ? "" : ", ", each["algorithm"].get<std::string>(),
                              format_time(each["time_ps"]));
    text += fmt::format("  {:<16}{:<12}{:>10}  {:<22}{:<12}{:>12}  {}\n", row["type"].get<std::string>(),
                        row["npus"].get<std::string>(), format_bytes(row["bytes"]),
                        row["algorithm"].get<std::string>(), row["backend"].get<std::string>(),
                        format_time(row["time_ps"]), others);
  }
  return text;
}

std::string sequence_text(const ordered_json& json) {
  std::string text = fmt::format("Sequence of {}, {} of computation\n  {:<24}{:>14}{:>9}{:>14}\n",
                                 counted(json["operations"], "operation"), format_time(json["compute_ps"]),
                                 "", "communication", "changes", "iteration");
  for (const auto& each : json["choices"])
    text += fmt::format("  {:<24}{:>14}{:>9}{:>14}\n", each["choice"].get<std::string>(),
                        format_time(each["communication_ps"]), each["changes"].get<std::size_t>(),
                        format_time(each["iteration_ps"]));
  for (const auto& line : json["path"]) text += "    " + line.get<std::string>() + "\n";
  if (json.contains("best_single"))
    text += fmt::format("  The shortest path has {:+.2f} % of the throughput of all on {}.\n",
                        100 * json["throughput_gain"].get<double>(), json["best_single"].get<std::string>());
  return text;
}

std::string tune_text(const ordered_json& json) {
  std::string text = json["tune"].get<std::string>() + "\n";
  if (json.contains("deadlock")) text += "\n" + deadlock_text(json["deadlock"]);
  if (json.contains("rows"))
    text += "\nSimulated alone on " + json["platform"].get<std::string>() + "\n" + points_text(json["rows"]);
  if (json.contains("cross_overs")) {
    text += "\nDeclared costs cross\n";
    for (const auto& each : json["cross_overs"])
      text += fmt::format("  {}: {} up to {} B, {} above\n", each["type"].get<std::string>(),
                          each["small"].get<std::string>(), each["bytes"].get<std::uint64_t>(),
                          each["large"].get<std::string>());
  }
  if (json.contains("sequence")) text += "\n" + sequence_text(json["sequence"]);
  if (json.contains("out")) text += "\nWritten: " + json["out"].get<std::string>() + "\n";
  return text;
}

void simulate_points(const TuneSpec& spec, const TuneOptions& options, ordered_json& json,
                     std::vector<MeasuredPoint>& points) {
  const config::PlatformSpec platform = config::load_platform(spec.platform, options.overrides);
  if (platform.run.acceleration == config::Acceleration::sampled)
    throw std::invalid_argument(
        "run.acceleration: sampled is for runs of many alike collectives; take exact");
  points = measure(spec, platform, options.jobs);
  json["platform"] = platform.name;
  json["rows"] = points_json(spec, points);
}

int run_tune(const TuneOptions& options) {
  const TuneSpec spec = load_tune(options.file);
  if (!options.overrides.empty() && spec.platform.empty())
    throw std::invalid_argument("--set changes the platform, and nothing is simulated; leave it out");
  if (!options.out.empty()) {
    if (spec.measure.empty())
      throw std::invalid_argument("--out: a table holds what was simulated; give 'measure' and algorithms");
    require_writable_file("--out", options.out);
  }
  ordered_json json{{"tune", spec.name}};
  if (!spec.operations.empty()) json["deadlock"] = deadlock_json(spec);
  const bool stops = json.contains("deadlock") && !json["deadlock"]["cycle"].empty();
  if (!stops) {
    std::vector<MeasuredPoint> points;
    if (spec.is_simulated()) simulate_points(spec, options, json, points);
    const auto table = points.empty() ? std::nullopt : std::optional(table_of(spec, points));
    const ordered_json crossings = cross_overs_json(spec);
    if (!crossings.empty()) json["cross_overs"] = crossings;
    if (!spec.sequence.empty()) json["sequence"] = sequence_json(SequenceStudy(spec, points));
    if (!options.out.empty()) {
      write_file(options.out, tuning_table_yaml(spec.name, json["platform"], *table));
      json["out"] = options.out;
    }
  }
  fmt::print("{}", options.json ? json.dump(1) + "\n" : tune_text(json));
  return stops ? 1 : 0;
}

}  // namespace

std::function<int()> add_tune_command(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand(
      "tune", "Communication backends: measure algorithms, assign operations, find deadlocks");
  command->add_option("FILE", options->file, "Backends, and what to measure, assign and look at")
      ->required()
      ->transform(preset_or_file({"studies"}))
      ->type_name("FILE.yaml");
  command->add_option("--out", options->out,
                      "Write the table of the fastest algorithms here, for collectives.algorithm: FILE.yaml");
  command->add_option("--set", options->overrides, "Change a key of the platform");
  command->add_option("--jobs", options->jobs, "Simulations at a time")
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON instead");
  command->footer(
      "A backend has algorithms, simulated on the file's platform, or declared costs alpha + size / "
      "bandwidth.\n"
      "A deadlock of the file's operations ends it with exit code 1 before anything is simulated.\n"
      "Examples:\n"
      "  wafertlm tune configs/studies/tune_mesh_5x4.yaml --out table.yaml\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB --algorithm "
      "table.yaml\n"
      "  wafertlm tune configs/studies/tune_moe.yaml");
  return [options] { return run_tune(*options); };
}

}  // namespace wafertlm
