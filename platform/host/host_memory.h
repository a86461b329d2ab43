// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// What this process may still take: the least of the machine's available memory, what its control group
/// leaves, and its limit of address space (ulimit -v).
std::uint64_t available_memory_bytes();

}  // namespace wafertlm
