// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tlm/units.h"

namespace wafertlm {

/// "NPU 3": in messages.
std::string npu_name(NpuId npu);
/// "npu3": as an instance, in the names of sockets, links and timelines.
std::string npu_instance(NpuId npu);

}  // namespace wafertlm
