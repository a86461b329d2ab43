// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

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

/// Another type with a difference: what is not overridden is the other's.
template <class T>
class Like : public TypeOf<T> {
 public:
  explicit Like(TypePtr<T> type) : type_(std::move(type)) {}
  T read(const Reader& in) const override { return type_->read(in); }
  Node write(const T& value) const override { return type_->write(value); }
  bool has_value(const T& value) const override { return type_->has_value(value); }
  std::optional<std::string> locate(const T& value, const void* address) const override {
    return type_->locate(value, address);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override { return type_->schema(style, defs); }
  const StructType* structure() const override { return type_->structure(); }
  void load_files(Node& value) const override { type_->load_files(value); }
  bool may_be_annotated() const override { return type_->may_be_annotated(); }

 private:
  TypePtr<T> type_;
};

template <class T>
T read_value(const TypeOf<T>& type, const Reader& in) {
  if (type.may_be_annotated()) return type.read(in.value());
  if (in.node().kind != Node::Kind::map) in.record_place();
  return type.read(in);
}

}  // namespace wafertlm::config
