// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/core.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/config/type.h"

namespace wafertlm::config {

/// What a key needs to have an effect, in words.
struct Condition {
  std::string key;                  ///< an earlier one of the struct; empty: `words`
  std::vector<std::string> values;  ///< that it must have; empty: it must be given
  std::string words;

  /// "'npu.hbm.level: burst' or 'npu.hbm.level: command'", for a struct at `path`.
  std::string text(const std::string& path) const;
};

/// One key of a struct, as the outside sees it.
struct Key {
  std::string name;
  std::string description;
  std::shared_ptr<const Type> type;
  bool required = false;
  std::size_t alternative = 0;  ///< 0: always; n: only in the n-th alternative form of the struct
  bool shorthand = false;       ///< `--set` may leave this key out: wafer.width for platform.wafer.width
  std::optional<Condition> when = {};  ///< none: it has an effect wherever it may stand

  /// In each file that does not choose another alternative.
  bool is_always_required() const { return required && !when; }
};

/// The keys of a struct without its C++ type: key checks, schema, files to load.
class StructType {
 public:
  explicit StructType(std::string name) : name_(std::move(name)) {}
  virtual ~StructType() = default;

  const std::string& name() const { return name_; }
  const std::vector<Key>& keys() const { return keys_; }
  const Key* find(const std::string& name) const;
  std::vector<std::string> key_names() const;
  /// "; it is called 'order' now" of a key's former name; empty: none was called so.
  std::string renaming_of(const std::string& former) const;
  /// Every path that leads to a value ("wafer.fabric.link_latency"), without shorthand keys.
  std::vector<std::string> all_paths() const;

  void load_files_below(Node& map) const;
  /// {"$ref": …} to a definition, which is added to `defs` if it is not there.
  Json reference(SchemaStyle style, SchemaDefs& defs) const;
  /// The same for a map that may say `extends`.
  Json file_reference(SchemaDefs& defs) const;

 protected:
  virtual Node defaults() const = 0;
  /// Checks the keys that are there, not their values. @return the alternative that they choose, or 0
  std::size_t check_keys(const Reader& in) const;
  [[noreturn]] void fail_missing(const Reader& in, const Key& key) const;
  /// `key` was written and its condition does not hold, because the other key has the value `actual`.
  [[noreturn]] void fail_without_effect(const Reader& in, const Key& key, const std::string& actual) const;

  std::vector<Key> keys_;
  /// If a key's value chooses the alternative: that key, and its value for each. The first is the default.
  std::string selector_;
  std::vector<std::string> selector_values_;
  std::vector<std::pair<std::string, std::string>> renamed_;  // former names of keys, and the new ones

 private:
  std::size_t chosen_alternative(const Reader& in) const;
  std::size_t selected_alternative(const Reader& in) const;
  /// What a key of this alternative goes with, in words.
  std::string form_name(std::size_t alternative) const;
  const Key& first_of(std::size_t alternative) const;
  Json property(const Key& key, const Node& default_value, SchemaStyle style, SchemaDefs& defs) const;
  Json alternatives_schema() const;

  std::string name_;
};

/// What a check over several values of a struct reports with. Values (not structs) are named by their
/// address, so that no key is written a second time.
class Check {
 public:
  using Locate = std::function<std::string(const void*)>;
  Check(const Reader& in, Locate locate) : in_(in), locate_(std::move(locate)) {}

  /// Path of a value from the top of the file.
  std::string path(const void* value) const;
  /// The file, or an override, has it; else it is the default.
  bool is_written(const void* value) const;
  /// @throws ConfigError at the first of these values that was written and is no default, else at the struct.
  [[noreturn]] void fail(const std::vector<const void*>& culprits, const std::string& message) const;
  /// The same with a text for fmt::format.
  template <class First, class... Rest>
  [[noreturn]] void fail(const std::vector<const void*>& culprits,
                         fmt::format_string<const First&, const Rest&...> text, const First& first,
                         const Rest&... rest) const {
    fail(culprits, fmt::format(text, first, rest...));
  }
  /// Fails at the first of these members of `spec` that does not have its default.
  template <class S, class... Members>
  void require_default(const S& spec, const std::string& message, Members... members) const {
    const S usual;
    const auto require = [&](auto member) {
      if (spec.*member != usual.*member) fail({&(spec.*member)}, message);
    };
    (require(members), ...);
  }

 private:
  const Reader& in_;
  Locate locate_;
};

/// A member of a member, for Struct: at(&S::outer, &Outer::inner).
template <class Outer, class Inner>
auto at(Outer outer, Inner inner) {
  return [=](auto& spec) -> auto& { return std::invoke(inner, std::invoke(outer, spec)); };
}

/// The one description of a struct S: its keys, their types, defaults (those of S{}) and rules between them.
template <class S>
class Struct : public TypeOf<S>, public StructType {
 public:
  using StructType::StructType;

  /// `member`: &S::member, or a function from S& to a reference inside it.
  template <class Member, class Value>
  Struct& required(std::string key, Member member, std::shared_ptr<Value> type, std::string description) {
    return add(std::move(key), member, TypePtr<ValueOf<Member>>(type), std::move(description), true);
  }
  template <class Member, class Value>
  Struct& optional(std::string key, Member member, std::shared_ptr<Value> type, std::string description) {
    return add(std::move(key), member, TypePtr<ValueOf<Member>>(type), std::move(description), false);
  }
  /// The keys that follow belong to one of several forms of the struct. Its first key tells it from the
  /// others; `selector` then holds `value`.
  template <class E>
  Struct& alternative(E S::*selector, E value) {
    alternatives_.push_back(
        {[=](const S& spec) { return spec.*selector == value; }, [=](S& spec) { spec.*selector = value; }});
    return *this;
  }
  /// The same, chosen by the value of an earlier key of type choice; without that key the first alternative.
  /// Values of this form are looked at only in a struct of this form.
  Struct& alternative(const std::string& key, const std::string& key_value,
                      std::function<bool(const S&)> is_chosen, std::function<void(S&)> choose) {
    selector_ = key;
    selector_values_.push_back(key_value);
    alternatives_.push_back({std::move(is_chosen), std::move(choose)});
    return *this;
  }
  /// The former name of a key; who uses it is told the new one.
  Struct& renamed(std::string from, std::string to) {
    renamed_.emplace_back(std::move(from), std::move(to));
    return *this;
  }
  /// The key before may be left out of `--set` paths.
  Struct& shorthand() {
    keys_.back().shorthand = true;
    return *this;
  }
  /// The key before has an effect only if an earlier key has one of these values. Elsewhere it is refused
  /// when it is written with another value than its default, and not required.
  template <class Member, class... Values>
  Struct& when(Member member, const Values&... values) {
    const std::size_t field = field_of(member);
    Condition condition{keys_[field].name, {}, {}};
    for (const ValueOf<Member>& value : {ValueOf<Member>(values)...}) {
      S example = initial(keys_[field].alternative);
      std::invoke(member, example) = value;
      condition.values.push_back(fields_[field].write(example)->text);
    }
    return set_condition(std::move(condition), [=](const S& spec) {
      const auto& actual = std::invoke(member, spec);
      return ((actual == values) || ...);
    });
  }
  /// The same, if an earlier key is given.
  template <class Member>
  Struct& when_given(Member member) {
    const std::size_t field = field_of(member);
    return set_condition({keys_[field].name, {}, {}},
                         [this, field](const S& spec) { return fields_[field].write(spec).has_value(); });
  }
  /// The same, if `holds`, which `words` describe behind "has no effect without".
  Struct& when_true(std::function<bool(const S&)> holds, std::string words) {
    return set_condition({{}, {}, std::move(words)}, std::move(holds));
  }
  /// A rule between values, called when all of them are read.
  Struct& check(std::function<void(const S&, const Check&)> rule) {
    rules_.push_back(std::move(rule));
    return *this;
  }

  S read(const Reader& in) const override;
  Node write(const S& spec) const override;
  std::optional<std::string> locate(const S& spec, const void* address) const override;
  Json schema(SchemaStyle style, SchemaDefs& defs) const override { return reference(style, defs); }
  const StructType* structure() const override { return this; }
  void load_files(Node& value) const override { load_files_below(value); }
  bool may_be_annotated() const override { return false; }

 protected:
  /// Of every form.
  Node defaults() const override;

 private:
  template <class Member>
  using ValueOf = std::decay_t<std::invoke_result_t<Member, S&>>;

  /// What the templates below need of one key, its C++ type forgotten.
  struct Field {
    std::function<void(const Reader&, S&)> read;
    std::function<std::optional<Node>(const S&)> write;
    std::function<std::optional<std::string>(const S&, const void*)> locate;
    std::function<bool(const S&)> has_effect = {};  // empty: always
  };
  struct Alternative {
    std::function<bool(const S&)> is_chosen;
    std::function<void(S&)> choose;
  };

  template <class Member, class T>
  Struct& add(std::string key, Member member, TypePtr<T> type, std::string description, bool required);
  template <class Member>
  std::size_t field_of(Member member) const;
  Struct& set_condition(Condition condition, std::function<bool(const S&)> holds) {
    keys_.back().when = std::move(condition);
    fields_.back().has_effect = std::move(holds);
    return *this;
  }
  void check_condition(std::size_t field, const S& spec, const Reader& in) const;
  /// The defaults of a form; 0: any.
  S initial(std::size_t alternative) const {
    S spec{};
    if (alternative > 0) alternatives_[alternative - 1].choose(spec);
    return spec;
  }
  std::size_t alternative_of(const S& spec) const;
  bool is_used(std::size_t field, std::size_t alternative) const {
    return keys_[field].alternative == 0 || keys_[field].alternative == alternative;
  }

  std::vector<Field> fields_;  // same order as keys_
  std::vector<Alternative> alternatives_;
  std::vector<std::function<void(const S&, const Check&)>> rules_;
};

template <class S>
template <class Member, class T>
Struct<S>& Struct<S>::add(std::string key, Member member, TypePtr<T> type, std::string description,
                          bool required) {
  Field field;
  field.read = [=](const Reader& in, S& spec) { std::invoke(member, spec) = read_value(*type, in); };
  field.write = [=](const S& spec) -> std::optional<Node> {
    const T& value = std::invoke(member, spec);
    return type->has_value(value) ? std::optional(type->write(value)) : std::nullopt;
  };
  field.locate = [=](const S& spec, const void* address) -> std::optional<std::string> {
    const T& value = std::invoke(member, spec);
    if (const auto below = type->locate(value, address)) return join_path(key, *below);
    return address == &value ? std::optional(key) : std::nullopt;
  };
  fields_.push_back(std::move(field));
  keys_.push_back({std::move(key), std::move(description), type, required, alternatives_.size()});
  return *this;
}

/// Of the key that describes this member; it must have been added.
template <class S>
template <class Member>
std::size_t Struct<S>::field_of(Member member) const {
  const S example{};
  const void* const address = &std::invoke(member, example);
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].locate(example, address) == keys_[i].name) return i;
  throw std::logic_error(name() + ": the key of a condition must stand before it");
}

template <class S>
void Struct<S>::check_condition(std::size_t field, const S& spec, const Reader& in) const {
  const Key& key = keys_[field];
  const bool is_written = in.node().find(key.name) != nullptr;
  if (fields_[field].has_effect(spec)) {
    if (key.required && !is_written) fail_missing(in, key);
    return;
  }
  if (!is_written) return;
  const std::optional<Node> value = fields_[field].write(spec),
                            usual = fields_[field].write(initial(key.alternative));
  if (value && usual ? same_values(*value, *usual) : !value && !usual) return;
  std::string actual;
  for (std::size_t i = 0; i < field; ++i)
    if (keys_[i].name == key.when->key)
      if (const std::optional<Node> other = fields_[i].write(spec)) actual = other->text;
  fail_without_effect(in, key, actual);
}

template <class S>
S Struct<S>::read(const Reader& in) const {
  const std::size_t alternative = check_keys(in);
  S spec = initial(alternative);
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (const Node* value = in.node().find(keys_[i].name))
      fields_[i].read(in.child(keys_[i].name, *value), spec);
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (keys_[i].when && is_used(i, alternative)) check_condition(i, spec, in);
  const Check check(in, [&](const void* address) { return locate(spec, address).value_or(""); });
  for (const auto& rule : rules_) rule(spec, check);
  return spec;
}

template <class S>
Node Struct<S>::write(const S& spec) const {
  Node map;
  map.kind = Node::Kind::map;
  const std::size_t alternative = alternative_of(spec);
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (is_used(i, alternative))
      if (std::optional<Node> value = fields_[i].write(spec)) map.add(keys_[i].name, std::move(*value));
  return map;
}

template <class S>
Node Struct<S>::defaults() const {
  Node map;
  map.kind = Node::Kind::map;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (std::optional<Node> value = fields_[i].write(initial(keys_[i].alternative)))
      map.add(keys_[i].name, std::move(*value));
  }
  return map;
}

template <class S>
std::optional<std::string> Struct<S>::locate(const S& spec, const void* address) const {
  const std::size_t alternative = alternative_of(spec);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!is_used(i, alternative)) continue;
    if (auto path = fields_[i].locate(spec, address)) return path;
  }
  return {};
}

template <class S>
std::size_t Struct<S>::alternative_of(const S& spec) const {
  for (std::size_t i = 0; i < alternatives_.size(); ++i)
    if (alternatives_[i].is_chosen(spec)) return i + 1;
  return 0;
}

Json file_or_schema(const StructType& type, SchemaDefs& defs);
void load_file_or_map(Node& value, const StructType& type);

/// A struct written in place, or the name of a YAML file that holds it.
template <class S>
class FileOr : public Like<S> {
 public:
  explicit FileOr(std::shared_ptr<const Struct<S>> type) : Like<S>(std::move(type)) {}
  Json schema(SchemaStyle, SchemaDefs& defs) const override {
    return file_or_schema(*this->structure(), defs);
  }
  void load_files(Node& value) const override { load_file_or_map(value, *this->structure()); }
};

}  // namespace wafertlm::config
