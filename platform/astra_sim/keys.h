// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wafertlm::astra_sim {

/// A map of a file, read key by key. What nobody has asked for by the end is an error.
class Keys {
 public:
  /// JSON, or with `yaml` YAML. @throws std::invalid_argument
  Keys(const std::string& path, bool yaml);

  bool has(const std::string& key) const { return values_.contains(key); }
  /// A number, also from "1" or a list of one. @throws std::invalid_argument: no number, or below 0.
  std::optional<double> number(const std::string& key);
  std::optional<std::string> word(const std::string& key, const std::vector<std::string>& allowed);
  std::optional<std::vector<std::string>> words(const std::string& key);
  std::optional<std::vector<double>> numbers(const std::string& key);
  /// Whether a key that is known but not modelled asks for something: it is there, and not 0, false or empty.
  bool skip(const std::string& key);
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;
  /// @throws std::invalid_argument: a key that no call has named, with the nearest one that has been.
  void require_all_known() const;

 private:
  const nlohmann::json* find(const std::string& key);

  std::string path_;
  nlohmann::json values_;
  std::vector<std::string> known_;
};

}  // namespace wafertlm::astra_sim
