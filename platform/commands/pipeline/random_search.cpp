// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "platform/commands/pipeline/random_schedules.h"
#include "platform/commands/pipeline/search.h"

namespace wafertlm::pipelines {
namespace {

double measured(Evaluator& evaluator, const Schedule& schedule) { return evaluator.measure(schedule).period; }

}  // namespace

Found hill_climbing(const Problem& problem, std::uint64_t seed, double target, std::size_t most) {
  require_valid(problem);
  Random random(seed);
  Evaluator evaluator(problem);
  const std::size_t patience = 4 * (problem.layers.size() + problem.places.size() * problem.places.size());
  Schedule at = random_schedule(problem, random);
  double time = measured(evaluator, at);
  Found best{at, time, 0};
  for (std::size_t without_gain = 0; best.time > target && evaluator.count() < most;) {
    const bool restart = ++without_gain > patience;
    const Schedule next = restart ? random_schedule(problem, random) : neighbour(problem, random, at);
    const double there = measured(evaluator, next);
    // Of two equal ones the new: most neighbours leave the slowest stage as it is.
    if (restart || there <= time) {
      if (restart || there < time) without_gain = 0;
      at = next;
      time = there;
    }
    if (time < best.time) best = {at, time, 0};
  }
  best.evaluations = evaluator.count();
  return best;
}

Found annealing(const Problem& problem, std::uint64_t seed, double target, std::size_t most) {
  require_valid(problem);
  Random random(seed);
  Evaluator evaluator(problem);
  Schedule at = random_schedule(problem, random);
  double time = measured(evaluator, at);
  Found best{at, time, 0};
  for (double temperature = 0.3; best.time > target && evaluator.count() < most; temperature *= 0.995) {
    const Schedule next = neighbour(problem, random, at);
    const double there = measured(evaluator, next);
    if (there <= time || random.unit() < std::exp((time - there) / time / temperature)) {
      at = next;
      time = there;
    }
    if (time < best.time) best = {at, time, 0};
  }
  best.evaluations = evaluator.count();
  return best;
}

}  // namespace wafertlm::pipelines
