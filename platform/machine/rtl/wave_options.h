// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "models/rtl/clock.h"
#include "models/rtl/model.h"

namespace wafertlm {

/// --waves and --waves-window of the commands that write waveforms of RTL.
struct RtlWaveOptions {
  std::string path, window;

  void add_to(CLI::App& command, const std::string& usual_path);
  /// Whether waveforms are wanted of a run that finds nothing as well.
  bool always() const { return !window.empty(); }
  /// @throws std::invalid_argument: vcd2fst is missing.
  std::string file(const std::string& usual_path) const;
  /// The window in cycles, as times of this clock. None: not given. @throws std::invalid_argument
  std::optional<RtlWaveWindow> cycles(const RtlClock& clock) const;
};

}  // namespace wafertlm
