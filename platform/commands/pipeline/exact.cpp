// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/pipeline/exact.h"

#include <algorithm>
#include <limits>

namespace wafertlm::pipelines {
namespace {

constexpr double kNotPossible = std::numeric_limits<double>::infinity();

void visit(const Problem& problem, Evaluator& evaluator, std::size_t used, Schedule& schedule, Found& best) {
  const std::size_t begin = schedule.empty() ? 0 : schedule.back().end, layers = problem.layers.size();
  if (begin == layers) {
    const double time = evaluator.measure(schedule).period;
    if (time < best.time) best = {schedule, time, 0};
    return;
  }
  for (std::size_t end = begin + 1; end <= layers; ++end)
    for (std::size_t place = 0; place < problem.places.size(); ++place) {
      if ((used >> place & 1) != 0) continue;
      schedule.push_back({end, place});
      visit(problem, evaluator, used | std::size_t{1} << place, schedule, best);
      schedule.pop_back();
    }
}

}  // namespace

double schedules(std::size_t layers, std::size_t places) {
  double sum = 0, cuts = 1, orders = 1;
  for (std::size_t k = 1; k <= std::min(layers, places); ++k) {
    orders *= static_cast<double>(places - k + 1);
    if (k > 1) cuts = cuts * static_cast<double>(layers - k + 1) / static_cast<double>(k - 1);
    sum += cuts * orders;
  }
  return sum;
}

Found exhaustive(const Problem& problem) {
  require_valid(problem);
  Evaluator evaluator(problem);
  Schedule schedule;
  Found best{{}, kNotPossible, 0};
  visit(problem, evaluator, 0, schedule, best);
  best.evaluations = evaluator.count();
  return best;
}

Found dynamic_programming(const Problem& problem) {
  require_valid(problem);
  const StageTimes time(problem);
  const std::size_t layers = problem.layers.size(), places = problem.places.size(),
                    sets = std::size_t{1} << places;
  struct Best {
    double time = kNotPossible;
    std::size_t begin = 0, place = 0;  ///< of the last stage
  };
  std::vector<Best> best((layers + 1) * sets);
  best[0].time = 0;
  for (std::size_t begin = 0; begin < layers; ++begin)
    for (std::size_t set = 0; set < sets; ++set) {
      const double before = best[begin * sets + set].time;
      if (before == kNotPossible) continue;
      for (std::size_t place = 0; place < places; ++place) {
        if ((set >> place & 1) != 0) continue;
        const std::size_t with = set | std::size_t{1} << place;
        for (std::size_t end = begin + 1; end <= layers; ++end) {
          const double slowest = std::max(before, time(begin, end, place));
          Best& there = best[end * sets + with];
          if (slowest < there.time) there = {slowest, begin, place};
        }
      }
    }
  std::size_t set = 0;
  for (std::size_t each = 1; each < sets; ++each)
    if (best[layers * sets + each].time < best[layers * sets + set].time) set = each;
  Found found{{}, best[layers * sets + set].time, 0};
  for (std::size_t end = layers; end > 0;) {
    const Best& last = best[end * sets + set];
    found.schedule.insert(found.schedule.begin(), {end, last.place});
    end = last.begin;
    set &= ~(std::size_t{1} << last.place);
  }
  return found;
}

}  // namespace wafertlm::pipelines
