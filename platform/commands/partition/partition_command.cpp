// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/commands/partition/inputs.h"
#include "platform/commands/partition/shared.h"
#include "platform/commands/partition/simulated.h"
#include "platform/host/presets.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using namespace partition;
using nlohmann::ordered_json;

struct PartitionOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool json = false;
};

struct Method {
  std::string name;
  Partition owners;
  bool is_shared = false;  ///< a value costs μ once for all weights of a worker
};

std::vector<Method> methods(const PartitionSpec& spec, const Prices& prices) {
  return {{"given order", given_order(spec.chain, spec.workers)},
          {"random", random_order(spec.chain, spec.workers, spec.seed)},
          {"METIS", graph_partitioning(spec.chain, spec.workers, prices)},
          {"assignment", layer_by_layer(spec.chain, spec.workers, prices)},
          {"assignment, shared values", shared_values(spec.chain, spec.workers, prices), true}};
}

/// A method at one price.
struct Outcome {
  std::vector<Pruned> layers;
  double cost = 0, error = 0;
  std::uint64_t kept = 0, crossing = 0, bytes = 0;
};

Outcome outcome_of(const PartitionSpec& spec, const Method& method, const Prices& prices) {
  Outcome all{method.is_shared ? prune_shared(spec.chain, method.owners, spec.workers, prices)
                               : prune(spec.chain, method.owners, spec.workers, prices),
              0,
              0,
              0,
              0,
              0};
  for (const Pruned& each : all.layers) {
    all.cost += each.cost;
    all.error += each.error;
    all.kept += each.kept;
    all.crossing += each.crossing;
  }
  all.bytes = bytes_of(spec, all.layers);
  return all;
}

ordered_json layers_json(const PartitionSpec& spec, const Partition& owners, const Outcome& outcome) {
  ordered_json json = ordered_json::array();
  for (std::size_t k = 0; k < outcome.layers.size(); ++k) {
    const Pruned& layer = outcome.layers[k];
    std::uint64_t values = 0;
    for (const std::uint64_t each : layer.sent) values += each;
    json.push_back({{"layer", spec.chain[k].name},
                    {"cost", layer.cost},
                    {"error", layer.error},
                    {"kept_weights", layer.kept},
                    {"crossing_weights", layer.crossing},
                    {"values_sent", values},
                    {"bytes_forward", values * spec.batch * spec.bytes_per_value},
                    {"owners", owners[k + 1]}});
  }
  return json;
}

/// What the platform makes of it; null: not modelled.
struct Simulated {
  ordered_json json;
  std::string text;
};

Simulated simulated(const PartitionSpec& spec, const Outcome& outcome) {
  if (!spec.platform) return {ordered_json::object(), ""};
  const SimulatedJob job = partition::simulate(spec, outcome.layers);
  const bool has_links = spec.platform->wafer.fabric.energy_per_bit_j != 0,
             has_operations = spec.energy_per_operation != 0;
  const double compute_j = operations_of(spec, outcome.layers) * spec.energy_per_operation;
  const ordered_json null;
  ordered_json json{{"time_s", seconds(job.end_ps)},
                    {"link_energy_j", has_links ? ordered_json(job.link_energy_j) : null},
                    {"compute_energy_j", has_operations ? ordered_json(compute_j) : null}};
  const double sum = job.link_energy_j + compute_j;
  return {json, fmt::format("{:>12}{:>13}", format_time(job.end_ps),
                            has_links || has_operations ? fmt::format("{:.4g} J", sum) : "")};
}

std::string heading(const PartitionSpec& spec) {
  std::string text = fmt::format("{}: {}, {}\n", spec.name, counted(spec.chain.size(), "layer"),
                                 counted(spec.workers, "worker"));
  double square = 0;
  std::size_t weights = 0;
  for (const Layer& layer : spec.chain) {
    weights += layer.weights.size();
    for (const double weight : layer.weights) square += weight * weight;
  }
  text += fmt::format("{} weights, sum of squares {:.6g}; lambda {:g}\n\n", weights, square, spec.lambda);
  text += fmt::format("  {:<10}{:<27}{:>13}{:>13}{:>11}{:>11}{:>11}", "mu", "", "cost", "error", "kept",
                      "crossing", "bytes");
  return text + (spec.platform ? fmt::format("{:>12}{:>13}\n", "time", "energy") : "\n");
}

std::string notes(const PartitionSpec& spec) {
  std::string text =
      "\nCost = |W - W'|^2 + lambda * weights kept + mu * weights kept that cross between workers: a\n"
      "formulation of ours in the manner of RePurpose (arXiv 2008.08289). The assignment is each layer's\n"
      "optimum for the owners of its inputs. With 'shared values' mu is the price of a value that a worker\n"
      "needs, for whatever number of weights: its cost is another sum, and the method a heuristic. Bytes:\n"
      "each value once to each worker that needs it.\n";
  if (!spec.platform) return text + "Nothing is simulated: the file names no 'platform'.\n";
  const bool has_links = spec.platform->wafer.fabric.energy_per_bit_j != 0,
             has_operations = spec.energy_per_operation != 0;
  if (!has_links)
    text += "Energy of links: not modelled (the platform gives no wafer.fabric.energy_per_bit).\n";
  if (!has_operations) text += "Energy of computing: not modelled (no 'energy_per_operation').\n";
  return text;
}

int run(const PartitionOptions& options) {
  const PartitionSpec spec = load_partition(options.file, options.overrides);
  std::string text = heading(spec);
  ordered_json json{{"partition", spec.name},
                    {"workers", spec.workers},
                    {"lambda", spec.lambda},
                    {"simulated_on", spec.platform ? ordered_json(spec.platform->name) : ordered_json()},
                    {"rows", ordered_json::array()}};
  for (const double mu : spec.mu) {
    const Prices prices{spec.lambda, mu};
    for (const Method& method : methods(spec, prices)) {
      const Outcome outcome = outcome_of(spec, method, prices);
      const Simulated times = simulated(spec, outcome);
      text +=
          fmt::format("  {:<10g}{:<27}{:>13.6g}{:>13.6g}{:>11}{:>11}{:>11}{}\n", mu, method.name,
                      outcome.cost, outcome.error, outcome.kept, outcome.crossing, outcome.bytes, times.text);
      ordered_json row{{"mu", mu},
                       {"method", method.name},
                       {"cost", outcome.cost},
                       {"error", outcome.error},
                       {"kept_weights", outcome.kept},
                       {"crossing_weights", outcome.crossing},
                       {"bytes", outcome.bytes}};
      row.update(times.json);
      row["layers"] = layers_json(spec, method.owners, outcome);
      json["rows"].push_back(std::move(row));
    }
  }
  fmt::print("{}", options.json ? json.dump(1) + "\n" : text + notes(spec));
  return 0;
}

}  // namespace

std::function<int()> add_partition_command(CLI::App& app) {
  auto options = std::make_shared<PartitionOptions>();
  CLI::App* command = app.add_subcommand(
      "partition", "A trained network over workers: who owns which neurons, what is pruned, what crosses");
  command->add_option("FILE", options->file, "Weights, workers and prices")
      ->required()
      ->transform(preset_or_file({"studies"}))
      ->type_name("FILE.yaml");
  command->add_option("--set", options->overrides, "Change a key of the platform, as in `run`");
  command->add_flag("--json", options->json, "Print JSON instead, with owners and bytes of every layer");
  command->footer(
      "Examples:\n"
      "  wafertlm partition configs/studies/partition_small.yaml\n"
      "  wafertlm partition partition_mlp_wafer --set wafer.fabric.energy_per_bit=1pJ/bit");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
