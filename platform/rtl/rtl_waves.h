// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tlm/rtl/bench.h"

namespace wafertlm {

/// Waveforms of both sides around a moment of a recording.
struct RtlWaveRequest {
  std::string recording;
  const RtlDesign* design = nullptr;
  RtlConfiguration configuration;
  RtlModel* model = nullptr;
  TimePs at_ps = 0, window_ps = 0;
  std::string path;  ///< without ending
};

/// Plays the recording into the RTL once more and writes PATH.vcd, all of its signals, and PATH_tlm.vcd: of
/// the model what comes to each input and leaves each output, from window_ps before at_ps to window_ps after.
/// Returns the files.
std::vector<std::string> write_rtl_waves(const RtlWaveRequest& request);

/// Of a recording the parameters of a bench with `design`, whose ports and channels may be more.
/// @throws std::invalid_argument: they are less, or its flits have another size.
RtlBenchParams bench_params(const class RtlRecordingReader& recording, const RtlDesign& design,
                            RtlConfiguration configuration);

}  // namespace wafertlm
