// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// What this process may take: the least of the machine's available memory, what its control group leaves,
/// and what it has and its limit of address space (ulimit -v) leaves.
std::uint64_t available_memory_bytes();
/// Of this process, without an allocation; 0 where the system does not tell.
std::uint64_t address_space_bytes();
/// The largest number: there is none.
std::uint64_t address_space_limit_bytes();

}  // namespace wafertlm
