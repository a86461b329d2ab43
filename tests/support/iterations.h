// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

namespace wafertlm::test {

/// The iterations of results without what gets done in them, which traces do not tell as a workload does.
inline nlohmann::json times_of(const nlohmann::json& results) {
  nlohmann::json iterations = results["iterations"];
  for (nlohmann::json& each : iterations)
    for (const char* key : {"mfu", "samples_per_s", "tokens_per_s"}) each.erase(key);
  return iterations;
}

}  // namespace wafertlm::test
