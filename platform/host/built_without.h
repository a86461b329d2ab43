// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

namespace wafertlm {

/// What was asked for is in the whole `wafertlm`, and not in this program of one command.
struct BuiltWithout : std::runtime_error {
  using std::runtime_error::runtime_error;
  static constexpr int kExitCode = 75;  ///< for run.sh, which then builds the whole
};

}  // namespace wafertlm
