// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/json_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "platform/describe/node_json.h"
#include "platform/describe/yaml_file.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/load.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

using Json = nlohmann::ordered_json;

/// The part of JSON Schema that the generated schema uses; any other keyword is an error.
class Validator {
 public:
  explicit Validator(const std::string& text) : root_(Json::parse(text)) {}

  bool accepts(const Json& value) const { return accepts(root_, value); }

 private:
  bool accepts(const Json& schema, const Json& value) const {
    if (schema.is_boolean()) return schema.get<bool>();
    const auto holds = [&](const auto& item) { return keyword(schema, item.key(), item.value(), value); };
    for (const auto& item : schema.items())
      if (!holds(item)) return false;
    return true;
  }

  bool keyword(const Json& schema, const std::string& name, const Json& rule, const Json& value) const {
    const auto count = [&] {
      return std::count_if(rule.begin(), rule.end(),
                           [&](const Json& choice) { return accepts(choice, value); });
    };
    if (name == "$ref")
      return accepts(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value);
    if (name == "anyOf") return count() > 0;
    if (name == "oneOf") return count() == 1;
    if (name == "if") return accepts(accepts(rule, value) ? schema.at("then") : schema.at("else"), value);
    if (name == "const") return value == rule;
    if (name == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (name == "type") return has_type(rule, value);
    if (name == "required")
      return !value.is_object() || std::all_of(rule.begin(), rule.end(), [&](const Json& key) {
        return value.contains(key.get<std::string>());
      });
    if (name == "properties") return !value.is_object() || properties(rule, value);
    if (name == "additionalProperties")
      return !value.is_object() ||
             std::all_of(value.items().begin(), value.items().end(),
                         [&](const auto& item) { return schema.at("properties").contains(item.key()); });
    if (name == "pattern")
      return !value.is_string() ||
             std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    if (name == "minimum") return !value.is_number() || value >= rule;
    if (name == "maximum") return !value.is_number() || value <= rule;
    if (name == "minLength") return !value.is_string() || value.get<std::string>().size() >= rule;
    if (name == "minItems") return !value.is_array() || value.size() >= rule;
    if (name == "maxItems") return !value.is_array() || value.size() <= rule;
    if (name == "items")
      return !value.is_array() ||
             std::all_of(value.begin(), value.end(), [&](const Json& item) { return accepts(rule, item); });
    for (const char* harmless :
         {"$schema", "$defs", "title", "description", "default", "examples", "then", "else"})
      if (name == harmless) return true;
    ADD_FAILURE() << "the schema uses " << name;
    return false;
  }

  bool properties(const Json& rule, const Json& value) const {
    for (const auto& item : value.items())
      if (rule.contains(item.key()) && !accepts(rule.at(item.key()), item.value())) return false;
    return true;
  }

  static bool has_type(const Json& rule, const Json& value) {
    if (rule.is_array())
      return std::any_of(rule.begin(), rule.end(), [&](const Json& type) { return has_type(type, value); });
    const std::string type = rule.get<std::string>();
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number());
  }

  Json root_;
};

const std::string kMesh =
    "platform: small\nwafer:\n  width: 3\n  height: 2\n  fabric:\n    link_bandwidth: 100 GB/s\n";

Json as_json(const std::string& text) { return to_json(read_yaml_text(text, {"text", 0, 0})); }

TEST(JsonSchema, AcceptsWhatTheReaderAccepts) {
  const Validator all(json_schema(spec_file_kinds()));
  const Validator platform(json_schema(spec_file_kind(*platform_type())));
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms")) {
    const std::string path = entry.path().string();
    EXPECT_TRUE(all.accepts(to_json(read_yaml_file(path)))) << path;
    EXPECT_TRUE(platform.accepts(to_json(read_yaml_file(path)))) << path;
    EXPECT_TRUE(all.accepts(as_json(resolved_yaml(load_platform(path))))) << path;
  }
  for (const std::string& text :
       {kMesh, kMesh + "    input_buffer: 24 KiB\n", kMesh + "    classes: [{name: a, vc: 0, priority: 1}]\n",
        kMesh + "    failed_links: [[0, 1]]\nrun: {checkers: true}\n",
        std::string("extends: x.yaml\nnpu: {peak: 1 TFLOPS}\n"), std::string("workload: w\nchakra: job\n"),
        std::string(
            "workload: w\nlayers: resnet50\ndata_parallel: 4\nbatch_per_npu: 16\neffective_rate: 1 TFLOPS\n"),
        std::string("experiment: e\nplatform: p.yaml\nworkload: {chakra: x.et, replicate: 4}\n"),
        std::string("experiment: e\nplatform: {extends: p.yaml, wafer: {width: 3}}\nworkload: w.yaml\n"),
        std::string("model: m\nlayers: [{name: a, parameters: 1, forward_operations: 2}]\n")})
    EXPECT_TRUE(all.accepts(as_json(text))) << text;
}

TEST(JsonSchema, RefusesWhatTheReaderRefuses) {
  const Validator all(json_schema(spec_file_kinds()));
  for (const std::string& text :
       {kMesh + "    link_bandwith: 1 GB/s\n", kMesh + "    link_latency: 20\n",
        kMesh + "    link_latency: 20 GB/s\n", kMesh + "    virtual_channels: 17\n",
        kMesh + "    virtual_channels: four\n", kMesh + "    input_queue: lifo\n",
        kMesh + "    link_latency: {value: 1 ns, provenence: P}\n", kMesh + "    failed_links: [[0, 1, 2]]\n",
        kMesh + "    classes: [{name: a, vc: 0}]\n", kMesh + "run: {checkers: 1}\n",
        kMesh + "    extends: x.yaml\n", std::string("platform: x\n"),
        std::string("platform: x\nwafer: {width: 1, height: 1}\n"), std::string("x: 1\n"),
        std::string("workload: w\n"), std::string("workload: w\nchakra: job\noverlap: true\n"),
        std::string("workload: w\nlayers: resnet50\n"), std::string("experiment: e\nplatform: p.yaml\n")})
    EXPECT_FALSE(all.accepts(as_json(text))) << text;
}

TEST(JsonSchema, EveryKeyIsDescribedAndOptionalOnesShowTheirDefault) {
  const Json schema = Json::parse(json_schema(spec_file_kind(*platform_type())));
  for (const auto& definition : schema.at("$defs").items())
    for (const auto& key : definition.value().at("properties").items())
      EXPECT_GT(key.value().at("description").get<std::string>().size(), 5U) << key.key();
  const Json latency = schema.at("$defs").at("fabric").at("properties").at("link_latency");
  EXPECT_EQ(latency.at("default"), "20 ns");
  EXPECT_NE(latency.at("description").get<std::string>().find("default: 20 ns"), std::string::npos);
  const Json required = schema.at("$defs").at("fabric").at("oneOf").at(0).at("required");
  EXPECT_EQ(required, Json::array({"link_bandwidth"}));
}

}  // namespace
}  // namespace wafertlm::config
