// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/fred/flows/flow_admission.h"
#include "models/fred/flows/fred_flow_params.h"
#include "tlm/link/switch_module.h"
#include "tlm/scheduler.h"

namespace wafertlm {

/// The in-network flows of a tree of SwitchModules: their admission, and what gives it time.
class FredFlows final : private FlowAdmissionHost, private Wakeable {
 public:
  FredFlows(const FredFlowParams& params, const WireFormat& format, const ClassTable& classes,
            PacketPool& packets, Scheduler& scheduler);

  /// Switches in the order of their numbers; `outputs` are the links behind them, with their flow buffers.
  void add_switch(SwitchModule& made, const std::vector<OutputParams>& outputs);
  /// Endpoints in the order of their numbers: the link into the switch.
  void add_injection(const OutputParams& link) { fabric_.injection.push_back(link); }
  /// Which flows they can carry together; before start().
  void set_routing(std::shared_ptr<SwitchRoutes> routing) { fabric_.routing = std::move(routing); }
  /// Everything is there.
  void start(FlowPaths ways);

  FlowControl& control() { return admission_; }
  /// What happens to the flows at one switch depends on other switches by packets and credits only, now and
  /// until somebody begins a collective.
  bool is_settled() const {
    return !params_.phase_rule && params_.phase_change_ps == 0 && !params_.answers && admission_.is_settled();
  }
  const FlowAdmission& admission() const { return admission_; }
  /// Packets that wait at the inputs of flow units.
  std::uint64_t queued() const;

 private:
  // Of no region: no window of time goes past it, and an entry within one is an error.
  void request_admission_wake(TimePs at) override { scheduler_.schedule_run_ahead(at, *this, 0); }
  void wake(std::uint32_t, TimePs now) override { admission_.wake(now); }

  FredFlowParams params_;
  PacketPool& packets_;
  Scheduler& scheduler_;
  FlowFabric fabric_;
  FlowAdmission admission_;
  std::vector<const SwitchModule*> switches_;
};

}  // namespace wafertlm
