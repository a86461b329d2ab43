// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/compare/run_difference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <sstream>

#include "platform/describe/document.h"
#include "platform/describe/fields.h"
#include "platform/spec/descriptions.h"
#include "tlm/input/file.h"

namespace wafertlm {
namespace {

using config::Node;
using Json = nlohmann::ordered_json;

/// The settings of a resolved file by key, in its order.
class Settings {
 public:
  Settings(const Node& map, const std::string& text) : source_(map.place.source) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines_.push_back(line);
    add(map, "");
  }
  const std::vector<std::string>& keys() const { return keys_; }
  /// {value, origin}, or null.
  Json of(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? Json() : found->second;
  }

 private:
  void add(const Node& node, const std::string& path) {
    if (config::is_annotated(node)) {
      const Node& value = *node.find(config::kValueKey);
      add(value, path);
      if (const auto kept = values_.find(path); kept != values_.end())
        kept->second["origin"] = node.find(config::kProvenanceKey)->text;
    } else if (node.kind == Node::Kind::map) {
      for (const Node::Entry& entry : node.entries)
        add(entry.value, path.empty() ? entry.key : path + "." + entry.key);
    } else if (node.kind == Node::Kind::list && !node.items.empty() && is_structured(node.items.front())) {
      for (std::size_t i = 0; i < node.items.size(); ++i)
        add(node.items[i], path + "[" + std::to_string(i) + "]");
    } else {
      keys_.push_back(path);
      values_[path] = {{"value", plain_text(node)}, {"origin", comment_of(node.place)}};
    }
  }
  static bool is_structured(const Node& node) { return node.kind == Node::Kind::map; }
  static std::string plain_text(const Node& node) {
    if (node.kind != Node::Kind::list) return node.text;
    std::string text = "[";
    for (const Node& item : node.items) text += (text.size() == 1 ? "" : ", ") + plain_text(item);
    return text + "]";
  }
  /// What a resolved file says about a value at the end of its line: the line that set it, or that it is the
  /// default.
  std::string comment_of(const config::SourceLocation& place) const {
    const int line = place.line;
    if (place.source != source_ || line < 1 || static_cast<std::size_t>(line) > lines_.size()) return "";
    const std::string& text = lines_[static_cast<std::size_t>(line) - 1];
    const std::size_t at = text.rfind("  # ");
    return at == std::string::npos ? "" : text.substr(at + 4);
  }

  std::string source_;
  std::vector<std::string> lines_, keys_;
  std::map<std::string, Json> values_;
};

std::int64_t whole(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number_integer()) return -1;
  return found->get<std::int64_t>();
}

std::string word(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? "" : found->is_string() ? found->get<std::string>() : found->dump();
}

/// By what makes a collective the same in another run.
std::map<std::string, const Json*> collectives_of(const Json& results) {
  std::map<std::string, const Json*> found;
  const auto list = results.find("collectives");
  if (list == results.end() || !list->is_array()) return found;
  for (const Json& each : *list) {
    if (!each.is_object() || whole(each, "time_ps") < 0) continue;
    std::string key;
    for (const char* part : {"class", "name", "type", "group", "bytes"}) key += word(each, part) + '\n';
    std::size_t number = 0;
    while (!found.emplace(key + std::to_string(number), &each).second) ++number;
  }
  return found;
}

struct LinkUse {
  std::int64_t busy_ps = 0, bytes = 0;
};

/// By name.
std::map<std::string, LinkUse> links_of(const Json& results) {
  std::map<std::string, LinkUse> found;
  const auto list = results.find("links");
  const auto simulation = results.find("simulation");
  if (list == results.end() || !list->is_array() || simulation == results.end() || !simulation->is_object())
    return found;
  const auto number = [](const Json& object, const char* key) {
    const auto value = object.find(key);
    return value == object.end() || !value->is_number() ? 0 : value->get<double>();
  };
  // Whole picoseconds: quotients of runs that end at different times differ in their last digit.
  const double end_ps = std::round(number(*simulation, "end_s") * 1e12);
  for (const Json& each : *list)
    if (each.is_object())
      found[word(each, "name")] = {std::llround(number(each, "busy_fraction") * end_ps),
                                   std::max<std::int64_t>(0, whole(each, "bytes"))};
  return found;
}

}  // namespace

Json changed_settings(const Node& first, const Node& other, const std::string& first_text,
                      const std::string& other_text) {
  const Settings before(first, first_text), after(other, other_text);
  Json changed = Json::array();
  const auto compare = [&](const std::string& key) {
    const Json a = before.of(key), b = after.of(key);
    if (a.is_null() || b.is_null() || a["value"] != b["value"])
      changed.push_back({{"key", key}, {"first", a}, {"this", b}});
  };
  for (const std::string& key : before.keys()) compare(key);
  for (const std::string& key : after.keys())
    if (before.of(key).is_null()) compare(key);
  return changed;
}

Json waterfall(const Json& first, const Json& other) {
  const Json &a = first["iterations"].back(), &b = other["iterations"].back();
  const std::int64_t before = whole(a, "time_ps"), after = whole(b, "time_ps");
  if (before < 0 || after < 0 || !a.contains("breakdown_ps") || !b.contains("breakdown_ps")) return nullptr;
  std::vector<std::string> names;
  for (const Json* each : {&a["breakdown_ps"], &b["breakdown_ps"]}) {
    if (!each->is_object()) return nullptr;
    for (const auto& [name, value] : each->items())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  // Compute first, idle last, the classes between.
  const auto rank = [](const std::string& name) {
    if (name == "compute" || name == "cpu") return 0;
    return name == "idle" || name == "bubble" ? 2 : 1;
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& x, const std::string& y) { return rank(x) < rank(y); });
  Json parts = Json::array();
  for (const std::string& name : names) {
    const std::int64_t of_first = std::max<std::int64_t>(0, whole(a["breakdown_ps"], name.c_str()));
    const std::int64_t of_other = std::max<std::int64_t>(0, whole(b["breakdown_ps"], name.c_str()));
    parts.push_back({{"name", rank(name) == 1 ? "exposed_" + name : name},
                     {"first_ps", of_first},
                     {"this_ps", of_other},
                     {"change_ps", of_other - of_first}});
  }
  return {{"first_ps", before}, {"this_ps", after}, {"change_ps", after - before}, {"parts", parts}};
}

Json collective_differences(const Json& first, const Json& other) {
  const auto before = collectives_of(first), after = collectives_of(other);
  Json matched = Json::array();
  std::size_t only_first = 0;
  for (const auto& [key, a] : before) {
    const auto found = after.find(key);
    if (found == after.end()) {
      ++only_first;
      continue;
    }
    const Json& b = *found->second;
    matched.push_back({{"type", word(*a, "type")},
                       {"class", word(*a, "class")},
                       {"name", word(*a, "name")},
                       {"start_s", a->contains("start_s") ? (*a)["start_s"] : Json()},
                       {"algorithms", {word(*a, "algorithm"), word(b, "algorithm")}},
                       {"ranks", std::max<std::int64_t>(0, whole(*a, "group_size"))},
                       {"bytes", std::max<std::int64_t>(0, whole(*a, "bytes"))},
                       {"first_ps", whole(*a, "time_ps")},
                       {"this_ps", whole(b, "time_ps")},
                       {"change_ps", whole(b, "time_ps") - whole(*a, "time_ps")}});
  }
  std::stable_sort(matched.begin(), matched.end(), [](const Json& x, const Json& y) {
    return std::abs(x["change_ps"].get<std::int64_t>()) > std::abs(y["change_ps"].get<std::int64_t>());
  });
  const std::size_t only_this = after.size() - matched.size();
  return {{"matched", matched}, {"only_first", only_first}, {"only_this", only_this}};
}

Json link_differences(const Json& first, const Json& other) {
  const auto before = links_of(first), after = links_of(other);
  Json changed = Json::array();
  for (const auto& [name, a] : before) {
    const auto b = after.find(name);
    if (b == after.end() || (a.busy_ps == b->second.busy_ps && a.bytes == b->second.bytes)) continue;
    changed.push_back({{"name", name},
                       {"first_ps", a.busy_ps},
                       {"this_ps", b->second.busy_ps},
                       {"change_ps", b->second.busy_ps - a.busy_ps},
                       {"first_bytes", a.bytes},
                       {"this_bytes", b->second.bytes}});
  }
  std::stable_sort(changed.begin(), changed.end(), [](const Json& x, const Json& y) {
    return std::abs(x["change_ps"].get<std::int64_t>()) > std::abs(y["change_ps"].get<std::int64_t>());
  });
  return changed;
}

Json run_differences(const NamedResults& runs, const std::vector<std::string>& folders) {
  const auto resolved = [&](std::size_t i) { return std::filesystem::path(folders[i]) / "resolved.yaml"; };
  const auto document_of = [](const std::string& file) {
    Node root = config::load_document(file);
    config::experiment_type()->load_files(root);  // tables of their own
    return root;
  };
  const auto text_of = [](const std::filesystem::path& file) { return read_input(file.string()); };
  Json all = Json::array();
  for (std::size_t i = 1; i < runs.size(); ++i) {
    Json changed;
    if (std::filesystem::is_regular_file(resolved(0)) && std::filesystem::is_regular_file(resolved(i)))
      changed = changed_settings(document_of(resolved(0).string()), document_of(resolved(i).string()),
                                 text_of(resolved(0)), text_of(resolved(i)));
    all.push_back({{"name", runs[i].first},
                   {"changed", changed},
                   {"waterfall", waterfall(runs[0].second, runs[i].second)},
                   {"collectives", collective_differences(runs[0].second, runs[i].second)},
                   {"links", link_differences(runs[0].second, runs[i].second)}});
  }
  return all;
}

Json run_differences_schema() {
  namespace schema = results::schema;
  const Json whole = {{"type", "integer"}};
  const Json setting = schema::or_null(
      schema::object({{"value", schema::text()}, {"origin", schema::text()}}), "null: it is not set");
  const Json part = schema::object(
      {{"name", schema::text()}, {"first_ps", whole}, {"this_ps", whole}, {"change_ps", whole}});
  const Json collective = schema::object({{"type", schema::text()},
                                          {"class", schema::text()},
                                          {"name", schema::text()},
                                          {"start_s", {{"type", {"number", "null"}}}},
                                          {"algorithms", schema::list(schema::text(), "Of both runs")},
                                          {"ranks", schema::count()},
                                          {"bytes", schema::count()},
                                          {"first_ps", whole},
                                          {"this_ps", whole},
                                          {"change_ps", whole}});
  const Json link = schema::object({{"name", schema::text()},
                                    {"first_ps", whole},
                                    {"this_ps", whole},
                                    {"change_ps", whole},
                                    {"first_bytes", schema::count()},
                                    {"this_bytes", schema::count()}});
  return schema::list(schema::object(
      {{"name", schema::text()},
       {"changed", schema::or_null(schema::list(schema::object(
                                       {{"key", schema::text()}, {"first", setting}, {"this", setting}})),
                                   "Settings; null: a resolved.yaml is missing")},
       {"waterfall", schema::or_null(schema::object({{"first_ps", whole},
                                                     {"this_ps", whole},
                                                     {"change_ps", whole},
                                                     {"parts", schema::list(part)}}),
                                     "Of the last iteration")},
       {"collectives", schema::object({{"matched", schema::list(collective)},
                                       {"only_first", schema::count()},
                                       {"only_this", schema::count()}})},
       {"links", schema::list(link)}}));
}

}  // namespace wafertlm
