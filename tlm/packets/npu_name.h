// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// "NPU 3": in messages.
inline std::string npu_name(NpuId npu) { return "NPU " + std::to_string(index_of(npu)); }
/// "npu3": as an instance, in the names of sockets, links and timelines.
inline std::string npu_instance(NpuId npu) { return "npu" + std::to_string(index_of(npu)); }
/// "hbm_3": the memory of an NPU, likewise.
inline std::string memory_instance(NpuId npu) { return "hbm_" + std::to_string(index_of(npu)); }

}  // namespace wafertlm
