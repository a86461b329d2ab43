// SPDX-License-Identifier: Apache-2.0
#include "tlm/npu_name.h"

namespace wafertlm {

std::string npu_name(NpuId npu) { return "NPU " + std::to_string(index_of(npu)); }

std::string npu_instance(NpuId npu) { return "npu" + std::to_string(index_of(npu)); }

}  // namespace wafertlm
