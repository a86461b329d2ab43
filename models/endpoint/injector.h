// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tlm/fabric/message.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

struct InjectorParams {
  WireFormat format;
  OutputParams link;  ///< from the NPU into the fabric
};

class InjectorHost {
 public:
  virtual void inject(Packet& packet, TimePs head_ps) = 0;
  virtual void request_wake(TimePs at) = 0;
  /// The last byte of the message sent with `ticket` leaves at `at`.
  virtual void injected(std::uint64_t ticket, TimePs at) = 0;

 protected:
  ~InjectorHost() = default;
};

/// Cuts messages into packets and sends them through the injection port: round-robin among the messages of a
/// class, by priority among classes. Packets are made one ahead, so a message of a gigabyte takes no more
/// memory than one of a kilobyte.
class Injector : private SwitchHost, private RouteFunction {
 public:
  Injector(NpuId npu, const InjectorParams& params, const ClassTable& classes, PacketPool& packets,
           InjectorHost& host);

  void send(Message& message, std::uint64_t ticket, TimePs now);
  void credit(VcId vc, std::uint32_t bytes, TimePs at, TimePs now) {
    port_.credit(PortId{0}, vc, bytes, at, now);
  }
  void wake(TimePs now);
  const SwitchCore& port() const { return port_; }

 private:
  struct Active {
    Message* message;
    std::uint64_t ticket;
  };
  struct ClassQueue {
    std::vector<Active> messages;
    std::size_t next = 0;           // round-robin
    bool packet_waiting = false;    // at the port
    std::uint64_t last_ticket = 0;  // of the waiting packet, if it is its message's last
    bool ends_message = false;
  };

  void forward(PortId, Packet& packet, TimePs head_ps) override { host_.inject(packet, head_ps); }
  void return_credit(PortId, Packet& packet, TimePs at) override;
  void request_wake(PortId, TimePs at) override { host_.request_wake(at); }
  PortId output_for(const Packet&) const override { return PortId{0}; }
  void refill(ClassId traffic_class, TimePs now);

  NpuId npu_;
  WireFormat format_;
  const ClassTable& classes_;
  PacketPool& packets_;
  InjectorHost& host_;
  std::array<ClassQueue, kMaxClasses> queues_;
  TimePs now_ = 0;
  SwitchCore port_;
};

}  // namespace wafertlm
