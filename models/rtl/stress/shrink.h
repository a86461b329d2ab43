// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "models/rtl/stress/stimulus.h"

namespace wafertlm {

/// Leaves out parts of a stimulus that fails, and makes others smaller, as long as it fails (delta debugging;
/// Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002).
/// @param fails plays it; called at most `plays` times.
RtlStimulus shrink(RtlStimulus stimulus, const std::function<bool(const RtlStimulus&)>& fails,
                   std::uint32_t plays);

}  // namespace wafertlm
