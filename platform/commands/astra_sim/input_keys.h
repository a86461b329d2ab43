// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/describe/node.h"

namespace wafertlm::astra_sim {

/// Numbers that a key may have.
struct Range {
  double least = 0, most = 0;
};

/// A value that ASTRA-sim's files do not say: it is ASTRA-sim's way.
config::Node own(const std::string& text);

/// A map of a file, read key by key. What nobody has asked for by the end is an error. All errors are
/// ConfigErrors with file, line and column.
class InputKeys {
 public:
  enum class Form { json, yaml };
  /// @throws ConfigError: it cannot be read, is no map, or has a key twice.
  InputKeys(const std::string& path, Form form);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return values_.find(key) != nullptr; }
  /// Of a value; that of own() if the key is not there.
  config::SourceLocation place(const std::string& key) const;
  /// What a value, or an item of a list, becomes: `text` in its place.
  config::Node at(const std::string& key, const std::string& text) const;
  config::Node at(const std::string& key, std::size_t item, const std::string& text) const;

  // Each: none if the key is not there; @throws ConfigError for another value.
  /// Also from "1" or a list of one.
  std::optional<double> number(const std::string& key, const Range& range);
  std::optional<std::uint64_t> whole_number(const std::string& key, const Range& range);
  std::optional<std::string> word(const std::string& key, const std::vector<std::string>& allowed);
  std::optional<std::vector<std::string>> words(const std::string& key);
  /// From one number, too.
  std::optional<std::vector<double>> numbers(const std::string& key, const Range& range);
  /// Whether a key that is known but not modelled asks for something: it is there, and not 0, false or empty.
  bool asks(const std::string& key);

  [[noreturn]] void fail(const std::string& key, const std::string& what) const;
  [[noreturn]] void fail(const std::string& key, std::size_t item, const std::string& what) const;
  /// Of the file as a whole.
  [[noreturn]] void fail(const std::string& what) const;
  void require_all(const std::vector<std::string>& keys) const;
  /// @throws ConfigError: a key that no call has named, with the nearest one that has been.
  void require_all_known() const;

 private:
  const config::Node* find(const std::string& key);
  const config::Node& item(const std::string& key, std::size_t item) const;

  std::string path_;
  config::Node values_;
  std::vector<std::string> known_;
};

}  // namespace wafertlm::astra_sim
