// SPDX-License-Identifier: Apache-2.0
// LIBRA's optimum, simulated with events: what the model leaves out, Themis on and off, and whether the model
// ranks other bandwidths as the simulation does.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

#include "platform/commands/libra/design.h"
#include "platform/commands/libra/difference.h"
#include "platform/commands/libra/ranking.h"
#include "platform/commands/study/sweep/sweep.h"

namespace wafertlm::libra {

/// How the iteration is simulated.
struct SimulationOptions {
  std::filesystem::path folder;    ///< of the experiment, its traces and results
  std::string latency = "500 ns";  ///< of every link
  std::uint32_t chunks = 64;       ///< of a collective
  std::uint32_t candidates = 6;    ///< besides the optimum and equal shares, for the ranking
  std::vector<std::string> set;    ///< more keys of the experiment
  SweepOptions engine;
};

/// Bandwidths, by the model and simulated.
struct SimulatedDesign {
  std::string name;
  std::vector<double> bandwidths;  ///< GB/s
  double model_ns = 0;
  /// Computation, and collectives whose groups send from all their ports all the time: no order of the
  /// dimensions is faster.
  double least_ns = 0;
  std::int64_t time_ps = 0, themis_ps = 0;  ///< simulated; with Themis' order (0: not simulated)
  std::string error;
};

struct Simulation {
  std::vector<SimulatedDesign> designs;  ///< the optimum first
  model_gap::Difference difference;      ///< of the optimum
  std::optional<double> rank_correlation;
  model_gap::Swaps swaps;
};

/// Writes experiment.yaml and its traces into `folder`: a trace for all ranks, or, with groups that are a
/// part of a dimension, one for each rank and their groups.
/// @throws std::invalid_argument: several workloads; config::ConfigError: what `set` says of it.
void write_experiment(const Request& request, const Answer& answer, const SimulationOptions& options,
                      const std::filesystem::path& folder);
/// Runs the experiment in options.folder. @throws std::runtime_error: the optimum cannot be simulated.
Simulation simulate(const Request& request, const Answer& answer, const SimulationOptions& options);

std::string simulation_text(const Simulation& simulation, const SimulationOptions& options);
nlohmann::ordered_json simulation_json(const Simulation& simulation);
nlohmann::ordered_json simulation_schema();

// Its parts.

/// The time in ns that the load's computation and collectives take at least with these bandwidths: every
/// collective's bytes over all bandwidth of its group's dimensions. An all-reduce of s among N sends
/// 2 s (N − 1)/N from each, reduce-scatter and all-to-all s (N − 1)/N, all-gather s (N − 1).
double least_time_ns(const Load& load, const std::vector<double>& bandwidths);

/// Other bandwidths under the same constraints, each up to a factor of 2 beside the optimum; the same ones
/// every time. May be fewer than asked for where constraints leave few.
std::vector<std::vector<double>> neighbours(const Request& request, const std::vector<double>& optimum,
                                            std::size_t count);

/// The experiment in `folder` with these bandwidths.
Cell cell_of(const Request& request, const SimulationOptions& options, const std::filesystem::path& folder,
             const std::vector<double>& bandwidths);

}  // namespace wafertlm::libra
