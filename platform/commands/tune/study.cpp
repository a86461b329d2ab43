// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/study.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "platform/spec/ranges.h"
#include "platform/text/format.h"

namespace wafertlm::tune {
namespace {

using backends::SequenceCosts;

std::string step_text(const SequenceSpec& step) {
  return fmt::format("{} {}", to_string(*step.type), format_bytes(step.bytes));
}

/// The measured point of the nearest size that is not smaller, of the largest group if the step names none;
/// null: there is none.
const MeasuredPoint* point_of(const SequenceSpec& step, const std::vector<MeasuredPoint>& points) {
  const MeasuredPoint* best = nullptr;
  for (const MeasuredPoint& point : points) {
    if (point.type != *step.type || point.bytes < step.bytes) continue;
    if (!step.npus.empty() && backends::group_text(point.npus) != step.npus) continue;
    const bool is_larger = best && point.npus.size() > best->npus.size();
    const bool is_nearer = best && point.npus.size() == best->npus.size() && point.bytes < best->bytes;
    if (!best || is_larger || is_nearer) best = &point;
  }
  return best;
}

}  // namespace

SequenceStudy::SequenceStudy(const TuneSpec& spec, const std::vector<MeasuredPoint>& points)
    : backends_(spec.all_backends()) {
  costs_.change = SequenceCosts::equal_change(backends_.size(), spec.change_ps);
  std::vector<std::vector<TimePs>> of_step;
  for (const SequenceSpec& step : spec.sequence)
    of_step.push_back(step.type ? costs_of(step, points) : std::vector<TimePs>());
  for (std::uint32_t round = 0; round < spec.repeat; ++round)
    for (std::size_t i = 0; i < spec.sequence.size(); ++i)
      for (std::uint32_t each = 0; each < spec.sequence[i].count; ++each) {
        steps_.push_back({&spec.sequence[i], costs_.operations.size()});
        compute_ps_ += spec.sequence[i].compute_ps;
        if (spec.sequence[i].type) costs_.operations.push_back(of_step[i]);
      }
  for (std::size_t i = 0; i < backends_.size(); ++i)
    add("all on " + backends_[i].name, backends_[i].name, single(costs_, i));
  add("fastest for each", "", fastest_of_each(costs_));
  add("shortest path", "", shortest_path(costs_));
}

std::vector<TimePs> SequenceStudy::costs_of(const SequenceSpec& step,
                                            const std::vector<MeasuredPoint>& points) const {
  std::vector<TimePs> costs(backends_.size(), SequenceCosts::kCannot);
  const MeasuredPoint* const point = point_of(step, points);
  for (std::size_t i = 0; i < backends_.size(); ++i) {
    if (const auto declared = backends_[i].time_ps(*step.type, step.bytes)) costs[i] = *declared;
    const MeasuredPoint::Result* const measured = point ? point->fastest(i) : nullptr;
    if (measured) costs[i] = measured->time_ps;
  }
  if (std::all_of(costs.begin(), costs.end(), [](TimePs each) { return each == SequenceCosts::kCannot; }))
    throw std::invalid_argument("sequence: no backend can do " + step_text(step) +
                                (step.npus.empty() ? "" : " of NPUs " + step.npus) +
                                "; declare costs of it, or measure it at that size or a larger one");
  return costs;
}

void SequenceStudy::add(const std::string& name, const std::string& backend,
                        backends::Assignment assignment) {
  if (!assignment.is_possible(costs_)) return;
  std::vector<backends::Action> actions;
  std::size_t last = SequenceCosts::kCannot;
  for (const Step& step : steps_) {
    backends::Action action;
    if (step.spec->type) {
      const std::size_t with = assignment.backend[step.operation];
      action.kind = backends::Action::Kind::communicate;
      action.backend = with;
      action.time_ps = costs_.operations[step.operation][with];
      action.call = step.spec->call;
      if (last != SequenceCosts::kCannot && last != with) action.change_ps = costs_.change[last][with];
      last = with;
    } else if (step.spec->wait) {
      action.kind = backends::Action::Kind::wait;
    } else {
      action.time_ps = step.spec->compute_ps;
    }
    actions.push_back(action);
  }
  const TimePs time = run_timeline(actions, backends_).time_ps;
  choices_.push_back({name, backend, std::move(assignment), time});
}

const Choice* SequenceStudy::best_single() const {
  const Choice* best = nullptr;
  for (const Choice& each : choices_)
    if (!each.backend.empty() && (!best || each.iteration_ps < best->iteration_ps)) best = &each;
  return best;
}

std::vector<std::string> SequenceStudy::path_lines() const {
  constexpr std::size_t kLines = 40;
  std::vector<std::string> lines;
  std::string what;
  std::size_t count = 0;
  const auto close = [&] {
    if (count > 0 && lines.size() < kLines) lines.push_back(fmt::format("{} x {}", count, what));
    count = 0;
  };
  for (const Step& step : steps_) {
    if (!step.spec->type) continue;
    const std::string next =
        step_text(*step.spec) + ": " + backends_[path().assignment.backend[step.operation]].name;
    if (next != what) close();
    what = next;
    ++count;
  }
  close();
  if (lines.size() == kLines) lines.emplace_back("...");
  return lines;
}

nlohmann::ordered_json deadlock_json(const TuneSpec& spec) {
  const backends::IssuePlan plan = spec.issue_plan();
  nlohmann::ordered_json json{{"cycle", nlohmann::ordered_json::array()}};
  for (const std::string& line : described(find_deadlock(plan), plan)) json["cycle"].push_back(line);
  if (json["cycle"].empty()) return json;
  json["cured_by_one_order"] = find_deadlock(with_one_order(plan)).empty();
  json["cured_by_own_engines"] = find_deadlock(with_own_engines(plan)).empty();
  return json;
}

}  // namespace wafertlm::tune
