// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/fields.h"

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

}  // namespace wafertlm::results::schema
