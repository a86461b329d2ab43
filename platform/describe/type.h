// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "platform/describe/node.h"
#include "platform/describe/reader.h"

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
  /// The keys of each item, for `--set list[0].key`; null when it is no list of structs.
  virtual const StructType* item_structure() const { return nullptr; }
  /// Replaces a value that names a file by what the file holds, also further below.
  virtual void load_files(Node& /*value*/) const {}
  /// May be written as {value: …, provenance: …}.
  virtual bool may_be_annotated() const { return true; }

  // What TypeOf does, for who has forgotten the C++ type: `value` points to one of it.
  virtual void read_at(void* value, const Reader& in) const = 0;
  virtual Node write_at(const void* value) const = 0;
  virtual bool has_value_at(const void* value) const = 0;
  virtual std::optional<std::string> locate_at(const void* value, const void* address) const = 0;

 protected:
  /// Where the value itself stands.
  Reader value_of(const Reader& in) const;
};

/// The same with the C++ type: reads and writes.
template <class T>
class TypeOf : public Type {
 public:
  /// A value that may stand beside its provenance.
  T read_value(const Reader& in) const { return read(value_of(in)); }
  virtual T read(const Reader& in) const = 0;
  /// In canonical units, exactly: equal texts mean equal values.
  virtual Node write(const T& value) const = 0;
  /// False for "not given", which is not written out.
  virtual bool has_value(const T& /*value*/) const { return true; }
  /// Path inside `value` ("fabric.classes[2].vc") of the part that lies at `address`; nullopt: none.
  virtual std::optional<std::string> locate(const T& /*value*/, const void* /*address*/) const { return {}; }

  void read_at(void* value, const Reader& in) const final { *static_cast<T*>(value) = read_value(in); }
  Node write_at(const void* value) const final { return write(*static_cast<const T*>(value)); }
  bool has_value_at(const void* value) const final { return has_value(*static_cast<const T*>(value)); }
  std::optional<std::string> locate_at(const void* value, const void* address) const final {
    return locate(*static_cast<const T*>(value), address);
  }
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
  const StructType* item_structure() const override { return type_->item_structure(); }
  void load_files(Node& value) const override { type_->load_files(value); }
  bool may_be_annotated() const override { return type_->may_be_annotated(); }

 private:
  TypePtr<T> type_;
};

}  // namespace wafertlm::config
