// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "models/endpoint/injection_windows.h"
#include "models/endpoint/lane_counter.h"
#include "models/endpoint/port_queues.h"
#include "tlm/acceleration/steady_source.h"
#include "tlm/kernel/ring_queue.h"
#include "tlm/link/credit_window.h"
#include "tlm/link/line.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/message.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

struct InjectorParams {
  WireFormat format;
  OutputParams link;                  ///< from the NPU into the fabric
  std::uint64_t dma_bytes_per_s = 0;  ///< of one DMA engine; 0: as fast as the link
  /// Messages of a class that go out at the same time; more than these share an engine with another one.
  std::uint32_t dma_engines = 4;
  InjectionOrder order = InjectionOrder::packet;
  /// Of each destination the exit of the first switch, if exits have windows (InjectionWindows); else empty.
  std::vector<std::uint8_t> exits;
  bool lower_half = false;  ///< of a class's channels, as Fabric::sends_on_lower_half() says
  /// The fabric stripes packets over ways: Packet::lane counts what goes to each destination.
  bool striped = false;
  bool answers = false;  ///< Go-Back-N: control packets go out, too
  /// The NPU has a port per link (PortQueues): routes and outputs of its first switch. Null: one port.
  /// Without flows, memory and Go-Back-N.
  const RouteFunction* port_routes = nullptr;
  std::uint32_t ports = 0;
};

class InjectorHost {
 public:
  virtual void inject(Packet& packet, TimePs head_ps) = 0;
  virtual void request_wake(TimePs at) = 0;
  /// The last byte of the message sent with `ticket` leaves at `at`.
  virtual void injected(std::uint64_t ticket, TimePs at) = 0;
  /// A packet of a message with Message::reliable: fills in its values.
  virtual void packet_made(Packet& packet) = 0;
  /// Message::watch has counted down to 0, or the last packet has been made.
  virtual void watched(Message& message) = 0;

 protected:
  ~InjectorHost() = default;
};

/// Cuts messages into packets and sends them through the injection port, by priority among classes. An engine
/// makes one packet of a class ahead, at its own rate, of the message whose turn it is; a message is with one
/// engine at a time. So none is faster than an engine, and a gigabyte takes no more memory than a kilobyte.
///
/// InjectionOrder::packet: all messages of a class have equal shares. InjectionOrder::message: an engine has
/// a message of each class from its first packet to its last; those of a class begin in the order in which
/// they were sent, and as many as there are engines have equal shares. Packets of a class above still go
/// first, between two packets of a message, which goes on where it was. A message whose next packet cannot be
/// made (its bytes have not been read, its flow or its window is full) keeps its engine waiting; the other
/// engines go on.
class Injector : public SteadySource, private SwitchHost, private RouteFunction {
 public:
  Injector(NpuId npu, const InjectorParams& params, const ClassTable& classes, PacketPool& packets,
           InjectorHost& host);

  /// InjectorHost::injected() of a message that is sent again after its end.
  static constexpr std::uint64_t kAgain = ~std::uint64_t{0};

  void send(Message& message, std::uint64_t ticket, TimePs now);
  /// Go-Back-N: packet `number` of a message that was sent, or is being sent, is the next one. A packet that
  /// waits at the port still goes.
  void move_to(Message& message, std::uint64_t number, TimePs now);
  /// More of the message may go.
  void proceed(const Message& message, TimePs now) { wake_engine(message.traffic_class, now); }
  /// A control packet, whose destination, class and channel are set, is ready at `at`.
  void send_answer(Packet& packet, TimePs at);
  /// A contribution to message.flow, which has `credit_bytes` in the first switch; 0: what the channel has.
  void send_into_flow(Message& message, std::uint64_t credit_bytes, std::uint64_t ticket, TimePs now);
  /// Room of admitted flows that has not come home yet, bytes.
  std::uint64_t outstanding_flow_credits() const;
  /// More bytes of some message are available.
  void resume(TimePs now);
  /// The packet's room in the next buffer is free again at `at`.
  void credit(const Packet& packet, TimePs at, TimePs now);
  void wake(TimePs now);
  void list_state(StateVisitor& state) override;
  void ask_again() override;
  const SwitchCore& port() const { return *port_; }
  /// Packets need not be handed to InjectorHost::inject().
  void lead_to(SwitchCore& next, PortId input) {
    port_->lead_to(PortId{0}, next, input, false);
    first_switch_ = &next;
  }
  bool has_port_per_link() const { return ports_.has_value(); }
  void observe(LinkObserver& observer, std::size_t number) { port_->observe(observer, number); }
  TimePs link_latency_ps() const { return link_latency_ps_; }

 private:
  struct Active {
    Message* message;
    std::uint64_t ticket;
    TimePs free_ps;  // its last packet has been read
  };
  /// What one engine does in one class.
  struct Slot {
    explicit Slot(std::uint64_t bytes_per_s) : pace(bytes_per_s) {}
    Line pace;
    Active active{};
    bool packet_waiting = false;  // at the port, of `active`
    bool ends_packet = true;      // it is the last unit of its packet,
    bool ends_message = false;    // and its message's last
  };

  void forward(PortId, Packet& packet, TimePs head_ps) override { host_.inject(packet, head_ps); }
  void return_credit(PortId engine, Packet& packet, TimePs at) override;
  void request_wake(PortId, TimePs at) override { host_.request_wake(at); }
  PortId output_for(const Packet&) const override { return PortId{0}; }
  Slot& slot(std::size_t engine, ClassId traffic_class) {
    return slots_[engine * kMaxClasses + index_of(traffic_class)];
  }
  std::uint64_t next_payload(const Message& message) const;
  bool may_go(const Message& message) const;
  void flow_credit(const Flow& flow, std::uint32_t bytes, TimePs at, TimePs now);
  void wake_engine(ClassId traffic_class, TimePs now);
  VcId first_vc(ClassId traffic_class) const { return static_cast<VcId>(classes_[traffic_class].first_vc); }
  bool take_turn(Slot& slot, ClassId traffic_class);
  void take_out(RingQueue<Active>& waiting, std::size_t i) const;
  void ask_window_wake(TimePs now);
  TimePs take_credits(Packet& packet, TimePs head_ps);
  static void list_active(Active& active, StateVisitor& state);
  void list_engine(Slot& by, StateVisitor& state) const;
  /// The engine goes on with the message that it has begun.
  bool is_within(const Slot& slot) const {
    return order_ == InjectionOrder::message && slot.active.message && !slot.ends_message;
  }
  bool may_be_next(const Message& message, ClassId traffic_class);
  void list_order_at_rest(ClassId traffic_class, StateVisitor& state);
  bool refill(std::size_t engine, ClassId traffic_class, TimePs now);

  NpuId npu_;
  std::size_t engines_;
  InjectionOrder order_;
  WireFormat format_;
  TimePs link_latency_ps_;
  const ClassTable& classes_;
  PacketPool& packets_;
  InjectorHost& host_;
  std::vector<Slot> slots_;                                    // [engine][class]
  std::array<RingQueue<Active>, kMaxClasses> with_no_engine_;  // whose turn it is comes first
  LaneCounter lanes_;
  std::vector<std::unique_ptr<CreditWindow>> flow_windows_;  // by Flow::slot; messages point to them
  InjectionWindows windows_;
  bool lacks_window_ = false;  // a message would have gone but for that
  TimePs window_wake_ps_ = kNever;
  TimePs now_ = 0;
  std::unique_ptr<SwitchCore> port_;
  SwitchCore* first_switch_ = nullptr;  // if it is known
  std::optional<PortQueues> ports_;
};

}  // namespace wafertlm
