// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/check/key_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/describe/struct_type.h"

namespace wafertlm {
namespace {

using config::Json;
using config::StructType;

/// {value, provenance} may stand in place of any value.
bool is_annotated_form(const Json& form) {
  return form.contains("properties") && form.at("properties").contains("provenance");
}

/// The first form that tells of a quantity, of a value that may be written in several.
const Json* quantity_in(const Json& schema) {
  if (schema.contains("examples")) return &schema;
  if (schema.contains("anyOf"))
    for (const Json& form : schema.at("anyOf"))
      if (!is_annotated_form(form))
        if (const Json* const found = quantity_in(form)) return found;
  return nullptr;
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string several(const Json& forms) {
  std::vector<std::string> words;
  for (const Json& form : forms) {
    if (is_annotated_form(form)) continue;
    const std::string each = value_words(form);
    if (!each.empty() && std::find(words.begin(), words.end(), each) == words.end()) words.push_back(each);
  }
  return fmt::format("{}", fmt::join(words, " or "));
}

/// Walks a kind's keys.
class Walk {
 public:
  Walk(std::string kind, std::vector<KeyRow>& rows) : kind_(std::move(kind)), rows_(rows) {}

  void below(const StructType& type, const std::string& above) {
    if (std::find(open_.begin(), open_.end(), &type) != open_.end()) return;  // it holds itself
    open_.push_back(&type);
    config::SchemaDefs defs = Json::object();
    type.reference(config::SchemaStyle::complete, defs);
    for (const config::Key& key : type.keys())
      add(key, defs.at(type.name()).at("properties").at(key.name), above);
    open_.pop_back();
  }

 private:
  void add(const config::Key& key, const Json& property, const std::string& above) {
    const std::string path = above.empty() ? key.name : above + "." + key.name;
    const Json* const quantity = quantity_in(property);
    std::string words = quantity == nullptr ? "" : quantity->value("description", "");
    KeyRow row{kind_, path, value_words(property), words.substr(0, words.find(" from")), {}, key.description};
    if (property.contains("default")) row.usual = text_of(property.at("default"));
    if (key.required) row.usual = "required";
    if (key.when) row.what += "; only with " + key.when->text(above);
    rows_.push_back(std::move(row));
    if (const StructType* const map = key.type->structure()) below(*map, path);
    if (const StructType* const item = key.type->item_structure()) below(*item, path + "[]");
  }

  std::string kind_;
  std::vector<KeyRow>& rows_;
  std::vector<const StructType*> open_;
};

}  // namespace

std::string value_words(const Json& schema) {
  if (schema.contains("$ref") || schema.contains("if")) return "keys below";
  if (schema.contains("const")) return text_of(schema.at("const"));
  if (schema.contains("enum")) {
    std::vector<std::string> words;
    for (const Json& word : schema.at("enum")) words.push_back(text_of(word));
    return fmt::format("{}", fmt::join(words, ", "));
  }
  for (const char* const forms : {"anyOf", "oneOf"})
    if (schema.contains(forms)) return several(schema.at(forms));
  if (schema.contains("examples"))
    return fmt::format("{}, such as {}", schema.value("description", ""), text_of(schema.at("examples")[0]));
  const Json type = schema.contains("type") ? schema.at("type") : Json("text");
  if (type == "array")
    return "list of " + (schema.contains("items") ? value_words(schema.at("items")) : std::string("values"));
  if (type == "boolean") return "true, false";
  if (schema.contains("minimum"))
    return fmt::format("{}, {}{}", text_of(type), schema.at("minimum").dump(),
                       schema.contains("maximum") ? " to " + schema.at("maximum").dump() : " or more");
  return type == "string" || type.is_array() ? "text" : text_of(type);
}

std::vector<KeyRow> key_rows(const std::vector<config::FileKind>& kinds) {
  std::vector<KeyRow> rows;
  for (const config::FileKind& kind : kinds) Walk(kind.key(), rows).below(*kind.type, "");
  return rows;
}

}  // namespace wafertlm
