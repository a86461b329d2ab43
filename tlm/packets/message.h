// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

class CreditWindow;
struct ReliableMessage;

/// What a receiver matches a message by: the operation (the same number at all its ranks), the tag within it
/// and the sender. A point-to-point message has operation 0.
struct MessageKey {
  std::uint64_t operation = 0;
  std::uint64_t tag = 0;
  NpuId source{};

  bool operator==(const MessageKey& other) const {
    return operation == other.operation && tag == other.tag && source == other.source;
  }
};

/// A message on its way. The sender makes it, its packets point to it, the receiver releases it.
struct Message {
  MessageKey key;
  NpuId destination{};
  ClassId traffic_class{};
  bool contributes = false;    ///< to an in-network flow
  bool is_result = false;      ///< of one: nobody but the fabric sends it
  const Flow* flow = nullptr;  ///< of a contribution to an in-network flow, once that is admitted
  std::uint64_t bytes = 0;
  // Sender's side.
  std::uint64_t port_order = 0, arrival = 0;  ///< at ports that choose: the smaller port_order, then arrival
  std::uint64_t injected_bytes = 0;
  std::uint64_t injected_packets = 0;
  std::uint64_t address = 0;                          ///< in the sender's memory
  std::uint64_t available_bytes = ~std::uint64_t{0};  ///< for packets: what has been read, if it must be
  CreditWindow* flow_window = nullptr;                ///< room of the flow in the first switch
  const std::byte* source_data = nullptr;        ///< functional mode: the rank's buffer at the step's offset
  OptionalBox<std::vector<std::byte>> gathered;  ///< functional mode: … or what was there when the send began
  std::uint32_t watch = 0;                       ///< packets until SteadyStates looks at it; 0: never
  std::uint32_t transfer = kNoNumber, component = kNoNumber, place = 0;  ///< of SteadyStates
  ReliableMessage* reliable = nullptr;  ///< Go-Back-N (models/endpoint/reliability.h); null: off
  // Receiver's side.
  std::uint64_t announced_bytes = 0;  ///< that have reached the last switch, where packets leave in trains
  std::uint64_t arrived_bytes = 0;
  std::uint64_t arrived_packets = 0;
  TimePs tail_ps = 0;  ///< of the packet that arrives last, so far
  PacketData data;     ///< functional mode: where packets land

  static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};
  /// Nothing but its packets: no values, nothing that waits for a memory or an acknowledgement.
  bool is_plain() const { return !source_data && !reliable && available_bytes == ~std::uint64_t{0}; }
};

using MessagePool = Pool<Message>;

}  // namespace wafertlm
