// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm::ethernet {

/// Bytes that a RoCEv2 packet takes on the wire beside its payload. IEEE 802.3 (preamble, header, FCS, gap
/// between frames), RFC 791 and 768, InfiniBand Architecture volume 1, annex 17 (transport headers, ICRC).
namespace header {
constexpr std::uint32_t kPreamble = 8, kEthernet = 14, kVlan = 4, kIpv4 = 20, kIpv6 = 40, kUdp = 8;
constexpr std::uint32_t kBth = 12, kReth = 16, kAeth = 4, kCnp = 16, kIcrc = 4, kFcs = 4, kGap = 12;
constexpr std::uint32_t kLeastFrame = 64;  ///< header to FCS; shorter frames are padded
}  // namespace header

/// A pause frame on the wire (802.1Qbb): the smallest frame with preamble and gap.
constexpr std::uint32_t kPauseWireBytes = header::kPreamble + header::kLeastFrame + header::kGap;

/// What packets of a network carry.
struct FrameFormat {
  std::uint32_t mtu_bytes = 4096;  ///< payload of a full packet
  bool vlan = false;
  bool ipv6 = false;
  std::uint32_t telemetry_bytes = 0;  ///< in-band telemetry of every data packet and its ACK
  /// In place of the headers here: what other simulators add to the payload. 0: these headers.
  std::uint32_t overhead_bytes = 0;

  /// On the wire, for `content` bytes behind the BTH: payload, RETH, AETH.
  std::uint32_t wire_bytes(std::uint32_t content) const {
    if (overhead_bytes != 0) return content + overhead_bytes;
    const std::uint32_t frame = header::kEthernet + (vlan ? header::kVlan : 0) +
                                (ipv6 ? header::kIpv6 : header::kIpv4) + header::kUdp + header::kBth +
                                content + header::kIcrc + header::kFcs;
    return header::kPreamble + (frame < header::kLeastFrame ? header::kLeastFrame : frame) + header::kGap;
  }
  /// `first`: of a write, with its RETH.
  std::uint32_t data_wire_bytes(std::uint32_t payload, bool first) const {
    return wire_bytes(payload + telemetry_bytes + (first && overhead_bytes == 0 ? header::kReth : 0));
  }
  std::uint32_t full_wire_bytes() const { return data_wire_bytes(mtu_bytes, false); }
  /// ACK and NACK.
  std::uint32_t ack_wire_bytes() const {
    return overhead_bytes != 0 ? overhead_bytes + telemetry_bytes
                               : wire_bytes(header::kAeth + telemetry_bytes);
  }
  std::uint32_t cnp_wire_bytes() const { return wire_bytes(header::kCnp); }
  /// A packet whose payload a switch has cut off: headers alone, padded.
  std::uint32_t trimmed_wire_bytes() const { return wire_bytes(0); }
  std::uint64_t packets(std::uint64_t bytes) const { return (bytes + mtu_bytes - 1) / mtu_bytes; }
  /// A write of `bytes`, all packets.
  std::uint64_t write_wire_bytes(std::uint64_t bytes) const;
};

}  // namespace wafertlm::ethernet
