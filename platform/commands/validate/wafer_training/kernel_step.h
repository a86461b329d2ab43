// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "platform/commands/validate/wafer_training/streamed_time.h"

namespace wafertlm::validate::wafers {

/// The step in seconds with kernels on the wafer's cores in place of the rate that a row calibrates; what the
/// step waits for weights stays. None: the row changes the platform, or a core has no room.
std::optional<double> kernel_step_s(const StreamedStep& step, const StreamedTime& time);

}  // namespace wafertlm::validate::wafers
