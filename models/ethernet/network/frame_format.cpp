// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/network/frame_format.h"

namespace wafertlm::ethernet {

std::uint64_t FrameFormat::write_wire_bytes(std::uint64_t bytes) const {
  if (bytes <= mtu_bytes) return data_wire_bytes(static_cast<std::uint32_t>(bytes), true);
  const std::uint64_t between = packets(bytes) - 2;
  const auto last = static_cast<std::uint32_t>(bytes - (between + 1) * mtu_bytes);
  return data_wire_bytes(mtu_bytes, true) + between * full_wire_bytes() + data_wire_bytes(last, false);
}

}  // namespace wafertlm::ethernet
