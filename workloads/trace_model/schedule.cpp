// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/schedule.h"

#include <stdexcept>

namespace wafertlm::trace_model {
namespace {

struct Place {
  std::uint32_t slot, source;  // among the steps' nodes
};

/// Returns the place behind the steps, in the source.
std::uint32_t expand(const std::vector<Step>& steps, std::uint32_t source, std::int64_t more,
                     std::vector<Place>& places) {
  for (const Step& step : steps) {
    if (step.body.empty()) {
      places.push_back({step.slot, source++});
      continue;
    }
    const auto size = static_cast<std::uint32_t>(length(step.body));
    const std::int64_t times = step.times + step.layers * more;
    if (times < 0)
      throw std::invalid_argument("too few layers: a loop over them has " + std::to_string(step.times) +
                                  " repetitions, and " + std::to_string(-more) + " are to go");
    for (std::int64_t i = 0; i < times; ++i)
      expand(step.body, source + static_cast<std::uint32_t>(i * step.times / times) * size, more, places);
    source += step.times * size;
  }
  return source;
}

}  // namespace

Schedule schedule_of(const Behaviour& behaviour, std::int64_t more) {
  std::vector<Place> learned, places;
  expand(behaviour.steps, 0, 0, learned);
  expand(behaviour.steps, 0, more, places);
  const auto main = static_cast<std::uint32_t>(behaviour.slots.size());
  Schedule result;
  result.counts.resize(main + behaviour.side_slots.size());
  result.learned = result.counts;
  std::vector<std::uint32_t> number;  // of each of the source's nodes among its slot's
  for (const Place& place : learned) number.push_back(result.learned[place.slot]++);

  // Side nodes behind the node of the steps at each place of the source; those before all of them come first.
  std::vector<std::vector<Occurrence>> sides(learned.size() + 1);
  std::vector<std::uint32_t> sides_before(learned.size() + 1);
  std::uint32_t at = 0, count = 0;
  for (const SideRun& run : behaviour.sides)
    for (std::uint32_t i = 0; i < run.times; ++i, ++count) {
      at += run.skip;
      if (at > learned.size()) throw std::invalid_argument("a side node comes behind the end of the steps");
      const std::uint32_t slot = main + run.slot;
      sides[at].push_back({slot, 0, result.learned[slot]++, at + count});
    }
  sides_before[0] = static_cast<std::uint32_t>(sides[0].size());
  for (std::size_t i = 1; i < sides.size(); ++i)
    sides_before[i] = sides_before[i - 1] + static_cast<std::uint32_t>(sides[i].size());
  const auto add = [&](Occurrence each) {
    each.number = result.counts[each.slot]++;
    result.nodes.push_back(each);
  };
  for (const Occurrence& each : sides[0]) add(each);
  for (const Place& place : places) {
    add({place.slot, 0, number[place.source], place.source + sides_before[place.source]});
    for (const Occurrence& each : sides[place.source + 1]) add(each);
  }
  return result;
}

}  // namespace wafertlm::trace_model
