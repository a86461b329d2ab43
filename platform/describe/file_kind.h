// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "platform/describe/node.h"
#include "platform/describe/struct_type.h"

namespace wafertlm::config {

/// A file, and how `wafertlm check` is asked for it.
struct CheckRequest {
  std::string file;
  std::vector<std::string> overrides = {};  ///< as of `--set`
  bool resolved = false;                    ///< every value with its origin in place of a summary
  bool force = false;                       ///< also what needs more memory than there is
};

/// A kind of YAML file: a row of the folder that owns it. What takes files of several kinds goes over a list
/// of rows.
struct FileKind {
  const StructType* type;  ///< all its keys; the first tells the kind
  std::string command;     ///< that takes such a file: "run"; empty: other files name it
  std::string summary;     ///< what it is, in a few words
  /// Reads and checks a file, and writes what `wafertlm check` says of it. @throws ConfigError
  std::function<void(const CheckRequest&, std::ostream& out)> check;
  bool takes_overrides = false;  ///< and `resolved`
  std::string start = {};        ///< what `wafertlm new` writes, with {name}; empty: nothing

  const std::string& key() const { return type->keys().front().name; }
};

/// In the order in which keys tell a kind: an experiment may have a `platform`, too, so it comes before
/// platforms.
std::vector<const FileKind*> in_order_of_keys(const std::vector<FileKind>& kinds);

/// What the keys of a file say that it is; null: none of these.
const FileKind* find_kind(const Node& root, const std::vector<FileKind>& kinds);
/// @throws ConfigError: none of these.
const FileKind& kind_of(const Node& root, const std::vector<FileKind>& kinds);

/// Adds a row, in place of one of the same type: a folder may check more than the one below.
void add_kind(std::vector<FileKind>& kinds, FileKind kind);

/// "costs     NAME": a line of what `wafertlm check` says.
std::string check_line(const std::string& what, const std::string& text);

}  // namespace wafertlm::config
