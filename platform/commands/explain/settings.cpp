// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "platform/spec/descriptions.h"
#include "platform/spec/experiment_spec.h"

namespace wafertlm {
namespace {

using config::Dimension;
using config::Node;
using Row = nlohmann::ordered_json;

/// All that a value may be, without the alternatives that are one word (auto); of words and a file's name the
/// words.
Row plain_schema(const config::Type& type) {
  Row definitions = Row::object();
  Row schema = type.schema(config::SchemaStyle::complete, definitions);
  while (schema.contains("anyOf")) {
    const Row forms = schema["anyOf"];
    schema = Row::object();
    for (const Row& form : forms)
      if (!form.contains("const") && !schema.contains("enum")) schema = form;
  }
  return schema;
}

const Dimension* dimension_of(const Row& schema) {
  const std::string pattern = schema.value("pattern", "");
  for (const Dimension* each :
       {&config::bandwidth_dimension(), &config::time_dimension(), &config::size_dimension(),
        &config::compute_rate_dimension(), &config::frequency_dimension(),
        &config::energy_per_bit_dimension(), &config::power_dimension()})
    if (each->pattern() == pattern) return each;
  return nullptr;
}

bool is_counted_in_whole(const Dimension& dimension) {
  return &dimension != &config::compute_rate_dimension() &&
         &dimension != &config::energy_per_bit_dimension() && &dimension != &config::power_dimension();
}

/// In base units.
std::optional<double> quantity_of(const Dimension& dimension, const std::string& text) {
  try {
    return is_counted_in_whole(dimension) ? static_cast<double>(config::parse_whole(dimension, text))
                                          : config::parse_real(dimension, text);
  } catch (const config::QuantityError&) {
    return {};  // a word in place of it
  }
}

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return {};
  return value;
}

std::optional<double> value_of(const Setting& setting) {
  return setting.kind == Setting::Kind::quantity ? quantity_of(*setting.dimension, setting.value)
                                                 : number_of(setting.value);
}

/// nullopt: its value is no number and no word of several.
std::optional<Setting> setting_of(const std::string& key, const config::Type& type, const Node& value) {
  Setting setting{key, value.text};
  const Row schema = plain_schema(type);
  const std::string kind = schema.contains("type") && schema["type"].is_string() ? schema["type"] : "";
  if (schema.contains("enum") || kind == "boolean") {
    const std::vector<std::string> words = kind == "boolean" ? std::vector<std::string>{"false", "true"}
                                                             : schema["enum"].get<std::vector<std::string>>();
    for (const std::string& word : words)
      if (word != value.text) setting.choices.push_back(word);
    return setting;
  }
  setting.dimension = dimension_of(schema);
  if (setting.dimension != nullptr)
    setting.kind = Setting::Kind::quantity;
  else if (kind == "integer")
    setting.kind = Setting::Kind::integer;
  else if (kind == "number")
    setting.kind = Setting::Kind::number;
  else
    return {};
  if (!value_of(setting)) return {};
  return setting;
}

const Node& bare(const Node& node) {
  return config::is_annotated(node) ? *node.find(config::kValueKey) : node;
}

/// False of a key that its condition leaves without effect in this map.
bool may_have_effect(const config::Key& key, const Node& map) {
  if (!key.when || key.when->key.empty()) return true;
  const Node* const other = map.find(key.when->key);
  if (other == nullptr) return false;
  const std::vector<std::string>& values = key.when->values;
  return values.empty() || std::find(values.begin(), values.end(), bare(*other).text) != values.end();
}

void collect(const Node& map, const config::StructType& type, const std::string& above, bool of_platform,
             std::vector<Setting>& all) {
  for (const Node::Entry& entry : map.entries) {
    const config::Key* key = type.find(entry.key);
    if (key == nullptr || !may_have_effect(*key, map)) continue;
    const Node& value = bare(entry.value);
    const std::string path = key->shorthand ? "" : above + entry.key;
    const bool is_platform = of_platform || key->shorthand;
    const config::StructType* const below = key->type->structure();
    const config::StructType* const items = key->type->item_structure();
    if (value.kind == Node::Kind::map && below != nullptr) {
      collect(value, *below, path.empty() ? "" : path + ".", is_platform, all);
    } else if (value.kind == Node::Kind::list && items != nullptr) {
      for (std::size_t k = 0; k < value.items.size(); ++k)
        collect(value.items[k], *items, fmt::format("{}[{}].", path, k), is_platform, all);
    } else if (value.kind == Node::Kind::scalar) {
      if (auto setting = setting_of(path, *key->type, value)) {
        setting->of_platform = is_platform || is_compute_rate(*setting);
        all.push_back(std::move(*setting));
      }
    }
  }
}

bool begins(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

}  // namespace

bool is_compute_rate(const Setting& setting) {
  return setting.dimension == &config::compute_rate_dimension();
}

bool Setting::is_of_simulation() const {
  return begins(key, "run.") || key == "iterations" || key == "list_all_iterations" || begins(key, "costs.");
}

std::vector<Setting> settings_of(const Node& experiment) {
  std::vector<Setting> all;
  collect(experiment, *config::experiment_type(), "", false, all);
  return all;
}

std::optional<std::string> scaled(const Setting& setting, double factor) {
  const std::optional<double> before = value_of(setting);
  if (!before || *before == 0) return {};
  // A tenth is no double: without what is beyond any meaning.
  const double after = std::strtod(fmt::format("{:.12g}", *before * factor).c_str(), nullptr);
  constexpr double kMostExact = 9e15;  // of whole numbers
  std::string text;
  if (setting.kind == Setting::Kind::number) {
    text = fmt::format("{}", after);
  } else if (setting.kind == Setting::Kind::quantity && !is_counted_in_whole(*setting.dimension)) {
    text = config::format_real(*setting.dimension, after);
  } else {
    if (after > kMostExact) return {};
    double whole = std::round(after);
    if (whole == *before) whole += factor > 1 ? 1 : -1;
    const auto value = static_cast<std::uint64_t>(whole);
    text = setting.kind == Setting::Kind::quantity ? config::format_whole(*setting.dimension, value)
                                                   : std::to_string(value);
  }
  if (text == setting.value) return {};
  return text;
}

std::vector<double> promising_factors(const Setting& setting) {
  constexpr double kMore = 2, kLess = 0.5;
  if (setting.dimension == &config::time_dimension()) return {kLess};
  if (setting.dimension == &config::bandwidth_dimension() ||
      setting.dimension == &config::compute_rate_dimension() ||
      setting.dimension == &config::frequency_dimension())
    return {kMore};
  return {kMore, kLess};
}

bool is_design_choice(const Setting& setting) {
  static const std::set<std::string> of_the_model = {"collectives.equal_pieces", "workload.layers",
                                                     "workload.dependencies", "workload.communication",
                                                     "workload.uneven"};
  const std::string& key = setting.key;
  if (setting.is_numeric() || begins(key, "workload.model.") || of_the_model.count(key) != 0) return false;
  if (begins(key, "collectives.by_type.") || begins(key, "collectives.partial_groups.")) return false;
  return begins(key, "collectives.") || begins(key, "sequencer.") || begins(key, "workload.") ||
         key == "wafer.fabric.input_queue" || key == "npu.injection.order";
}

}  // namespace wafertlm
