// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/struct_type.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/describe/document.h"
#include "platform/text/suggest.h"

namespace wafertlm::config {

namespace {
std::string inside(const std::string& path) { return path.empty() ? "at the top level" : "in " + path; }
}  // namespace

std::string Condition::text(const std::string& path) const {
  if (!words.empty()) return words;
  if (values.empty()) return quoted(join_path(path, key));
  std::string text;
  for (const std::string& value : values)
    text += (text.empty() ? "" : " or ") + quoted(join_path(path, key) + ": " + value);
  return text;
}

const Key* StructType::find(const std::string& name) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.name == name; });
  return found == keys_.end() ? nullptr : &*found;
}

std::string StructType::renaming_of(const std::string& former) const {
  for (const auto& [from, to] : renamed_)
    if (from == former) return "; it is called " + quoted(to) + " now";
  return {};
}

std::vector<std::string> StructType::key_names() const {
  std::vector<std::string> names;
  for (const Key& key : keys_) names.push_back(key.name);
  return names;
}

std::vector<std::string> StructType::all_paths() const {
  std::vector<std::string> paths;
  for (const Key& key : keys_) {
    const StructType* below = key.type->structure();
    if (below == nullptr) paths.push_back(key.name);
    if (below == nullptr) continue;
    for (const std::string& path : below->all_paths())
      paths.push_back(key.shorthand ? path : join_path(key.name, path));
  }
  return paths;
}

void StructType::load_files_below(Node& map) const {
  for (Node::Entry& entry : map.entries)
    if (const Key* key = find(entry.key)) key->type->load_files(entry.value);
}

const Key& StructType::first_of(std::size_t alternative) const {
  return *std::find_if(keys_.begin(), keys_.end(),
                       [&](const Key& key) { return key.alternative == alternative; });
}

std::size_t StructType::chosen_alternative(const Reader& in) const {
  const std::size_t count = keys_.empty() ? 0 : keys_.back().alternative;
  std::size_t chosen = 0;
  std::vector<std::string> firsts;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string& first = first_of(i).name;
    firsts.push_back("'" + first + "'");
    const auto& entries = in.node().entries;
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [&](const Node::Entry& e) { return e.key == first; });
    if (entry == entries.end()) continue;
    if (chosen != 0)
      throw ConfigError(entry->place, fmt::format("'{}' cannot stand beside '{}' {}; remove one of the two",
                                                  first, first_of(chosen).name, inside(in.path())));
    chosen = i;
  }
  if (count > 0 && chosen == 0)
    throw ConfigError(in.node().place,
                      fmt::format("missing key {}; give one of: {}", inside(in.path()), listed(firsts)));
  return chosen;
}

/// A value that the key's type does not know is reported when it is read.
std::size_t StructType::selected_alternative(const Reader& in) const {
  const Node* value = in.node().find(selector_);
  if (value != nullptr && is_annotated(*value)) value = value->find(std::string(kValueKey));
  if (value != nullptr)
    for (std::size_t i = 0; i < selector_values_.size(); ++i)
      if (value->text == selector_values_[i]) return i + 1;
  return 1;
}

std::string StructType::form_name(std::size_t alternative) const {
  return selector_.empty() ? "'" + first_of(alternative).name + "'"
                           : fmt::format("'{}: {}'", selector_, selector_values_[alternative - 1]);
}

std::size_t StructType::check_keys(const Reader& in) const {
  in.require_map(fmt::format("a map with the keys {}", listed(key_names())));
  for (const Node::Entry& entry : in.node().entries)
    if (find(entry.key) == nullptr) {
      const std::string now = renaming_of(entry.key);
      throw ConfigError(entry.place,
                        fmt::format("unknown key {} {}{}", quoted(entry.key), inside(in.path()),
                                    now.empty() ? suggestion(entry.key, key_names(), "valid keys") : now));
    }
  const std::size_t alternative = selector_.empty() ? chosen_alternative(in) : selected_alternative(in);
  for (const Node::Entry& entry : in.node().entries) {
    const Key& key = *find(entry.key);
    if (key.alternative == 0 || key.alternative == alternative) continue;
    blame_choice(in, selector_, key.name, form_name(key.alternative));
    throw ConfigError(
        entry.place,
        fmt::format("the key '{}' {} goes with {} and has no effect beside {}; remove it", key.name,
                    inside(in.path()), form_name(key.alternative), form_name(alternative)));
  }
  for (const Key& key : keys_)
    if (key.is_always_required() && (key.alternative == 0 || key.alternative == alternative) &&
        in.node().find(key.name) == nullptr)
      fail_missing(in, key);
  return alternative;
}

void StructType::blame_choice(const Reader& in, const std::string& chooser, const std::string& key,
                              const std::string& with) const {
  const Node *const choice = in.node().find(chooser), *const other = in.node().find(key);
  if (choice == nullptr) return;
  const SourceLocation& place = other != nullptr ? other->place : in.node().place;
  if (!in.is_later(choice->place, place)) return;
  in.child(chooser, *choice)
      .fail(other != nullptr ? fmt::format("leaves '{}' at {} without effect, which goes with {}; set the "
                                           "other, or leave this out",
                                           key, place.text(), with)
                             : fmt::format("needs the key '{}', which is missing", key));
}

void StructType::fail_missing(const Reader& in, const Key& key) const {
  const std::string with = key.when ? ", which goes with " + key.when->text(in.path()) : "";
  blame_choice(in, key.when ? key.when->key : selector_, key.name, with);
  throw ConfigError(in.node().place, fmt::format("missing required key '{}' {}{}: {}", key.name,
                                                 inside(in.path()), with, key.description));
}

void StructType::fail_without_effect(const Reader& in, const Key& key, const std::string& actual) const {
  const std::string with = key.when->text(in.path());
  blame_choice(in, key.when->key, key.name, with);
  const std::string it_is = actual.empty() ? "" : fmt::format(" (it is {})", actual);
  in.child(key.name, *in.node().find(key.name))
      .fail(fmt::format("has no effect without {}{}; set that, or leave this out", with, it_is));
}

void StructType::add(std::string_view name, std::shared_ptr<const Type> type, std::string_view description,
                     bool is_required, std::function<void*(void*)> member) {
  keys_.push_back(
      {std::string(name), std::string(description), std::move(type), is_required, alternatives_.size()});
  fields_.push_back({std::move(member)});
}

void StructType::set_condition(Condition condition, std::function<bool(const void*)> holds) {
  keys_.back().when = std::move(condition);
  fields_.back().has_effect = std::move(holds);
}

const void* StructType::value_of(std::size_t key, const void* spec) const {
  return fields_[key].member(const_cast<void*>(spec));  // which says where it lies and changes nothing
}

std::optional<Node> StructType::write_value(std::size_t key, const void* spec) const {
  const void* const value = value_of(key, spec);
  const Type& type = *keys_[key].type;
  return type.has_value_at(value) ? std::optional(type.write_at(value)) : std::nullopt;
}

std::optional<std::string> StructType::locate_below(std::size_t key, const void* spec,
                                                    const void* address) const {
  const void* const value = value_of(key, spec);
  if (const auto below = keys_[key].type->locate_at(value, address))
    return join_path(keys_[key].name, *below);
  return address == value ? std::optional(keys_[key].name) : std::nullopt;
}

std::size_t StructType::key_at(const void* spec, const void* address) const {
  const std::size_t alternative = alternative_of(spec);
  for (std::size_t key = 0; key < keys_.size(); ++key)
    if (is_used(key, alternative) && locate_below(key, spec, address) == keys_[key].name) return key;
  throw std::logic_error(name_ + ": the key of a condition must stand before it");
}

std::size_t StructType::alternative_of(const void* spec) const {
  for (std::size_t i = 0; i < alternatives_.size(); ++i)
    if (alternatives_[i].is_chosen(spec)) return i + 1;
  return 0;
}

std::shared_ptr<void> StructType::initial(std::size_t alternative) const {
  std::shared_ptr<void> spec = make();
  if (alternative > 0) alternatives_[alternative - 1].choose(spec.get());
  return spec;
}

void StructType::check_condition(std::size_t key_number, const void* spec, const Reader& in) const {
  const Key& key = keys_[key_number];
  const bool is_written = in.node().find(key.name) != nullptr;
  if (fields_[key_number].has_effect(spec)) {
    if (key.required && !is_written) fail_missing(in, key);
    return;
  }
  if (!is_written) return;
  const std::optional<Node> value = write_value(key_number, spec),
                            usual = write_value(key_number, initial(key.alternative).get());
  if (value && usual ? same_values(*value, *usual) : !value && !usual) return;
  std::string actual;
  for (std::size_t i = 0; i < key_number; ++i)
    if (keys_[i].name == key.when->key)
      if (const std::optional<Node> other = write_value(i, spec)) actual = other->text;
  fail_without_effect(in, key, actual);
}

void StructType::read_into(void* spec, const Reader& in) const {
  const std::size_t alternative = check_keys(in);
  if (alternative > 0) alternatives_[alternative - 1].choose(spec);
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (const Node* value = in.node().find(keys_[i].name))
      keys_[i].type->read_at(fields_[i].member(spec), in.child(keys_[i].name, *value));
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i].when && is_used(i, alternative)) check_condition(i, spec, in);
  const Check check(in, [&](const void* address) {
    if (const auto path = locate_in(spec, address)) return *path;
    throw std::logic_error(name_ + ": a rule names a value that is at no key; is it of a copy?");
  });
  for (const auto& rule : rules_) rule(spec, check);
}

Node StructType::write_from(const void* spec) const {
  Node map;
  map.kind = Node::Kind::map;
  const std::size_t alternative = alternative_of(spec);
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (is_used(i, alternative))
      if (std::optional<Node> value = write_value(i, spec)) map.add(keys_[i].name, std::move(*value));
  return map;
}

Node StructType::defaults() const {
  Node map;
  map.kind = Node::Kind::map;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].required) continue;  // what it has then is no value that it may have
    if (std::optional<Node> value = write_value(i, initial(keys_[i].alternative).get()))
      map.add(keys_[i].name, std::move(*value));
  }
  return map;
}

std::optional<std::string> StructType::locate_in(const void* spec, const void* address) const {
  const std::size_t alternative = alternative_of(spec);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!is_used(i, alternative)) continue;
    if (auto path = locate_below(i, spec, address)) return path;
  }
  return {};
}

Reader Type::value_of(const Reader& in) const {
  if (may_be_annotated()) return in.value();
  if (in.node().kind != Node::Kind::map) in.record_place();
  return in;
}

std::string Check::path(const void* value) const { return join_path(in_.path(), locate_(value)); }

bool Check::is_written(const void* value) const { return in_.origins().find(path(value)) != nullptr; }

void Check::fail(const std::vector<const void*>& culprits, const std::string& message) const {
  std::string first, blamed = path(culprits.front());
  const SourceLocation* place = nullptr;
  for (const void* culprit : culprits) {
    const std::string candidate = path(culprit);
    const Origin* const origin = in_.origins().find(candidate);
    if (origin == nullptr || (place != nullptr && !in_.is_later(origin->place, *place))) continue;
    if (place == nullptr) first = candidate;
    blamed = candidate;
    place = &origin->place;
  }
  const std::string beside = first.empty() || first == blamed ? "" : "beside " + first + ": ";
  throw ConfigError(place != nullptr ? *place : in_.node().place, blamed + ": " + beside + message);
}

void load_file_or_map(Node& value, const StructType& type) {
  if (value.kind == Node::Kind::scalar)
    load_file_into(value, type.name(), type.presets());
  else
    apply_extends(value, type.presets());
  type.load_files_below(value);
}

}  // namespace wafertlm::config
