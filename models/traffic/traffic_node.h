// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <random>

#include "models/traffic/destination_source.h"
#include "models/traffic/slot_clock.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/protocol.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// Told what traffic nodes create and deliver. The kernel's time may be behind the nodes' at that moment
/// (Scheduler::schedule_run_ahead); only the times of the packet count.
class TrafficSink {
 public:
  /// Called when the packet before it leaves the source, so perhaps long after packet.created_ps, or before.
  virtual void created(const Packet&) {}
  /// The packet's tail arrives at `tail_ps` (not before now).
  virtual void delivered(const Packet& packet, TimePs tail_ps) = 0;

 protected:
  ~TrafficSink() = default;
};

struct TrafficNodeParams {
  NpuId npu{};
  std::uint32_t payload_bytes = 0;
  WireFormat format;
  ClassId traffic_class{};
  SlotClock slots{1, kPsPerSecond};  ///< a packet may be created at the beginning of each
  double packets_per_slot = 0;       ///< offered load; 0: silent
  TimePs stop_ps = kNever;           ///< no packet is created from then on
  TimePs credit_delay_ps = 0;        ///< of the ejection buffer
  OutputParams injection;
  std::uint64_t seed = 1;
};

/// An endpoint of synthetic traffic: a Bernoulli source with an unlimited queue in front of the injection
/// port, and a sink that always accepts. Packets are made when the one before leaves, so a backlog takes no
/// memory.
class TrafficNode : public sc_core::sc_module,
                    private FabricForwardIf,
                    private FabricBackwardIf,
                    private SwitchHost,
                    private RouteFunction,
                    private Wakeable {
 public:
  FabricInitiatorSocket to_fabric{"to_fabric"};
  FabricTargetSocket from_fabric{"from_fabric"};

  TrafficNode(const sc_core::sc_module_name& name, const TrafficNodeParams& params, const ClassTable& classes,
              const DestinationSource& destinations, TrafficSink& sink, PacketPool& pool,
              Scheduler& scheduler);

  using Wakeable::set_partition;
  /// Creates no more packets; the one that waits in the source still goes.
  void stop() { params_.stop_ps = 0; }

  /// Packets created that would have left by now but wait in the source, and whether credits are all home.
  std::uint64_t created_packets() const { return created_; }
  std::uint64_t injected_packets() const { return injector_->counters(PortId{0}).packets; }
  const SwitchCore& injector() const { return *injector_; }

 private:
  void end_of_elaboration() override;
  void start_of_simulation() override {
    if (params_.packets_per_slot > 0) create_next();
  }
  ::tlm::tlm_sync_enum nb_transport_fw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  const Scheduler* time_source() const override { return &scheduler_; }
  void forward(PortId, Packet& packet, TimePs head_ps) override;
  void return_credit(PortId, Packet&, TimePs) override {}
  void request_wake(PortId, TimePs at) override;
  PortId output_for(const Packet&) const override { return PortId{0}; }
  void wake(std::uint32_t, TimePs now) override { injector_->wake(PortId{0}, now); }
  void prefetch(std::uint32_t, unsigned depth) const override;
  void prefetch() const override;
  void prefetch(const Packet& packet) const override { injector_->prefetch_credit(PortId{0}, packet.vc); }
  void create_next();
  std::uint64_t slots_without_packet();

  TrafficNodeParams params_;
  const DestinationSource& destinations_;
  TrafficSink& sink_;
  PacketPool& pool_;
  Scheduler& scheduler_;
  std::mt19937_64 random_;
  FabricForwardIf* fabric_ = nullptr;  // behind the sockets
  mutable SwitchCore::Winner likely_;  // of the look-ahead
  FabricBackwardIf* ejection_ = nullptr;
  bool may_run_ahead_ = false;
  sc_core::sc_time injection_latency_;
  std::unique_ptr<SwitchCore> injector_;
  double log_no_packet_ = 0;
  double surely_none_ = 0;  // above it the logarithm's part is less than one
  std::uint64_t next_slot_ = 0;
  std::uint64_t created_ = 0;
};

}  // namespace wafertlm
