// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/describe/type.h"
#include "platform/text/quantity.h"

namespace wafertlm::config {

/// Any text that is not empty.
TypePtr<std::string> text();
/// A name of letters, digits, '_' and '-'.
TypePtr<std::string> word();
/// A path relative to the file that mentions it; held as an absolute path. @param presets folder below
/// configs/
/// ("platforms", kAnyPresets) whose files may be named without it
TypePtr<std::string> file_path(const std::string& meaning, const std::string& presets = {});
TypePtr<bool> boolean();
/// A plain number, without a unit.
TypePtr<double> number(double least, double most);

/// Quantities with units; the range is written with units too ("1 B", "16 MiB") and includes its ends.
TypePtr<std::uint64_t> whole_quantity(const Dimension& dimension, std::string_view least,
                                      std::string_view most);
TypePtr<double> real_quantity(const Dimension& dimension, std::string_view least, std::string_view most);
TypePtr<std::uint64_t> any_size(std::string_view least, std::string_view most);
/// From 1 FLOPS to 9 EFLOPS, which 63 bits can count.
TypePtr<double> any_compute_rate();
/// From 1 B/s to 9 PB/s.
TypePtr<std::uint64_t> any_bandwidth();
/// From `least` to 1 s.
TypePtr<std::uint64_t> any_time(std::string_view least = "0 ps");

/// A number without a unit ("1e-12"), from 0 to `most`.
TypePtr<double> fraction(double most);

/// The word `automatic`, held as nullopt, or a value of another type.
TypePtr<std::optional<std::uint64_t>> auto_or(TypePtr<std::uint64_t> type);
/// The same with the word `none`.
TypePtr<std::optional<std::uint64_t>> none_or(TypePtr<std::uint64_t> type);

/// A type of whole numbers, held as a T, which its range must fit.
template <class T>
TypePtr<T> held_as(TypePtr<std::uint64_t> type) {
  class HeldAs : public TypeOf<T> {
   public:
    explicit HeldAs(TypePtr<std::uint64_t> type) : type_(std::move(type)) {}
    T read(const Reader& in) const override { return static_cast<T>(type_->read(in)); }
    Node write(const T& value) const override { return type_->write(value); }
    Json schema(SchemaStyle style, SchemaDefs& defs) const override { return type_->schema(style, defs); }

   private:
    TypePtr<std::uint64_t> type_;
  };
  return std::make_shared<HeldAs>(std::move(type));
}

/// The word `auto`, held as `automatic`, or a value of another type.
template <class T>
TypePtr<T> auto_or(TypePtr<std::uint64_t> type, T automatic) {
  class AutoOrValue : public TypeOf<T> {
   public:
    AutoOrValue(TypePtr<std::uint64_t> type, T automatic)
        : type_(auto_or(std::move(type))), automatic_(automatic) {}
    T read(const Reader& in) const override {
      const std::optional<std::uint64_t> value = type_->read(in);
      return value ? static_cast<T>(*value) : automatic_;
    }
    Node write(const T& value) const override {
      return type_->write(value == automatic_ ? std::nullopt : std::optional<std::uint64_t>(value));
    }
    Json schema(SchemaStyle style, SchemaDefs& defs) const override { return type_->schema(style, defs); }

   private:
    TypePtr<std::optional<std::uint64_t>> type_;
    T automatic_;
  };
  return std::make_shared<AutoOrValue>(std::move(type), automatic);
}

// The parts that do not depend on the C++ type.
Json integer_schema(std::uint64_t least, std::uint64_t most);
Json list_schema(Json item, std::size_t least, std::size_t most);
class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {}
  /// @return the number of the word, from 0
  std::size_t read(const Reader& in) const;
  Node write(std::size_t number) const;
  Json schema() const;

 private:
  std::vector<std::string> words_;
};
void check_length(const Reader& in, std::size_t least, std::size_t most);

/// A whole number from least to most; T is an integer or a strong index.
template <class T>
TypePtr<T> integer(std::uint64_t least, std::uint64_t most) {
  class Integer : public TypeOf<T> {
   public:
    Integer(std::uint64_t least, std::uint64_t most) : least_(least), most_(most) {}
    T read(const Reader& in) const override { return static_cast<T>(in.integer(least_, most_)); }
    Node write(const T& value) const override {
      return Node::scalar(std::to_string(static_cast<std::uint64_t>(value)));
    }
    Json schema(SchemaStyle, SchemaDefs&) const override { return integer_schema(least_, most_); }

   private:
    std::uint64_t least_, most_;
  };
  return std::make_shared<Integer>(least, most);
}

/// One of the words of an enumeration's values, in their order.
template <class E>
TypePtr<E> one_of(std::vector<std::string> words) {
  class OneOf : public TypeOf<E> {
   public:
    explicit OneOf(std::vector<std::string> words) : words_(std::move(words)) {}
    E read(const Reader& in) const override { return static_cast<E>(words_.read(in)); }
    Node write(const E& value) const override { return words_.write(static_cast<std::size_t>(value)); }
    Json schema(SchemaStyle, SchemaDefs&) const override { return words_.schema(); }

   private:
    Words words_;
  };
  return std::make_shared<OneOf>(std::move(words));
}

/// One of some words, each standing for a value.
template <class T>
TypePtr<T> choice(const std::vector<std::pair<std::string, T>>& options) {
  class Choice : public TypeOf<T> {
   public:
    Choice(std::vector<std::string> words, std::vector<T> values)
        : words_(std::move(words)), values_(std::move(values)) {}
    T read(const Reader& in) const override { return values_[words_.read(in)]; }
    Node write(const T& value) const override {
      std::size_t i = 0;
      while (values_[i] != value) ++i;
      return words_.write(i);
    }
    Json schema(SchemaStyle, SchemaDefs&) const override { return words_.schema(); }

   private:
    Words words_;
    std::vector<T> values_;
  };
  std::vector<std::string> words;
  std::vector<T> values;
  for (const auto& [word, value] : options) {
    words.push_back(word);
    values.push_back(value);
  }
  return std::make_shared<Choice>(std::move(words), std::move(values));
}
/// One of some words, which stand for themselves.
TypePtr<std::string> one_of(const std::vector<std::string>& words);

/// A value that need not be given.
template <class T>
TypePtr<std::optional<T>> maybe(TypePtr<T> type) {
  class Maybe : public TypeOf<std::optional<T>> {
   public:
    explicit Maybe(TypePtr<T> type) : type_(std::move(type)) {}
    std::optional<T> read(const Reader& in) const override { return type_->read(in); }
    Node write(const std::optional<T>& value) const override { return type_->write(*value); }
    bool has_value(const std::optional<T>& value) const override { return value.has_value(); }
    std::optional<std::string> locate(const std::optional<T>& value, const void* address) const override {
      return value ? type_->locate(*value, address) : std::nullopt;
    }
    Json schema(SchemaStyle style, SchemaDefs& defs) const override { return type_->schema(style, defs); }
    const StructType* structure() const override { return type_->structure(); }
    const StructType* item_structure() const override { return type_->item_structure(); }
    bool may_be_annotated() const override { return type_->may_be_annotated(); }
    void load_files(Node& value) const override { type_->load_files(value); }

   private:
    TypePtr<T> type_;
  };
  return std::make_shared<Maybe>(std::move(type));
}

/// A value that may be left out where `none` means that it was.
template <class T>
TypePtr<T> or_none(TypePtr<T> type, T none) {
  class OrNone : public Like<T> {
   public:
    OrNone(TypePtr<T> type, T none) : Like<T>(std::move(type)), none_(none) {}
    bool has_value(const T& value) const override { return value != none_; }

   private:
    T none_;
  };
  return std::make_shared<OrNone>(std::move(type), none);
}

/// A list of least to most values.
template <class T>
TypePtr<std::vector<T>> list_of(TypePtr<T> type, std::size_t least, std::size_t most) {
  class List : public TypeOf<std::vector<T>> {
   public:
    List(TypePtr<T> type, std::size_t least, std::size_t most)
        : type_(std::move(type)), least_(least), most_(most) {}
    std::vector<T> read(const Reader& in) const override {
      check_length(in, least_, most_);
      std::vector<T> values;
      for (std::size_t i = 0; i < in.node().items.size(); ++i)
        values.push_back(type_->read_value(in.item(i)));
      return values;
    }
    const StructType* item_structure() const override { return type_->structure(); }
    Node write(const std::vector<T>& values) const override {
      std::vector<Node> items;
      items.reserve(values.size());
      for (const T& value : values) items.push_back(type_->write(value));
      return Node::list(std::move(items));
    }
    std::optional<std::string> locate(const std::vector<T>& values, const void* address) const override {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (const auto below = type_->locate(values[i], address)) return join_path(item_path("", i), *below);
        if (address == &values[i]) return item_path("", i);
      }
      return {};
    }
    Json schema(SchemaStyle, SchemaDefs& defs) const override {
      // A list is always written whole.
      return list_schema(type_->schema(SchemaStyle::complete, defs), least_, most_);
    }

   private:
    TypePtr<T> type_;
    std::size_t least_, most_;
  };
  return std::make_shared<List>(std::move(type), least, most);
}

/// Exactly two values.
template <class T>
TypePtr<std::pair<T, T>> pair_of(TypePtr<T> type) {
  class Pair : public TypeOf<std::pair<T, T>> {
   public:
    explicit Pair(TypePtr<T> type) : list_(list_of(std::move(type), 2, 2)) {}
    std::pair<T, T> read(const Reader& in) const override {
      const std::vector<T> values = list_->read(in);
      return {values[0], values[1]};
    }
    Node write(const std::pair<T, T>& value) const override {
      return list_->write({value.first, value.second});
    }
    Json schema(SchemaStyle style, SchemaDefs& defs) const override { return list_->schema(style, defs); }

   private:
    TypePtr<std::vector<T>> list_;
  };
  return std::make_shared<Pair>(std::move(type));
}

}  // namespace wafertlm::config
