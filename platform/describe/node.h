// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/text/config_error.h"

namespace wafertlm::config {

/// A piece of YAML that knows where it was written. Plain data, copied freely: files are small.
struct Node {
  enum class Kind : std::uint8_t { empty, scalar, list, map };
  struct Entry;

  Kind kind = Kind::empty;
  SourceLocation place;
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< a quoted scalar is text, never a number or a truth value
  std::vector<Node> items;
  std::vector<Entry> entries;  ///< in the order of the file; keys are unique

  static Node scalar(std::string text, SourceLocation place = {});
  static Node string(std::string text, SourceLocation place = {});
  static Node list(std::vector<Node> items);
  /// In the place of its first entry that has one.
  static Node map(std::vector<std::pair<std::string, Node>> entries);

  Node* find(std::string_view key);
  const Node* find(std::string_view key) const;
  /// Appends an entry to a map (an empty node becomes one).
  Node& add(std::string key, Node value);
  void erase(std::string_view key);

  /// For messages: "a list", "the text 'abc'", "nothing".
  std::string describe() const;
};

struct Node::Entry {
  std::string key;
  SourceLocation place;  ///< of the key
  Node value;
};

/// A value written as {value: 750 GB/s, provenance: "where it comes from"}.
constexpr std::string_view kValueKey = "value";
constexpr std::string_view kProvenanceKey = "provenance";
bool is_annotated(const Node& node);

/// The same texts in the same structure, wherever they stand.
bool same_values(const Node& a, const Node& b);

/// `changes` on top of `base`: maps are merged key by key, everything else (lists, annotated values) is
/// replaced.
Node merged(Node base, const Node& changes);

}  // namespace wafertlm::config
