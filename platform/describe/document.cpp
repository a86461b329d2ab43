// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/document.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "platform/describe/yaml_file.h"
#include "platform/text/suggest.h"
#include "tlm/input/file.h"

namespace wafertlm::config {

namespace {

using Chain = std::vector<std::string>;  // the files that led here through `extends`

Node load_chain(const std::string& path, Chain chain);

/// Why what is there is no document; empty: nothing is there.
std::string why_no_document(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return " is a folder; give a YAML file, for instance one in it";
  if (!std::filesystem::exists(path, error) && !error) return "";
  return " " + why_unreadable(path);
}

/// The map over the file that it extends; without an `extends` key the map itself.
Node extended(Node map, const Chain& chain) {
  const Node* key = map.find(kExtendsKey);
  if (key == nullptr) return map;
  if (key->kind != Node::Kind::scalar || key->text.empty())
    throw ConfigError(key->place, "'extends' needs the path of a YAML file, got " + key->describe());
  const std::string base_path = relative_to(key->place, key->text);
  if (!is_readable_file(base_path)) {
    const std::string why = why_no_document(base_path);
    throw ConfigError(key->place, "'extends' names " + quoted(base_path) + ", which" +
                                      (why.empty() ? " is no file" + nearest_file(base_path) : why));
  }
  const auto same = [&](const std::string& file) { return std::filesystem::equivalent(file, base_path); };
  if (std::any_of(chain.begin(), chain.end(), same)) {
    std::string cycle;
    for (const std::string& file : chain) cycle += file + " -> ";
    throw ConfigError(key->place, "'extends' goes in a circle: " + cycle + base_path);
  }
  Node base = load_chain(base_path, chain);
  map.erase(kExtendsKey);
  return merged(std::move(base), map);
}

Node load_chain(const std::string& path, Chain chain) {
  chain.push_back(path);
  return extended(read_yaml_file(path), chain);
}

}  // namespace

Node load_document(const std::string& path) {
  if (!is_readable_file(path)) {
    const std::string why = why_no_document(path);
    throw ConfigError({path, 0, 0}, why.empty() ? "no such file" + nearest_file(path) : "this" + why);
  }
  return load_chain(path, {});
}

Node load_document(const std::string& path, const std::string& key, const std::string& example) {
  Node root = load_document(path);
  if (root.find(key) == nullptr)
    throw ConfigError(root.place, "expected a file with the top-level key '" + key + "' (" + example + ")");
  return root;
}

void load_file_into(Node& reference, std::string_view kind) {
  const std::string path = relative_to(reference.place, reference.text);
  if (!is_readable_file(path)) {
    const std::string why = why_no_document(path);
    throw ConfigError(reference.place, "the " + std::string(kind) + " file " + quoted(path) +
                                           (why.empty() ? " does not exist" + nearest_file(path) : why));
  }
  reference = load_chain(path, {});
}

void apply_extends(Node& map) {
  Chain chain;
  if (map.place.line > 0) chain.push_back(map.place.source);
  map = extended(std::move(map), chain);
}

Node parse_override_value(const std::string& text, const std::string& source) {
  return read_yaml_text(text, {source, 0, 0});
}

std::string relative_to(const SourceLocation& place, const std::string& path) {
  return (std::filesystem::path(place.folder()) / path).lexically_normal().string();
}

std::string nearest_file(const std::string& path) {
  const std::filesystem::path wanted(path);
  const std::filesystem::path folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_regular_file(error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string best = nearest(wanted.filename().string(), names);
  return best.empty() ? "" : "; did you mean " + quoted((wanted.parent_path() / best).string()) + "?";
}

}  // namespace wafertlm::config
