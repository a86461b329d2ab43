// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/json_schema.h"

namespace wafertlm::config {

namespace {

std::string with_header(const std::string& title, const Json& schema, const SchemaDefs& defs) {
  Json result{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  result.update(schema);
  result["$defs"] = defs;
  return result.dump(2) + "\n";
}

/// A file that only extends another may leave out the key that tells its kind.
Json any_changes(const std::vector<FileKind>& kinds, SchemaDefs& defs) {
  Json choices = Json::array();
  for (const FileKind& kind : kinds) choices.push_back(kind.type->reference(SchemaStyle::changes, defs));
  return {{"required", {kExtendsKey}}, {"anyOf", choices}};
}

}  // namespace

std::string json_schema(const std::vector<FileKind>& kinds) {
  SchemaDefs defs = Json::object();
  for (const FileKind& kind : kinds) kind.type->file_reference(defs);
  Json schema = any_changes(kinds, defs);
  const std::vector<const FileKind*> order = in_order_of_keys(kinds);
  for (auto kind = order.rbegin(); kind != order.rend(); ++kind) {
    Json choice{{"if", {{"required", {(*kind)->key()}}}}};
    choice["then"] = (*kind)->type->file_reference(defs);
    choice["else"] = schema;
    schema = choice;
  }
  return with_header("WaferTLM configuration file", schema, defs);
}

std::string json_schema(const FileKind& kind) {
  SchemaDefs defs = Json::object();
  Json schema = kind.type->file_reference(defs);
  schema["description"] = kind.summary;
  return with_header("WaferTLM " + kind.key() + " file", schema, defs);
}

}  // namespace wafertlm::config
