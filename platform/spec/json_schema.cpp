// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/json_schema.h"

#include "platform/describe/document.h"
#include "platform/spec/descriptions.h"

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

}  // namespace wafertlm::config
