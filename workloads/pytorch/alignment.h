// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace wafertlm::pytorch {

/// Pairs of positions of `a` and `b` with equal names, in order: the common subsequence that leaves the
/// fewest of both out (Myers, "An O(ND) Difference Algorithm", 1986). What of the longer one lies before and
/// behind does not count, so `a` may be a window of `b` or the reverse. None if more than a tenth (and 16)
/// has to be left out.
std::vector<std::pair<std::size_t, std::size_t>> align(const std::vector<std::uint32_t>& a,
                                                       const std::vector<std::uint32_t>& b);

}  // namespace wafertlm::pytorch
