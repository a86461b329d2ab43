// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/commands/explain/what_if.h"
#include "platform/host/verbosity.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "platform/text/signed_time.h"
#include "platform/text/wrap.h"

namespace wafertlm {
namespace {

constexpr std::size_t kSavingsShown = 10, kOfWorkShown = 5, kSensitivitiesShown = 15, kRefusedShown = 5;

std::string share(std::int64_t ps, TimePs of) {
  return fmt::format("{:.2f} %", 100 * static_cast<double>(ps) / static_cast<double>(of));
}

std::string then_text(const Saving& saving) {
  if (!saving.was_pursued) return "";
  if (!saving.then) return "; on top of it no other rate or time saves anything";
  const Change& then = *saving.then;
  return fmt::format("; then {} binds: {} saves {} more", then.setting.key, then.to,
                     format_time(static_cast<TimePs>(then.saved_ps(*saving.change.result.iteration_ps))));
}

std::string savings_text(const WhatIfs& found, bool of_platform, std::size_t most) {
  std::string text;
  std::size_t number = 0;
  for (const Saving& each : found.savings) {
    const Change& change = each.change;
    if (change.setting.of_platform != of_platform || number == most) continue;
    const std::int64_t saved = change.saved_ps(found.base_ps);
    text += fmt::format("  {}. '{}'{} (it is {}) saves {} ({}){}\n", ++number, change.text(),
                        change.with.empty() ? "" : " with '" + change.with + "'", change.setting.value,
                        coloured(format_time(static_cast<TimePs>(saved)), Colour::green),
                        share(saved, found.base_ps), then_text(each));
  }
  return text;
}

std::string difference(const std::optional<Change>& change, TimePs base_ps) {
  if (!change) return "-";
  if (!change->result.iteration_ps) return change->result.was_tried() ? "refused" : "not tried";
  return format_change(-change->saved_ps(base_ps));
}

/// Neither value made any difference, and both ran.
bool is_without_effect(const Sensitivity& each, TimePs base_ps) {
  for (const std::optional<Change>* change : {&each.less, &each.more})
    if (!*change || !(*change)->result.iteration_ps) return false;
  return each.effect_ps(base_ps) == 0;
}

std::string sensitivity_text(const WhatIfs& found) {
  TextRows rows{{"key", "value", "-10 %", "+10 %"}};
  std::string without;
  std::size_t shown = 0, more = 0;
  for (const Sensitivity& each : found.sensitivities) {
    if (is_without_effect(each, found.base_ps)) {
      without += (without.empty() ? "" : ", ") + each.setting.key;
    } else if (each.effect_ps(found.base_ps) == 0) {
      continue;  // refused, not tried, or nothing to scale
    } else if (shown == kSensitivitiesShown) {
      ++more;
    } else {
      ++shown;
      rows.push_back({each.setting.key, each.setting.value, difference(each.less, found.base_ps),
                      difference(each.more, found.base_ps)});
    }
  }
  std::string text;
  if (rows.size() > 1)
    text += "How the iteration changes if a value is a tenth less, and a tenth more:\n" + aligned(rows, "lr");
  if (more != 0) text += fmt::format("  … {} more (--json has all)\n", more);
  if (!without.empty())
    text += "What cannot help: a tenth less or more changes nothing, to the picosecond, of\n" +
            wrapped("  " + without, kTextColumns, "  ") + "\n";
  return text;
}

/// As much of a long message as fits a line; JSON has all of it.
std::string beginning_of(const std::string& message) {
  constexpr std::size_t kMost = 140;
  return message.size() <= kMost ? message : message.substr(0, message.rfind(' ', kMost)) + " …";
}

std::string refused_text(const WhatIfs& found) {
  std::string rows;
  std::size_t refused = 0;
  const auto add = [&](const Change& change) {
    if (change.result.problem.empty()) return;
    if (refused++ < kRefusedShown)
      rows += fmt::format("  {}: {}\n", change.text(), beginning_of(change.result.problem));
  };
  for (const Change& each : found.without) add(each);
  for (const Sensitivity& each : found.sensitivities)
    for (const std::optional<Change>* change : {&each.less, &each.more})
      if (*change) add(**change);
  if (refused > kRefusedShown) rows += fmt::format("  … {} more (--json has all)\n", refused - kRefusedShown);
  return rows.empty() ? "" : "What cannot be changed alone:\n" + rows;
}

}  // namespace

std::string what_ifs_text(const WhatIfs& found, const std::string& repeat) {
  std::string text =
      fmt::format("What single changes save, each simulated ({}; `{} --set KEY=VALUE` repeats one):\n",
                  counted(found.simulated, "run"), repeat);
  const std::string platform = savings_text(found, true, kSavingsShown);
  text += platform.empty() ? "  nothing that was tried of the platform saves anything\n" : platform;
  const std::string work = savings_text(found, false, kOfWorkShown);
  if (!work.empty()) text += "And of the workload, where less work takes less time, too:\n" + work;
  text += sensitivity_text(found) + refused_text(found);
  if (found.not_tried != 0)
    text += fmt::format("{} not tried: beyond --limit or --trials.\n", counted(found.not_tried, "change"));
  return text;
}

}  // namespace wafertlm
