// SPDX-License-Identifier: Apache-2.0
#include "platform/results/compute_facts.h"

#include <fmt/core.h>

#include <vector>

#include "platform/command/format.h"

namespace wafertlm {

using Json = nlohmann::ordered_json;

Json compute_facts(const config::PlatformSpec& platform, const Machine& machine) {
  const bool is_systolic = platform.npu.compute.model == config::ComputeModelKind::systolic;
  struct Sum {
    const char* model;
    std::uint64_t computations = 0;
    Uint128 time_ps = 0;
  };
  std::vector<Sum> sums;
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n) {
    const auto& uses = machine.npu(static_cast<NpuId>(n)).compute().uses();
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (sums.size() == i) sums.push_back({uses[i].model->name()});
      sums[i].computations += uses[i].operations;
      sums[i].time_ps += uses[i].time_ps;
    }
  }
  Json facts = {{"model", is_systolic ? "systolic" : "roofline"}, {"told_by", Json::object()}};
  for (const Sum& sum : sums)
    facts["told_by"][sum.model] = {{"computations", sum.computations},
                                   {"time_s", static_cast<double>(sum.time_ps) / kPsPerSecond}};
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
