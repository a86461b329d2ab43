// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/fabric/message.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

struct InjectorParams {
  WireFormat format;
  OutputParams link;                  ///< from the NPU into the fabric
  std::uint64_t dma_bytes_per_s = 0;  ///< of one DMA engine; 0: as fast as the link
  /// Messages of a class that go out at the same time; more than these share an engine with another one.
  std::uint32_t dma_engines = 64;
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
  /// What one engine has to send in one class.
  struct Queue {
    explicit Queue(std::uint64_t bytes_per_s) : pace(bytes_per_s) {}
    Line pace;
    std::vector<Active> messages;
    std::size_t next = 0;           // round-robin
    bool packet_waiting = false;    // at the port
    bool ends_message = false;      // the waiting packet is its message's last
    std::uint64_t last_ticket = 0;  // of that message
  };

  void forward(PortId, Packet& packet, TimePs head_ps) override { host_.inject(packet, head_ps); }
  void return_credit(PortId engine, Packet& packet, TimePs at) override;
  void request_wake(PortId, TimePs at) override { host_.request_wake(at); }
  PortId output_for(const Packet&) const override { return PortId{0}; }
  Queue& queue(std::size_t engine, ClassId traffic_class) {
    return queues_[engine * kMaxClasses + index_of(traffic_class)];
  }
  std::size_t load(std::size_t engine, ClassId traffic_class);
  void refill(std::size_t engine, ClassId traffic_class, TimePs now);

  NpuId npu_;
  WireFormat format_;
  const ClassTable& classes_;
  PacketPool& packets_;
  InjectorHost& host_;
  std::vector<Queue> queues_;  // [engine][class]
  TimePs now_ = 0;
  SwitchCore port_;
};

}  // namespace wafertlm
