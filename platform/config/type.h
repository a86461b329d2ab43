// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "platform/config/node.h"
#include "platform/config/reader.h"

namespace wafertlm::config {

using Json = nlohmann::ordered_json;
class StructType;

/// How the schema of a struct is asked for: a file that `extends` another need not have the required keys.
enum class SchemaStyle : std::uint8_t { complete, changes };

/// Definitions ("$defs") that a schema refers to, by name.
using SchemaDefs = Json;

/// How one kind of value is written in YAML, whatever C++ type holds it.
class Type {
 public:
  virtual ~Type() = default;
  /// JSON Schema of the value.
  virtual Json schema(SchemaStyle style, SchemaDefs& defs) const = 0;
  /// The keys below, for `--set` paths; null when there are none.
  virtual const StructType* structure() const { return nullptr; }
  /// Replaces a value that names a file by what the file holds, also further below.
  virtual void load_files(Node& /*value*/) const {}
  /// May be written as {value: …, provenance: …}.
  virtual bool may_be_annotated() const { return true; }
};

/// The same with the C++ type: reads and writes.
template <class T>
class TypeOf : public Type {
 public:
  virtual T read(const Reader& in) const = 0;
  /// In canonical units, exactly: equal texts mean equal values.
  virtual Node write(const T& value) const = 0;
  /// False for "not given", which is not written out.
  virtual bool has_value(const T& /*value*/) const { return true; }
  /// Path inside `value` ("fabric.classes[2].vc") of the part that lies at `address`; nullopt: none.
  virtual std::optional<std::string> locate(const T& /*value*/, const void* /*address*/) const { return {}; }
};

template <class T>
using TypePtr = std::shared_ptr<const TypeOf<T>>;

template <class T>
T read_value(const TypeOf<T>& type, const Reader& in) {
  return type.read(type.may_be_annotated() ? in.value() : in);
}

}  // namespace wafertlm::config
