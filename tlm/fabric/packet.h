// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/link/class_table.h"
#include "tlm/pool.h"
#include "tlm/units.h"

namespace wafertlm {

struct Message;

/// Where a packet's time went while it waited, in ps, over all hops so far.
struct Waits {
  TimePs queue_ps = 0;                              ///< behind packets of its own queue
  TimePs credit_ps = 0;                             ///< output free, no room in the next buffer
  std::array<TimePs, kMaxClasses> contention_ps{};  ///< output busy with a packet of that class

  TimePs total() const {
    TimePs sum = queue_ps + credit_ps;
    for (const TimePs time : contention_ps) sum += time;
    return sum;
  }
};

/// The payload of the fabric protocol. Posted: BEGIN_REQ hands it over, the receiver owns it from then on.
struct Packet {
  // Set by the sender and constant on the way.
  NpuId source{}, destination{};
  ClassId traffic_class{};
  std::uint32_t payload_bytes = 0;
  std::uint32_t wire_bytes = 0;  ///< with header, rounded up to flits
  std::uint64_t sequence = 0;    ///< of its message, or of its source
  std::uint64_t offset = 0;      ///< of the payload in its message, bytes
  TimePs created_ps = 0;
  Message* message = nullptr;   ///< what it is part of; null for synthetic traffic
  std::vector<std::byte> data;  ///< functional mode: snapshot at injection

  // State on the current link, read by the next input at BEGIN_REQ.
  VcId vc{};
  TimePs tail_ps = 0;            ///< the tail reaches the next input
  std::uint32_t head_early = 0;  ///< fraction of the head's arrival, see Line
  std::uint32_t hops = 0;        ///< links crossed so far
  Waits waits;

  // Owned by the queue that holds the packet.
  Packet* next = nullptr;
  PortId output{};
  TimePs ready_ps = 0;     ///< head in + pipeline
  TimePs eligible_ps = 0;  ///< … and at the front of its queue
  TimePs hop_contention_ps = 0;
};

using PacketPool = Pool<Packet>;

}  // namespace wafertlm
