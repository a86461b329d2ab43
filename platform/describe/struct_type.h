// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/core.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/describe/type.h"

namespace wafertlm::config {

/// What a key needs to have an effect, in words.
struct Condition {
  std::string key;                  ///< an earlier one of the struct, which decides; empty: several
  std::vector<std::string> values;  ///< that it must have; empty: it must be given
  std::string words;                ///< in place of these

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

class Check;

/// A struct without its C++ type: keys, values, schema, files to load. Its values are passed as pointers.
class StructType {
 public:
  explicit StructType(std::string name) : name_(std::move(name)) {}
  virtual ~StructType() = default;

  const std::string& name() const { return name_; }
  /// The folder below configs/ that has presets of this kind ("platforms"); "": there are none.
  const std::string& presets() const { return presets_; }
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
  /// A struct of default values.
  virtual std::shared_ptr<void> make() const = 0;

  void add(std::string_view name, std::shared_ptr<const Type> type, std::string_view description,
           bool is_required, std::function<void*(void*)> member);
  void set_condition(Condition condition, std::function<bool(const void*)> holds);
  /// The key whose value lies at `address` in `spec`; it must have been added. @return its place among the
  /// keys
  std::size_t key_at(const void* spec, const void* address) const;

  /// Reads and checks the values that the file has into a struct of default values.
  void read_into(void* spec, const Reader& in) const;
  Node write_from(const void* spec) const;
  std::optional<Node> write_value(std::size_t key, const void* spec) const;
  std::optional<std::string> locate_in(const void* spec, const void* address) const;
  /// The defaults of a form; 0: any.
  std::shared_ptr<void> initial(std::size_t alternative) const;
  Node defaults() const;

  struct Alternative {
    std::function<bool(const void*)> is_chosen;
    std::function<void(void*)> choose;
  };
  std::vector<Key> keys_;
  std::string presets_;
  std::vector<Alternative> alternatives_;
  std::vector<std::function<void(const void*, const Check&)>> rules_;
  /// If a key's value chooses the alternative: that key, and its value for each. The first is the default.
  std::string selector_;
  std::vector<std::string> selector_values_;
  std::vector<std::pair<std::string, std::string>> renamed_;  // former names of keys, and the new ones

 private:
  struct Field {
    std::function<void*(void*)> member;                // where the value lies in a struct
    std::function<bool(const void*)> has_effect = {};  // empty: always
  };

  const void* value_of(std::size_t key, const void* spec) const;
  std::optional<std::string> locate_below(std::size_t key, const void* spec, const void* address) const;
  void check_condition(std::size_t key, const void* spec, const Reader& in) const;
  std::size_t alternative_of(const void* spec) const;
  bool is_used(std::size_t key, std::size_t alternative) const {
    return keys_[key].alternative == 0 || keys_[key].alternative == alternative;
  }

  /// Checks the keys that are there, not their values. @return the alternative that they choose, or 0
  std::size_t check_keys(const Reader& in) const;
  [[noreturn]] void fail_missing(const Reader& in, const Key& key) const;
  /// Fails at `chooser` if it was written later than `key`, which goes `with` another value of it.
  void blame_choice(const Reader& in, const std::string& chooser, const std::string& key,
                    const std::string& with) const;
  /// `key` was written and its condition does not hold, because the other key has the value `actual`.
  [[noreturn]] void fail_without_effect(const Reader& in, const Key& key, const std::string& actual) const;
  std::size_t chosen_alternative(const Reader& in) const;
  std::size_t selected_alternative(const Reader& in) const;
  /// What a key of this alternative goes with, in words.
  std::string form_name(std::size_t alternative) const;
  const Key& first_of(std::size_t alternative) const;
  Json property(const Key& key, const Node& default_value, SchemaStyle style, SchemaDefs& defs) const;
  Json alternatives_schema() const;

  std::string name_;
  std::vector<Field> fields_;  // same order as keys_
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
  /// @throws ConfigError at that of these values which was written last, of several the first; else at the
  /// struct. std::logic_error: one is at no key.
  [[noreturn]] void fail(const std::vector<const void*>& culprits, const std::string& message) const;
  /// The same with a text for fmt::format.
  template <class First, class... Rest>
  [[noreturn]] void fail(const std::vector<const void*>& culprits,
                         fmt::format_string<const First&, const Rest&...> text, const First& first,
                         const Rest&... rest) const {
    fail(culprits, fmt::format(text, first, rest...));
  }
  /// Fails at the first of these members of `spec` that does not have its default, or at the `reasons` for
  /// it.
  template <class S, class... Members>
  void require_default(const S& spec, const std::vector<const void*>& reasons, const std::string& message,
                       Members... members) const {
    const S usual;
    const auto require = [&](auto member) {
      if (spec.*member == usual.*member) return;
      std::vector<const void*> culprits{&(spec.*member)};
      culprits.insert(culprits.end(), reasons.begin(), reasons.end());
      fail(culprits, message);
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
  Struct& required(std::string_view key, Member member, const std::shared_ptr<Value>& type,
                   std::string_view description) {
    return add_member(key, member, TypePtr<ValueOf<Member>>(type), description, true);
  }
  template <class Member, class Value>
  Struct& optional(std::string_view key, Member member, const std::shared_ptr<Value>& type,
                   std::string_view description) {
    return add_member(key, member, TypePtr<ValueOf<Member>>(type), description, false);
  }
  /// The keys that follow belong to one of several forms of the struct. Its first key tells it from the
  /// others; `selector` then holds `value`.
  template <class E>
  Struct& alternative(E S::*selector, E value) {
    alternatives_.push_back({[=](const void* spec) { return of(spec).*selector == value; },
                             [=](void* spec) { of(spec).*selector = value; }});
    return *this;
  }
  /// The same, chosen by the value of an earlier key of type choice; without that key the first alternative.
  /// Values of this form are looked at only in a struct of this form.
  Struct& alternative(const std::string& key, const std::string& key_value,
                      std::function<bool(const S&)> is_chosen, std::function<void(S&)> choose) {
    selector_ = key;
    selector_values_.push_back(key_value);
    alternatives_.push_back(
        {[is_chosen = std::move(is_chosen)](const void* spec) { return is_chosen(of(spec)); },
         [choose = std::move(choose)](void* spec) { choose(of(spec)); }});
    return *this;
  }
  /// Files of this kind may be named as the presets in this folder are.
  Struct& presets_in(std::string folder) {
    presets_ = std::move(folder);
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
    const std::size_t key = key_of(member);
    Condition condition{keys_[key].name, {}, {}};
    const std::shared_ptr<void> example = initial(keys_[key].alternative);
    for (const ValueOf<Member>& value : {ValueOf<Member>(values)...}) {
      std::invoke(member, of(example.get())) = value;
      condition.values.push_back(write_value(key, example.get())->text);
    }
    set_condition(std::move(condition), [=](const void* spec) {
      const auto& actual = std::invoke(member, of(spec));
      return ((actual == values) || ...);
    });
    return *this;
  }
  /// The same, if an earlier key is given.
  template <class Member>
  Struct& when_given(Member member) {
    const std::size_t key = key_of(member);
    set_condition({keys_[key].name, {}, {}},
                  [this, key](const void* spec) { return write_value(key, spec).has_value(); });
    return *this;
  }
  /// The same, if `holds`, which `words` describe behind "has no effect without".
  Struct& when_true(std::function<bool(const S&)> holds, std::string words) {
    set_condition({{}, {}, std::move(words)},
                  [holds = std::move(holds)](const void* spec) { return holds(of(spec)); });
    return *this;
  }
  /// The same of one earlier key.
  template <class Member>
  Struct& when_true(Member member, std::function<bool(const S&)> holds, std::string words) {
    when_true(std::move(holds), std::move(words));
    keys_.back().when->key = keys_[key_of(member)].name;
    return *this;
  }
  /// A rule between values, called when all of them are read.
  Struct& check(std::function<void(const S&, const Check&)> rule) {
    rules_.push_back(
        [rule = std::move(rule)](const void* spec, const Check& check) { rule(of(spec), check); });
    return *this;
  }

  S read(const Reader& in) const override {
    S spec{};
    read_into(&spec, in);
    return spec;
  }
  Node write(const S& spec) const override { return write_from(&spec); }
  std::optional<std::string> locate(const S& spec, const void* address) const override {
    return locate_in(&spec, address);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override { return reference(style, defs); }
  const StructType* structure() const override { return this; }
  void load_files(Node& value) const override { load_files_below(value); }
  bool may_be_annotated() const override { return false; }

 private:
  template <class Member>
  using ValueOf = std::decay_t<std::invoke_result_t<Member, S&>>;

  static S& of(void* spec) { return *static_cast<S*>(spec); }
  static const S& of(const void* spec) { return *static_cast<const S*>(spec); }

  std::shared_ptr<void> make() const override { return std::make_shared<S>(); }

  template <class Member, class T>
  Struct& add_member(std::string_view key, Member member, TypePtr<T> type, std::string_view description,
                     bool is_required) {
    add(key, std::move(type), description, is_required,
        [=](void* spec) -> void* { return &std::invoke(member, of(spec)); });
    return *this;
  }
  template <class Member>
  std::size_t key_of(Member member) const {
    const std::shared_ptr<void> example = initial(keys_.back().alternative);
    return key_at(example.get(), &std::invoke(member, of(example.get())));
  }
};

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
