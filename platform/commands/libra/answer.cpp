// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/commands/libra/design.h"
#include "platform/commands/libra/simulation.h"
#include "platform/describe/fields.h"
#include "platform/text/aligned.h"

namespace wafertlm::libra {
namespace {

using nlohmann::ordered_json;

constexpr double kNsPerMs = 1e6, kNsPerS = 1e9;

std::string milliseconds(double ns) { return fmt::format("{:.4f} ms", ns / kNsPerMs); }

const char* name_of(Objective objective) {
  switch (objective) {
    case Objective::time_cost:
      return "time x cost";
    case Objective::cost:
      return "cost";
    default:
      return "time";
  }
}

/// Of all communication, the part that each dimension is the slowest of: it decides how long a collective
/// takes. Ties count for each.
std::vector<double> deciding_parts(const BandwidthProblem& problem, const std::vector<double>& bandwidths) {
  constexpr double kTie = 1e-6;
  std::vector<double> parts(problem.dimensions, 0);
  const double all = problem.value(bandwidths) - problem.constant;
  for (const Term& term : problem.terms) {
    double slowest = 0;
    for (std::size_t d = 0; d < problem.dimensions; ++d)
      if (term.amounts[d] > 0) slowest = std::max(slowest, term.amounts[d] / bandwidths[d]);
    for (std::size_t d = 0; d < problem.dimensions; ++d)
      if (term.amounts[d] > 0 && term.amounts[d] / bandwidths[d] >= slowest * (1 - kTie))
        parts[d] += term.weight * slowest / all;
  }
  return parts;
}

std::string dimensions_text(const Request& request, const Answer& answer) {
  TextRows rows{{"dim", "topology", "size", "class", "$ per GB/s", "equal GB/s", "best GB/s", "bytes per NPU",
                 "decides"}};
  std::vector<double> bytes(request.network.dimensions.size(), 0), parts = bytes;
  for (const BandwidthProblem& problem : answer.problems) {
    const std::vector<double> sent = traffic(problem),
                              deciding = deciding_parts(problem, answer.best.bandwidths);
    for (std::size_t d = 0; d < bytes.size(); ++d) {
      bytes[d] += sent[d];
      parts[d] += deciding[d] / static_cast<double>(answer.problems.size());
    }
  }
  for (std::size_t d = 0; d < bytes.size(); ++d) {
    const NetworkDimension& dimension = request.network.dimensions[d];
    const auto two_digits = [](double value) { return fmt::format("{:.2f}", value); };
    rows.push_back(
        {fmt::format("B{}", d), to_string(dimension.shape), fmt::to_string(dimension.size),
         dimension.cost_class, request.has_price() ? two_digits(request.price.per_bandwidth[d]) : "-",
         answer.equal ? two_digits(answer.equal->bandwidths[d]) : "-", two_digits(answer.best.bandwidths[d]),
         fmt::format("{:.5g}", bytes[d]), fmt::format("{:.1f} %", 100 * parts[d])});
  }
  return "\n" + aligned(rows, "llrlr");
}

/// "1.200 x", by which the optimum is better.
std::string factor(double factor) { return factor > 0 ? fmt::format("{:.3f} x", factor) : ""; }

std::string designs_text(const Request& request, const Answer& answer) {
  const Design &best = answer.best, equal = answer.equal.value_or(Design{});
  const bool both = answer.equal.has_value();
  TextRows rows{{"", "equal shares", "optimum", ""}};
  for (std::size_t w = 0; w < request.loads.size(); ++w) {
    const double was = both ? equal.times_ns[w] : 0;
    rows.push_back({"time " + request.loads[w].name, both ? milliseconds(was) : "-",
                    milliseconds(best.times_ns[w]), factor(was / best.times_ns[w])});
    rows.push_back({"  of which computing", both ? milliseconds(answer.problems[w].constant) : "-",
                    milliseconds(answer.problems[w].constant)});
    if (!request.has_price()) continue;
    const auto product = [](double ns, double cost) { return fmt::format("{:.5g} s$", ns / kNsPerS * cost); };
    rows.push_back({"  time x cost", both ? product(was, equal.cost) : "-",
                    product(best.times_ns[w], best.cost),
                    factor(was * equal.cost / (best.times_ns[w] * best.cost))});
  }
  if (request.has_price()) {
    const auto npus = static_cast<double>(request.network.npus());
    rows.push_back({"cost per NPU", both ? fmt::format("${:.0f}", equal.cost) : "-",
                    fmt::format("${:.0f}", best.cost), factor(equal.cost / best.cost)});
    rows.push_back({fmt::format("cost of {} NPUs", request.network.npus()),
                    both ? fmt::format("${:.4g} M", equal.cost * npus / 1e6) : "-",
                    fmt::format("${:.4g} M", best.cost * npus / 1e6)});
  }
  return "\n" + aligned(rows, "lrrl");
}

std::string regret_text(const Request& request, const Answer& answer) {
  if (answer.regret.empty()) return "";
  TextRows rows{{"network built for"}};
  for (const Load& load : request.loads) rows.front().push_back(load.name);
  const auto add = [&](const std::string& name, const std::vector<double>& losses) {
    rows.push_back({name});
    for (const double loss : losses) rows.back().push_back(fmt::format("{:.2f} %", 100 * loss));
  };
  for (std::size_t i = 0; i < answer.regret.size(); ++i) add(request.loads[i].name, answer.regret[i]);
  add("all of them", answer.joint_regret);
  return "\nRegret: what a workload loses against its own optimum\n" + aligned(rows, "lr");
}

std::string certificate_text(const Request& request, const Answer& answer) {
  const Optimum& optimum = answer.optimum;
  std::string text = fmt::format(
      "\nCertificate: whatever bandwidths fulfil the constraints, {} is {:.9g} of the optimum or more; gap "
      "{:.1e}, {} evaluations (SLSQP in ln B, lower bound by duality{})\n",
      name_of(request.objective), std::min(1.0, optimum.lower_bound / optimum.value),
      std::max(0.0, optimum.gap()), optimum.evaluations,
      request.objective == Objective::time ? "" : " and tangents over the cost");
  for (const std::size_t i : answer.binding) {
    text += fmt::format("  binds: {}", request.constraints[i].text);
    const double saves = std::abs(optimum.multipliers[i]);
    if (request.objective == Objective::time && request.loads.size() == 1 && saves > 0)
      text += fmt::format(" (1 GB/s of it is worth {:.4g} us)", saves / 1e3);
    text += "\n";
  }
  return text;
}

ordered_json design_json(const Design& design, const Request& request) {
  ordered_json json;
  json["bandwidth_bytes_per_s"] = ordered_json::array();
  for (const double each : design.bandwidths) json["bandwidth_bytes_per_s"].push_back(each * 1e9);
  for (std::size_t w = 0; w < request.loads.size(); ++w)
    json["workloads"].push_back(
        {{"workload", request.loads[w].name}, {"time_s", design.times_ns[w] / kNsPerS}});
  json["time_s"] = json["workloads"][0]["time_s"];
  json["cost_per_npu"] = request.has_price() ? ordered_json(design.cost) : ordered_json();
  json["cost"] = request.has_price() ? ordered_json(design.cost * static_cast<double>(request.network.npus()))
                                     : ordered_json();
  return json;
}

}  // namespace

std::string answer_text(const Request& request, const Answer& answer) {
  std::string names;
  for (const Load& load : request.loads) names += (names.empty() ? "" : ", ") + load.name;
  std::string text = fmt::format(
      "LIBRA's model of {} on {} NPUs in {} dimensions: least {}\n(no latency, no contention, each "
      "collective "
      "as long as its slowest dimension, nothing overlaps)\n",
      names, request.network.npus(), request.network.dimensions.size(), name_of(request.objective));
  text += dimensions_text(request, answer) + designs_text(request, answer) + regret_text(request, answer) +
          certificate_text(request, answer);
  if (answer.without_group != 0)
    text += fmt::format(
        "Note: {} collective{} of passes in which no dimension takes part (or groups of 1): they take no "
        "time.\n",
        answer.without_group, answer.without_group == 1 ? "" : "s");
  return text;
}

std::string answer_json(const Request& request, const Answer& answer) {
  ordered_json json;
  json["objective"] = name_of(request.objective);
  json["npus"] = request.network.npus();
  json["compute_s"] = answer.problems.front().constant / kNsPerS;
  json["optimum"] = design_json(answer.best, request);
  json["equal"] = answer.equal ? design_json(*answer.equal, request) : ordered_json();
  const double unit = request.objective == Objective::cost ? 1 : request.loads.size() > 1 ? 1 : 1 / kNsPerS;
  json["certificate"] = {{"value", answer.optimum.value * unit},
                         {"lower_bound", answer.optimum.lower_bound * unit},
                         {"gap", std::max(0.0, answer.optimum.gap())},
                         {"evaluations", answer.optimum.evaluations}};
  json["binding"] = ordered_json::array();
  for (const std::size_t i : answer.binding) json["binding"].push_back(request.constraints[i].text);
  json["collectives_without_group"] = answer.without_group;
  if (!answer.regret.empty()) json["regret"] = {{"by_own", answer.regret}, {"by_joint", answer.joint_regret}};
  return json.dump(2) + "\n";
}

ordered_json answer_schema() {
  namespace schema = results::schema;
  const ordered_json real = {{"type", "number"}}, or_null = {{"type", {"number", "null"}}};
  const ordered_json design = schema::object(
      {{"bandwidth_bytes_per_s", schema::list(real, "By dimension")},
       {"workloads",
        schema::list(schema::object({{"workload", schema::text()}, {"time_s", schema::number()}}))},
       {"time_s", schema::number("Of the first workload")},
       {"cost_per_npu", or_null},
       {"cost", or_null}});
  return schema::object(
      {{"objective", schema::text()},
       {"npus", schema::positive()},
       {"compute_s", schema::number()},
       {"optimum", design},
       {"equal", schema::or_null(design, "Equal shares; null: they fulfil the constraints not")},
       {"certificate", schema::object({{"value", real},
                                       {"lower_bound", real},
                                       {"gap", schema::number()},
                                       {"evaluations", schema::count()}})},
       {"binding", schema::list(schema::text(), "Constraints")},
       {"collectives_without_group", schema::count()},
       {"regret",
        schema::object({{"by_own", schema::list(schema::list(real))}, {"by_joint", schema::list(real)}})},
       {"simulation", simulation_schema()}},
      nullptr, {"regret", "simulation"});
}

}  // namespace wafertlm::libra
