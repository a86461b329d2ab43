// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <vector>

#include "models/endpoint/injector.h"
#include "platform/machine/wafer.h"

namespace wafertlm {

/// An NPU's fabric side without a program: sends whole messages at given times through the injector that
/// endpoints use, and notes when the last byte of a message arrives.
class MessageEnd : public sc_core::sc_module,
                   private FabricForwardIf,
                   private FabricBackwardIf,
                   private InjectorHost,
                   private Wakeable {
 public:
  MessageEnd(const sc_core::sc_module_name& name, NpuId npu, Wafer& wafer);

  /// Before the simulation starts. `number` is the message's, for whoever receives it.
  void send(NpuId to, std::uint64_t bytes, std::uint64_t number, TimePs at);

  struct Arrival {
    std::uint64_t number;
    TimePs tail_ps;
    Waits waits;  ///< of the packet that came last
  };
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// All credits of the injection port are home.
  bool at_rest() const { return injector_.port().outstanding_credits() == 0; }

 private:
  enum What : std::uint32_t { injector, start };
  struct Planned {
    NpuId to;
    std::uint64_t bytes, number;
  };
  void start_of_simulation() override;
  ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void inject(Packet& packet, TimePs head_ps) override;
  void request_wake(TimePs at) override { wafer_.scheduler.schedule(at, *this, injector, Turn::sources); }
  void injected(std::uint64_t, TimePs) override {}
  void packet_made(Packet&) override {}
  void watched(Message&) override {}
  void wake(std::uint32_t what, TimePs now) override;

  FabricInitiatorSocket to_fabric_{"to_fabric"};
  FabricTargetSocket from_fabric_{"from_fabric"};
  Wafer& wafer_;
  Injector injector_;
  std::multimap<TimePs, Planned> planned_;
  std::vector<Arrival> arrivals_;
  std::map<const Message*, Waits> last_waits_;  // of messages that arrive
};

}  // namespace wafertlm
