// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/commands/libra/difference.h"
#include "platform/commands/libra/simulation.h"
#include "platform/describe/fields.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"

namespace wafertlm::libra {
namespace {

using nlohmann::ordered_json;

constexpr double kPsPerNs = 1e3, kMsPerNs = 1e-6, kSPerNs = 1e-9;

double ns(std::int64_t ps) { return static_cast<double>(ps) / kPsPerNs; }
std::string ms(double time_ns) { return fmt::format("{:#.7g} ms", time_ns * kMsPerNs); }

std::string bandwidths_text(const SimulatedDesign& design) {
  return fmt::format("{:.2f}", fmt::join(design.bandwidths, " / "));
}

std::vector<std::string> row_of(const SimulatedDesign& design) {
  const bool themis = design.themis_ps > 0;
  return {design.name,
          ms(design.model_ns),
          ms(ns(design.time_ps)),
          fmt::format("{:.3f} %", 100 * (ns(design.time_ps) / design.model_ns - 1)),
          themis ? ms(ns(design.themis_ps)) : "-",
          themis ? fmt::format("{:.4f} x", ns(design.time_ps) / ns(design.themis_ps)) : "-",
          ms(design.least_ns),
          bandwidths_text(design)};
}

std::string ranking_text(const Simulation& simulation) {
  const model_gap::Swaps& swaps = simulation.swaps;
  std::string text = fmt::format("\nRanking of {} designs: ", simulation.designs.size());
  text += simulation.rank_correlation
              ? fmt::format("rank correlation of model and simulation {:.3f}, ", *simulation.rank_correlation)
              : "";
  text += fmt::format("{} of {} pairs the other way round\n", swaps.swapped, swaps.pairs);
  if (!swaps.worst) return text;
  const SimulatedDesign &preferred = simulation.designs[swaps.worst->first],
                        &faster = simulation.designs[swaps.worst->second];
  return text + fmt::format(
                    "  worst: the model prefers {} ({} against {}), in the simulation {} is faster ({} "
                    "against {}): {:.2f} %\n",
                    preferred.name, ms(preferred.model_ns), ms(faster.model_ns), faster.name,
                    ms(ns(faster.time_ps)), ms(ns(preferred.time_ps)), 100 * swaps.loss);
}

}  // namespace

std::string simulation_text(const Simulation& simulation, const SimulationOptions& options) {
  TextRows rows{{"", "model", "simulated", "over model", "Themis", "gain", "at least", "GB/s"}};
  std::string failed;
  for (const SimulatedDesign& each : simulation.designs)
    if (each.error.empty())
      rows.push_back(row_of(each));
    else
      failed += fmt::format("  {}: {}\n", each.name, each.error);
  std::string text =
      fmt::format("\nSimulated with events: latency {}, {} ({})\n", options.latency,
                  counted(options.chunks, "chunk"), (options.folder / "experiment.yaml").string());
  text += aligned(rows, "lrrrrrrl") + failed;
  text += "  at least: computation, and each collective's bytes over all bandwidth of its dimensions\n";
  text += "\nThe optimum: model and simulation\n" + model_gap::difference_text(simulation.difference);
  return text + ranking_text(simulation);
}

ordered_json simulation_json(const Simulation& simulation) {
  ordered_json json;
  for (const SimulatedDesign& each : simulation.designs) {
    ordered_json design;
    design["design"] = each.name;
    for (const double one : each.bandwidths) design["bandwidth_bytes_per_s"].push_back(one * 1e9);
    design["model_s"] = each.model_ns * kSPerNs;
    design["least_s"] = each.least_ns * kSPerNs;
    design["simulated_s"] = ns(each.time_ps) * kSPerNs;
    design["themis_s"] = each.themis_ps > 0 ? ordered_json(ns(each.themis_ps) * kSPerNs) : ordered_json();
    design["error"] = each.error;
    json["designs"].push_back(std::move(design));
  }
  json["difference"] = model_gap::difference_json(simulation.difference);
  json["rank_correlation"] =
      simulation.rank_correlation ? ordered_json(*simulation.rank_correlation) : ordered_json();
  const model_gap::Swaps& swaps = simulation.swaps;
  json["swaps"] = {{"swapped", swaps.swapped}, {"pairs", swaps.pairs}, {"worst", nullptr}};
  if (swaps.worst)
    json["swaps"]["worst"] = {{"model_prefers", simulation.designs[swaps.worst->first].name},
                              {"faster", simulation.designs[swaps.worst->second].name},
                              {"loss", swaps.loss}};
  return json;
}

ordered_json simulation_schema() {
  namespace schema = results::schema;
  const ordered_json or_null = {{"type", {"number", "null"}}};
  return schema::object(
      {{"designs", schema::list(schema::object({{"design", schema::text()},
                                                {"bandwidth_bytes_per_s", schema::list(schema::number())},
                                                {"model_s", schema::number()},
                                                {"least_s", schema::number()},
                                                {"simulated_s", schema::number()},
                                                {"themis_s", or_null},
                                                {"error", schema::text("Empty: it ran")}}))},
       {"difference", model_gap::difference_schema()},
       {"rank_correlation", or_null},
       {"swaps", schema::object({{"swapped", schema::count()},
                                 {"pairs", schema::count()},
                                 {"worst", schema::or_null(schema::object({{"model_prefers", schema::text()},
                                                                           {"faster", schema::text()},
                                                                           {"loss", schema::number()}}),
                                                           "null: none")}})}});
}

}  // namespace wafertlm::libra
