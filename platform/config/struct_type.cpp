// SPDX-License-Identifier: Apache-2.0
#include "platform/config/struct_type.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/config/document.h"
#include "platform/config/suggest.h"

namespace wafertlm::config {

namespace {
std::string inside(const std::string& path) { return path.empty() ? "at the top level" : "in " + path; }
}  // namespace

std::string Condition::text(const std::string& path) const {
  if (key.empty()) return words;
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
    if (key.alternative != 0 && key.alternative != alternative)
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

void StructType::fail_missing(const Reader& in, const Key& key) const {
  const std::string with = key.when ? ", which goes with " + key.when->text(in.path()) : "";
  throw ConfigError(in.node().place, fmt::format("missing required key '{}' {}{}: {}", key.name,
                                                 inside(in.path()), with, key.description));
}

void StructType::fail_without_effect(const Reader& in, const Key& key, const std::string& actual) const {
  const std::string it_is = actual.empty() ? "" : fmt::format(" (it is {})", actual);
  in.child(key.name, *in.node().find(key.name))
      .fail(fmt::format("has no effect without {}{}; set that, or leave this out", key.when->text(in.path()),
                        it_is));
}

std::string Check::path(const void* value) const { return join_path(in_.path(), locate_(value)); }

bool Check::is_written(const void* value) const { return in_.origins().find(path(value)) != nullptr; }

void Check::fail(const std::vector<const void*>& culprits, const std::string& message) const {
  for (const void* culprit : culprits)
    if (const Origin* origin = in_.origins().find(path(culprit)))
      throw ConfigError(origin->place, path(culprit) + ": " + message);
  throw ConfigError(in_.node().place, path(culprits.front()) + ": " + message);
}

void load_file_or_map(Node& value, const StructType& type) {
  if (value.kind == Node::Kind::scalar)
    load_file_into(value, type.name());
  else
    apply_extends(value);
  type.load_files_below(value);
}

}  // namespace wafertlm::config
