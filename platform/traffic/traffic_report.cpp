// SPDX-License-Identifier: Apache-2.0
#include "platform/traffic/traffic_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/fabrics/registry.h"
#include "platform/system/wafer.h"
#include "platform/traffic/traffic_model.h"

namespace wafertlm::traffic {
namespace {

constexpr double kPsPerNs = 1000;

std::string class_name(const TrafficSetup& setup) {
  return setup.traffic_class.empty() ? setup.platform.wafer.fabric.classes.front().name : setup.traffic_class;
}

const char* queue_name(const config::FabricSpec& fabric) {
  return fabric.input_queue == InputQueue::fifo ? "fifo" : "per_output";
}

}  // namespace

nlohmann::json to_json(const TrafficResult& r) {
  nlohmann::json links = nlohmann::json::array();
  for (const LinkUse& link : r.worst_links)
    links.push_back({{"name", link.name},
                     {"busy_fraction", link.busy_fraction},
                     {"expected_fraction", link.expected_fraction},
                     {"blocked_fraction", {{"credit", link.credit_blocked_fraction}}}});
  return {{"offered", r.offered},
          {"accepted", r.accepted},
          {"accepted_slowest", r.accepted_slowest},
          {"mean_ps", r.mean_ps},
          {"p50_ps", r.p50_ps},
          {"p99_ps", r.p99_ps},
          {"max_ps", r.max_ps},
          {"mean_half_width_ps", r.mean_half_width_ps},
          {"cycle_ps", r.cycle_ps},
          {"packet_flits", r.packet_flits},
          {"packets_measured", r.packets_measured},
          {"zero_load_ps", r.zero_load_ps},
          {"channel_bound", r.channel_bound},
          {"bound_link", r.bound_link},
          {"saturated", r.saturated},
          {"worst_links", links},
          {"packet_hops", r.packet_hops},
          {"scheduler_events", r.scheduler_events},
          {"simulated_ps", r.simulated_ps},
          {"host", {{"wall_s", r.wall_s}}}};
}

TrafficResult result_from_json(const nlohmann::json& json) {
  TrafficResult r;
  r.offered = json.at("offered");
  r.accepted = json.at("accepted");
  r.accepted_slowest = json.at("accepted_slowest");
  r.mean_ps = json.at("mean_ps");
  r.p50_ps = json.at("p50_ps");
  r.p99_ps = json.at("p99_ps");
  r.max_ps = json.at("max_ps");
  const auto& half_width = json.at("mean_half_width_ps");  // JSON has no NaN
  r.mean_half_width_ps = half_width.is_null() ? std::nan("") : half_width.get<double>();
  r.cycle_ps = json.at("cycle_ps");
  r.packet_flits = json.at("packet_flits");
  r.packets_measured = json.at("packets_measured");
  r.zero_load_ps = json.at("zero_load_ps");
  r.channel_bound = json.at("channel_bound");
  r.bound_link = json.at("bound_link");
  r.saturated = json.at("saturated");
  for (const auto& link : json.at("worst_links"))
    r.worst_links.push_back({link.at("name"), link.at("busy_fraction"), link.at("expected_fraction"),
                             link.at("blocked_fraction").at("credit")});
  r.packet_hops = json.at("packet_hops");
  r.scheduler_events = json.at("scheduler_events");
  r.simulated_ps = json.at("simulated_ps");
  r.wall_s = json.at("host").at("wall_s");
  return r;
}

nlohmann::json sweep_json(const TrafficSetup& setup, const std::vector<TrafficResult>& results) {
  nlohmann::json rows = nlohmann::json::array();
  for (const TrafficResult& result : results) rows.push_back(to_json(result));
  return {{"platform", setup.platform.name},
          {"pattern", setup.pattern.name},
          {"class", class_name(setup)},
          {"packet_bytes", setup.platform.wafer.fabric.format.packet_bytes},
          {"load_unit", "flits per sending node and cycle"},
          {"seed", setup.seed},
          {"rows", rows}};
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
      static_cast<double>(units.cycle_ps) / kPsPerNs, loads.bound, loads.links[loads.busiest].link,
      loads.load(loads.links[loads.busiest]), zero_ps / kPsPerNs,
      zero_ps / static_cast<double>(units.cycle_ps));
  text += fmt::format("{:>8} {:>9} {:>9} {:>12} {:>9} {:>11} {:>11} {:>11} {:>9}  {}\n", "offered",
                      "accepted", "slowest", "mean", "+-95 %", "mean", "p50", "p99", "packets", "state");
  text += fmt::format("{:>8} {:>9} {:>9} {:>12} {:>9} {:>11} {:>11} {:>11} {:>9}\n", "flits", "flits",
                      "source", "ns", "ns", "cycles", "ns", "ns", "");
  return text;
}

std::string report_row(const TrafficResult& r) {
  const std::string half_width =
      std::isnan(r.mean_half_width_ps) ? "?" : fmt::format("{:.2f}", r.mean_half_width_ps / kPsPerNs);
  return fmt::format("{:>8.4f} {:>9.4f} {:>9.4f} {:>12.2f} {:>9} {:>11.2f} {:>11.2f} {:>11.2f} {:>9}  {}\n",
                     r.offered, r.accepted, r.accepted_slowest, r.mean_ps / kPsPerNs, half_width,
                     r.mean_cycles(), r.p50_ps / kPsPerNs, r.p99_ps / kPsPerNs, r.packets_measured,
                     r.saturated ? "saturated" : "stable");
}

std::string report_links(const TrafficResult& r) {
  std::string text = fmt::format("\nBusiest links at load {:g}\n{:<24} {:>8} {:>9} {:>15}\n", r.offered,
                                 "link", "busy", "expected", "no credit");
  for (const LinkUse& link : r.worst_links)
    text += fmt::format("{:<24} {:>6.1f} % {:>7.1f} % {:>13.1f} %\n", link.name, 100 * link.busy_fraction,
                        100 * link.expected_fraction, 100 * link.credit_blocked_fraction);
  return text;
}

}  // namespace wafertlm::traffic
