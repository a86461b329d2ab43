// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wafertlm::astra_sim {

/// Numbers that a key may have.
struct Range {
  double least = 0, most = 0;
};

/// A map of a file, read key by key. What nobody has asked for by the end is an error.
class InputKeys {
 public:
  enum class Form { json, yaml };
  /// @throws std::invalid_argument naming file and line: it cannot be read, is no map, or has a key twice.
  InputKeys(const std::string& path, Form form);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return values_.contains(key); }

  // Each: none if the key is not there; @throws std::invalid_argument naming file and key for another value.
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
  /// @throws std::invalid_argument: a key that no call has named, with the nearest one that has been.
  void require_all_known() const;

 private:
  const nlohmann::json* find(const std::string& key);
  double in_range(const std::string& key, const nlohmann::json& value, const Range& range) const;

  std::string path_;
  nlohmann::json values_;
  std::vector<std::string> known_;
};

}  // namespace wafertlm::astra_sim
