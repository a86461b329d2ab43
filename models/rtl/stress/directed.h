// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/rtl/stress/stimulus.h"

namespace wafertlm {

/// One message alone for each pair of ports.
RtlStimulus one_by_one(const RtlDesign& design);
/// For each pair of ports in turn, packets of rate_flits() one behind the other.
RtlStimulus pair_by_pair(const RtlDesign& design);
/// Flits of a packet of pair_by_pair(): there is room for four in the smallest buffer.
std::uint32_t rate_flits(const RtlDesign& design);
/// For each output in turn, as far as time allows, packets from every input on two channels at once.
RtlStimulus all_to_one(const RtlDesign& design);

}  // namespace wafertlm
