// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/what_if.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "platform/commands/explain/exposed_time.h"
#include "platform/describe/fields.h"

namespace wafertlm {
namespace {

using Row = nlohmann::ordered_json;
constexpr std::size_t kPursued = 3;  // savings on top of which a second change is looked for
constexpr double kTenthLess = 0.9, kTenthMore = 1.1;

std::optional<Change> change_by(const Setting& setting, double factor) {
  auto to = scaled(setting, factor);
  if (!to) return {};
  return Change{setting, std::move(*to), factor, {}};
}

/// An NPU that computes faster than its peak needs another one.
void raise_peak(std::vector<Change>& changes, const std::vector<Setting>& settings) {
  constexpr const char* kPeak = "npu.peak";
  const auto peak =
      std::find_if(settings.begin(), settings.end(), [](const Setting& each) { return each.key == kPeak; });
  for (Change& each : changes)
    if (peak != settings.end() && is_compute_rate(each.setting) && each.setting.key != kPeak &&
        each.factor > 1 &&
        config::parse_real(config::compute_rate_dimension(), each.to) >
            config::parse_real(config::compute_rate_dimension(), peak->value))
      each.with = std::string(kPeak) + "=" + each.to;
}

/// How much of the critical path goes through what a key is of.
TimePs share_of(const Setting& setting, const PathShares& shares) {
  const auto of = [&](const char* name) {
    const auto found = shares.find(name);
    return found == shares.end() ? TimePs{0} : found->second;
  };
  const auto begins = [&](const char* start) { return setting.key.rfind(start, 0) == 0; };
  if (begins("npu.hbm.") || begins("remote_memory.")) return of("memory");
  if (is_compute_rate(setting) || begins("npu.compute.") || begins("npu.peak")) return of("compute");
  TimePs sum = 0;
  for (const auto& [name, time_ps] : shares)
    if (is_communication(name)) sum += time_ps;
  return sum;
}

/// Of rates and times of the machine, which are tried first: what is likely to bind.
bool is_rate_or_time(const Setting& setting) {
  return setting.of_platform && setting.is_numeric() && promising_factors(setting).size() == 1;
}

/// Whether it says how much there is of something in the machine: sizes, counts and numbers of channels.
bool is_amount(const Setting& setting) {
  return setting.of_platform && setting.is_numeric() && !is_rate_or_time(setting);
}

enum class Sort : std::uint8_t { rate_or_time, amount, other };  // other: choices, and all of the workload

Sort sort_of(const Setting& setting) {
  return is_rate_or_time(setting) ? Sort::rate_or_time : is_amount(setting) ? Sort::amount : Sort::other;
}

/// Those that may save time.
std::vector<Change> promising_changes(const std::vector<Setting>& settings, Sort sort) {
  std::vector<Change> all;
  for (const Setting& setting : settings) {
    if (setting.is_of_simulation() || sort_of(setting) != sort) continue;
    if (is_design_choice(setting))
      for (const std::string& word : setting.choices) all.push_back({setting, word, 0, {}});
    if (setting.is_numeric())
      for (const double factor : promising_factors(setting))
        if (auto change = change_by(setting, factor)) all.push_back(std::move(*change));
  }
  return all;
}

void simulate(const std::vector<Change*>& changes, const std::vector<std::string>& before, Trials& trials,
              const std::string& what, WhatIfs& found) {
  std::vector<std::vector<std::string>> settings;
  for (const Change* each : changes) {
    settings.push_back(before);
    for (std::string& text : each->settings()) settings.back().push_back(std::move(text));
  }
  const std::vector<TrialResult> results = trials.run(settings, what);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i]->result = results[i];
    if (results[i].was_tried()) ++found.simulated;
  }
}

template <class Item>
std::vector<Change*> changes_of(std::vector<Item>& items) {
  std::vector<Change*> changes;
  for (Item& each : items) changes.push_back(&each);
  return changes;
}

/// What saves most on top of a saving: a second rate or time of the machine, or more of the same.
void pursue(Saving& saving, const std::vector<Setting>& settings, Trials& trials, WhatIfs& found) {
  const Change& first = saving.change;
  std::vector<Change> candidates;
  for (const Setting& setting : settings)
    if (is_rate_or_time(setting) && setting.key != first.setting.key)
      if (auto change = change_by(setting, promising_factors(setting).front()))
        candidates.push_back(std::move(*change));
  if (first.factor != 0)
    if (auto change = change_by(first.setting, first.factor * first.factor))
      candidates.push_back(std::move(*change));
  raise_peak(candidates, settings);
  simulate(changes_of(candidates), first.settings(), trials, "second changes", found);
  for (Change& each : candidates) {
    saving.was_pursued |= each.result.was_tried();
    found.not_tried += each.result.was_tried() ? 0 : 1;
    if (!each.result.iteration_ps || *each.result.iteration_ps >= *first.result.iteration_ps) continue;
    if (!saving.then || *each.result.iteration_ps < *saving.then->result.iteration_ps) saving.then = each;
  }
}

void try_changes(std::vector<Change> changes, Trials& trials, WhatIfs& found) {
  simulate(changes_of(changes), {}, trials, "single changes", found);
  for (Change& each : changes) {
    if (!each.result.was_tried())
      ++found.not_tried;
    else if (each.result.iteration_ps && each.saved_ps(found.base_ps) > 0)
      found.savings.push_back({std::move(each), {}, false});
    else
      found.without.push_back(std::move(each));
  }
  std::stable_sort(found.savings.begin(), found.savings.end(), [](const Saving& a, const Saving& b) {
    return *a.change.result.iteration_ps < *b.change.result.iteration_ps;
  });
}

void pursue_largest(const std::vector<Setting>& settings, Trials& trials, WhatIfs& found) {
  std::size_t pursued = 0;
  for (Saving& each : found.savings)
    if (each.change.setting.of_platform && pursued++ < kPursued) pursue(each, settings, trials, found);
}

void list_sensitivities(const std::vector<Setting>& settings, WhatIfs& found) {
  for (const Setting& setting : settings)
    if (setting.is_numeric())
      found.sensitivities.push_back(
          {setting, change_by(setting, kTenthLess), change_by(setting, kTenthMore)});
}

/// Of those that `chosen` takes.
void try_sensitivities(const std::function<bool(const Setting&)>& chosen, Trials& trials, WhatIfs& found) {
  std::vector<Change*> changes;
  for (Sensitivity& each : found.sensitivities)
    for (std::optional<Change>* change : {&each.less, &each.more})
      if (*change && !(*change)->result.was_tried() && chosen(each.setting)) changes.push_back(&**change);
  simulate(changes, {}, trials, "sensitivity", found);
}

Row result_json(const Change& change, TimePs base_ps) {
  Row row = {{"to", change.to}, {"iteration_ps", nullptr}, {"saved_ps", nullptr}, {"problem", nullptr}};
  if (change.result.iteration_ps) {
    row["iteration_ps"] = *change.result.iteration_ps;
    row["saved_ps"] = change.saved_ps(base_ps);
  }
  if (!change.result.problem.empty()) row["problem"] = change.result.problem;
  return row;
}

Row change_json(const Change& change, TimePs base_ps) {
  Row row = {{"key", change.setting.key},
             {"from", change.setting.value},
             {"factor", change.factor == 0 ? Row() : Row(change.factor)},
             {"with", change.with.empty() ? Row() : Row(change.with)},
             {"of", change.setting.of_platform ? "platform" : "workload"}};
  row.update(result_json(change, base_ps));
  return row;
}

}  // namespace

std::uint64_t Sensitivity::effect_ps(TimePs base_ps) const {
  std::uint64_t most = 0;
  for (const std::optional<Change>* each : {&less, &more})
    if (*each && (*each)->result.iteration_ps)
      most = std::max(most, static_cast<std::uint64_t>(std::abs((*each)->saved_ps(base_ps))));
  return most;
}

WhatIfs find_what_ifs(const config::Node& experiment, Trials& trials, TimePs base_ps,
                      const PathShares& shares) {
  WhatIfs found;
  found.base_ps = base_ps;
  const std::vector<Setting> settings = settings_of(experiment);
  list_sensitivities(settings, found);
  const auto promising = [&](Sort sort) {
    std::vector<Change> changes = promising_changes(settings, sort);
    raise_peak(changes, settings);
    std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
      return share_of(a.setting, shares) > share_of(b.setting, shares);
    });
    return changes;
  };
  // What there may be no time for comes last.
  try_changes(promising(Sort::rate_or_time), trials, found);
  try_sensitivities(
      [&](const Setting& setting) {
        return std::any_of(found.savings.begin(), found.savings.end(),
                           [&](const Saving& each) { return each.change.setting.key == setting.key; });
      },
      trials, found);
  try_changes(promising(Sort::other), trials, found);
  pursue_largest(settings, trials, found);
  try_sensitivities([](const Setting& setting) { return sort_of(setting) != Sort::amount; }, trials, found);
  try_changes(promising(Sort::amount), trials, found);
  try_sensitivities([](const Setting&) { return true; }, trials, found);
  for (const Sensitivity& each : found.sensitivities)
    for (const std::optional<Change>* change : {&each.less, &each.more})
      if (*change && !(*change)->result.was_tried()) ++found.not_tried;
  std::stable_sort(found.sensitivities.begin(), found.sensitivities.end(),
                   [&](const Sensitivity& a, const Sensitivity& b) {
                     return a.effect_ps(found.base_ps) > b.effect_ps(found.base_ps);
                   });
  return found;
}

Row what_ifs_json(const WhatIfs& found) {
  Row savings = Row::array(), without = Row::array(), sensitivity = Row::array();
  for (const Saving& each : found.savings) {
    Row row = change_json(each.change, found.base_ps);
    row["then"] = each.then ? change_json(*each.then, *each.change.result.iteration_ps) : Row();
    savings.push_back(std::move(row));
  }
  for (const Change& each : found.without) without.push_back(change_json(each, found.base_ps));
  for (const Sensitivity& each : found.sensitivities)
    sensitivity.push_back({{"key", each.setting.key},
                           {"value", each.setting.value},
                           {"of", each.setting.of_platform ? "platform" : "workload"},
                           {"less", each.less ? result_json(*each.less, found.base_ps) : Row()},
                           {"more", each.more ? result_json(*each.more, found.base_ps) : Row()}});
  return {{"iteration_ps", found.base_ps}, {"simulated", found.simulated},
          {"not_tried", found.not_tried},  {"savings", savings},
          {"without_saving", without},     {"sensitivity", sensitivity}};
}

Row what_ifs_schema() {
  namespace schema = results::schema;
  const Row result = {{"to", schema::text()},
                      {"iteration_ps", schema::or_null(schema::count(), "null: it was not simulated")},
                      {"saved_ps", {{"type", {"integer", "null"}}}},
                      {"problem", {{"type", {"string", "null"}}}}};
  Row change = {{"key", schema::text()},
                {"from", schema::text()},
                {"factor", {{"type", {"number", "null"}}}},
                {"with", schema::or_null(schema::text(), "A setting that the change needs")},
                {"of", {{"enum", {"platform", "workload"}}}}};
  change.update(result);
  Row saving = change;
  saving["then"] = schema::or_null(schema::object(change), "The next change on top of it");
  const Row end = schema::or_null(schema::object(result), "null: there is no such value");
  return schema::object({{"iteration_ps", schema::count()},
                         {"simulated", schema::count()},
                         {"not_tried", schema::count()},
                         {"savings", schema::list(schema::object(saving))},
                         {"without_saving", schema::list(schema::object(change))},
                         {"sensitivity", schema::list(schema::object({{"key", schema::text()},
                                                                      {"value", schema::text()},
                                                                      {"of", change["of"]},
                                                                      {"less", end},
                                                                      {"more", end}}))}});
}

}  // namespace wafertlm
