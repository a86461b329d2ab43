// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/commands/optimize/corner_bound.h"

namespace wafertlm::optimize {

/// What a search looks at before it begins, for it might come near these points only: the fastest corner, if
/// one is known to be (`fastest`), the cheapest by the prices of variables, and all ranges at their
/// beginnings and at their ends. Each once, with whole steps. Under a budget, whose points are no corners:
/// none.
std::vector<Point> ends_of(const OptimizeSpec& spec, const CornerBound& fastest);

}  // namespace wafertlm::optimize
