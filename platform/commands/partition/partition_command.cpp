// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "platform/commands/partition/inputs.h"
#include "platform/commands/partition/shared.h"
#include "platform/commands/partition/simulated.h"
#include "platform/describe/table.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"
#include "platform/spec/descriptions.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using namespace partition;
using results::Fields;
using results::Json;
namespace schema = results::schema;

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

Json layers_json(const PartitionSpec& spec, const Partition& owners, const Outcome& outcome) {
  Json json = Json::array();
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

/// A method at one price, and what the platform makes of it; null: not modelled.
struct MethodRow {
  const PartitionSpec& spec;
  double mu;
  Method method;
  Outcome outcome;
  std::optional<SimulatedJob> job;

  bool is_simulated() const { return job.has_value(); }
  bool has_links() const { return spec.platform->wafer.fabric.energy_per_bit_j != 0; }
  bool has_operations() const { return spec.energy_per_operation != 0; }
  double compute_j() const { return operations_of(spec, outcome.layers) * spec.energy_per_operation; }
};

const Table<MethodRow>& methods_table() {
  static const Table<MethodRow> table([](Table<MethodRow>& t) {
    using R = const MethodRow&;
    const Json or_null = {{"type", {"number", "null"}}};
    t.column("mu", "mu", shown::number("{:g}"), &MethodRow::mu);
    t.column("method", "", shown::text(), [](R of) { return of.method.name; });
    t.column("cost", "cost", shown::number("{:.6g}"), [](R of) { return of.outcome.cost; });
    t.column("error", "error", shown::number("{:.6g}"), [](R of) { return of.outcome.error; });
    t.column("kept_weights", "kept", shown::whole(), [](R of) { return of.outcome.kept; });
    t.column("crossing_weights", "crossing", shown::whole(), [](R of) { return of.outcome.crossing; });
    t.column("bytes", "bytes", shown::whole(), [](R of) { return of.outcome.bytes; });
    t.add_if(&MethodRow::is_simulated, "time_s", schema::seconds(),
             [](R of) { return seconds(of.job->end_ps); });
    t.cell("time", shown::text(), [](R of) { return of.job ? format_time(of.job->end_ps) : ""; });
    t.add_if(&MethodRow::is_simulated, "link_energy_j", or_null,
             [](R of) { return of.has_links() ? Json(of.job->link_energy_j) : Json(); });
    t.add_if(&MethodRow::is_simulated, "compute_energy_j", or_null,
             [](R of) { return of.has_operations() ? Json(of.compute_j()) : Json(); });
    t.cell("energy", shown::number("{:.4g} J"), [](R of) {
      return of.job && (of.has_links() || of.has_operations()) ? Json(of.job->link_energy_j + of.compute_j())
                                                               : Json("");
    });
    t.add("layers",
          schema::list(schema::object({{"layer", schema::text()},
                                       {"cost", schema::number()},
                                       {"error", schema::number()},
                                       {"kept_weights", schema::count()},
                                       {"crossing_weights", schema::count()},
                                       {"values_sent", schema::count()},
                                       {"bytes_forward", schema::count()},
                                       {"owners", schema::list(schema::count("Of each output: a worker"))}})),
          [](R of) { return layers_json(of.spec, of.method.owners, of.outcome); });
  });
  return table;
}

struct Report {
  const PartitionSpec& spec;
  std::vector<MethodRow> rows;
};

const Fields<Report>& report_fields() {
  static const Fields<Report> fields([](Fields<Report>& f) {
    using R = const Report&;
    f.add("partition", schema::text(), [](R of) { return of.spec.name; });
    f.add("workers", schema::positive(), [](R of) { return of.spec.workers; });
    f.add("lambda", schema::number(), [](R of) { return of.spec.lambda; });
    f.add("simulated_on", schema::or_null(schema::text(), "A platform; null: nothing is simulated"),
          [](R of) { return of.spec.platform ? Json(of.spec.platform->name) : Json(); });
    f.add_list("rows", methods_table(), &Report::rows);
  });
  return fields;
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
  return text +
         fmt::format("{} weights, sum of squares {:.6g}; lambda {:g}\n\n", weights, square, spec.lambda);
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
  Report report{spec, {}};
  for (const double mu : spec.mu)
    for (Method& method : methods(spec, {spec.lambda, mu})) {
      Outcome outcome = outcome_of(spec, method, {spec.lambda, mu});
      const auto job =
          spec.platform ? std::optional(partition::simulate(spec, outcome.layers)) : std::nullopt;
      report.rows.push_back({spec, mu, std::move(method), std::move(outcome), job});
    }
  fmt::print("{}", options.json ? report_fields().json(report).dump(1) + "\n"
                                : heading(spec) + methods_table().text(report.rows) + notes(spec));
  return 0;
}

}  // namespace

std::function<int()> add_partition_command(CLI::App& app) {
  auto options = std::make_shared<PartitionOptions>();
  CLI::App* command = app.add_subcommand(
      "partition", "A trained network over workers: who owns which neurons, what is pruned, what crosses");
  add_file(*command, "FILE", options->file, "Weights, workers and prices", "studies", "FILE.yaml");
  add_set_option(
      *command, options->overrides, [] { return config::platform_type()->all_paths(); }, "of the platform");
  add_json_flag(
      *command, options->json, [] { return report_fields().schema(); },
      "with owners and bytes of every layer");
  command->footer(
      "Examples:\n"
      "  wafertlm partition configs/studies/partition_small.yaml\n"
      "  wafertlm partition partition_mlp_wafer --set wafer.fabric.energy_per_bit=1pJ/bit");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
