// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platform/commands/pipeline/random_schedules.h"
#include "platform/commands/pipeline/search.h"

namespace wafertlm::pipelines {
namespace {

constexpr int kChildren = 4, kTries = 100;
constexpr double kWorseAtMost = 1.1;

/// Known before anything runs: the most operations / speed of a stage.
double hint_of(const Problem& problem, const Schedule& schedule) {
  double most = 0;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    double operations = 0;
    for (std::size_t layer = begin_of(schedule, i); layer < schedule[i].end; ++layer)
      operations += problem.layers[layer].operations;
    most = std::max(most, operations / problem.places[schedule[i].place].speed);
  }
  return most;
}

/// Places in their order, each with its share of the operations by speed.
Schedule in_proportion(const Problem& problem) {
  const std::size_t layers = problem.layers.size(), stages = std::min(layers, problem.places.size());
  double operations = 0, speeds = 0;
  for (const Layer& layer : problem.layers) operations += layer.operations;
  for (std::size_t i = 0; i < stages; ++i) speeds += problem.places[i].speed;
  Schedule schedule;
  std::size_t end = 0;
  double done = 0, share = 0;
  for (std::size_t i = 0; i < stages; ++i) {
    share += problem.places[i].speed / speeds;
    const std::size_t last = layers - (stages - i - 1);  // the others need a layer each
    do {
      done += problem.layers[end++].operations;
    } while (end < last &&
             (i + 1 == stages || done + problem.layers[end].operations / 2 < share * operations));
    schedule.push_back({end, i});
  }
  return schedule;
}

/// A neighbour that the hint does not call worse; any, if it finds none.
Schedule child_of(const Problem& problem, Random& random, const Schedule& parent) {
  const double limit = kWorseAtMost * hint_of(problem, parent);
  Schedule child = parent;
  for (int i = 0; i < kTries; ++i) {
    child = neighbour(problem, random, parent);
    if (hint_of(problem, child) <= limit) break;
  }
  return child;
}

}  // namespace

Found guided_evolution(const Problem& problem, std::uint64_t seed, double target, std::size_t most) {
  require_valid(problem);
  Random random(seed);
  Evaluator evaluator(problem);
  const Schedule start = in_proportion(problem);
  Found best{start, evaluator.measure(start).period, 0};
  while (best.time > target && evaluator.count() < most) {
    const Schedule parent = best.schedule;
    for (int i = 0; i < kChildren && best.time > target && evaluator.count() < most; ++i) {
      const Schedule child = child_of(problem, random, parent);
      const double time = evaluator.measure(child).period;
      if (time <= best.time) best = {child, time, 0};
    }
  }
  best.evaluations = evaluator.count();
  return best;
}

}  // namespace wafertlm::pipelines
