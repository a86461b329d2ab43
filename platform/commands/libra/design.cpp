// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/design.h"

#include <stdexcept>

namespace wafertlm::libra {
namespace {

Design design_of(const Request& request, const Answer& answer, const std::vector<double>& bandwidths) {
  Design design{bandwidths, {}, 0};
  for (const BandwidthProblem& problem : answer.problems)
    design.times_ns.push_back(problem.value(bandwidths));
  if (request.has_price()) design.cost = request.price.of(bandwidths);
  return design;
}

std::vector<double> equal_shares(const Request& request) {
  const std::size_t count = request.network.dimensions.size();
  return std::vector<double>(count, *request.budget / static_cast<double>(count));
}

/// The mean of the workloads' times; of several each in parts of its time with equal shares.
BandwidthProblem together(const Request& request, const Answer& answer) {
  if (answer.problems.size() == 1) return answer.problems.front();
  BandwidthProblem sum = answer.problems.front();
  sum.constant = 0;
  sum.terms.clear();
  for (const BandwidthProblem& problem : answer.problems) {
    const double factor =
        1 / (problem.value(equal_shares(request)) * static_cast<double>(answer.problems.size()));
    sum.constant += problem.constant * factor;
    for (const Term& term : problem.terms) sum.terms.push_back({term.weight * factor, term.amounts});
  }
  return sum;
}

Optimum optimum_of(const Request& request, const BandwidthProblem& time) {
  switch (request.objective) {
    case Objective::time_cost:
      return minimize_time_cost(time, request.price);
    case Objective::cost:
      return minimize_cost(time, request.price, request.time_limit_ns);
    default:
      return minimize(time);
  }
}

void add_regret(Answer& answer) {
  std::vector<Optimum> own;
  for (const BandwidthProblem& problem : answer.problems) own.push_back(minimize(problem));
  const auto losses_by = [&](const std::vector<double>& bandwidths) {
    std::vector<double> losses;
    for (std::size_t j = 0; j < own.size(); ++j)
      losses.push_back(answer.problems[j].value(bandwidths) / own[j].value - 1);
    return losses;
  };
  for (const Optimum& each : own) answer.regret.push_back(losses_by(each.bandwidths));
  answer.joint_regret = losses_by(answer.best.bandwidths);
}

void require_complete(const Request& request) {
  if (request.objective != Objective::time && !request.has_price())
    throw std::invalid_argument("--objective time-cost and cost need prices: --cost-model FILE");
  if (request.loads.size() > 1 && !request.budget)
    throw std::invalid_argument(
        "several workloads are weighed by their times with equal shares of a budget; give --budget");
  if (request.loads.size() > 1 && request.objective == Objective::cost)
    throw std::invalid_argument("--objective cost takes one workload, whose time is limited");
}

}  // namespace

Answer solve(const Request& request) {
  require_complete(request);
  Answer answer;
  for (const Load& load : request.loads) {
    BandwidthProblem problem = time_problem(load, request.network, answer.without_group);
    problem.constraints = request.constraints;
    answer.problems.push_back(std::move(problem));
  }
  answer.optimum = optimum_of(request, together(request, answer));
  answer.best = design_of(request, answer, answer.optimum.bandwidths);
  if (request.budget) answer.equal = design_of(request, answer, equal_shares(request));
  for (std::size_t i = 0; i < request.constraints.size(); ++i)
    if (request.constraints[i].binds(answer.best.bandwidths, 1e-6)) answer.binding.push_back(i);
  if (request.loads.size() > 1) add_regret(answer);
  return answer;
}

}  // namespace wafertlm::libra
