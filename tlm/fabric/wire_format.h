// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace wafertlm {

/// How a message becomes packets and a packet becomes bytes on the wire.
struct WireFormat {
  std::uint32_t packet_bytes = 4096;  ///< payload of a full packet
  std::uint32_t header_bytes = 0;
  std::uint32_t flit_bytes = 0;  ///< wire bytes are rounded up to this; 0: off

  /// A packet without payload still occupies the wire for its header, at least a byte.
  std::uint32_t wire_bytes(std::uint32_t payload) const {
    const std::uint32_t bytes = std::max(payload + header_bytes, 1U);
    return flit_bytes == 0 ? bytes : (bytes + flit_bytes - 1) / flit_bytes * flit_bytes;
  }
  std::uint32_t full_wire_bytes() const { return wire_bytes(packet_bytes); }
  /// A message without bytes is one packet without payload.
  std::uint64_t packets(std::uint64_t message_bytes) const {
    return message_bytes == 0 ? 1 : (message_bytes + packet_bytes - 1) / packet_bytes;
  }
  std::uint64_t message_wire_bytes(std::uint64_t message_bytes) const {
    const std::uint64_t full = message_bytes / packet_bytes;
    const auto rest = static_cast<std::uint32_t>(message_bytes % packet_bytes);
    return full * full_wire_bytes() + (rest != 0 || full == 0 ? wire_bytes(rest) : 0);
  }
};

}  // namespace wafertlm
