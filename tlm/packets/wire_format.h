// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// The control packets of Go-Back-N.
struct AnswerFormat {
  ClassId traffic_class{};
  VcId vc{}, flow_vc{};  ///< of answers to messages, and to in-network flows
  std::uint32_t wire_bytes = 512;
};

/// How a message becomes packets and a packet becomes bytes on the wire.
struct WireFormat {
  std::uint32_t packet_bytes = 4096;  ///< payload of a full packet
  std::uint32_t header_bytes = 0;
  std::uint32_t flit_bytes = 0;  ///< wire bytes are rounded up to this; 0: off
  /// Wormhole switching: what travels are flits, each a Packet of its own. Requires 0 < flit_bytes, which is
  /// larger than header_bytes.
  bool by_flit = false;

  /// A packet without payload still occupies the wire for its header, at least a byte.
  std::uint32_t wire_bytes(std::uint32_t payload) const {
    const std::uint32_t bytes = std::max(payload + header_bytes, 1U);
    return flit_bytes == 0 ? bytes : (bytes + flit_bytes - 1) / flit_bytes * flit_bytes;
  }
  std::uint32_t full_wire_bytes() const { return wire_bytes(packet_bytes); }

  /// What goes on the wire in one piece: a packet, or a flit of it.
  struct Unit {
    std::uint32_t payload_bytes, wire_bytes;
    bool starts_packet, ends_packet;
  };
  /// The unit that follows the first `done` bytes of a message. The first flit of a packet holds the header.
  Unit unit_at(std::uint64_t message_bytes, std::uint64_t done) const {
    const auto sent = static_cast<std::uint32_t>(done % packet_bytes);
    const auto payload =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(message_bytes - (done - sent), packet_bytes));
    if (!by_flit) return {payload, wire_bytes(payload), true, true};
    const std::uint32_t now = std::min(payload - sent, sent == 0 ? flit_bytes - header_bytes : flit_bytes);
    return {now, flit_bytes, sent == 0, sent + now == payload};
  }

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
