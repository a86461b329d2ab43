// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "platform/machine/reliability.h"
#include "platform/results/parts.h"
#include "platform/results/results.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/fabric_results.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kRows = 8;

TimePs picoseconds(const Json& value) {
  return static_cast<TimePs>(std::llround(value.get<double>() * 1e12));
}
std::string time_of(const Json& value) { return format_time(picoseconds(value)); }

/// " ± 2.1 us" of a figure that was sampled; of others "".
std::string half_width_of(const Json& row, const char* name) {
  return row.contains(name) ? " ± " + time_of(row[name]) : "";
}

std::string where_the_time_went(const Json& results) {
  std::string text;
  std::size_t number = 0;
  for (const Json& iteration : results["iterations"]) {
    text += fmt::format(
        "\nIteration {}: {}{}   (rank {}, which finishes last; min, mean and max over all ranks)\n", number++,
        time_of(iteration["time_s"]), half_width_of(iteration, "time_half_width_s"),
        iteration["rank"].get<int>());
    for (const auto& [name, value] : iteration["breakdown_s"].items()) {
      const double most = iteration["breakdown_max_s"][name].get<double>();
      if (value.get<double>() == 0 && most == 0) continue;
      text += fmt::format("  {:<16} {:>11} {:>6.2f} %   {:>11} {:>11} {:>11}", name, time_of(value),
                          100 * value.get<double>() / iteration["time_s"].get<double>(),
                          time_of(iteration["breakdown_min_s"][name]),
                          time_of(iteration["breakdown_mean_s"][name]),
                          time_of(iteration["breakdown_max_s"][name]));
      if (iteration.contains("breakdown_half_width_s"))
        text += half_width_of(iteration["breakdown_half_width_s"], name.c_str());
      text += '\n';
    }
  }
  return text;
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
  text += fmt::format("  {:<15} {:<19} {:<8} {:>5} {:>10} {:>6} {:>11} {:>11} {:>11} {:>11} {:>12}\n", "type",
                      "algorithm", "class", "ranks", "size", "count", "time", "skew", "predicted", "bound",
                      "busbw");
  for (std::size_t i = 0; i < std::min(order.size(), kRows); ++i) {
    const auto& rows = kinds[order[i].second];
    const Json& row = **std::max_element(rows.begin(), rows.end(), [](const Json* a, const Json* b) {
      return (*a)["time_s"].get<double>() < (*b)["time_s"].get<double>();
    });
    text += fmt::format("  {:<15} {:<19} {:<8} {:>5} {:>10} {:>6} {:>11} {:>11} {:>11} {:>11} {:>12}\n",
                        row["type"].get<std::string>(), row["algorithm"].get<std::string>(),
                        row["class"].get<std::string>(), row["group_size"].get<int>(),
                        format_bytes(row["bytes"].get<std::uint64_t>()), rows.size(), time_of(row["time_s"]),
                        time_of(row["skew_s"]), time_of(row["predicted_s"]), time_of(row["bound_s"]),
                        format_bandwidth(row["bus_bandwidth_bytes_per_s"].get<double>()));
    if (row.contains("time_half_width_s")) {
      text.pop_back();
      text += half_width_of(row, "time_half_width_s") + "\n";
    }
  }
  if (order.size() > kRows)
    text += fmt::format("  ... and {} more kinds in results.json\n", order.size() - kRows);
  return text;
}

std::string busiest_links(const Json& results) {
  std::vector<const Json*> links;
  for (const Json& link : results["links"]) links.push_back(&link);
  std::stable_sort(links.begin(), links.end(), [](const Json* a, const Json* b) {
    return (*a)["busy_fraction"].get<double>() > (*b)["busy_fraction"].get<double>();
  });
  std::string text = results.contains("iteration_time_half_width_s")
                         ? "\nBusiest links (only what was simulated is counted)\n"
                         : "\nBusiest links\n";
  text += fmt::format("  {:<24} {:>11} {:>8} {:>15}\n", "link", "payload", "busy", "no credit");
  for (std::size_t i = 0; i < std::min<std::size_t>(links.size(), 3); ++i) {
    const Json& link = *links[i];
    text += fmt::format("  {:<24} {:>11} {:>6.2f} % {:>13.2f} %\n", link["name"].get<std::string>(),
                        format_bytes(link["bytes"].get<std::uint64_t>()),
                        100 * link["busy_fraction"].get<double>(),
                        100 * link["blocked_fraction"]["credit"].get<double>());
  }
  return text;
}

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
  if (worst == "idle") return text + ": the rank waits for its CPU, or for ranks that still compute.\n";
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
  text += fmt::format("  {:>5} {:>11} {:>11} {:<9} {:>12}  {}\n", "rank", "start", "time", "what", "node",
                      "name");
  for (const Json& step : path["steps"]) {
    const TimePs start = picoseconds(step["start_s"]), end = picoseconds(step["end_s"]);
    text += fmt::format("  {:>5} {:>11} {:>11} {:<9} {:>12}  {}\n", step["rank"].get<std::uint32_t>(),
                        format_time(start), format_time(end - start), step["category"].get<std::string>(),
                        step["node"].get<std::uint64_t>(), step["name"].get<std::string>());
  }
  for (const auto& [category, time] : path["breakdown_ps"].items())
    text += fmt::format("  {:<9} {}\n", category, format_time(time.get<TimePs>()));
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
      "communication or idle.\n",
      time_of(last["time_s"]),
      last.contains("time_half_width_s") ? half_width_of(last, "time_half_width_s") + " (at 95 %; sampled)"
                                         : "",
      100 * compute);
  text += explanation(results) + compute_text(results) + training_text(results) + memory_check_text(results);
  if (results.contains("reliability")) text += "Go-Back-N: " + goodput_line(results["reliability"]);
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
  text += fmt::format("Simulated {} packet hops in {:.2f} s ({:.3g} per second).\n",
                      results["simulation"]["packet_hops"].get<std::uint64_t>(),
                      results["host"]["wall_s"].get<double>(),
                      results["host"]["packet_hops_per_s"].get<double>());
  return text;
}

}  // namespace wafertlm
