// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "platform/commands/pipeline/search.h"

namespace wafertlm::pipelines {
namespace {

template <typename Values>
std::size_t slowest_of(const Values& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// One layer of `from` goes to the neighbour before or after. @return whether it has one to spare
bool pass(Schedule& schedule, std::size_t from, bool forwards) {
  if (schedule[from].end - begin_of(schedule, from) < 2) return false;
  if (forwards)
    --schedule[from].end;
  else
    ++schedule[from - 1].end;
  return true;
}

/// Keeps the best of what is measured.
class Best {
 public:
  explicit Best(const Problem& problem) : evaluator_(problem) {}
  /// @return the times of the stages
  std::vector<double> measure(const Schedule& schedule) {
    Measured measured = evaluator_.measure(schedule);
    gained_ = measured.period < found_.time;
    if (gained_) found_ = {schedule, measured.period, 0};
    return std::move(measured.stages);
  }
  bool gained() const { return gained_; }
  std::size_t count() const { return evaluator_.count(); }
  Found found() const { return {found_.schedule, found_.time, evaluator_.count()}; }

 private:
  Evaluator evaluator_;
  Found found_{{}, std::numeric_limits<double>::infinity(), 0};
  bool gained_ = false;
};

void tune(const Problem& problem, std::size_t patience, Best& best) {
  Schedule schedule = shisha_seed(problem);
  std::vector<double> times = best.measure(schedule);
  for (std::size_t without_gain = 0; without_gain < patience;) {
    const std::size_t slowest = slowest_of(times);
    const auto fastest =
        static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    if (slowest == fastest || !pass(schedule, slowest, fastest > slowest)) return;
    times = best.measure(schedule);
    without_gain = best.gained() ? 0 : without_gain + 1;
  }
}

/// The cuts for this order of places with the least predicted slowest stage.
Found predicted(const StageTimes& time, std::size_t layers, const std::vector<std::size_t>& order) {
  const std::size_t stages = order.size();
  constexpr double kUnreached = std::numeric_limits<double>::infinity();
  std::vector<double> least((stages + 1) * (layers + 1), kUnreached);
  std::vector<std::size_t> begin(least.size());
  least[0] = 0;
  for (std::size_t k = 1; k <= stages; ++k)
    for (std::size_t end = k; end <= layers; ++end)
      for (std::size_t from = k - 1; from < end; ++from) {
        const double slowest = std::max(least[(k - 1) * (layers + 1) + from], time(from, end, order[k - 1]));
        if (slowest >= least[k * (layers + 1) + end]) continue;
        least[k * (layers + 1) + end] = slowest;
        begin[k * (layers + 1) + end] = from;
      }
  Found found{Schedule(stages), least.back(), 0};
  for (std::size_t k = stages, end = layers; k > 0; --k) {
    found.schedule[k - 1] = {end, order[k - 1]};
    end = begin[k * (layers + 1) + end];
  }
  return found;
}

std::vector<Schedule> neighbours(const Problem& problem, const StageTimes& predict, const Schedule& at) {
  std::vector<Found> all;
  std::vector<std::size_t> order;
  for (const Stage& stage : at) order.push_back(stage.place);
  const std::size_t used = order.size();
  for (std::size_t place = 0; place < problem.places.size(); ++place)
    if (std::find(order.begin(), order.end(), place) == order.end()) order.push_back(place);
  const auto add = [&](const std::vector<std::size_t>& places, std::size_t count) {
    if (count == 0 || count > problem.layers.size()) return;
    all.push_back(predicted(predict, problem.layers.size(),
                            {places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count)}));
  };
  add(order, used);
  for (std::size_t i = 0; i < used; ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {  // exchanged
      std::swap(order[i], order[j]);
      add(order, used);
      std::swap(order[i], order[j]);
    }
    for (std::size_t j = 0; j <= used; ++j) {  // at another position; the last of them: left out
      std::vector<std::size_t> moved = order;
      moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(i));
      if (j < used) moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(j), order[i]);
      add(moved, j < used ? used : used - 1);
    }
  }
  for (std::size_t i = used; i < order.size(); ++i)  // an idle place joins
    for (std::size_t j = 0; j <= used; ++j) {
      std::vector<std::size_t> joined(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(used));
      joined.insert(joined.begin() + static_cast<std::ptrdiff_t>(j), order[i]);
      add(joined, used + 1);
    }
  const std::size_t slowest = slowest_of(predict.of(at));
  for (const bool forwards : {false, true}) {
    Schedule moved = at;
    if ((forwards ? slowest + 1 == used : slowest == 0) || !pass(moved, slowest, forwards)) continue;
    const std::vector<double> times = predict.of(moved);
    all.push_back({moved, *std::max_element(times.begin(), times.end()), 0});
  }
  std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.time < b.time; });
  std::vector<Schedule> schedules;
  for (Found& each : all) schedules.push_back(std::move(each.schedule));
  return schedules;
}

}  // namespace

Schedule shisha_seed(const Problem& problem) {
  require_valid(problem);
  std::vector<double> weights;
  std::vector<std::size_t> ends;
  for (const Layer& layer : problem.layers) {
    weights.push_back(layer.operations);
    ends.push_back(ends.size() + 1);
  }
  while (weights.size() > problem.places.size()) {
    const auto i =
        static_cast<std::size_t>(std::min_element(weights.begin(), weights.end()) - weights.begin());
    const bool with_next = i == 0 || (i + 1 < weights.size() && weights[i + 1] < weights[i - 1]);
    const std::size_t first = with_next ? i : i - 1;
    weights[first] += weights[first + 1];
    weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::vector<std::size_t> stages(weights.size()), places(problem.places.size());
  std::iota(stages.begin(), stages.end(), 0);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(stages.begin(), stages.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
  std::stable_sort(places.begin(), places.end(),
                   [&](auto a, auto b) { return problem.places[a].speed > problem.places[b].speed; });
  Schedule schedule(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) schedule[stages[i]] = {ends[stages[i]], places[i]};
  return schedule;
}

Found shisha(const Problem& problem, std::size_t patience) {
  Best best(problem);
  tune(problem, patience, best);
  return best.found();
}

Found local_search(const Problem& problem, std::size_t patience) {
  Best best(problem);
  tune(problem, patience, best);
  const std::size_t most = 3 * best.count();
  const StageTimes predict(problem);
  std::vector<Schedule> done{best.found().schedule};
  for (bool gained = true; gained;) {
    gained = false;
    for (const Schedule& each : neighbours(problem, predict, best.found().schedule)) {
      if (best.count() == most) return best.found();
      if (std::find(done.begin(), done.end(), each) != done.end()) continue;
      done.push_back(each);
      best.measure(each);
      gained = best.gained();
      if (gained) break;
    }
  }
  return best.found();
}

}  // namespace wafertlm::pipelines
