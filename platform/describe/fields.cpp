// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/fields.h"

#include <algorithm>

namespace wafertlm::results::schema {

Json described(Json schema, const char* description) {
  if (description) schema["description"] = description;
  return schema;
}
Json reference(const char* to, const char* description) {
  return described({{"$ref", std::string("#/$defs/") + to}}, description);
}
Json seconds(const char* description) { return reference("seconds", description); }
Json count(const char* description) { return reference("count", description); }
Json fraction(const char* description) { return reference("fraction", description); }
Json number(const char* description) { return described({{"type", "number"}, {"minimum", 0}}, description); }
Json positive() { return {{"type", "integer"}, {"minimum", 1}}; }
Json text(const char* description) { return described({{"type", "string"}}, description); }
Json boolean(const char* description) { return described({{"type", "boolean"}}, description); }
Json list(Json items, const char* description) {
  return described({{"type", "array"}, {"items", std::move(items)}}, description);
}
Json or_null(Json schema, const char* description) {
  return described({{"oneOf", {{{"type", "null"}}, std::move(schema)}}}, description);
}
Json map_of(Json values, const char* description) {
  return described({{"type", "object"}, {"additionalProperties", std::move(values)}}, description);
}
Json object(Json properties, const char* description, const std::vector<std::string>& optional) {
  Json required = Json::array();
  for (const auto& [name, value] : properties.items())
    if (std::find(optional.begin(), optional.end(), name) == optional.end()) required.push_back(name);
  return described({{"type", "object"},
                    {"additionalProperties", false},
                    {"required", std::move(required)},
                    {"properties", std::move(properties)}},
                   description);
}

Json document(const std::string& title, Json schema) {
  Json whole = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  whole.update(schema);
  if (!whole.contains("$defs")) whole["$defs"] = Json::object();
  whole["$defs"].update({{"seconds", number()},
                         {"count", {{"type", "integer"}, {"minimum", 0}}},
                         {"fraction", {{"type", "number"}, {"minimum", 0}, {"maximum", 1.000001}}}});
  return whole;
}

}  // namespace wafertlm::results::schema
