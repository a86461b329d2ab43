// SPDX-License-Identifier: Apache-2.0
// Bytes of a memory as bursts: INCR, of full beats.
#pragma once
#include <cstdint>
#include <vector>

#include "models/rtl/axi4/master.h"

namespace wafertlm {

/// Where a burst that begins at `address` has to end, at most: a boundary, or 256 beats.
std::uint64_t axi4_burst_end(const Axi4Shape& shape, std::uint64_t address, std::uint64_t end);

/// Of [address, address + bytes), which axi4_burst_end() allows; at least a byte.
Axi4Transaction axi4_write(const Axi4Shape& shape, std::uint64_t address,
                           const std::vector<std::uint8_t>& bytes);
Axi4Transaction axi4_read(const Axi4Shape& shape, std::uint64_t address, std::uint64_t bytes);
/// What such a read, which is over, got.
std::vector<std::uint8_t> axi4_bytes(const Axi4Shape& shape, const Axi4Transaction& read,
                                     std::uint64_t bytes);

}  // namespace wafertlm
