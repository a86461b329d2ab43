// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace wafertlm::results {

using Json = nlohmann::ordered_json;

/// What a value is, as JSON Schema; the common ones refer to $defs of results_schema().
namespace schema {
Json described(Json schema, const char* description);
Json reference(const char* to, const char* description = nullptr);
Json seconds(const char* description = nullptr);   ///< from 0 on
Json count(const char* description = nullptr);     ///< from 0 on
Json fraction(const char* description = nullptr);  ///< from 0 to 1
Json number(const char* description = nullptr);    ///< from 0 on
Json positive();                                   ///< a whole number from 1 on
Json text(const char* description = nullptr);
Json boolean(const char* description = nullptr);
Json list(Json items, const char* description = nullptr);
Json or_null(Json schema, const char* description);
/// Any names, each with such a value.
Json map_of(Json values, const char* description = nullptr);
/// An object of these fields and no other; those that are `optional` may be missing.
Json object(Json properties, const char* description = nullptr,
            const std::vector<std::string>& optional = {});
/// A schema that stands alone, with the $defs of those above.
Json document(const std::string& title, Json schema);
}  // namespace schema

/// The fields of a kind of row in results.json, in their order. A field is described here once, with its
/// name, what it is and how to get it; results.json and its schema are made from that.
template <typename Row>
class Fields {
 public:
  using Value = std::function<Json(const Row&)>;

  Fields() = default;
  explicit Fields(void (*describe)(Fields&)) { describe(*this); }
  /// A field that every row has.
  Fields& add(const char* name, Json schema, Value value) {
    fields_.push_back({name, std::move(schema), std::move(value), nullptr});
    return *this;
  }
  /// One that a row has if `is_there` says so.
  Fields& add_if(std::function<bool(const Row&)> is_there, const char* name, Json schema, Value value) {
    fields_.push_back({name, std::move(schema), std::move(value), std::move(is_there)});
    return *this;
  }
  /// An object of fields of the same row.
  Fields& add(const char* name, const Fields& nested, const char* description = nullptr) {
    return add(name, nested.schema(description), [nested](const Row& row) { return nested.json(row); });
  }
  Fields& add(const char* name, void (*describe)(Fields&), const char* description = nullptr) {
    return add(name, Fields(describe), description);
  }
  /// An object of another kind of row, which `get` gives; a list of such rows.
  template <typename Other, typename Get>
  Fields& add_object(const char* name, const Fields<Other>& other, Get get) {
    return add(name, other.schema(),
               [&other, get](const Row& row) { return other.json(std::invoke(get, row)); });
  }
  template <typename Other, typename Get>
  Fields& add_list(const char* name, const Fields<Other>& other, Get get) {
    return add(name, other.list_schema(),
               [&other, get](const Row& row) { return other.list(std::invoke(get, row)); });
  }

  Json json(const Row& row) const {
    Json::object_t json;
    json.reserve(fields_.size());
    for (const Field& field : fields_)
      if (!field.is_there || field.is_there(row)) json.emplace_back(field.name, field.value(row));
    return json;
  }
  Json schema(const char* description = nullptr) const {
    Json required = Json::array(), properties = Json::object();
    for (const Field& field : fields_) {
      if (!field.is_there) required.push_back(field.name);
      properties[field.name] = field.schema;
    }
    return schema::described({{"type", "object"},
                              {"additionalProperties", false},
                              {"required", std::move(required)},
                              {"properties", std::move(properties)}},
                             description);
  }
  /// All rows; none: [].
  template <typename Rows>
  Json list(const Rows& rows) const {
    Json list = Json::array();
    for (const Row& row : rows) list.push_back(json(row));
    return list;
  }
  Json list_schema(const char* description = nullptr) const { return schema::list(schema(), description); }

 private:
  struct Field {
    const char* name;
    Json schema;
    Value value;
    std::function<bool(const Row&)> is_there;  // none: always
  };
  std::vector<Field> fields_;
};

}  // namespace wafertlm::results
