// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/node.h"

#include <algorithm>

namespace wafertlm::config {

Node Node::scalar(std::string text, SourceLocation place) {
  Node node;
  node.kind = Kind::scalar;
  node.place = std::move(place);
  node.text = std::move(text);
  return node;
}

Node Node::string(std::string text, SourceLocation place) {
  Node node = scalar(std::move(text), std::move(place));
  node.quoted = true;
  return node;
}

Node Node::list(std::vector<Node> items) {
  Node node;
  node.kind = Kind::list;
  node.items = std::move(items);
  return node;
}

Node Node::map(std::vector<std::pair<std::string, Node>> entries) {
  Node node;
  node.kind = Kind::map;
  for (auto& [key, value] : entries) {
    if (node.place.source.empty()) node.place = value.place;
    node.add(std::move(key), std::move(value));
  }
  return node;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

const Node* Node::find(std::string_view key) const {
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return entry == entries.end() ? nullptr : &entry->value;
}

Node& Node::add(std::string key, Node value) {
  kind = Kind::map;
  const SourceLocation place_of_key = value.place;
  entries.push_back({std::move(key), place_of_key, std::move(value)});
  return entries.back().value;
}

void Node::erase(std::string_view key) {
  entries.erase(std::remove_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; }),
                entries.end());
}

std::string Node::describe() const {
  if (kind == Kind::empty) return "nothing";
  if (kind == Kind::list) return "a list";
  if (kind == Kind::map) return "a map";
  return (quoted ? "the text " : "") + config::quoted(text);
}

bool is_annotated(const Node& node) {
  return node.kind == Node::Kind::map && node.find(kValueKey) != nullptr;
}

bool same_values(const Node& a, const Node& b) {
  return a.kind == b.kind && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_values) &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    [](const Node::Entry& x, const Node::Entry& y) {
                      return x.key == y.key && same_values(x.value, y.value);
                    });
}

Node merged(Node base, const Node& changes) {
  if (base.kind != Node::Kind::map || changes.kind != Node::Kind::map || is_annotated(changes))
    return changes;
  base.place = changes.place;
  for (const Node::Entry& change : changes.entries) {
    Node* old = base.find(change.key);
    if (old == nullptr) {
      base.entries.push_back(change);
      continue;
    }
    *old = merged(std::move(*old), change.value);
    const auto entry = std::find_if(base.entries.begin(), base.entries.end(),
                                    [&](const Node::Entry& e) { return e.key == change.key; });
    entry->place = change.place;
  }
  return base;
}

}  // namespace wafertlm::config
