// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "platform/describe/table.h"
#include "platform/machine/faults_report.h"
#include "platform/machine/reliability.h"
#include "platform/results/parts.h"
#include "platform/results/results.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/fabric_results.h"
#include "platform/text/config_error.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kRows = 8;

TimePs picoseconds(const Json& value) {
  return static_cast<TimePs>(std::llround(value.get<double>() * 1e12));
}
std::string time_of(const Json& value) { return format_time(picoseconds(value)); }

/// "± 2.1 us" of a figure that was sampled; of others "".
std::string half_width_of(const Json& row, const char* name) {
  return row.contains(name) ? "± " + time_of(row[name]) : "";
}

std::string where_the_time_went(const Json& results) {
  std::string text;
  std::size_t number = 0;
  for (const Json& iteration : results["iterations"]) {
    text += fmt::format(
        "\nIteration {}: {} {}  (rank {}, which finishes last; min, mean and max over all ranks)\n",
        iteration.value("number", number++), time_of(iteration["time_s"]),
        half_width_of(iteration, "time_half_width_s"), iteration["rank"].get<int>());
    TextRows rows;
    for (const auto& [name, value] : iteration["breakdown_s"].items()) {
      if (value == 0 && iteration["breakdown_max_s"][name] == 0) continue;
      rows.push_back(
          {name, time_of(value),
           fmt::format("{:.2f} %", 100 * value.get<double>() / iteration["time_s"].get<double>())});
      for (const char* over_ranks : {"breakdown_min_s", "breakdown_mean_s", "breakdown_max_s"})
        rows.back().push_back(time_of(iteration[over_ranks][name]));
      if (iteration.contains("breakdown_half_width_s"))
        rows.back().push_back(half_width_of(iteration["breakdown_half_width_s"], name.c_str()));
    }
    text += aligned(rows, "lr");
  }
  if (const auto times = results.find("iteration_times"); times != results.end())
    text += fmt::format(
        "\nAll {} iterations: {} at least, median {}, 90 % within {}, 99 % within {}, {} at most, mean {} "
        "(list_all_iterations: true lists them)\n",
        (*times)["count"].get<std::uint64_t>(), time_of((*times)["min_s"]), time_of((*times)["median_s"]),
        time_of((*times)["p90_s"]), time_of((*times)["p99_s"]), time_of((*times)["max_s"]),
        time_of((*times)["mean_s"]));
  return text;
}

const Table<Json>& collectives_table() {
  static const Table<Json> table([](Table<Json>& t) {
    using shown::At;
    t.cell("type", shown::text(), At{"/type"});
    t.cell("algorithm", shown::text(), At{"/algorithm"});
    t.cell("class", shown::text(), At{"/class"});
    t.cell("ranks", shown::whole(), At{"/group_size"});
    t.cell("size", shown::bytes(), At{"/bytes"});
    t.cell("count", shown::whole(), At{"/count"});
    t.cell("time", shown::seconds(), At{"/time_s"});
    t.cell("", shown::text(), [](const Json& row) { return half_width_of(row, "time_half_width_s"); });
    t.cell("skew", shown::seconds(), At{"/skew_s"});
    t.cell("predicted", shown::seconds(), At{"/predicted_s"});
    t.cell("bound", shown::seconds(), At{"/bound_s"});
    t.cell("busbw", shown::bandwidth(), At{"/bus_bandwidth_bytes_per_s"});
  });
  return table;
}

/// Collectives of one kind are one row: the longest of them, with how many there are.
std::string collectives(const Json& results) {
  using Kind = std::tuple<std::string, std::string, std::string, std::uint64_t, std::uint64_t>;
  std::map<Kind, std::vector<const Json*>> kinds;
  for (const Json& row : results["collectives"])
    kinds[{row["type"], row["algorithm"], row["class"], row["group_size"], row["bytes"]}].push_back(&row);
  if (kinds.empty()) return "\nNo collectives.\n";
  std::vector<std::pair<double, Kind>> order;
  for (const auto& [kind, rows] : kinds) {
    double total = 0;
    for (const Json* row : rows) total += (*row)["time_s"].get<double>();
    order.emplace_back(-total, kind);
  }
  std::sort(order.begin(), order.end());
  std::string text =
      fmt::format("\nCollectives: {} in all; the kinds that take most time, the slowest of each\n",
                  results["collectives_total"].get<std::size_t>());
  Json slowest = Json::array();
  for (std::size_t i = 0; i < std::min(order.size(), kRows); ++i) {
    const auto& rows = kinds[order[i].second];
    slowest.push_back(**std::max_element(rows.begin(), rows.end(), [](const Json* a, const Json* b) {
      return (*a)["time_s"].get<double>() < (*b)["time_s"].get<double>();
    }));
    slowest.back()["count"] = rows.size();
  }
  text += collectives_table().text(slowest);
  if (order.size() > kRows)
    text += fmt::format("  ... and {} more kinds in results.json\n", order.size() - kRows);
  return text;
}

const Table<Json>& links_table() {
  static const Table<Json> table([](Table<Json>& t) {
    t.cell("link", shown::text(), shown::At{"/name"});
    t.cell("payload", shown::bytes(), shown::At{"/bytes"});
    t.cell("busy", shown::percent(), shown::At{"/busy_fraction"});
    t.cell("no credit", shown::percent(), shown::At{"/blocked_fraction/credit"});
  });
  return table;
}

std::string busiest_links(const Json& results) {
  // The first ones of equal links.
  const auto busier = [](const std::pair<double, const Json*>& a, const std::pair<double, const Json*>& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  std::vector<std::pair<double, const Json*>> links;
  for (const Json& link : results["links"]) links.emplace_back(link["busy_fraction"].get<double>(), &link);
  const std::size_t shown = std::min<std::size_t>(links.size(), 3);
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(shown), links.end(), busier);
  std::vector<Json> busiest;
  for (std::size_t k = 0; k < shown; ++k) busiest.push_back(*links[k].second);
  return (results.contains("iteration_time_half_width_s")
              ? "\nBusiest links (only what was simulated is counted)\n"
              : "\nBusiest links\n") +
         links_table().text(busiest);
}

/// What comes out of the last iteration, by its time.
std::string achieved(const Json& results) {
  const Json& last = results["iterations"].back();
  std::vector<std::string> parts;
  if (const Json& mfu = last["mfu"]; !mfu.is_null())
    parts.push_back(fmt::format("{:.2f} % of the peak (model FLOPs utilisation)", 100 * mfu.get<double>()));
  for (const auto& [key, what] : {std::pair("samples_per_s", "samples/s"), {"tokens_per_s", "tokens/s"}})
    if (const Json& value = last[key]; !value.is_null())
      parts.push_back(fmt::format("{:.4g} {}", value.get<double>(), what));
  return parts.empty() ? "" : fmt::format("Achieved: {}.\n", fmt::join(parts, ", "));
}

constexpr std::pair<const char*, const char*> kWaits[] = {
    {"bubble", "the rank waits for stages of the pipeline that still compute"},
    {"cpu", "the rank waits for its CPU"},
    {"idle", "the rank waits for ranks that are late in a collective"}};

/// In words: what the rank that finishes last waits for most, and which collective and link are behind it.
std::string explanation(const Json& results) {
  const Json& last = results["iterations"].back();
  std::string worst;
  for (const auto& [name, value] : last["breakdown_s"].items())
    if (name != "compute" && (worst.empty() || value > last["breakdown_s"][worst])) worst = name;
  const double part = last["breakdown_s"][worst].get<double>();
  if (part == 0) return "Nothing but computation is on the way of the rank that finishes last.\n";
  std::string text =
      fmt::format("Most of the rest is {} ({}, {:.2f} %)", worst, time_of(last["breakdown_s"][worst]),
                  100 * part / last["time_s"].get<double>());
  for (const auto& [name, meaning] : kWaits)
    if (worst == name) return text + ": " + meaning + ".\n";
  const Json* slowest = nullptr;
  for (const Json& row : results["collectives"])
    if ("exposed_" + row["class"].get<std::string>() == worst &&
        (!slowest || row["time_s"].get<double>() > (*slowest)["time_s"].get<double>()))
      slowest = &row;
  if (slowest && (*slowest)["bound_s"].get<double>() > 0)
    text += fmt::format("; its longest collective, {} of {}, takes {:.2f} times its lower bound",
                        (*slowest)["type"].get<std::string>(),
                        format_bytes((*slowest)["bytes"].get<std::uint64_t>()),
                        (*slowest)["time_s"].get<double>() / (*slowest)["bound_s"].get<double>());
  return text + ".\n";
}

}  // namespace

std::string critical_path_text(const Json& results) {
  const Json& path = results["critical_path"];
  std::string text = fmt::format(
      "\nCritical path of the last iteration: {} operations{}\n", path["length"].get<std::uint64_t>(),
      path["beginning_not_kept"].get<bool>() ? ", the first of them not kept" : "");
  TextRows steps{{"rank", "start", "time", "what", "node", "name"}}, sums;
  for (const Json& step : path["steps"]) {
    const TimePs start = picoseconds(step["start_s"]), end = picoseconds(step["end_s"]);
    steps.push_back({step["rank"].dump(), format_time(start), format_time(end - start),
                     step["category"].get<std::string>(), step["node"].dump(),
                     step["name"].get<std::string>()});
  }
  for (const auto& [category, time] : path["breakdown_ps"].items())
    sums.push_back({category, format_time(time.get<TimePs>())});
  text += aligned(steps, "rrrlrl") + aligned(sums, "l");
  return text;
}

std::string run_summary(const Json& results) {
  const Json& last = results["iterations"].back();
  const double compute = last["breakdown_s"]["compute"].get<double>() / last["time_s"].get<double>();
  std::string text =
      fmt::format("{}\n  platform {}, workload {}\n", results["experiment"].get<std::string>(),
                  results["platform"].get<std::string>(), results["workload"].get<std::string>());
  text +=
      where_the_time_went(results) + collectives(results) + busiest_links(results) + memories_text(results);
  for (const auto& kind : fabric_kinds())
    if (const FabricResults* const of = kind->results(); of && results.contains(of->name))
      text += of->text(results[of->name]);
  text += fmt::format(
      "\nThe last iteration takes {}{}; the compute units work {:.2f} % of it, the rest is exposed "
      "communication, bubble or idle.\n",
      time_of(last["time_s"]),
      last.contains("time_half_width_s")
          ? " " + half_width_of(last, "time_half_width_s") + " (at 95 %; sampled)"
          : "",
      100 * compute);
  text += achieved(results) + explanation(results) + compute_text(results) + training_text(results) +
          memory_check_text(results);
  if (results.contains("reliability")) text += "Go-Back-N: " + goodput_line(results["reliability"]);
  if (results.contains("faults")) text += faults_text(results["faults"]);
  const Json& energy = results["energy_j"];
  text += energy["links"].is_null()
              ? fmt::format("Energy: not modelled ({}).\n", energy["not_modelled"].get<std::string>())
              : fmt::format("Energy of the links: {:.4g} J, at {:.4g} pJ/bit.\n",
                            energy["links"].get<double>(), energy["per_bit_j"].get<double>() * 1e12);
  if (const Json& cost = results["cost"]; !cost["table"].is_null()) {
    text += fmt::format(
        "Cost: {:.6g} $ per NPU, {:.6g} $ in all; power {:.4g} W per NPU, {:.6g} W in all ({}).\n",
        cost["price_per_npu"].get<double>(), cost["price"].get<double>(),
        cost["power_per_npu_w"].get<double>(), cost["power_w"].get<double>(),
        cost["table"].get<std::string>());
    if (!cost["price_per_hour"].is_null())
      text += fmt::format("An hour costs {:.4g} $", cost["price_per_hour"].get<double>());
    for (const auto& [key, what] : {std::pair("price_per_sample", "sample"), {"price_per_token", "token"}})
      if (!cost[key].is_null()) text += fmt::format(", a {} {:.4g} $", what, cost[key].get<double>());
    if (!cost["price_per_hour"].is_null()) text += ".\n";
  }
  for (const Json& note : results["notes"]) text += "Note: " + note.get<std::string>() + ".\n";
  const Json& traces = results["traces"];
  const auto count = [&](const char* key) { return traces[key].get<std::uint64_t>(); };
  if (count("control_dependencies_left_out") != 0)
    text += fmt::format("{} control dependencies of the traces were left out (workload.dependencies).\n",
                        count("control_dependencies_left_out"));
  if (count("missing_dependencies") != 0)
    text += fmt::format("{} dependencies are on nodes that are not in the traces, and were not waited for.\n",
                        count("missing_dependencies"));
  for (const auto& [name, nodes] : traces["unknown_attributes"].items())
    text += fmt::format("Attribute {} of the traces is not known and changes nothing ({} nodes).\n",
                        config::quoted(name), nodes.get<std::uint64_t>());
  text += fmt::format("Simulated {} packet hops in {:.2f} s ({:.3g} per second).\n",
                      results["simulation"]["packet_hops"].get<std::uint64_t>(),
                      results["host"]["wall_s"].get<double>(),
                      results["host"]["packet_hops_per_s"].get<double>());
  return text;
}

}  // namespace wafertlm
