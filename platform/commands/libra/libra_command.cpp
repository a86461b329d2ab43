// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>

#include "platform/commands/libra/simulation.h"
#include "platform/host/files.h"
#include "platform/host/interrupt.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/spec/descriptions.h"
#include "platform/text/quantity.h"
#include "workloads/astra_text/text_nodes.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm {
namespace {

using namespace libra;

struct LibraOptions {
  std::string network, cost_model, objective = "time", budget_sense = "=", time_limit;
  std::vector<std::string> workloads, communicators, constraints;
  std::string trace;
  SimulationOptions simulation;
  double budget = 0, npu_cost = 0;
  bool json = false;
};

std::string joined(const std::vector<double>& coefficients) {
  std::string text;
  for (std::size_t d = 0; d < coefficients.size(); ++d) text += fmt::format("{}B{}", d == 0 ? "" : " + ", d);
  return text;
}

void add_budget(const LibraOptions& options, Request& request) {
  if (options.budget == 0) return;
  request.budget = options.budget;
  const std::vector<double> ones(request.network.dimensions.size(), 1);
  request.constraints.insert(
      request.constraints.begin(),
      {ones, options.budget_sense == "=" ? LinearConstraint::Sense::equal : LinearConstraint::Sense::at_most,
       options.budget, fmt::format("{} {} {}", joined(ones), options.budget_sense, options.budget)});
}

/// A budget that a constraint gives ("sum = 1000") also tells what equal shares are.
void find_budget(Request& request) {
  for (const LinearConstraint& each : request.constraints)
    if (!request.budget && each.sense != LinearConstraint::Sense::at_least && each.limit > 0 &&
        std::all_of(each.coefficients.begin(), each.coefficients.end(),
                    [&](double one) { return one == each.coefficients.front() && one > 0; }))
      request.budget = each.limit / each.coefficients.front();
}

Request request_of(const LibraOptions& options) {
  Request request;
  request.network = read_network(options.network);
  if (options.workloads.size() != options.communicators.size())
    throw std::invalid_argument(
        fmt::format("there are {} --workload and {} --communicator; give one of these "
                    "for each workload, in the same order",
                    options.workloads.size(), options.communicators.size()));
  for (std::size_t i = 0; i < options.workloads.size(); ++i)
    request.loads.push_back({std::filesystem::path(options.workloads[i]).stem().string(),
                             astra_text::read_text_workload(options.workloads[i]),
                             read_communicator(options.communicators[i], request.network)});
  if (!options.cost_model.empty())
    request.price = {options.npu_cost,
                     price_per_bandwidth(request.network, read_cost_model(options.cost_model))};
  else if (options.npu_cost != 0)
    throw std::invalid_argument("--npu-cost has no effect without --cost-model; leave it out");
  for (const std::string& text : options.constraints)
    request.constraints.push_back(parse_constraint(text, request.network.dimensions.size()));
  add_budget(options, request);
  find_budget(request);
  request.objective = options.objective == "time"        ? Objective::time
                      : options.objective == "time-cost" ? Objective::time_cost
                                                         : Objective::cost;
  if ((request.objective == Objective::cost) != !options.time_limit.empty())
    throw std::invalid_argument(request.objective == Objective::cost
                                    ? "--objective cost needs --time-at-most, for instance 800ms"
                                    : "--time-at-most has no effect without --objective cost; leave it out");
  try {
    if (!options.time_limit.empty())
      request.time_limit_ns =
          static_cast<double>(config::parse_whole(config::time_dimension(), options.time_limit)) / 1e3;
  } catch (const config::QuantityError& error) {
    throw std::invalid_argument(std::string("--time-at-most: ") + error.what());
  }
  return request;
}

/// The iteration as a Chakra trace, which `replicate` gives to every rank.
void write_trace_of(const Request& request, const std::string& path) {
  if (request.loads.size() != 1) throw std::invalid_argument("--chakra takes one workload");
  std::vector<std::uint32_t> sizes;
  for (const NetworkDimension& dimension : request.network.dimensions) sizes.push_back(dimension.size);
  const Load& load = request.loads.front();
  chakra::VectorSource source(load.name,
                              astra_text::no_overlap_nodes(load.workload, load.communicator, sizes));
  PendingFile file("--trace", path);
  chakra::write_trace(source, file.incomplete());
  file.put_in_place();
}

/// Prints the answer with what the simulation says of it, and writes it to the folder's results.json.
int run_simulation(const LibraOptions& options, const Request& request, const Answer& answer) {
  SimulationOptions simulation = options.simulation;
  try {
    config::parse_time(simulation.latency);
  } catch (const config::QuantityError& error) {
    throw std::invalid_argument(std::string("--latency: ") + error.what());
  }
  simulation.folder = std::filesystem::absolute(simulation.folder);
  const InterruptNotes interrupts;
  OutputFolder results(simulation.folder, "wafertlm libra --simulate");
  results.require_free({"results.json"});
  {
    // A set of its own: the cells read it.
    OutputFolder experiment(simulation.folder, "wafertlm libra --simulate", "experiment");
    write_experiment(request, answer, simulation, experiment.working());
    CellFiles(simulation.folder).take(false);
    experiment.commit();
  }
  const Simulation found = simulate(request, answer, simulation);
  auto json = nlohmann::ordered_json::parse(answer_json(request, answer));
  json["simulation"] = simulation_json(found);
  const std::string text = json.dump(2) + "\n";
  results.write("results.json", text);
  results.commit();
  fmt::print("{}", options.json ? text : answer_text(request, answer) + simulation_text(found, simulation));
  if (!options.json) fmt::print("\nWritten:\n  {}\n", (simulation.folder / "results.json").string());
  return 0;
}

int run(const LibraOptions& options) {
  const Request request = request_of(options);
  if (!options.trace.empty()) write_trace_of(request, options.trace);
  const Answer answer = solve(request);
  if (!options.simulation.folder.empty()) return run_simulation(options, request, answer);
  fmt::print("{}", options.json ? answer_json(request, answer) : answer_text(request, answer));
  return 0;
}

void add_simulation_options(CLI::App& command, LibraOptions& options) {
  SimulationOptions& simulation = options.simulation;
  CLI::Option* const simulate =
      command
          .add_option("--simulate", simulation.folder,
                      "Also simulate the optimum with events: why it takes longer than the model says, in "
                      "parts; with Themis; whether candidates keep their order")
          ->type_name("DIR")
          ->check(names_output(OutputKind::folder));
  command.add_option("--latency", simulation.latency, "Of a link, for --simulate")
      ->capture_default_str()
      ->needs(simulate)
      ->type_name("TIME");
  add_shared_option(command, "--chunks", simulation.chunks, "of a collective, for --simulate")
      ->check(CLI::Range(1U, 4096U))
      ->needs(simulate)
      ->capture_default_str();
  command.add_option("--candidates", simulation.candidates, "Other bandwidths to simulate, for --simulate")
      ->check(CLI::Range(0U, 1000U))
      ->needs(simulate)
      ->capture_default_str();
  add_set_option(
      command, simulation.set, [] { return config::experiment_type()->all_paths(); },
      "of the simulated experiment")
      ->needs(simulate);
  add_jobs_option(command, simulation.engine.jobs, "runs, for --simulate")->needs(simulate);
}

}  // namespace

std::function<int()> add_libra_command(CLI::App& app) {
  auto options = std::make_shared<LibraOptions>();
  CLI::App* command = app.add_subcommand(
      "libra", "Bandwidth per network dimension under a budget: the proven optimum of LIBRA's model");
  command->add_option("--network", options->network, "LIBRA's network file")
      ->required()
      ->type_name("FILE.yml");
  add_shared_option(*command, "--workload", options->workloads,
                    "a text workload of ASTRA-sim 1.0; one network for all of them")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--communicator", options->communicators, "Its groups; one for each --workload")
      ->required()
      ->type_name("FILE.yml")
      ->allow_extra_args(false);
  command->add_option("--cost-model", options->cost_model, "Prices in $ per GB/s")->type_name("FILE.yml");
  command->add_option("--npu-cost", options->npu_cost, "$ per NPU besides its network")
      ->check(CLI::Range(0.0, 1e12));
  command->add_option("--budget", options->budget, "GB/s per NPU over all dimensions")
      ->check(CLI::Range(1e-6, 1e12));
  command->add_option("--budget-is", options->budget_sense, "Whether it must be met or is a limit")
      ->check(CLI::IsMember({"=", "<="}))
      ->capture_default_str();
  add_shared_option(*command, "--constraint", options->constraints,
                    "\"B0 >= B1\", \"B2 + B3 = 200\", \"sum <= 1000\", in GB/s")
      ->allow_extra_args(false);
  command->add_option("--objective", options->objective, "What is to be least")
      ->check(CLI::IsMember({"time", "time-cost", "cost"}))
      ->capture_default_str();
  command->add_option("--time-at-most", options->time_limit, "For --objective cost: 800ms")
      ->type_name("TIME");
  command
      ->add_option("--chakra", options->trace,
                   "Also write the iteration as a Chakra trace, for `chakra: FILE.et` with `replicate`")
      ->type_name("FILE.et")
      ->check(names_output(OutputKind::file));
  add_simulation_options(*command, *options);
  add_json_flag(*command, options->json, answer_schema);
  command->footer(
      "Examples, with the files of LIBRA's repository:\n"
      "  wafertlm libra --network 3d_network.yml --workload GPT_3.txt --communicator GPT_3_3d.yml \\\n"
      "      --cost-model 3d_cost_model.yml --budget 1000\n"
      "  wafertlm libra ... --constraint \"sum = 1000\" --constraint \"B0 >= B1\" --objective time-cost\n"
      "  wafertlm libra ... --workload GPT_3.txt --communicator GPT_3_3d.yml \\\n"
      "      --workload Turing_NLG.txt --communicator Turing_NLG_3D.yml --budget 1000\n"
      "  wafertlm libra ... --budget 1000 --simulate out/gpt3 --latency 500ns");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
