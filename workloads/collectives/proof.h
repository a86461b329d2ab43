// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/program.h"

namespace wafertlm {

/// Functional mode: what a rank's buffer (INT32) holds before a collective, and what its definition says it
/// must hold after. The values are a hash of (collective, rank, element), so that a misplaced element shows.
/// @throws std::invalid_argument if the vector does not consist of whole INT32 values.
std::vector<std::byte> initial_values(const CollectiveProgram& program, std::uint64_t collective_id,
                                      std::uint32_t rank);
/// The first difference in words; empty if all values are right. `elements`, if given, gets the positions of
/// all of them.
std::string wrong_value(const CollectiveProgram& program, std::uint64_t collective_id, std::uint32_t rank,
                        const std::vector<std::byte>& buffer, std::vector<std::uint64_t>* elements = nullptr);

}  // namespace wafertlm
