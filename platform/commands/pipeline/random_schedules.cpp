// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/pipeline/random_schedules.h"

#include <algorithm>

namespace wafertlm::pipelines {
namespace {

/// Another place for a stage; a stage that has it already takes the old one.
void give_place(Schedule& schedule, std::size_t stage, std::size_t place) {
  for (Stage& each : schedule)
    if (each.place == place) each.place = schedule[stage].place;
  schedule[stage].place = place;
}

/// Splits a stage at random. @return whether there was an idle place and a layer to spare
bool split(const Problem& problem, Random& random, Schedule& schedule, std::size_t stage) {
  const std::size_t begin = begin_of(schedule, stage), length = schedule[stage].end - begin;
  if (schedule.size() == problem.places.size() || length < 2) return false;
  std::vector<bool> used(problem.places.size());
  for (const Stage& each : schedule) used[each.place] = true;
  std::size_t place = random.below(used.size());
  while (used[place]) place = (place + 1) % used.size();
  schedule.insert(schedule.begin() + static_cast<std::ptrdiff_t>(stage),
                  {begin + 1 + random.below(length - 1), place});
  return true;
}

}  // namespace

Schedule random_schedule(const Problem& problem, Random& random) {
  const std::size_t layers = problem.layers.size();
  std::vector<std::size_t> places(problem.places.size()), ends;
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
  const std::size_t stages = 1 + random.below(std::min(layers, places.size()));
  while (ends.size() + 1 < stages) {
    const std::size_t end = 1 + random.below(layers - 1);
    if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
  }
  ends.push_back(layers);
  std::sort(ends.begin(), ends.end());
  Schedule schedule;
  for (std::size_t i = 0; i < stages; ++i) schedule.push_back({ends[i], places[i]});
  return schedule;
}

Schedule neighbour(const Problem& problem, Random& random, const Schedule& at) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    Schedule next = at;
    const std::size_t stage = random.below(at.size());
    const bool is_last = stage + 1 == at.size();
    switch (random.below(4)) {
      case 0:  // a cut moves
        if (is_last) break;
        next[stage].end += random.below(2) == 0 ? std::size_t{1} : static_cast<std::size_t>(-1);
        if (next[stage].end > begin_of(next, stage) && next[stage].end < next[stage + 1].end) return next;
        break;
      case 1:
        give_place(next, stage, random.below(problem.places.size()));
        if (!(next == at)) return next;
        break;
      case 2:
        if (split(problem, random, next, stage)) return next;
        break;
      default:  // two stages become one
        if (is_last) break;
        next.erase(next.begin() + static_cast<std::ptrdiff_t>(stage));
        return next;
    }
  }
  return at;
}

}  // namespace wafertlm::pipelines
