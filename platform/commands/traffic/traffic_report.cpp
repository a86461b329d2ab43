// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/traffic/traffic_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/describe/table.h"
#include "platform/machine/wafer.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/traffic/traffic_model.h"

namespace wafertlm::traffic {
namespace {

using results::Json;
namespace schema = results::schema;
constexpr double kPsPerNs = 1000;

std::string class_name(const TrafficSetup& setup) {
  return setup.traffic_class.empty() ? setup.platform.wafer.fabric.classes.front().name : setup.traffic_class;
}

const char* queue_name(const config::FabricSpec& fabric) {
  return fabric.input_queue == InputQueue::fifo ? "fifo" : "per_output";
}

/// Calls `field` with the name and value of each number and name.
template <typename Result, typename Field>
void each_field(Result& r, const Field& field) {
  field("offered", r.offered);
  field("accepted", r.accepted);
  field("accepted_slowest", r.accepted_slowest);
  field("mean_ps", r.mean_ps);
  field("p50_ps", r.p50_ps);
  field("p99_ps", r.p99_ps);
  field("max_ps", r.max_ps);
  field("cycle_ps", r.cycle_ps);
  field("packet_flits", r.packet_flits);
  field("packets_measured", r.packets_measured);
  field("zero_load_ps", r.zero_load_ps);
  field("channel_bound", r.channel_bound);
  field("bound_link", r.bound_link);
  field("saturated", r.saturated);
  field("stable", r.stable);
  field("backlog_growth", r.backlog_growth);
  field("packets_left_out", r.packets_left_out);
  field("packet_hops", r.packet_hops);
  field("scheduler_events", r.scheduler_events);
  field("simulated_ps", r.simulated_ps);
}

const Table<LinkUse>& links_table() {
  static const Table<LinkUse> table([](Table<LinkUse>& t) {
    t.column("name", "link", shown::text(), &LinkUse::name);
    t.column("busy_fraction", "busy", shown::percent(1), &LinkUse::busy_fraction);
    t.column("expected_fraction", "expected", shown::percent(1), &LinkUse::expected_fraction);
    t.add("blocked_fraction", schema::object({{"credit", schema::number()}}), [](const LinkUse& of) {
      return Json{{"credit", of.credit_blocked_fraction}};
    });
    t.cell("no credit", shown::percent(1), &LinkUse::credit_blocked_fraction);
  });
  return table;
}

/// Of the terminal.
const Table<TrafficResult>& loads_table() {
  static const Table<TrafficResult> table([](Table<TrafficResult>& t) {
    using R = const TrafficResult&;
    const Format rate = shown::number("{:.4f}"), two_digits = shown::number("{:.2f}");
    t.cell("offered", rate, &TrafficResult::offered);
    t.cell("accepted", rate, &TrafficResult::accepted);
    t.cell("slowest", rate, &TrafficResult::accepted_slowest);
    t.cell("mean ns", two_digits, [](R of) { return of.mean_ps / kPsPerNs; });
    t.cell("+-95 % ns", two_digits, [](R of) {
      return std::isnan(of.mean_half_width_ps) ? Json("?") : Json(of.mean_half_width_ps / kPsPerNs);
    });
    t.cell("cycles", two_digits, &TrafficResult::mean_cycles);
    t.cell("p50 ns", two_digits, [](R of) { return of.p50_ps / kPsPerNs; });
    t.cell("p99 ns", two_digits, [](R of) { return of.p99_ps / kPsPerNs; });
    t.cell("packets", shown::whole(), &TrafficResult::packets_measured);
    t.cell("state", shown::text(), &TrafficResult::state);
  });
  return table;
}

}  // namespace

nlohmann::json to_json(const TrafficResult& r) {
  nlohmann::json json = {{"mean_half_width_ps", r.mean_half_width_ps},
                         {"worst_links", nlohmann::json(links_table().list(r.worst_links))},
                         {"host", {{"wall_s", r.wall_s}}}};
  json["state"] = r.state();
  each_field(r, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

TrafficResult result_from_json(const nlohmann::json& json) {
  TrafficResult r;
  each_field(r, [&](const char* name, auto& value) { json.at(name).get_to(value); });
  const auto& half_width = json.at("mean_half_width_ps");  // JSON has no NaN
  r.mean_half_width_ps = half_width.is_null() ? std::nan("") : half_width.get<double>();
  for (const auto& link : json.at("worst_links"))
    r.worst_links.push_back({link.at("name"), link.at("busy_fraction"), link.at("expected_fraction"),
                             link.at("blocked_fraction").at("credit")});
  r.wall_s = json.at("host").at("wall_s");
  return r;
}

namespace {

/// Of the loads in ascending order: the last one before the first that is not stable, and that one; 0: none.
std::pair<double, double> saturation_between(const std::vector<TrafficResult>& results) {
  std::vector<std::pair<double, bool>> loads;
  for (const TrafficResult& result : results) loads.emplace_back(result.offered, result.stable);
  std::sort(loads.begin(), loads.end());
  double stable = 0;
  for (const auto& [offered, is_stable] : loads) {
    if (!is_stable) return {stable, offered};
    stable = offered;
  }
  return {stable, 0};
}

}  // namespace

nlohmann::json sweep_json(const TrafficSetup& setup, const std::vector<TrafficResult>& results) {
  nlohmann::json rows = nlohmann::json::array();
  for (const TrafficResult& result : results) rows.push_back(to_json(result));
  const auto [stable, not_stable] = saturation_between(results);
  const auto or_null = [](double load) { return load > 0 ? nlohmann::json(load) : nlohmann::json(); };
  return {{"platform", setup.platform.name},
          {"pattern", setup.pattern.name},
          {"class", class_name(setup)},
          {"packet_bytes", setup.platform.wafer.fabric.format.packet_bytes},
          {"load_unit", "flits per sending node and cycle"},
          {"seed", setup.seed},
          {"notes", setup.notes},
          {"saturation", {{"largest_stable", or_null(stable)}, {"first_not_stable", or_null(not_stable)}}},
          {"rows", rows}};
}

nlohmann::ordered_json sweep_schema() {
  const Json load = schema::or_null(schema::number(), "null: none");
  Json row = {{"state", schema::text("stable, not stable or saturated")},
              {"mean_half_width_ps", {{"type", {"number", "null"}}}},
              {"worst_links", links_table().list_schema()},
              {"host", schema::object({{"wall_s", schema::seconds()}})}};
  TrafficResult any;
  each_field(any, [&](const char* name, const auto& value) {
    row[name] = {{"type", nlohmann::json(value).is_number() ? "number" : nlohmann::json(value).type_name()}};
  });
  return schema::object(
      {{"platform", schema::text()},
       {"pattern", schema::text()},
       {"class", schema::text()},
       {"packet_bytes", schema::positive()},
       {"load_unit", schema::text()},
       {"seed", schema::count()},
       {"notes", schema::list(schema::text())},
       {"saturation", schema::object({{"largest_stable", load}, {"first_not_stable", load}})},
       {"rows", schema::list(schema::object(row))}});
}

std::string report_notes(const TrafficSetup& setup) {
  std::string text;
  for (const std::string& note : setup.notes) text += "note: " + note + "\n";
  return text;
}

std::string report_heading(const TrafficSetup& setup) {
  const config::WaferSpec& wafer = setup.platform.wafer;
  const TrafficUnits units = traffic_units(wafer);
  const TrafficModel model = fabric_kind(wafer).traffic(wafer);
  const auto pattern = make_pattern(setup.pattern, model.grid);
  const auto [loads, zero_ps] = outlook(wafer, *pattern);
  std::string text = fmt::format(
      "{}: {}, {} input queues, pattern {}, class {}, seed {}\n"
      "packet {} B payload = {} flits of {} B; cycle {:g} ns; loads in flits per sending node and cycle\n"
      "channel bound    {:.4f}  (link {}: {:.4g} flits per flit offered)\n"
      "zero-load latency {:.3f} ns = {:.3f} cycles (mean over the pattern, closed form)\n\n",
      setup.platform.name, model.fabric, queue_name(wafer.fabric), setup.pattern.name, class_name(setup),
      setup.seed, wafer.fabric.format.packet_bytes, units.packet_flits, units.flit_bytes,
      units.cycle_ps() / kPsPerNs, loads.bound, loads.links[loads.busiest].link,
      loads.load(loads.links[loads.busiest]), zero_ps / kPsPerNs, zero_ps / units.cycle_ps());
  return text + report_notes(setup) + loads_table().head();
}

std::string report_row(const TrafficResult& r) { return loads_table().line(r); }

std::string report_saturation(const std::vector<TrafficResult>& results) {
  const auto [stable, not_stable] = saturation_between(results);
  std::string text;
  if (not_stable > 0)
    text += stable > 0 ? fmt::format("\nsaturation between load {:g}, the last that is stable, and {:g}\n",
                                     stable, not_stable)
                       : fmt::format("\nno load below {:g} was stable\n", not_stable);
  if (std::any_of(results.begin(), results.end(),
                  [](const TrafficResult& r) { return !r.stable && !r.saturated; }))
    text +=
        "not stable: latencies or backlog have not settled in this run, so the mean says nothing; --measure "
        "more packets\n";
  return text;
}

std::string report_links(const TrafficResult& r) {
  return fmt::format("\nBusiest links at load {:g}\n{}", r.offered, links_table().text(r.worst_links, 0));
}

}  // namespace wafertlm::traffic
