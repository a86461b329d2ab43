// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/rtl_report.h"

#include <fmt/core.h>

namespace wafertlm {
namespace {

std::string divergence_text(const nlohmann::json& first) {
  const auto text = [&](const char* key) { return first.value(key, std::string()); };
  const std::string link = text("link").empty() ? "" : " (" + text("link") + ")";
  const std::string packet = text("packet").empty() ? "" : ": " + text("packet");
  return fmt::format("{} at {} ps, {}{}{}: expected {}, got {}", text("kind"),
                     first["at_ps"].get<std::uint64_t>(), text("port"), link, packet, text("expected"),
                     text("got"));
}

}  // namespace

std::string rtl_report(const nlohmann::json& results) {
  const auto rtl = results.find("rtl");
  if (rtl == results.end() || rtl->empty()) return "";
  std::string text = "Switches with RTL:\n";
  for (const nlohmann::json& each : *rtl) {
    const std::string design = each["design"].get<std::string>();
    text += fmt::format("  {:<28} view {}{}, {} packets in, {} cycles", each["switch"].get<std::string>(),
                        each["view"].get<std::string>(), design.empty() ? "" : ", design " + design,
                        each["packets_in"].get<std::uint64_t>(), each["cycles"].get<std::uint64_t>());
    const auto board = each.find("scoreboard");
    if (board == each.end()) {
      text += "\n";
      continue;
    }
    text += fmt::format(": {}\n", board->value("verdict", std::string()));
    if (const nlohmann::json& first = (*board)["first_divergence"]; !first.is_null())
      text += "    first " + divergence_text(first) + "\n";
  }
  return text;
}

}  // namespace wafertlm
