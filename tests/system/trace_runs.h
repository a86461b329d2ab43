// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {

/// An experiment file for traces on a platform preset; `workload` is what stands between the braces.
inline std::string trace_experiment(const TempFolder& folder, const std::string& platform,
                                    const std::string& workload) {
  return folder.write("experiment.yaml",
                      "experiment: sample\nplatform: " WAFERTLM_SOURCE_DIR "/configs/platforms/" + platform +
                          ".yaml\nworkload: {workload: sample, " + workload + "}\n");
}

/// Runs it through the executable and returns results.json, or null if the run failed.
inline nlohmann::json run_traces(const TempFolder& folder, const std::string& platform,
                                 const std::string& workload, const std::string& more, ToolResult& result) {
  const std::string experiment = trace_experiment(folder, platform, workload);
  result = run_tool("run " + experiment + " --out " + folder.path() + "/out " + more);
  if (result.exit_code != 0) return nullptr;
  return nlohmann::json::parse(read_text(folder.path() + "/out/results.json"));
}

/// Rows of results without the names of groups, which are numbers in traces that were generated.
template <typename Rows>
Rows without_groups(Rows rows) {
  for (auto& row : rows) row.erase("group");
  return rows;
}

}  // namespace wafertlm::test
