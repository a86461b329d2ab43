// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/text/config_error.h"
#include "platform/text/suggest.h"

namespace wafertlm::config {
namespace {

/// Puts `kind` behind all whose files may have its key.
void put_behind_wider(const FileKind& kind, const std::vector<FileKind>& kinds,
                      std::vector<const FileKind*>& order, std::vector<const FileKind*>& begun) {
  if (std::find(begun.begin(), begun.end(), &kind) != begun.end()) return;
  begun.push_back(&kind);
  for (const FileKind& other : kinds)
    if (other.type->find(kind.key()) != nullptr) put_behind_wider(other, kinds, order, begun);
  order.push_back(&kind);
}

}  // namespace

std::vector<const FileKind*> in_order_of_keys(const std::vector<FileKind>& kinds) {
  std::vector<const FileKind*> order, begun;
  for (const FileKind& kind : kinds) put_behind_wider(kind, kinds, order, begun);
  return order;
}

const FileKind* find_kind(const Node& root, const std::vector<FileKind>& kinds) {
  for (const FileKind* const kind : in_order_of_keys(kinds))
    if (root.find(kind->key()) != nullptr) return kind;
  return nullptr;
}

const FileKind& kind_of(const Node& root, const std::vector<FileKind>& kinds) {
  if (const FileKind* const kind = find_kind(root, kinds)) return *kind;
  std::vector<std::string> keys;
  for (const FileKind& kind : kinds) keys.push_back(kind.key());
  for (const Node::Entry& entry : root.entries)
    if (!nearest(entry.key, keys).empty())
      throw ConfigError(entry.place,
                        fmt::format("unknown key {} at the top level{}", quoted(entry.key),
                                    suggestion(entry.key, keys, "one of these tells what the file is")));
  throw ConfigError(
      root.place, fmt::format("no top-level key tells what this file is; expected one of: {}", listed(keys)));
}

void add_kind(std::vector<FileKind>& kinds, FileKind kind) {
  const auto same =
      std::find_if(kinds.begin(), kinds.end(), [&](const FileKind& each) { return each.type == kind.type; });
  if (same == kinds.end())
    kinds.push_back(std::move(kind));
  else
    *same = std::move(kind);
}

std::string check_line(const std::string& what, const std::string& text) {
  return fmt::format("{:<9} {}\n", what, text);
}

}  // namespace wafertlm::config
