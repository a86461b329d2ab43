// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/yaml_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/describe/reader.h"
#include "platform/text/suggest.h"

namespace wafertlm::config {

namespace {

/// In double quotes. YAML reads JSON's escapes.
std::string quote(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(const Origins& origins) : origins_(origins) {}

  std::string block(const Node& map, const std::string& path, const std::string& indent) const {
    std::string text;
    for (const Node::Entry& entry : map.entries) {
      const std::string below = join_path(path, entry.key);
      if (entry.value.kind == Node::Kind::map)
        text += fmt::format("{}{}:\n{}", indent, entry.key, block(entry.value, below, indent + "  "));
      else if (has_maps(entry.value))
        text += rows(entry, below, indent);
      else
        text += fmt::format("{}{}: {}{}\n", indent, entry.key, flow(entry.value, below), comment(below));
    }
    return text;
  }

 private:
  static bool has_maps(const Node& node) {
    return node.kind == Node::Kind::list && !node.items.empty() && node.items[0].kind == Node::Kind::map;
  }

  /// A list of maps: one line each.
  std::string rows(const Node::Entry& entry, const std::string& path, std::string indent) const {
    std::string text = fmt::format("{}{}:{}\n", indent, entry.key, comment(path));
    indent += "  ";
    if (const std::string source = provenance(path); !source.empty()) {
      text += fmt::format("{0}{1}: {2}\n{0}{3}:\n", indent, kProvenanceKey, quote(source), kValueKey);
      indent += "  ";
    }
    for (std::size_t i = 0; i < entry.value.items.size(); ++i)
      text += fmt::format("{}- {}\n", indent, flow(entry.value.items[i], item_path(path, i)));
    return text;
  }

  std::string flow(const Node& node, const std::string& path) const {
    const std::string value = bare_flow(node, path);
    const std::string source = provenance(path);
    return source.empty()
               ? value
               : fmt::format("{{{}: {}, {}: {}}}", kValueKey, value, kProvenanceKey, quote(source));
  }

  std::string bare_flow(const Node& node, const std::string& path) const {
    std::vector<std::string> parts;
    switch (node.kind) {
      case Node::Kind::empty:
        return "";
      case Node::Kind::scalar:
        return node.quoted ? quote(node.text) : node.text;
      case Node::Kind::list:
        for (std::size_t i = 0; i < node.items.size(); ++i)
          parts.push_back(flow(node.items[i], item_path(path, i)));
        return "[" + listed(parts) + "]";
      case Node::Kind::map:
        for (const Node::Entry& entry : node.entries)
          parts.push_back(entry.key + ": " + flow(entry.value, join_path(path, entry.key)));
        return "{" + listed(parts) + "}";
    }
    return "";
  }

  std::string provenance(const std::string& path) const {
    const Origin* origin = origins_.find(path);
    return origin == nullptr ? "" : origin->provenance;
  }

  std::string comment(const std::string& path) const {
    const Origin* origin = origins_.find(path);
    return "  # " + (origin == nullptr ? "default" : origin->place.short_text());
  }

  const Origins& origins_;
};

void record_places(const Node& node, const std::string& path, Origins& origins) {
  origins.record(path, {node.place, ""});
  for (const Node::Entry& entry : node.entries)
    record_places(entry.value, join_path(path, entry.key), origins);
}

}  // namespace

std::string write_yaml(const Node& map, const Origins& origins) { return Writer(origins).block(map, "", ""); }

std::string write_yaml(const Node& map) {
  Origins origins;
  record_places(map, "", origins);
  return write_yaml(map, origins);
}

}  // namespace wafertlm::config
