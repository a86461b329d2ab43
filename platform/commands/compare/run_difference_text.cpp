// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "platform/commands/compare/run_difference.h"
#include "platform/host/verbosity.h"
#include "platform/text/format.h"
#include "platform/text/signed_time.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kSettingsShown = 20, kCollectivesShown = 5, kLinksShown = 3, kWidth = 12;

std::string time_text(const Json& ps) { return format_time(static_cast<TimePs>(ps.get<std::int64_t>())); }

/// Longer is red, shorter green.
std::string change_of(const Json& ps, std::size_t width = 0) {
  const auto change = ps.get<std::int64_t>();
  const std::string text = fmt::format("{:>{}}", format_change(change), width);
  return change == 0 ? text : coloured(text, change > 0 ? Colour::red : Colour::green);
}

std::string side_text(const Json& side) {
  if (side.is_null()) return "not set";
  const std::string value = side["value"].get<std::string>(), origin = side["origin"].get<std::string>();
  return origin.empty() ? value : fmt::format("{} ({})", value, origin);
}

std::string settings_text(const Json& changed) {
  if (changed.is_null()) return "  settings: not compared, a resolved.yaml beside the results is missing\n";
  if (changed.empty()) return "  settings: the same\n";
  std::string text = "  changed settings:\n";
  for (std::size_t i = 0; i < std::min(changed.size(), kSettingsShown); ++i)
    text += fmt::format("    {}: {} -> {}\n", changed[i]["key"].get<std::string>(),
                        side_text(changed[i]["first"]), side_text(changed[i]["this"]));
  if (changed.size() > kSettingsShown)
    text += fmt::format("    … {} more (--json has all)\n", changed.size() - kSettingsShown);
  return text;
}

std::string waterfall_text(const Json& fall) {
  if (fall.is_null()) return "";
  std::string text = fmt::format("  the last iteration: {} -> {}, {}\n", time_text(fall["first_ps"]),
                                 time_text(fall["this_ps"]), change_of(fall["change_ps"]));
  for (const Json& part : fall["parts"])
    if (part["change_ps"] != 0)
      text += fmt::format("    {:<18} {}   ({} -> {})\n", part["name"].get<std::string>(),
                          change_of(part["change_ps"], kWidth), time_text(part["first_ps"]),
                          time_text(part["this_ps"]));
  return text;
}

std::string collectives_text(const Json& collectives) {
  std::string rows;
  const Json& matched = collectives["matched"];
  std::size_t shown = 0, changed = 0;
  for (const Json& each : matched) {
    if (each["change_ps"] == 0) break;  // they are sorted
    ++changed;
    if (shown == kCollectivesShown) continue;
    ++shown;
    const Json& by = each["algorithms"];
    rows += fmt::format("    {}   ({} -> {}) {} {} of {}, {}{}\n", change_of(each["change_ps"], kWidth),
                        time_text(each["first_ps"]), time_text(each["this_ps"]),
                        each["class"].get<std::string>(), each["type"].get<std::string>(),
                        format_bytes(static_cast<std::uint64_t>(each["bytes"].get<std::int64_t>())),
                        by[0].get<std::string>(), by[0] == by[1] ? "" : " -> " + by[1].get<std::string>());
  }
  std::string text;
  if (!matched.empty())
    text += fmt::format("  collectives: {} of {} that both have take another time{}\n{}", changed,
                        matched.size(), changed > shown ? fmt::format("; the {} largest", shown) : "", rows);
  if (collectives["only_first"] != 0 || collectives["only_this"] != 0)
    text += fmt::format("  collectives without a match: {} of the first run, {} of this one\n",
                        collectives["only_first"].get<std::size_t>(),
                        collectives["only_this"].get<std::size_t>());
  return text;
}

std::string links_text(const Json& links) {
  if (links.empty()) return "";
  const auto busier = static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(), [](const Json& each) { return each["change_ps"] != 0; }));
  std::string text;
  if (busier > 0)
    text +=
        fmt::format("  busy time of links: {} changed; the largest differences\n", counted(busier, "link"));
  for (std::size_t i = 0; i < std::min(busier, kLinksShown); ++i)  // they are sorted
    text += fmt::format("    {}   ({} -> {}) {}\n", change_of(links[i]["change_ps"], kWidth),
                        time_text(links[i]["first_ps"]), time_text(links[i]["this_ps"]),
                        links[i]["name"].get<std::string>());
  if (busier < links.size())
    text +=
        fmt::format("  {} as busy as before with another payload\n", counted(links.size() - busier, "link"));
  return text;
}

}  // namespace

std::string differences_text(const Json& differences) {
  std::string text;
  for (const Json& each : differences)
    text += fmt::format("{}, against the first:\n{}{}{}{}", each["name"].get<std::string>(),
                        settings_text(each["changed"]), waterfall_text(each["waterfall"]),
                        collectives_text(each["collectives"]), links_text(each["links"]));
  return text;
}

}  // namespace wafertlm
