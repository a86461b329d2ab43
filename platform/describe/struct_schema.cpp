// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of a struct's description.
#include <fmt/format.h>

#include "platform/describe/document.h"
#include "platform/describe/node_json.h"
#include "platform/describe/struct_type.h"

namespace wafertlm::config {

namespace {

Json annotated_schema(const Json& value) {
  return {{"type", "object"},
          {"properties", {{kValueKey, value}, {kProvenanceKey, {{"type", "string"}}}}},
          {"required", {kValueKey}},
          {"additionalProperties", false}};
}

Json requires_key(std::string_view key) { return {{"required", {key}}}; }

}  // namespace

Json StructType::property(const Key& key, const Node& default_value, SchemaStyle style,
                          SchemaDefs& defs) const {
  const std::string description =
      key.description + (key.when ? "; only with " + key.when->text("") : std::string());
  Json property{{"description", description}};
  if (!key.required && default_value.kind == Node::Kind::scalar) {
    property["description"] = fmt::format("{} (default: {})", description, default_value.text);
  }
  if (!key.required && key.type->structure() == nullptr && default_value.kind != Node::Kind::empty)
    property["default"] = to_json(default_value);
  const Json value = key.type->schema(style, defs);
  if (key.type->may_be_annotated())
    property["anyOf"] = {value, annotated_schema(value)};
  else
    property.update(value);
  return property;
}

Json StructType::alternatives_schema() const {
  Json forms = Json::array();
  for (std::size_t i = 1; i <= keys_.back().alternative; ++i) {
    Json form{{"required", Json::array()}, {"properties", Json::object()}};
    for (const Key& key : keys_) {
      if (key.alternative == i && key.is_always_required()) form["required"].push_back(key.name);
      if (key.alternative != i && key.alternative != 0) form["properties"][key.name] = false;
    }
    if (!selector_.empty()) {
      const Json value{{"const", selector_values_[i - 1]}};
      form["properties"][selector_] = {{"anyOf", {value, annotated_schema(value)}}};
      if (i > 1) form["required"].push_back(selector_);
    }
    forms.push_back(form);
  }
  return forms;
}

Json StructType::reference(SchemaStyle style, SchemaDefs& defs) const {
  const std::string name = style == SchemaStyle::complete ? name_ : name_ + "_changes";
  Json reference{{"$ref", "#/$defs/" + name}};
  if (defs.contains(name)) return reference;
  defs[name] = Json::object();  // keeps the order of definitions: outer ones first
  const Node default_values = defaults();
  Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  if (style == SchemaStyle::complete) schema["required"] = Json::array();
  for (const Key& key : keys_) {
    const Node* default_value = default_values.find(key.name);
    schema["properties"][key.name] =
        property(key, default_value == nullptr ? Node() : *default_value, style, defs);
    if (style == SchemaStyle::complete && key.is_always_required() && key.alternative == 0)
      schema["required"].push_back(key.name);
  }
  if (style == SchemaStyle::complete && keys_.back().alternative > 0) schema["oneOf"] = alternatives_schema();
  defs[name] = schema;
  return reference;
}

Json StructType::file_reference(SchemaDefs& defs) const {
  Json choice{{"if", requires_key(kExtendsKey)}};
  choice["then"] = reference(SchemaStyle::changes, defs);
  defs[name_ + "_changes"]["properties"][std::string(kExtendsKey)] = {
      {"type", "string"}, {"description", "The file that this one changes, relative to this file"}};
  choice["else"] = reference(SchemaStyle::complete, defs);
  return choice;
}

Json file_or_schema(const StructType& type, SchemaDefs& defs) {
  const Json path{{"type", "string"}, {"description", "Path of a YAML file, relative to this file"}};
  return {{"anyOf", {path, type.file_reference(defs)}}};
}

}  // namespace wafertlm::config
