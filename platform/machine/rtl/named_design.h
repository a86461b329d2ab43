// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "models/rtl/design.h"

namespace wafertlm {

/// The RTL that a user names: a design of the program, or "remote:SOCKET", for whose simulator it waits.
/// @throws std::invalid_argument, RtlRemoteEnded
RtlDesign named_rtl_design(const std::string& name, RtlProtocolTest fits = is_of_switch);

}  // namespace wafertlm
