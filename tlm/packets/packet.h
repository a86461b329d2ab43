// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tlm/kernel/optional_box.h"
#include "tlm/kernel/pool.h"
#include "tlm/kernel/units.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/packet_data.h"

namespace wafertlm {

struct Flow;
struct Message;

/// Where a packet's time went while it waited, in ps, over all hops so far.
struct Waits {
  TimePs queue_ps = 0;                              ///< behind packets of its own queue
  TimePs credit_ps = 0;                             ///< output free, no room in the next buffer
  TimePs down_ps = 0;                               ///< the link was down
  std::array<TimePs, kMaxClasses> contention_ps{};  ///< output busy with a packet of that class

  TimePs total() const {
    TimePs sum = queue_ps + credit_ps + down_ps;
    for (const TimePs time : contention_ps) sum += time;
    return sum;
  }
};

/// Data, or what Go-Back-N answers: `sequence` is then the number of the first packet that is missing.
enum class PacketKind : std::uint8_t {
  data,
  ack,     ///< all before it have come
  nack,    ///< the sender goes back to it
  repeat,  ///< both, after a time-out: an earlier answer may be lost
};

/// The payload of the fabric protocol. Posted: BEGIN_REQ hands it over, the receiver owns it from then on.
/// Two cache lines; what a hop reads and writes comes first.
struct alignas(64) Packet {
  Packet* next = nullptr;  ///< for the queue that holds the packet
  NpuId destination{};
  NpuId source{};
  std::uint32_t wire_bytes = 0;  ///< with header, rounded up to flits
  std::uint32_t payload_bytes = 0;
  PortId output{};  ///< of the switch that holds the packet
  ClassId traffic_class{};
  VcId vc{};                        ///< of the link it is on
  bool starts_packet = true;        ///< wormhole: a flit, the first
  bool ends_packet = true;          ///< … and the last of its packet
  TimePs ready_ps = 0;              ///< for the switch that holds it: head in + pipeline
  TimePs tail_ps = 0;               ///< the tail reaches the next input
  std::uint32_t head_fraction = 0;  ///< fraction of the head's arrival, see Line
  std::uint32_t hops = 0;           ///< links crossed so far
  const Flow* flow = nullptr;       ///< in-network; `sequence` then counts the flow's packets

  Message* message = nullptr;  ///< what it is part of; null for synthetic traffic
  std::uint64_t sequence = 0;  ///< of its message, or of its source
  std::uint64_t offset = 0;    ///< of the payload in its message, bytes
  std::uint32_t lane = 0;      ///< counts what goes to a destination, for fabrics that stripe it over ways
  TimePs created_ps = 0;
  PacketKind kind = PacketKind::data;
  bool corrupt = false;      ///< the check sum is wrong: from there on the tail says so
  PacketData data;           ///< functional mode: snapshot at injection
  OptionalBox<Waits> waits;  ///< absent unless PacketPool::keep_waits was called
};
static_assert(sizeof(Packet) == 128);

class PacketPool : public Pool<Packet> {
 public:
  /// Packets acquired from now on count their waits.
  void keep_waits() { keep_waits_ = true; }
  Packet& acquire() {
    Packet& packet = Pool::acquire();
    if (keep_waits_) packet.waits.make();
    return packet;
  }

 private:
  bool keep_waits_ = false;
};

/// Brings into the cache what a hop and whoever comes after it touch.
inline void prefetch_for_hop(const Packet& packet) {
  __builtin_prefetch(&packet);
  __builtin_prefetch(reinterpret_cast<const char*>(&packet) + 64);
}

}  // namespace wafertlm
