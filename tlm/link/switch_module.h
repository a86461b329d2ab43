// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "tlm/fabric/protocol.h"
#include "tlm/link/switch_core.h"
#include "tlm/scheduler.h"

namespace wafertlm {

/// The SystemC shell of a SwitchCore: a fabric target socket per input, an initiator socket per output.
class SwitchModule : public sc_core::sc_module, private SwitchHost, private Wakeable {
 public:
  /// Socket names are `in_<name>` and `out_<name>`, one per entry. The references must outlive the module.
  SwitchModule(const sc_core::sc_module_name& name, SwitchParams params,
               const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
               const ClassTable& classes, const RouteFunction& routes, Scheduler& scheduler);

  FabricTargetSocket& input(PortId port) { return inputs_[index_of(port)].socket; }
  FabricInitiatorSocket& output(PortId port) { return outputs_[index_of(port)].socket; }

  const SwitchCore& core() const { return core_; }

 private:
  struct Input : FabricForwardIf {
    Input(const std::string& name, SwitchModule& owner, PortId port);
    ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
    FabricTargetSocket socket;
    SwitchModule& owner;
    PortId port;
  };
  struct Output : FabricBackwardIf {
    Output(const std::string& name, SwitchModule& owner, PortId port);
    ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
    FabricInitiatorSocket socket;
    SwitchModule& owner;
    PortId port;
  };

  void forward(PortId output, Packet& packet, TimePs head_ps) override;
  void return_credit(PortId input, Packet& packet, TimePs at) override;
  void request_wake(PortId output, TimePs at) override;
  void wake(std::uint32_t output, TimePs now) override;

  Scheduler& scheduler_;
  SwitchCore core_;
  std::deque<Input> inputs_;  // sockets must not move
  std::deque<Output> outputs_;
};

/// BEGIN_REQ and END_REQ as calls, for whoever holds a fabric socket. Throws std::logic_error on another
/// answer than TLM_ACCEPTED: posted packets have no other.
void begin_request(FabricInitiatorSocket& socket, Packet& packet, TimePs delay_ps);
void end_request(FabricTargetSocket& socket, Packet& packet, TimePs delay_ps);

}  // namespace wafertlm
