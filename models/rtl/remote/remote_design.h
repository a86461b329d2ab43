// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "models/rtl/design.h"
#include "models/rtl/remote/connection.h"

namespace wafertlm {

/// The switch of a simulator that comes to the Unix domain socket `path` (wafertlm_rtl.h is its end): its
/// facts are what it says. All that the design makes is that one module, which ends with the last of them;
/// waveforms are of its pins, with X and Z as 0.
/// @throws std::invalid_argument: nobody came in time, or what came does not fit its protocol; it is told
/// why. RtlRemoteEnded: it went away.
RtlDesign remote_rtl_design(const std::string& path, RtlPatience patience = {});

}  // namespace wafertlm
