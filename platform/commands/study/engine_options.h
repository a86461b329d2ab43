// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "platform/commands/study/sweep/sweep.h"

namespace wafertlm {

/// How cells are run, as options of a command.
class EngineOptions {
 public:
  void add_to(CLI::App& command);
  /// `otherwise` with what was given. @throws std::invalid_argument that names the option.
  SweepOptions chosen(SweepOptions otherwise) const;

 private:
  std::optional<std::string> engine_, memory_limit_, time_limit_, sbatch_, launcher_;
  std::optional<unsigned> jobs_, cells_per_task_;
  std::optional<std::uint32_t> retries_;
  bool no_wait_ = false;
};

}  // namespace wafertlm
