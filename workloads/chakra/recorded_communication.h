// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "workloads/chakra/node_source.h"

namespace wafertlm::chakra {

/// What plays communications that take as long as they were recorded, if the trace names no unit.
constexpr std::uint32_t kRecordedUnit = ~std::uint32_t{0};

/// A source whose collectives, sends and receives are replaced by computations that take as long as they were
/// recorded, each on its unit, beside all else: the measured timeline, on any network.
/// next() throws TraceError for a communication with bytes of which the trace says no time.
std::unique_ptr<NodeSource> with_recorded_communication(std::unique_ptr<NodeSource> source);

}  // namespace wafertlm::chakra
