// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/override.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <boost/algorithm/string/predicate.hpp>

#include "platform/describe/document.h"
#include "platform/text/suggest.h"

namespace wafertlm::config {

namespace {

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> keys;
  std::size_t start = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', start)) {
    keys.push_back(path.substr(start, dot - start));
    start = dot + 1;
  }
  keys.push_back(path.substr(start));
  return keys;
}

/// The path that was meant: one that ends like it, or else the nearest.
std::string meant(const std::string& path, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates)
    if (boost::algorithm::ends_with(candidate, "." + path)) return "; did you mean '" + candidate + "'?";
  return did_you_mean(path, candidates);
}

/// Puts the key in front that `--set` may leave out.
void complete_shorthand(std::vector<std::string>& keys, const StructType& type) {
  if (type.find(keys.front()) != nullptr) return;
  for (const Key& key : type.keys())
    if (key.shorthand && key.type->structure()->find(keys.front()) != nullptr) {
      keys.insert(keys.begin(), key.name);
      return;
    }
}

/// "dimensions[0]": the key, and the number of an item of its list.
struct Step {
  std::string key;
  std::optional<std::size_t> item;

  Step(const std::string& text, const SourceLocation& place) : key(text.substr(0, text.find('['))) {
    if (key.size() == text.size()) return;
    const char *const begin = text.data() + key.size() + 1, *const close = text.data() + text.size() - 1;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(begin, close, number);
    if (*close != ']' || end != close || error != std::errc() || begin == close)
      throw ConfigError(place, fmt::format("expected a key such as dimensions[0], got {}", quoted(text)));
    item = number;
  }
};

/// Item `step.item` of a list that the file has.
Node& item_of(Node& list, const Step& step, const SourceLocation& place) {
  if (list.kind != Node::Kind::list || *step.item >= list.items.size())
    throw ConfigError(place, fmt::format("{} has {} to change here, so there is no [{}]", step.key,
                                         list.kind == Node::Kind::list && !list.items.empty()
                                             ? fmt::format("items 0 to {}", list.items.size() - 1)
                                             : "no list of items",
                                         *step.item));
  return list.items[*step.item];
}

}  // namespace

std::string apply_override(Node& root, const StructType& type, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  const SourceLocation place{"--set " + path, 0, 0};
  if (equals == std::string::npos || path.empty())
    throw ConfigError(
        place, "expected a path and a value such as wafer.fabric.link_latency=20ns, got " + quoted(text));

  std::vector<std::string> keys = split_path(path);
  complete_shorthand(keys, type);
  const StructType* level = &type;
  Node* node = &root;
  std::string above;
  for (const std::string& each : keys) {
    const Step step(each, place);
    const std::string& name = step.key;
    if (level == nullptr)
      throw ConfigError(place, fmt::format("'{}' has no keys below it; set it as a whole", above));
    const Key* key = level->find(name);
    if (key == nullptr) {
      const std::string now = level->renaming_of(name);
      if (!now.empty()) throw ConfigError(place, "no such key" + now);
      const std::string hint = meant(path, type.all_paths());
      throw ConfigError(
          place, fmt::format("no such key{} valid keys {}: {}", hint.empty() ? ";" : hint,
                             above.empty() ? "at the top level" : "in " + above, listed(level->key_names())));
    }
    if (node->kind != Node::Kind::map && node->kind != Node::Kind::empty)
      throw ConfigError(node->place, fmt::format("{}: expected a map, got {}", above, node->describe()));
    Node* child = node->find(name);
    if (child == nullptr) {
      Node missing;
      missing.place = place;
      child = &node->add(name, missing);
    }
    node = child;
    level = step.item ? key->type->item_structure() : key->type->structure();
    if (step.item) node = &item_of(*child, step, place);
    above = join_path(above, each);
  }
  *node = parse_override_value(text.substr(equals + 1), place.source);
  return above;
}

}  // namespace wafertlm::config
