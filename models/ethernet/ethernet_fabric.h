// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/ethernet/connections.h"
#include "models/ethernet/engine/ethernet_engine.h"
#include "models/ethernet/fabric/ethernet_fabric_params.h"
#include "models/messages/message_network.h"
#include "models/messages/no_packets.h"
#include "tlm/fabric/fabric.h"
#include "tlm/kernel/wake_slot.h"

namespace wafertlm {

/// An Ethernet whose NICs carry out the NPUs' operations (MessageService): the packet engine moves each
/// message as RoCE writes over its own queue pairs. Messages within a server take a second engine, whose
/// switch never pauses and loses nothing. One wake-up at a time is the engines'.
class EthernetFabric final : public Fabric,
                             private MessageCarrier,
                             private ethernet::MessageListener,
                             private Wakeable {
 public:
  /// A port was paused.
  struct PauseStretch {
    std::uint32_t port = 0;
    ethernet::PauseOrigin origin;
    TimePs from_ps = 0, to_ps = 0;
  };

  /// @throws std::invalid_argument as EthernetEngine
  EthernetFabric(const sc_core::sc_module_name& name, const EthernetFabricParams& params,
                 const ClassTable& classes, Scheduler& scheduler);

  const ethernet::EthernetEngine& engine() const { return engine_; }
  const EthernetPlaces& places() const { return places_; }
  /// Of every two NPUs that have sent something through their NICs, or of messages with connections of their
  /// own: what its messages took.
  const ethernet::Connections& connections() const { return connections_; }
  /// From now on every pause is kept. The work of a pause is the operation of its message.
  void keep_pauses() { keeps_pauses_ = true; }
  const std::vector<PauseStretch>& pauses() const { return pauses_; }

  std::uint32_t npus() const override { return places_.network.hosts(); }
  std::uint32_t io_controllers() const override { return 0; }
  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) override;
  OutputParams injection_link() const override;
  OutputParams io_link() const override { return injection_link(); }
  bool injection_is_wire() const override { return false; }
  const WireFormat& format() const override { return params_.format; }
  TimePs credit_delay_ps() const override { return 0; }
  std::uint64_t message_bytes_per_s() const override { return 0; }
  MessageService* messages() override { return &network_; }
  std::string switch_of(NpuId endpoint) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override;
  std::size_t switches() const override { return places_.ports(); }
  OutputCounters counters(const FabricLink& link) const override;
  std::uint64_t bytes_per_s(const FabricLink& link) const override {
    return places_.port(link.from).bytes_per_s;
  }
  std::uint64_t packet_hops() const override {
    return engine_.packet_hops() + (inside_ ? inside_->packet_hops() : 0);
  }
  std::uint64_t queued_packets() const override {
    return network_.messages() + engine_.frames() + (inside_ ? inside_->frames() : 0);
  }
  void observe(LinkObserver& /*observer*/) override {}
  std::string keeps_unlisted() const override;
  void list_state(StateVisitor& state) override;

 private:
  /// A message under way, in parts: queue pairs, of which there are few.
  struct Flight {
    std::uint32_t record = 0;
    std::uint8_t to_leave = 0, to_arrive = 0, to_acknowledge = 0, to_close = 0;
    std::uint32_t from = 0, to = 0;  // NPUs
    std::uint64_t bytes = 0;
    TimePs time_ps = 0;  // when it started; once it is complete, what it took
  };
  static constexpr std::uint32_t kEngine = 0, kSends = 1;

  void carry(const CarriedMessage& message, TimePs now) override;
  void wake(std::uint32_t what, TimePs now) override;
  void on_left(std::uint64_t flight, TimePs at) override;
  void on_delivered(std::uint64_t flight, TimePs now) override;
  void on_acknowledged(std::uint64_t flight, TimePs now) override;
  void on_closed(std::uint64_t flight, const ethernet::QueuePairCounters& counters) override;
  void on_paused(std::uint32_t port, const ethernet::PauseOrigin& origin, TimePs from, TimePs to) override;
  void start(const CarriedMessage& message, TimePs now);
  void complete(Flight& flight, TimePs now);
  TimePs alone_ps(const Flight& flight);
  std::uint32_t connection(NpuId from, NpuId to);
  std::uint32_t inside_pair(NpuId from, NpuId to);

  const EthernetFabricParams params_;
  const EthernetPlaces places_;
  Scheduler& scheduler_;
  NoPackets no_packets_;
  MessageNetwork network_;
  ethernet::EthernetEngine engine_;
  std::optional<ethernet::EthernetEngine> inside_;         // of servers
  std::map<NpuId, std::vector<CarriedMessage>> starting_;  // at this instant, by source
  std::deque<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::unordered_map<std::uint64_t, ethernet::QueuePairCounters> closing_;  // of flights in several parts
  std::unordered_map<std::uint64_t, std::uint32_t> connection_of_,
      inside_pairs_;  // by source and destination
  ethernet::Connections connections_;
  bool keeps_pauses_ = false;
  std::vector<PauseStretch> pauses_;
  OverlappingWakeSlot wake_;
};

}  // namespace wafertlm
