// SPDX-License-Identifier: Apache-2.0
#include "platform/config/json_schema.h"

#include "platform/config/descriptions.h"
#include "platform/config/document.h"

namespace wafertlm::config {

namespace {

const StructType& type_of(FileKind kind) {
  // By FileKind.
  const StructType* const types[] = {platform_type().get(), experiment_type().get(), workload_type().get(),
                                     model_type().get(), study_type().get()};
  return *types[static_cast<std::size_t>(kind)];
}

Json with_header(const std::string& title, const Json& schema, const SchemaDefs& defs) {
  Json result{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  result.update(schema);
  result["$defs"] = defs;
  return result;
}

/// A file that only extends another may leave out the key that tells its kind.
Json any_changes(SchemaDefs& defs) {
  Json choices = Json::array();
  for (const FileKind kind :
       {FileKind::platform, FileKind::experiment, FileKind::workload, FileKind::model, FileKind::study})
    choices.push_back(type_of(kind).reference(SchemaStyle::changes, defs));
  return {{"required", {kExtendsKey}}, {"anyOf", choices}};
}

}  // namespace

std::string json_schema() {
  SchemaDefs defs = Json::object();
  Json schema;
  std::vector<Json> kinds;
  for (const FileKind kind :
       {FileKind::experiment, FileKind::platform, FileKind::workload, FileKind::model, FileKind::study}) {
    Json choice{{"if", {{"required", {type_of(kind).keys().front().name}}}}};
    choice["then"] = type_of(kind).file_reference(defs);
    kinds.push_back(choice);
  }
  schema = any_changes(defs);
  for (auto choice = kinds.rbegin(); choice != kinds.rend(); ++choice) {
    (*choice)["else"] = schema;
    schema = *choice;
  }
  return with_header("WaferTLM configuration file", schema, defs).dump(2) + "\n";
}

std::string json_schema(FileKind kind) {
  SchemaDefs defs = Json::object();
  const Json schema = type_of(kind).file_reference(defs);
  return with_header("WaferTLM " + type_of(kind).keys().front().name + " file", schema, defs).dump(2) + "\n";
}

Json to_json(const Node& node) {
  Json result;
  switch (node.kind) {
    case Node::Kind::empty:
      return nullptr;
    case Node::Kind::scalar:
      if (node.quoted) return node.text;
      if (node.text == "true" || node.text == "false") return node.text == "true";
      if (node.text.find_first_not_of("0123456789") == std::string::npos) return std::stoull(node.text);
      if (result = Json::parse(node.text, nullptr, false); result.is_number()) return result;
      return node.text;
    case Node::Kind::list:
      result = Json::array();
      for (const Node& item : node.items) result.push_back(to_json(item));
      return result;
    case Node::Kind::map:
      result = Json::object();
      for (const Node::Entry& entry : node.entries) result[entry.key] = to_json(entry.value);
      return result;
  }
  return result;
}

}  // namespace wafertlm::config
