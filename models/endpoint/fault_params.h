// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "tlm/units.h"

namespace wafertlm {

/// A fault put into one packet on purpose, where it leaves its NPU.
struct FaultParams {
  enum class Kind : std::uint8_t {
    flip_bit,     ///< the packet carries a wrong bit from here on
    drop_packet,  ///< the packet vanishes; its room in the next buffer is given back
  };
  Kind kind = Kind::flip_bit;
  NpuId from{};
  std::optional<NpuId> to;   ///< none: into in-network flows
  std::uint64_t packet = 1;  ///< the so-many-th from `from` to `to`, in the order in which they leave, from 1
  std::optional<std::uint64_t> bit;  ///< flip_bit: of the payload; bit b of byte n is number 8 n + b
};

}  // namespace wafertlm
