// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/collective/collective_setup.h"

namespace wafertlm {

/// What would run at each size, without running it.
void print_choices(const CollectiveRequest& request, const std::vector<std::uint64_t>& sizes,
                   const FabricTraits& fabric, bool json);

/// The table, or the JSON, of `wafertlm collective`.
class CollectiveReport {
 public:
  /// Plans once, so that bad input is refused before anything is printed.
  CollectiveReport(const config::PlatformSpec& spec, const CollectiveSetup& setup, const std::string& type,
                   std::uint64_t first_bytes, bool json);

  /// The rows of one size: one for each lane; of a stream one.
  nlohmann::json rows(std::uint64_t bytes, const CollectiveResult& result) const;
  /// Adds them; the table grows line by line.
  void add(const nlohmann::json& given);
  /// @throws std::runtime_error: RTL of a switch differs from its model.
  void finish() const;

 private:
  nlohmann::json lane_row(std::uint64_t bytes, const CollectiveResult& result, const CollectivePlan& plan,
                          std::size_t lane, std::size_t first, std::size_t count) const;
  nlohmann::json stream_row(std::uint64_t bytes, const CollectiveResult& result) const;
  void print_head() const;
  void print_row(const nlohmann::json& row) const;

  const CollectiveSetup& setup_;
  FabricTraits fabric_;
  bool json_, functional_;
  double bit_error_rate_;
  std::vector<std::string> notes_;  // named losses
  nlohmann::json report_;
  std::string rtl_failure_;
};

}  // namespace wafertlm
