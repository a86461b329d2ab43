// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/commands/tune/measure.h"
#include "platform/commands/tune/study.h"
#include "platform/describe/table.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/run/table_file.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"
namespace wafertlm {
namespace {

using namespace tune;
using nlohmann::ordered_json;
using results::Fields;
namespace schema = results::schema;

struct TuneOptions {
  std::string file, out;
  std::vector<std::string> overrides;
  unsigned jobs = 1;
  bool json = false;
};

/// A measured point, and who is fastest.
struct PointRow {
  const TuneSpec& spec;
  const MeasuredPoint& point;
  const MeasuredPoint::Result& fastest = *point.fastest();

  const std::string& backend_of(const MeasuredPoint::Result& result) const {
    return spec.backends[result.backend].backend.name;
  }
  ordered_json all() const {
    ordered_json all;
    for (const MeasuredPoint::Result& each : point.results)
      all.push_back(
          {{"backend", backend_of(each)}, {"algorithm", each.algorithm}, {"time_ps", each.time_ps}});
    return all;
  }
  std::string others() const {
    std::string others;
    for (const MeasuredPoint::Result& each : point.results)
      if (each.algorithm != fastest.algorithm || each.backend != fastest.backend)
        others +=
            fmt::format("{}{} {}", others.empty() ? "" : ", ", each.algorithm, format_time(each.time_ps));
    return others;
  }
};

const Table<PointRow>& points_table() {
  static const Table<PointRow> table([](Table<PointRow>& t) {
    using R = const PointRow&;
    t.column("type", "operation", shown::text(), [](R of) { return to_string(of.point.type); });
    t.column("npus", "NPUs", shown::text(), [](R of) { return backends::group_text(of.point.npus); });
    t.column("bytes", "size", shown::bytes(), [](R of) { return of.point.bytes; });
    t.column("algorithm", "fastest", shown::text(), [](R of) { return of.fastest.algorithm; });
    t.column("backend", "backend", shown::text(), [](R of) { return of.backend_of(of.fastest); });
    t.column("time_ps", "time", shown::picoseconds(), [](R of) { return of.fastest.time_ps; });
    t.cell("others", shown::text(), &PointRow::others);
    t.add("all",
          schema::list(schema::object(
              {{"backend", schema::text()}, {"algorithm", schema::text()}, {"time_ps", schema::count()}})),
          &PointRow::all);
  });
  return table;
}

const Table<Choice>& choices_table() {
  static const Table<Choice> table([](Table<Choice>& t) {
    using R = const Choice&;
    t.column("choice", "", shown::text(), &Choice::name);
    t.column("communication_ps", "communication", shown::picoseconds(),
             [](R of) { return of.assignment.time_ps; });
    t.column("changes", "changes", shown::whole(), [](R of) { return of.assignment.changes; });
    t.column("iteration_ps", "iteration", shown::picoseconds(), &Choice::iteration_ps);
  });
  return table;
}

const Fields<SequenceStudy>& sequence_fields() {
  static const Fields<SequenceStudy> fields([](Fields<SequenceStudy>& f) {
    using S = SequenceStudy;
    f.add("operations", schema::count(), &S::operations);
    f.add("compute_ps", schema::count(), &S::compute_ps);
    f.add_list("choices", choices_table(), &S::choices);
    f.add("path", schema::list(schema::text()), &S::path_lines);
    const auto has_single = [](const S& of) { return of.best_single() != nullptr; };
    f.add_if(has_single, "best_single", schema::text(),
             [](const S& of) { return of.best_single()->backend; });
    f.add_if(has_single, "throughput_gain", {{"type", "number"}}, [](const S& of) {
      return seconds(of.best_single()->iteration_ps) / seconds(of.path().iteration_ps) - 1;
    });
  });
  return fields;
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

ordered_json tune_schema() {
  return schema::object(
      {{"tune", schema::text()},
       {"deadlock", schema::object({{"cycle", schema::list(schema::text())},
                                    {"cured_by_one_order", schema::boolean()},
                                    {"cured_by_own_engines", schema::boolean()}},
                                   "Of the file's operations; the cycle is empty without one",
                                   {"cured_by_one_order", "cured_by_own_engines"})},
       {"platform", schema::text("On which rows were simulated")},
       {"rows", points_table().list_schema()},
       {"cross_overs", schema::list(schema::object({{"type", schema::text()},
                                                    {"small", schema::text("Backend up to `bytes`")},
                                                    {"large", schema::text("Backend above them")},
                                                    {"bytes", schema::count()}}))},
       {"sequence", sequence_fields().schema()},
       {"out", schema::text("The table that was written")}},
      nullptr, {"deadlock", "platform", "rows", "cross_overs", "sequence", "out"});
}

std::string deadlock_text(const ordered_json& json) {
  if (json["cycle"].empty()) return "No deadlock: every operation gets done.\n";
  std::string text = "Deadlock: these wait in a circle\n";
  for (const auto& line : json["cycle"]) text += "  " + line.get<std::string>() + "\n";
  const auto cure = [&](const char* key) { return json[key].get<bool>() ? "cures it" : "does not"; };
  return text + fmt::format("  One issue order on all ranks {}; an engine for each backend {}.\n",
                            cure("cured_by_one_order"), cure("cured_by_own_engines"));
}

std::string sequence_text(const SequenceStudy& study) {
  std::string text =
      fmt::format("Sequence of {}, {} of computation\n{}", counted(study.operations(), "operation"),
                  format_time(study.compute_ps()), choices_table().text(study.choices()));
  for (const std::string& line : study.path_lines()) text += "    " + line + "\n";
  if (const Choice* const single = study.best_single())
    text += fmt::format("  The shortest path has {:+.2f} % of the throughput of all on {}.\n",
                        100 * (seconds(single->iteration_ps) / seconds(study.path().iteration_ps) - 1),
                        single->backend);
  return text;
}

/// @param rows, sequence as text
std::string tune_text(const ordered_json& json, const std::string& rows, const std::string& sequence) {
  std::string text = json["tune"].get<std::string>() + "\n";
  if (json.contains("deadlock")) text += "\n" + deadlock_text(json["deadlock"]);
  if (json.contains("rows"))
    text += "\nSimulated alone on " + json["platform"].get<std::string>() + "\n" + rows;
  if (json.contains("cross_overs")) {
    text += "\nDeclared costs cross\n";
    for (const auto& each : json["cross_overs"])
      text += fmt::format("  {}: {} up to {} B, {} above\n", each["type"].get<std::string>(),
                          each["small"].get<std::string>(), each["bytes"].get<std::uint64_t>(),
                          each["large"].get<std::string>());
  }
  if (json.contains("sequence")) text += "\n" + sequence;
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
}

int run_tune(const TuneOptions& options) {
  const TuneSpec spec = load_tune(options.file);
  if (!options.overrides.empty() && spec.platform.empty())
    throw std::invalid_argument("--set changes the platform, and nothing is simulated; leave it out");
  if (!options.out.empty() && spec.measure.empty())
    throw std::invalid_argument("--out: a table holds what was simulated; give 'measure' and algorithms");
  ordered_json json{{"tune", spec.name}};
  std::string rows, sequence;
  if (!spec.operations.empty()) json["deadlock"] = deadlock_json(spec);
  const bool stops = json.contains("deadlock") && !json["deadlock"]["cycle"].empty();
  if (!stops) {
    std::vector<MeasuredPoint> points;
    if (spec.is_simulated()) {
      simulate_points(spec, options, json, points);
      std::vector<PointRow> all;
      for (const MeasuredPoint& each : points) all.push_back({spec, each});
      json["rows"] = points_table().list(all);
      rows = points_table().text(all);
    }
    const auto table = points.empty() ? std::nullopt : std::optional(table_of(spec, points));
    const ordered_json crossings = cross_overs_json(spec);
    if (!crossings.empty()) json["cross_overs"] = crossings;
    if (!spec.sequence.empty()) {
      const SequenceStudy study(spec, points);
      json["sequence"] = sequence_fields().json(study);
      sequence = sequence_text(study);
    }
    if (!options.out.empty()) {
      write_file("--out", options.out, tuning_table_yaml(spec.name, json["platform"], *table));
      json["out"] = options.out;
    }
  }
  fmt::print("{}", options.json ? json.dump(1) + "\n" : tune_text(json, rows, sequence));
  return stops ? 1 : 0;
}

}  // namespace

std::function<int()> add_tune_command(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand(
      "tune", "Communication backends: measure algorithms, assign operations, find deadlocks");
  add_file(*command, "FILE", options->file, "Backends, and what to measure, assign and look at", "studies",
           "FILE.yaml");
  add_shared_option(*command, "--out", options->out,
                    "the table of the fastest algorithms, for collectives.algorithm: FILE.yaml")
      ->check(names_output(OutputKind::file));
  add_set_option(
      *command, options->overrides, [] { return config::platform_type()->all_paths(); }, "of the platform");
  add_jobs_option(*command, options->jobs, "simulations");
  add_json_flag(*command, options->json, tune_schema);
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
