// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/ethernet/engine/ethernet_engine.h"
#include "models/ethernet/fabric/ethernet_fabric_params.h"
#include "models/messages/message_network.h"
#include "models/messages/no_packets.h"
#include "tlm/fabric/fabric.h"
#include "tlm/wake_slot.h"

namespace wafertlm {

/// An Ethernet whose NICs carry out the NPUs' operations (MessageService): the packet engine moves each
/// message as RoCE writes over its own queue pairs. One wake-up at a time is the engine's.
class EthernetFabric final : public Fabric,
                             private MessageCarrier,
                             private ethernet::MessageListener,
                             private Wakeable {
 public:
  /// @throws std::invalid_argument as EthernetEngine
  EthernetFabric(const sc_core::sc_module_name& name, const EthernetFabricParams& params,
                 const ClassTable& classes, Scheduler& scheduler);

  const ethernet::EthernetEngine& engine() const { return engine_; }
  const EthernetPlaces& places() const { return places_; }

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
  std::size_t switches() const override { return places_.network.ports().size(); }
  OutputCounters counters(const FabricLink& link) const override;
  std::uint64_t bytes_per_s(const FabricLink& link) const override {
    return places_.network.ports()[link.from].bytes_per_s;
  }
  std::uint64_t packet_hops() const override { return engine_.packet_hops(); }
  std::uint64_t queued_packets() const override { return network_.messages() + engine_.frames(); }
  void observe(LinkObserver& /*observer*/) override {}

 private:
  /// A message under way, in parts.
  struct Flight {
    std::uint32_t record = 0, to_leave = 0, to_arrive = 0;
  };
  static constexpr std::uint32_t kEngine = 0, kSends = 1;

  void carry(const CarriedMessage& message, TimePs now) override;
  void wake(std::uint32_t what, TimePs now) override;
  void on_left(std::uint64_t flight, TimePs at) override;
  void on_delivered(std::uint64_t flight, TimePs now) override;
  void start(const CarriedMessage& message, TimePs now);
  std::uint32_t first_queue_pair(NpuId from, NpuId to);

  const EthernetFabricParams params_;
  const EthernetPlaces places_;
  Scheduler& scheduler_;
  NoPackets no_packets_;
  MessageNetwork network_;
  ethernet::EthernetEngine engine_;
  std::vector<CarriedMessage> starting_;  // at this instant
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::unordered_map<std::uint64_t, std::uint32_t> queue_pairs_;  // the first, by source and destination
  WakeSlot wake_;
};

}  // namespace wafertlm
