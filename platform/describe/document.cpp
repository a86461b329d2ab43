// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/document.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "platform/describe/preset_files.h"
#include "platform/describe/yaml_file.h"
#include "platform/text/suggest.h"
#include "tlm/input/file.h"

namespace wafertlm::config {

namespace {

using Chain = std::vector<std::string>;  // the files that led here through `extends`

Node load_chain(const std::string& path, Chain chain, const std::string& presets);

/// Why what is there is no document; empty: nothing is there.
std::string why_no_document(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return " is a folder; give a YAML file, for instance one in it";
  if (!std::filesystem::exists(path, error) && !error) return "";
  return " " + why_unreadable(path);
}

/// How well a preset fits as what the map changes: the key that tells its kind, and others, are in the map.
std::size_t likeness(const Node& map, const Node& preset) {
  std::size_t common = 0;
  for (const Node::Entry& each : map.entries) common += preset.find(each.key) != nullptr ? 1 : 0;
  const auto kind = std::find_if(preset.entries.begin(), preset.entries.end(),
                                 [](const Node::Entry& each) { return each.key != kExtendsKey; });
  const bool tells = kind != preset.entries.end() && map.find(kind->key) != nullptr;
  return common + (tells ? map.entries.size() : 0);
}

/// The folder of the preset that is meant where the kind of file is not known; "": there is none.
/// @throws ConfigError: several fit equally well
std::string folder_of_preset(const Node& map, const Node& name) {
  std::vector<std::string> best;
  std::size_t most = 1;
  for (const std::filesystem::path& file : preset_files(name.text)) {
    const std::size_t found = likeness(map, read_yaml_file(file.string()));
    if (found > most) best.clear();
    if (found >= most) best.push_back(file.parent_path().lexically_relative(configs_folder()).string());
    most = std::max(most, found);
  }
  if (best.size() > 1)
    throw ConfigError(name.place, "there are presets " + quoted(name.text) + " in " + listed(best) +
                                      "; give the path of one");
  return best.empty() ? "" : best.front();
}

/// The map over the file that it extends; without an `extends` key the map itself.
Node extended(Node map, const Chain& chain, const std::string& presets) {
  const Node* key = map.find(kExtendsKey);
  if (key == nullptr) return map;
  if (key->kind != Node::Kind::scalar || key->text.empty())
    throw ConfigError(key->place, "'extends' needs the path of a YAML file, got " + key->describe());
  const std::string folder = presets.empty() ? folder_of_preset(map, *key) : presets;
  const std::string base_path = named_file(key->place, key->text, folder);
  if (!is_readable_file(base_path)) {
    const std::string why = why_no_document(base_path);
    throw ConfigError(
        key->place,
        "'extends' names " + quoted(base_path) + ", which" +
            (why.empty() ? " is no file" + nearest_named(key->place, key->text, base_path, folder) : why));
  }
  const auto same = [&](const std::string& file) { return std::filesystem::equivalent(file, base_path); };
  if (std::any_of(chain.begin(), chain.end(), same)) {
    std::string cycle;
    for (const std::string& file : chain) cycle += file + " -> ";
    throw ConfigError(key->place, "'extends' goes in a circle: " + cycle + base_path);
  }
  Node base = load_chain(base_path, chain, presets);
  map.erase(kExtendsKey);
  return merged(std::move(base), map);
}

Node load_chain(const std::string& path, Chain chain, const std::string& presets) {
  chain.push_back(path);
  return extended(read_yaml_file(path), chain, presets);
}

}  // namespace

Node load_document(const std::string& path) {
  if (!is_readable_file(path)) {
    const std::string why = why_no_document(path);
    throw ConfigError({path, 0, 0}, why.empty() ? "no such file" + nearest_file(path) : "this" + why);
  }
  return load_chain(path, {}, "");
}

Node load_document(const std::string& path, const std::string& key, const std::string& example) {
  Node root = load_document(path);
  if (root.find(key) == nullptr)
    throw ConfigError(root.place, "expected a file with the top-level key '" + key + "' (" + example + ")");
  return root;
}

void load_file_into(Node& reference, std::string_view kind, const std::string& presets) {
  const std::string path = named_file(reference.place, reference.text, presets);
  if (!is_readable_file(path)) {
    const std::string why = why_no_document(path);
    throw ConfigError(
        reference.place,
        "the " + std::string(kind) + " file " + quoted(path) +
            (why.empty() ? " does not exist" + nearest_named(reference.place, reference.text, path, presets)
                         : why));
  }
  reference = load_chain(path, {}, presets);
}

void apply_extends(Node& map, const std::string& presets) {
  Chain chain;
  if (map.place.line > 0) chain.push_back(map.place.source);
  map = extended(std::move(map), chain, presets);
}

Node parse_override_value(const std::string& text, const std::string& source) {
  return read_yaml_text(text, {source, 0, 0});
}

std::string relative_to(const SourceLocation& place, const std::string& path) {
  return (std::filesystem::path(place.folder()) / path).lexically_normal().string();
}

std::string named_file(const SourceLocation& place, const std::string& name, const std::string& presets) {
  const std::string beside = relative_to(place, name);
  std::error_code error;
  if (std::filesystem::exists(beside, error)) return beside;
  const std::filesystem::path preset = preset_file(presets, name);
  return preset.empty() ? beside : preset.string();
}

std::string nearest_named(const SourceLocation& place, const std::string& name, const std::string& file,
                          const std::string& presets) {
  const std::string preset = did_you_mean(name, preset_names(presets));
  if (!preset.empty() && may_name_preset(name)) return preset;
  const std::string hint = nearest_file(file);
  // The file that says so is not what it meant.
  if (hint.empty() || hint.find(quoted(relative_to(place, place.source))) == std::string::npos) return hint;
  return "";
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
