// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_stats.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "platform/commands/trace/trace_job.h"
#include "platform/describe/fields.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/statistics/trace_statistics.h"

namespace wafertlm {
namespace {

using statistics::Difference;
using statistics::Distribution;
using statistics::TraceStatistics;
using StatsJson = nlohmann::ordered_json;

struct StatsArguments {
  std::vector<std::string> files, against;
  std::string dependencies = "all";
  bool json = false;
};

/// Of all ranks that are named, together.
TraceStatistics read_statistics(const std::vector<std::string>& files, const std::string& dependencies) {
  std::vector<statistics::TraceGraph> ranks;
  for (const TraceJob& job : find_trace_jobs(files)) {
    chakra::OneSet set;
    for (const std::string& file : job.files) {
      const auto trace = chakra::open_trace(file);
      set.add(*trace);
      ranks.push_back(statistics::read_graph(*trace, dependencies_of(dependencies)));
    }
  }
  return statistics::statistics_of(ranks);
}

std::string time_of(double ps) { return format_time(static_cast<TimePs>(ps)); }
std::string bytes_of(double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }
std::string number_of(double value) { return fmt::format("{:.4g}", value); }

/// Distributions by name, each a row.
template <typename ByName>
std::string distributions_text(const std::string& heading, const ByName& all, std::string (*text)(double)) {
  if (all.empty()) return "";
  TextRows rows{{heading, "count", "least", "10 %", "median", "90 %", "most", "sum"}};
  for (const auto& [name, values] : all) {
    rows.push_back({name, std::to_string(values.count())});
    for (const double part : {0.0, 0.1, 0.5, 0.9, 1.0}) rows.back().push_back(text(values.quantile(part)));
    rows.back().push_back(text(values.sum()));
  }
  return aligned(rows, "lr");
}

std::string size_rows(const TraceStatistics& of) {
  TextRows rows{{"class", "sizes", "messages", "bytes", "share"}};
  for (const auto& [name, sizes] : of.sizes) {
    double all = 0;
    for (const auto& [k, size] : sizes) all += static_cast<double>(size.bytes);
    for (const auto& [k, size] : sizes)
      rows.push_back({name,
                      k == 0 ? "up to 1 B"
                             : fmt::format("{} to below {}", format_bytes(std::uint64_t{1} << k),
                                           format_bytes(std::uint64_t{2} << k)),
                      std::to_string(size.messages), format_bytes(size.bytes),
                      fmt::format("{:.2f} %", all == 0 ? 0 : 100 * static_cast<double>(size.bytes) / all)});
  }
  return aligned(rows, "llr");
}

std::string stats_text(const TraceStatistics& of) {
  std::string text = fmt::format("{}, {}, {}\n", counted(of.ranks, "rank"), counted(of.nodes, "node"),
                                 counted(of.edges, "dependency", "dependencies"));
  text += fmt::format("  depth {}, critical path {}, with units one node at a time {}, work {} in all\n",
                      of.depth, format_time(of.critical_path_ps), format_time(of.scheduled_ps),
                      format_time(of.work_ps));
  text += distributions_text("duration", of.durations_ps, time_of) +
          distributions_text("size", of.bytes, bytes_of);
  std::vector<std::pair<std::string, Distribution>> numbers{{"parents", of.parents},
                                                            {"children", of.children}};
  if (!of.intensity.empty()) numbers.emplace_back("operations per byte", of.intensity);
  text += distributions_text("number", numbers, number_of);
  TextRows collectives{{"collective", "size", "group", "count"}};
  for (const auto& [kind, count] : of.collectives)
    collectives.push_back({std::get<0>(kind), format_bytes(std::get<1>(kind)),
                           std::get<2>(kind).empty() ? "all" : std::get<2>(kind), std::to_string(count)});
  if (collectives.size() > 1) text += aligned(collectives, "lrlr");
  return of.sizes.empty() ? text : text + size_rows(of);
}

std::string difference_text(const std::vector<Difference>& all) {
  TextRows rows{{"", "count", "count", "KS", "moved by", "mean", "mean"}};
  for (const Difference& each : all) {
    const auto value = [&](double number) {
      if (each.what.compare(0, 8, "duration") == 0) return time_of(number);
      return each.what.compare(0, 4, "size") == 0 ? bytes_of(number) : number_of(number);
    };
    rows.push_back({each.what, std::to_string(each.count_a), std::to_string(each.count_b),
                    fmt::format("{:.4f}", each.ks), value(each.earth_mover), value(each.mean_a),
                    value(each.mean_b)});
  }
  return "Kolmogorov-Smirnov and earth mover's distance\n" + aligned(rows, "lr");
}

StatsJson json_of(const Distribution& values) {
  return {{"count", values.count()},        {"least", values.quantile(0)}, {"q10", values.quantile(0.1)},
          {"median", values.quantile(0.5)}, {"q90", values.quantile(0.9)}, {"most", values.quantile(1)},
          {"mean", values.mean()},          {"sum", values.sum()}};
}

StatsJson json_of(const TraceStatistics& of) {
  StatsJson json = {{"ranks", of.ranks},
                    {"nodes", of.nodes},
                    {"dependencies", of.edges},
                    {"depth", of.depth},
                    {"critical_path_ps", of.critical_path_ps},
                    {"scheduled_ps", of.scheduled_ps},
                    {"work_ps", of.work_ps},
                    {"parents", json_of(of.parents)},
                    {"children", json_of(of.children)},
                    {"operations_per_byte", json_of(of.intensity)}};
  for (const auto& [name, values] : of.durations_ps) json["duration_ps"][name] = json_of(values);
  for (const auto& [name, values] : of.bytes) json["bytes"][name] = json_of(values);
  for (const auto& [kind, count] : of.collectives)
    json["collectives"].push_back({{"type", std::get<0>(kind)},
                                   {"bytes", std::get<1>(kind)},
                                   {"group", std::get<2>(kind)},
                                   {"count", count}});
  for (const auto& [name, sizes] : of.sizes)
    for (const auto& [k, size] : sizes)
      json["sizes"][name].push_back({{"from_bytes", k == 0 ? 0 : std::uint64_t{1} << k},
                                     {"messages", size.messages},
                                     {"bytes", size.bytes}});
  return json;
}

StatsJson json_of(const std::vector<Difference>& all) {
  StatsJson json = StatsJson::array();
  for (const Difference& each : all)
    json.push_back({{"what", each.what},
                    {"counts", {each.count_a, each.count_b}},
                    {"kolmogorov_smirnov", each.ks},
                    {"earth_movers", each.earth_mover},
                    {"means", {each.mean_a, each.mean_b}}});
  return json;
}

StatsJson stats_schema() {
  namespace schema = results::schema;
  const StatsJson real = {{"type", {"number", "null"}}};
  StatsJson distribution = {{"count", schema::count()}};
  for (const char* name : {"least", "q10", "median", "q90", "most", "mean", "sum"}) distribution[name] = real;
  const StatsJson of = schema::object(distribution);
  const StatsJson trace =
      schema::object({{"ranks", schema::count()},
                      {"nodes", schema::count()},
                      {"dependencies", schema::count()},
                      {"depth", schema::count()},
                      {"critical_path_ps", schema::count()},
                      {"scheduled_ps", schema::count()},
                      {"work_ps", schema::count()},
                      {"parents", of},
                      {"children", of},
                      {"operations_per_byte", of},
                      {"duration_ps", schema::map_of(of, "By class")},
                      {"bytes", schema::map_of(of, "By class")},
                      {"collectives", schema::list(schema::object({{"type", schema::text()},
                                                                   {"bytes", schema::count()},
                                                                   {"group", schema::text("Empty: all")},
                                                                   {"count", schema::count()}}))},
                      {"sizes", schema::map_of(schema::list(schema::object({{"from_bytes", schema::count()},
                                                                            {"messages", schema::count()},
                                                                            {"bytes", schema::count()}})),
                                               "By class")}},
                     nullptr, {"duration_ps", "bytes", "collectives", "sizes"});
  const StatsJson difference = schema::object({{"what", schema::text()},
                                               {"counts", schema::list(schema::count())},
                                               {"kolmogorov_smirnov", real},
                                               {"earth_movers", real},
                                               {"means", schema::list(real)}});
  return {{"oneOf",
           {trace, schema::object(
                       {{"first", trace}, {"second", trace}, {"differences", schema::list(difference)}})}}};
}

int stats(const StatsArguments& arguments) {
  const TraceStatistics first = read_statistics(arguments.files, arguments.dependencies);
  StatsJson json = json_of(first);
  std::string text = stats_text(first);
  if (!arguments.against.empty()) {
    const TraceStatistics second = read_statistics(arguments.against, arguments.dependencies);
    const auto differences = statistics::compare(first, second);
    json = {{"first", json}, {"second", json_of(second)}, {"differences", json_of(differences)}};
    text += stats_text(second) + difference_text(differences);
  }
  fmt::print("{}", arguments.json ? json.dump(1) + "\n" : text);
  return 0;
}

}  // namespace

std::function<int()> add_trace_stats(CLI::App& trace) {
  auto arguments = std::make_shared<StatsArguments>();
  CLI::App* command = trace.add_subcommand(
      "stats", "Durations, sizes, degrees, critical path, collectives, message sizes; two traces compared");
  command->add_option("FILES", arguments->files, "Trace files, or PREFIX for PREFIX.<rank>.et; all together")
      ->required()
      ->type_name("FILES");
  command->add_option("--against", arguments->against, "Other traces: how far the distributions are apart")
      ->type_name("FILES");
  add_shared_option(*command, "--dependencies", arguments->dependencies)
      ->check(CLI::IsMember({"all", "existing", "data"}))
      ->capture_default_str();
  add_json_flag(*command, arguments->json, stats_schema);
  command->footer(
      "Critical path and work are those of the recorded durations; what a collective takes on a platform is\n"
      "found by a run.\n"
      "Examples:\n"
      "  wafertlm trace stats traces/job\n"
      "  wafertlm trace stats traces/job --against traces/synthetic --json");
  return [=] { return command->parsed() ? stats(*arguments) : -1; };
}

}  // namespace wafertlm
