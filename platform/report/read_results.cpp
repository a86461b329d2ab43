// SPDX-License-Identifier: Apache-2.0
#include "platform/report/read_results.h"
#include "tlm/input/file.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/host/output_folder.h"

namespace wafertlm {

namespace fs = std::filesystem;

bool is_time_s(const nlohmann::ordered_json& value) {
  constexpr double kLongest_s = 9e6;
  return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kLongest_s;
}

nlohmann::ordered_json read_results(const std::string& path) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "results.json" : fs::path(path);
  const std::string why = why_unreadable(file.string());
  if (!why.empty())
    throw std::invalid_argument(file.string() + " " + why +
                                "; give a folder that `wafertlm run` has written");
  auto stream = open_input(file.string());
  require_whole_set(file.parent_path());
  // No deeper than ours: brackets without end would fill the memory.
  constexpr int kDeepest = 64;
  const auto shallow = [&](int depth, nlohmann::ordered_json::parse_event_t, nlohmann::ordered_json&) {
    if (depth > kDeepest)
      throw std::invalid_argument(file.string() + " is no complete results.json of `wafertlm run`");
    return true;
  };
  auto results = nlohmann::ordered_json::parse(stream, shallow, false);
  const auto is_complete = [&] {
    if (!results.is_object() || !results.contains("host") || !results["host"].is_object()) return false;
    if (!results.contains("iteration_time_s") || !is_time_s(results["iteration_time_s"])) return false;
    if (!results.contains("iterations") || !results["iterations"].is_array()) return false;
    const auto& iterations = results["iterations"];
    return !iterations.empty() && std::all_of(iterations.begin(), iterations.end(), [](const auto& each) {
      return each.is_object() && each.contains("time_ps") && each["time_ps"].is_number() &&
             each.contains("breakdown_s") && each["breakdown_s"].contains("compute") &&
             is_time_s(each["breakdown_s"]["compute"]);
    });
  };
  if (!is_complete())
    throw std::invalid_argument(file.string() + " is no complete results.json of `wafertlm run`");
  return results;
}

}  // namespace wafertlm
