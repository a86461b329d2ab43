// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/rtl/stress/stimulus.h"

namespace wafertlm {

/// Random traffic and random stalls, within what the protocol allows; the same for the same arguments. Each
/// case draws what kind of trouble it makes: loads from idle to more than the ports carry, single flits to
/// whole buffers, one channel or all, late contributors, ports that stand still for moments or until every
/// buffer is full, and outputs whose credits come one by one.
/// @param packets at most so many, inputs of flows counted once.
RtlStimulus random_stimulus(const RtlDesign& design, const RtlFlowRules& rules, std::uint32_t packets,
                            std::uint64_t seed);
/// As much as the ports carry, on two channels, again and again for `cycles` without a reset or a stall, with
/// numbers that soon go around: what a counter of the module does when it is full.
RtlStimulus long_stimulus(const RtlDesign& design, const RtlFlowRules& rules, std::uint32_t packets,
                          std::uint64_t seed, std::uint64_t cycles);

}  // namespace wafertlm
