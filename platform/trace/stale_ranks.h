// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace wafertlm {

/// `stale`: ranks of an earlier job that would be taken for ranks of the new one. Removes them with `force`.
/// @throws std::invalid_argument that names them, and what to do.
void require_no_stale_ranks(const std::vector<std::string>& stale, bool force);

}  // namespace wafertlm
