// SPDX-License-Identifier: Apache-2.0
// Every key of every platform preset to its extremes, by `--set` and by a file that extends the preset: what
// is refused names the key that was changed, and where.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "platform/describe/document.h"
#include "platform/describe/override.h"
#include "platform/describe/yaml_writer.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/load.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

/// What a description says of the ends of a range, and the words of a choice.
void add_extremes(const Json& schema, std::vector<std::string>& values) {
  const auto add = [&](const Json& value) {
    values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  };
  for (const char* const end : {"minimum", "maximum", "const"})
    if (schema.contains(end)) add(schema[end]);
  for (const Json& word : schema.value("enum", Json::array())) add(word);
  for (const Json& form : schema.value("anyOf", Json::array())) add_extremes(form, values);
  std::vector<std::string> items;
  if (schema.contains("items")) add_extremes(schema["items"], items);
  for (const std::string& item : items) values.push_back("[" + item + "]");
  // "time from 0 ps to 1 s"
  const std::string text = schema.value("description", "");
  const std::size_t from = text.find(" from "), to = text.find(" to ", from);
  if (!schema.contains("pattern") || to == std::string::npos) return;
  values.push_back(text.substr(from + 6, to - from - 6));
  values.push_back(text.substr(to + 4));
}

/// Besides: zero, negative, absurdly large, of a wrong unit or kind, and near what it is now.
std::vector<std::string> values_of(const Key& key, const Node* now) {
  if (now == nullptr) return {"0", "1 ns", "a"};
  std::vector<std::string> values = {"0",        "-1",   "1e300", "99999999999999999999",
                                     "a",        "[]",   "{}",    "~",
                                     "7 parsec", "1 ns", "10 kB", "1 GB/s"};
  SchemaDefs defs;
  add_extremes(key.type->schema(SchemaStyle::complete, defs), values);
  if (now->kind != Node::Kind::scalar) return values;
  std::istringstream text(now->text);
  double number = 0;
  std::string unit;
  if (!(text >> number)) return values;
  std::getline(text, unit);
  for (const double factor : {0.5, 2.0, 30.0}) values.push_back(fmt::format("{}{}", number * factor, unit));
  return values;
}

struct Change {
  std::string path, value;
};

/// All changes of what is at `path`. `resolved` and `root` have the preset's values there with and without
/// defaults; null: they have none.
void add_changes(const StructType& type, const Node& resolved, const Node* root, const std::string& path,
                 std::vector<Change>& changes) {
  for (const Key& key : type.keys()) {
    const std::string here = join_path(path, key.name);
    const Node* const now = resolved.find(key.name);
    const Node* const given = root == nullptr ? nullptr : root->find(key.name);
    if (const StructType* const below = key.type->structure()) {
      if (now != nullptr && now->kind == Node::Kind::map) add_changes(*below, *now, given, here, changes);
      continue;
    }
    if (const StructType* const items = key.type->item_structure(); items != nullptr && given != nullptr)
      if (!given->items.empty())
        add_changes(*items, now->items.front(), &given->items.front(), item_path(here, 0), changes);
    for (const std::string& value : values_of(key, now)) changes.push_back({here, value});
  }
}

/// A file that extends `preset` and has `value` at `path`, of an item its whole list. @return its first line
/// that has anything of it; 0: the preset has a file on the way, which the map would replace
int write_extension(const std::string& file, const std::string& preset, const Node& written,
                    const std::string& path, const Node& changed) {
  std::ofstream out(file);
  out << "extends: " << preset << "\n";
  std::string indent;
  int line = 1;
  const Node *node = &changed, *before = &written;
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.'); indent += "  ") {
    const std::string name = key.substr(0, key.find('['));
    node = node->find(name);
    before = before == nullptr ? nullptr : before->find(name);
    ++line;
    const bool is_last = keys.eof() || name != key;
    if (!is_last) {
      if (before != nullptr && before->kind != Node::Kind::map) return 0;
      out << indent << name << ":\n";
      continue;
    }
    std::istringstream text(write_yaml(Node::map({{name, *node}})));
    for (std::string each; std::getline(text, each);) out << indent << each << '\n';
    return line;
  }
  return 0;
}

class Campaign : public testing::TestWithParam<std::string> {};

TEST_P(Campaign, NamesTheKeyThatWasChanged) {
  const std::string preset = GetParam();
  const auto& type = *platform_type();
  const Node written = load_document(preset);
  Node root = written;
  type.load_files(root);
  std::vector<Change> changes;
  add_changes(type, type.write(load_platform(preset)), &root, "", changes);
  const test::TempFolder folder;
  const std::string file = folder.path() + "/changed.yaml";
  std::set<std::pair<std::string, bool>> in_files;  // of each key one bad value, and one beside others
  std::size_t by_set = 0, by_file = 0;
  for (const auto& [path, value] : changes) {
    Node changed = root;
    apply_override(changed, type, path + "=" + value);
    const std::string refused = test::refusal_of<ConfigError>([&] {
      Origins origins;
      type.read(Reader(changed, "", origins));
    });
    if (refused.empty()) continue;
    ++by_set;
    EXPECT_EQ(refused.rfind("--set " + path + ": ", 0), 0U) << path << "=" << value << "\n  " << refused;
    const bool is_bad_alone = refused.find("'" + value + "'") != std::string::npos;
    if (!in_files.emplace(path, is_bad_alone).second) continue;
    const int line = write_extension(file, preset, written, path, changed);
    if (line == 0) continue;
    const std::string extended = test::refusal_of<ConfigError>([&] { load_platform(file); });
    ++by_file;
    const std::string key = path.substr(0, path.find('[')), name = key.substr(key.rfind('.') + 1),
                      above = key.substr(0, key.rfind('.'));  // all of it may have no effect
    EXPECT_EQ(extended.rfind(file + ":", 0), 0U) << path << "=" << value << "\n  " << extended;
    EXPECT_GE(std::atoi(extended.c_str() + file.size() + 1), line)
        << path << "=" << value << "\n  " << extended;
    EXPECT_TRUE(extended.find(name) != std::string::npos ||
                extended.find(" " + above + ":") != std::string::npos)
        << path << "=" << value << "\n  " << extended;
  }
  EXPECT_GT(by_set, 100U);
  EXPECT_GT(by_file, 50U);
}

std::vector<std::string> presets() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(WAFERTLM_SOURCE_DIR "/configs/platforms"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(OfPlatforms, Campaign, testing::ValuesIn(presets()), [](const auto& preset) {
  return std::filesystem::path(preset.param).stem().string();
});

}  // namespace
}  // namespace wafertlm::config
