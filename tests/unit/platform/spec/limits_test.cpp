// SPDX-License-Identifier: Apache-2.0
// limits.txt: the least and the most of every number and list, as files of users have them. A limit is part
// of the format: a smaller range would refuse files that were taken before, so it changes there and in the
// code.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "platform/spec/file_kinds.h"
#include "platform/spec/json_schema.h"
#include "tests/support/tool.h"

namespace wafertlm::config {
namespace {

using Json = nlohmann::ordered_json;

/// "key: number LEAST to MOST", "key: list of LEAST to MOST", for all that is below.
void find_limits(const std::string& key, const Json& schema, std::set<std::string>& lines) {
  if (schema.is_array())
    for (const Json& each : schema) find_limits(key, each, lines);
  if (!schema.is_object()) return;
  const auto add = [&](const char* what, const char* least, const char* most) {
    if (schema.contains(least) || schema.contains(most))
      lines.insert(key + ": " + what + " " + schema.value(least, Json()).dump() + " to " +
                   schema.value(most, Json()).dump());
  };
  add("number", "minimum", "maximum");
  add("list of", "minItems", "maxItems");
  for (const auto& [name, below] : schema.items()) {
    if (name == "properties" || name == "$defs")
      for (const auto& [inner, of] : below.items()) {
        const bool repeats = inner == kValueKey || inner.find("_changes") != std::string::npos;
        if (!repeats) find_limits(key.empty() ? inner : key + "." + inner, of, lines);
      }
    else
      find_limits(key, below, lines);
  }
}

TEST(Limits, AreThoseOfTheFormat) {
  std::set<std::string> found, expected;
  find_limits("", Json::parse(json_schema(spec_file_kinds())), found);
  std::istringstream file(test::read_text(WAFERTLM_SOURCE_DIR "/tests/unit/platform/spec/limits.txt"));
  for (std::string line; std::getline(file, line);)
    if (line.rfind('#', 0) != 0) expected.insert(line);
  EXPECT_GT(expected.size(), 100U);
  for (const std::string& line : found) EXPECT_EQ(expected.count(line), 1U) << "new: " << line;
  for (const std::string& line : expected) EXPECT_EQ(found.count(line), 1U) << "gone: " << line;
}

}  // namespace
}  // namespace wafertlm::config
