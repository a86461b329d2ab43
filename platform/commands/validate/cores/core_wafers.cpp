// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/cores/core_wafers.h"

#include <fmt/format.h>

#include "platform/commands/validate/row_text.h"
#include "platform/host/presets.h"

namespace wafertlm::validate {

std::optional<std::string> wafer_of(const ValidationRow& row) {
  const std::string generation = said(in_ascii(row.system), R"(\b(?:WSE|CS)[- ]?([1-3])\b)");
  if (generation.empty()) return std::nullopt;
  return "WSE-" + generation;
}

config::CoresSpec cores_of(const ValidationRow& row) {
  if (says(row.system + row.ranks, "inference|in pipeline|cluster"))
    throw CannotSay("how the service lays a model over wafers, and what it decodes ahead, is not published");
  const std::optional<std::string> wafer = wafer_of(row);
  if (!wafer) throw CannotSay(fmt::format("no preset of cores stands for '{}'", row.system));
  return config::load_cores(
      (required_configs_folder({"cores"}) / "cores" / ("wse" + wafer->substr(4) + ".yaml")).string());
}

}  // namespace wafertlm::validate
