// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "models/rtl/bench.h"
#include "models/rtl/recording.h"

namespace wafertlm {

/// A recording as text that needs nothing of ours: stimulus.txt to read, .hex files for $readmemh,
/// stimulus.svh with the design's parameters, and a bench in SystemVerilog that plays them.
struct RtlExport {
  std::string recording;
  const RtlDesign* design = nullptr;
  RtlConfiguration configuration;
  std::string folder;  ///< made if it is not there; holds nothing else
};

struct RtlExported {
  std::size_t packets = 0, expected = 0;
  std::vector<std::string> files;
};

/// @throws std::invalid_argument: the recording does not fit the design, or the folder has other files.
RtlExported export_rtl_stimulus(const RtlExport& request);

/// A file of models/rtl/sv, which the program has in it.
struct RtlSvFile {
  const char* name;
  const char* text;
};
const std::vector<RtlSvFile>& rtl_sv_files();

}  // namespace wafertlm
