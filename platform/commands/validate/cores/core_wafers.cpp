// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/cores/core_wafers.h"

#include <fmt/format.h>

#include "platform/commands/validate/row_text.h"
#include "platform/host/presets.h"

namespace wafertlm::validate {

std::optional<std::string> wafer_of(const ValidationRow& row) {
  for (const std::string& text : {row.system, row.topology})
    if (const std::string generation = said(in_ascii(text), R"(\b(?:WSE|CS)[- ]?([1-3])\b)");
        !generation.empty())
      return "WSE-" + generation;
  return std::nullopt;
}

std::string wafer_preset(const std::string& wafer) { return "wse" + wafer.substr(4); }

config::CoresSpec cores_of(const ValidationRow& row) {
  if (says(row.system + row.ranks, "inference|in pipeline|cluster"))
    throw CannotSay("how the service lays a model over wafers, and what it decodes ahead, is not published");
  const std::optional<std::string> wafer = wafer_of(row);
  if (!wafer) throw CannotSay(fmt::format("no preset of cores stands for '{}'", row.system));
  return config::load_cores(
      (required_configs_folder({"cores"}) / "cores" / (wafer_preset(*wafer) + ".yaml")).string());
}

}  // namespace wafertlm::validate
