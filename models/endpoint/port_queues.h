// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "tlm/kernel/wake_slot.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/message.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

class InjectorHost;

/// The next packet of a message that `source` sends, of which the message knows afterwards that it is made.
/// Reliability gives those of reliable messages their values.
Packet& make_packet(PacketPool& packets, NpuId source, Message& message, VcId vc,
                    const WireFormat::Unit& unit, TimePs now);

/// The sending side of an NPU that has a port per link of its fabric, in place of one injection port: the
/// NPU's first switch is a part of it. Of the messages that leave through a port the port sends the one whose
/// order (Message::port_order, then Message::arrival) is first, packet by packet, and chooses when it becomes
/// free. So a message that is ready goes before others that wait, and none waits for a port that is busy with
/// another link's.
class PortQueues {
 public:
  /// `routes` of the first switch; it has `exits` outputs. No ticket is told of a message sent with
  /// kNoTicket.
  PortQueues(NpuId npu, const WireFormat& format, const RouteFunction& routes, std::uint32_t exits,
             const ClassTable& classes, PacketPool& packets, InjectorHost& host);

  static constexpr std::uint64_t kNoTicket = ~std::uint64_t{0} - 1;

  void send(Message& message, std::uint64_t ticket, TimePs now);
  /// The packet leaves the first switch; its tail does at `at`.
  void credit(const Packet& packet, TimePs at);
  void wake(TimePs now);

 private:
  struct Waiting {
    std::uint64_t port_order, arrival, order;
    Message* message;
    std::uint64_t ticket;
    bool operator>(const Waiting& other) const {
      if (port_order != other.port_order) return port_order > other.port_order;
      return arrival != other.arrival ? arrival > other.arrival : order > other.order;
    }
  };
  /// Of an exit and a class.
  struct Port {
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    TimePs free_ps = 0;                // kNever: a packet waits in the switch
    TimePs asked_ps = kNever;          // a look at this port is due
    std::uint64_t ticket = kNoTicket;  // to tell when that packet leaves
  };
  using Due = std::pair<TimePs, std::uint32_t>;  // when, port

  void ask(std::uint32_t port, TimePs at);
  void serve(Port& port, TimePs now);

  WireFormat format_;
  const RouteFunction& routes_;
  const ClassTable& classes_;
  PacketPool& packets_;
  InjectorHost& host_;
  Packet probe_;             // asks for routes
  std::vector<Port> ports_;  // [exit][class]
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  WakeSlot wake_;
  std::uint64_t next_order_ = 0;
};

}  // namespace wafertlm
