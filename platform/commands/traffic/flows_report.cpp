// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "platform/commands/traffic/flows.h"
#include "platform/commands/traffic/traffic_report.h"
#include "platform/describe/fields.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"

namespace wafertlm::traffic {
namespace {

using results::Json;

double over_bound(const FlowsResult& result) {
  return static_cast<double>(result.last_ps()) / static_cast<double>(result.bound_ps);
}

}  // namespace

std::string flows_report(const FlowsSetup& setup, const FlowsResult& result) {
  const auto time = [](double ps) { return format_time(static_cast<TimePs>(std::llround(ps))); };
  std::string text = fmt::format("{}: pattern {}, seed {}; {} flows of {}, all at once\n",
                                 setup.traffic.platform.name, setup.traffic.pattern.name, setup.traffic.seed,
                                 result.flows.size(), format_bytes(setup.flow_bytes)) +
                     report_notes(setup.traffic);
  text += aligned(
      {{"first", "mean", "50 %", "99 %", "last", "bound", "/bound"},
       {format_time(result.percentile_ps(0)), time(result.mean_ps()), format_time(result.percentile_ps(50)),
        format_time(result.percentile_ps(99)), format_time(result.last_ps()), format_time(result.bound_ps),
        fmt::format("{:.3f}", over_bound(result))}},
      "r");
  text += result.text;
  text += fmt::format("{} packets over cables in {:.2f} s of processor time, {:.2f} million a second\n",
                      result.packet_hops, result.cpu_s,
                      static_cast<double>(result.packet_hops) / result.cpu_s / 1e6);
  return text;
}

nlohmann::ordered_json flows_json(const FlowsSetup& setup, const FlowsResult& result) {
  nlohmann::ordered_json flows = nlohmann::ordered_json::array();
  for (const Flow& flow : result.flows)
    flows.push_back({{"from", flow.from},
                     {"to", flow.to},
                     {"completion_s", seconds(flow.completion_ps)},
                     {"completion_ps", flow.completion_ps}});
  nlohmann::ordered_json json = {{"platform", setup.traffic.platform.name},
                                 {"pattern", setup.traffic.pattern.name},
                                 {"seed", setup.traffic.seed},
                                 {"notes", setup.traffic.notes},
                                 {"flow_bytes", setup.flow_bytes},
                                 {"completion_mean_s", result.mean_ps() * 1e-12},
                                 {"completion_p50_s", seconds(result.percentile_ps(50))},
                                 {"completion_p99_s", seconds(result.percentile_ps(99))},
                                 {"last_s", seconds(result.last_ps())},
                                 {"bound_s", seconds(result.bound_ps)},
                                 {"last_over_bound", over_bound(result)},
                                 {"flows", std::move(flows)}};
  json.update(result.of_fabric);
  json["packet_hops"] = result.packet_hops;
  json["host"] = {{"cpu_s", result.cpu_s},
                  {"packet_hops_per_s", static_cast<double>(result.packet_hops) / result.cpu_s}};
  return json;
}

nlohmann::ordered_json flows_schema() {
  namespace schema = results::schema;
  Json json = schema::object(
      {{"platform", schema::text()},
       {"pattern", schema::text()},
       {"seed", schema::count()},
       {"notes", schema::list(schema::text())},
       {"flow_bytes", schema::positive()},
       {"completion_mean_s", schema::seconds()},
       {"completion_p50_s", schema::seconds()},
       {"completion_p99_s", schema::seconds()},
       {"last_s", schema::seconds()},
       {"bound_s", schema::seconds()},
       {"last_over_bound", schema::number()},
       {"flows", schema::list(schema::object({{"from", schema::count()},
                                              {"to", schema::count()},
                                              {"completion_s", schema::seconds()},
                                              {"completion_ps", schema::count()}}))},
       {"packet_hops", schema::count()},
       {"host", schema::object({{"cpu_s", schema::seconds()}, {"packet_hops_per_s", schema::number()}})}},
      "And what the fabric says, as in results.json");
  json.erase("additionalProperties");
  return json;
}

}  // namespace wafertlm::traffic
