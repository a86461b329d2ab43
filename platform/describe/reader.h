// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/describe/node.h"
#include "platform/describe/origins.h"

namespace wafertlm::config {

/// Strict access to one node and its path. Every failure is a ConfigError "<place>: <path>: <message>".
class Reader {
 public:
  Reader(const Node& node, std::string path, Origins& origins)
      : node_(node), path_(std::move(path)), origins_(origins) {}

  const Node& node() const { return node_; }
  const std::string& path() const { return path_; }
  Origins& origins() const { return origins_; }

  Reader child(std::string_view key, const Node& value) const;
  Reader item(std::size_t index) const;
  /// Looks through {value: …, provenance: …}, and records where the value was written.
  Reader value() const;
  /// The same of a value that cannot be annotated.
  void record_place() const;

  /// Whether `a` was written after `b`, which it changes: by `--set`, else in the file that has this node, as
  /// this is the last of those that extend each other.
  bool is_later(const SourceLocation& a, const SourceLocation& b) const;

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_type(const std::string& expected) const;

  /// `expected` completes "expected …" ("a size such as '4 KiB'").
  const std::string& scalar(const std::string& expected) const;
  void require_list(const std::string& expected) const;
  void require_map(const std::string& expected) const;
  std::uint64_t integer(std::uint64_t least, std::uint64_t most) const;
  bool boolean() const;

 private:
  const Node& node_;
  std::string path_;
  Origins& origins_;
};

std::string join_path(const std::string& path, std::string_view key);
std::string item_path(const std::string& path, std::size_t index);

}  // namespace wafertlm::config
