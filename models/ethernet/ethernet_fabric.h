// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
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
  /// Of every two NPUs that have sent something through their NICs: what its messages took.
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
  /// A message under way, in parts.
  struct Flight {
    std::uint32_t record = 0, to_leave = 0, to_arrive = 0, to_acknowledge = 0;
    std::uint32_t connection = 0;
    std::uint64_t bytes = 0;
    TimePs start_ps = 0;
    std::vector<std::uint32_t> queue_pairs;  // that are of this message alone
  };
  static constexpr std::uint32_t kEngine = 0, kSends = 1;
  static constexpr std::uint32_t kInside = ~std::uint32_t{0};  // in place of a connection

  void carry(const CarriedMessage& message, TimePs now) override;
  void wake(std::uint32_t what, TimePs now) override;
  void on_left(std::uint64_t flight, TimePs at) override;
  void on_delivered(std::uint64_t flight, TimePs now) override;
  void on_acknowledged(std::uint64_t flight, TimePs now) override;
  void on_paused(std::uint32_t port, const ethernet::PauseOrigin& origin, TimePs from, TimePs to) override;
  void start(const CarriedMessage& message, TimePs now);
  void complete(const Flight& flight, TimePs now);
  std::uint32_t open(std::uint32_t connection);
  std::uint32_t idle_queue_pair(std::uint32_t connection);
  std::uint32_t connection(NpuId from, NpuId to);
  std::uint32_t inside_pair(NpuId from, NpuId to);

  const EthernetFabricParams params_;
  const EthernetPlaces places_;
  Scheduler& scheduler_;
  NoPackets no_packets_;
  MessageNetwork network_;
  ethernet::EthernetEngine engine_;
  std::optional<ethernet::EthernetEngine> inside_;  // of servers
  std::vector<CarriedMessage> starting_;            // at this instant
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::unordered_map<std::uint64_t, std::uint32_t> connection_of_,
      inside_pairs_;  // by source and destination
  ethernet::Connections connections_;
  std::vector<std::vector<std::uint32_t>> idle_queue_pairs_;  // by connection, where messages have their own
  bool keeps_pauses_ = false;
  std::vector<PauseStretch> pauses_;
  OverlappingWakeSlot wake_;
};

}  // namespace wafertlm
