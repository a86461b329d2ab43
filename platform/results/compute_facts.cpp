// SPDX-License-Identifier: Apache-2.0
#include "platform/results/compute_facts.h"

#include <fmt/core.h>

#include "platform/command/format.h"

namespace wafertlm {

using Json = nlohmann::ordered_json;

Json compute_facts(const config::PlatformSpec& platform, const Machine& machine) {
  const bool is_systolic = platform.npu.compute.model == config::ComputeModelKind::systolic;
  Json facts = {{"model", is_systolic ? "systolic" : "roofline"}, {"told_by", Json::object()}};
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n)
    for (const ComputeEngine::Use& use : machine.npu(static_cast<NpuId>(n)).compute().uses()) {
      Json& row = facts["told_by"][use.model->name()];
      if (row.is_null()) row = {{"computations", 0}, {"time_s", 0.0}};
      row["computations"] = row["computations"].get<std::uint64_t>() + use.operations;
      row["time_s"] = row["time_s"].get<double>() + seconds(use.time_ps);
    }
  return facts;
}

std::string compute_facts_text(const Json& results) {
  const Json& facts = results["compute"];
  if (facts["model"] != "systolic") return "";
  std::string text;
  for (const auto& [name, row] : facts["told_by"].items())
    text += fmt::format("{}{} by {} ({})", text.empty() ? "Computations of all NPUs: " : ", ",
                        row["computations"].get<std::uint64_t>(), name,
                        format_time(static_cast<TimePs>(row["time_s"].get<double>() * 1e12)));
  return text + "; what names no matrix product goes by the roofline.\n";
}

}  // namespace wafertlm
