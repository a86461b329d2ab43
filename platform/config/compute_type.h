// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "platform/config/npu_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<ComputeSpec>> compute_type();

/// Of NPU `number`; `seed`: the run's.
ComputeParams compute_params(const NpuSpec& npu, std::uint32_t number, std::uint64_t seed);
/// Of an NPU that computes like this; nullopt if computing takes no memory.
std::optional<OperandParams> operand_params(const NpuSpec& npu, const ComputeParams& compute);

}  // namespace wafertlm::config
