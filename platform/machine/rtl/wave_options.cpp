// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/wave_options.h"

#include <stdexcept>

#include "platform/host/output_option.h"
#include "platform/machine/rtl/rtl_waves.h"
#include "platform/spec/ranges.h"

namespace wafertlm {

void RtlWaveOptions::add_to(CLI::App& command, const std::string& usual_path) {
  command
      .add_option("--waves", path,
                  "File of the waveforms, .vcd or .fst: " + usual_path +
                      ".vcd if not given. FILE.gtkw is "
                      "the view for GTKWave")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  command
      .add_option("--waves-window", window,
                  "Cycles of the waveforms, '100:250' or '100:' to the end; written even if nothing is wrong")
      ->type_name("FROM:TO");
}

std::string RtlWaveOptions::file(const std::string& usual_path) const {
  return rtl_wave_file(path.empty() ? usual_path : path);
}

std::optional<RtlWaveWindow> RtlWaveOptions::cycles(const RtlClock& clock) const {
  if (window.empty()) return std::nullopt;
  const std::size_t colon = window.find(':');
  std::uint64_t from = 0, to = 0;
  const bool is_open = colon + 1 == window.size();
  if (colon == std::string::npos || !is_number(window.substr(0, colon), from) ||
      (!is_open && !is_number(window.substr(colon + 1), to)))
    throw std::invalid_argument("--waves-window " + window +
                                ": write cycles like 100:250, or 100: to the end");
  if (!is_open && to < from)
    throw std::invalid_argument("--waves-window " + window + ": the first cycle is behind the last; write " +
                                std::to_string(to) + ":" + std::to_string(from));
  return RtlWaveWindow{clock.period_ps(), clock.edge_ps(from), is_open ? kNever : clock.edge_ps(to + 1) - 1};
}

}  // namespace wafertlm
