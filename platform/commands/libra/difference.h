// SPDX-License-Identifier: Apache-2.0
// Why a simulated iteration takes another time than LIBRA's model says: parts that sum to the difference.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/libra/bandwidth_problem.h"
#include "platform/commands/study/grid/grid.h"

namespace wafertlm::model_gap {

/// What a run comes to.
struct Run {
  std::int64_t time_ps = 0;     ///< of the last iteration
  std::int64_t compute_ps = 0;  ///< in which compute units work in it
  std::string error;            ///< empty: it ran
};
/// Runs cells, side by side; the outcomes in their order.
using Simulate = std::function<std::vector<Run>(const std::vector<Cell>&)>;

/// What is compared: an experiment on a fabric of dimensions, and the model of the same.
struct Question {
  Cell base;  ///< the experiment with these bandwidths
  const libra::BandwidthProblem& model;
  std::vector<double> bandwidths;  ///< GB/s per NPU, by dimension
  /// By dimension, of a link in parts of the NPU's bandwidth: 1/2 in a ring, 1/(k − 1) fully connected.
  std::vector<double> link_shares;
  std::uint32_t chunks = 32;        ///< the line over chunks goes through twice and four times as many
  std::string no_latency = "0 ps";  ///< the least that a link of the fabric may have
  /// By term and dimension: how many times as long as the model says, where its wires tell; empty: 1.
  std::vector<std::vector<double>> wires = {};
  /// Computations and collectives follow each other, whose chunks all go through the dimensions in one order:
  /// with any number of them they take at least each dimension's time alone, whatever the line says.
  bool is_chain = false;
};

/// A part of the difference.
struct Part {
  std::string name;     ///< "latency"
  std::int64_t ps = 0;  ///< how much longer the simulation takes for it
  std::string how;      ///< the difference between which runs, or a run and the model
};

struct Difference {
  std::int64_t model_ps = 0, simulated_ps = 0;
  std::vector<Part> parts;  ///< sum to simulated_ps − model_ps exactly
  /// By dimension: the time that collectives take in it alone (a chunk, no latency, all other dimensions
  /// unlimited) over the model's bytes / bandwidth. Empty: the model sends nothing there.
  std::vector<std::optional<double>> factors;
  /// By how much the run without latency and with `chunks` is above the line through twice and four times as
  /// many: the line is straight where it is small against the part of the chunks.
  std::int64_t line_misses_ps = 0;
  std::uint32_t chunks = 0;  ///< of the Question
  /// Dimensions in ascending order (local_bandwidth_aware), and in Themis' order per chunk.
  std::int64_t ascending_ps = 0, themis_ps = 0;
  std::string problem;  ///< why there are no parts; empty: there are
};

/// Runs 8 + 1 per dimension: the experiment; without latency (of links and endpoints), with its own chunks,
/// n, 2n and 4n of them; with one chunk and every dimension alone, and none; both orders.
Difference difference(const Question& question, const Simulate& simulate);

/// A table; its lines begin with two spaces.
std::string difference_text(const Difference& difference);

/// Times in s; `parts` by name with `time_ps`.
nlohmann::ordered_json difference_json(const Difference& difference);
nlohmann::ordered_json difference_schema();

}  // namespace wafertlm::model_gap
