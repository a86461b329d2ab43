// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/libra/inputs.h"

namespace wafertlm::libra {

enum class Objective : std::uint8_t { time, time_cost, cost };

/// What is asked: the bandwidths of a network for one workload, or several.
struct Request {
  Network network;
  std::vector<Load> loads;
  /// $ per GB/s by dimension, and of an NPU; `per_bandwidth` empty: no cost model.
  Price price;
  std::vector<LinearConstraint> constraints;
  std::optional<double> budget;  ///< GB/s per NPU over all dimensions, to be met; also a constraint
  Objective objective = Objective::time;
  double time_limit_ns = 0;  ///< for Objective::cost

  bool has_price() const { return !price.per_bandwidth.empty(); }
};

/// Bandwidths and what they come to for each workload.
struct Design {
  std::vector<double> bandwidths;
  std::vector<double> times_ns;  ///< by workload
  double cost = 0;               ///< $ per NPU
};

/// The answer, with its certificate: `optimum.value` is the objective, which is the time in ns, the cost in
/// $ per NPU or their product; of several workloads the time is their mean, each divided by that with equal
/// shares.
struct Answer {
  std::vector<BandwidthProblem> problems;  ///< by workload
  std::size_t without_group = 0;           ///< collectives that take no time, as their pass has no group
  Optimum optimum;
  Design best;
  std::optional<Design> equal;       ///< the budget in equal parts
  std::vector<std::size_t> binding;  ///< constraints that hold with equality
  /// Of several workloads: [i][j] is what workload j loses by the optimum of workload i, T/T_own − 1.
  std::vector<std::vector<double>> regret;
  std::vector<double> joint_regret;  ///< by the optimum for all together
};

/// @throws std::invalid_argument: as minimize() and minimize_time_cost().
Answer solve(const Request& request);

std::string answer_text(const Request& request, const Answer& answer);
/// Times in s, bandwidths in bytes/s, costs in $ per NPU.
std::string answer_json(const Request& request, const Answer& answer);
/// With --simulate also `simulation`.
nlohmann::ordered_json answer_schema();

}  // namespace wafertlm::libra
