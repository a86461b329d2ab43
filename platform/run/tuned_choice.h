// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "platform/spec/platform_spec.h"
#include "workloads/collectives/tuning_table.h"

namespace wafertlm {

/// A tuning table in use.
class TunedChoice {
 public:
  /// Reads the file. @throws config::ConfigError with the place in it.
  explicit TunedChoice(std::string path);

  /// @throws std::invalid_argument, naming the table: it has no such entry.
  const std::string& algorithm(CollectiveType type, const Group& group, std::uint64_t bytes) const;
  /// Where no collective would take its algorithm from here. @throws std::invalid_argument.
  [[noreturn]] void refuse_unused() const;

 private:
  std::string path_;
  backends::TuningTable table_;
};

/// Of the table that `collectives.algorithm` names; null: it names none.
std::shared_ptr<const TunedChoice> tuned_choice(const config::CollectivesSpec& spec);

}  // namespace wafertlm
