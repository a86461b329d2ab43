// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/flows/flow_admission.h"
#include "models/fred/flows/fred_flow_params.h"
#include "tlm/kernel/scheduler.h"

namespace wafertlm {

/// The admission of the in-network flows through the switches of a fabric, and what gives it time.
class FredFlows final : private FlowAdmissionHost, private Wakeable {
 public:
  FredFlows(const FredFlowParams& params, const WireFormat& format, const ClassTable& classes,
            Scheduler& scheduler)
      : params_(params),
        scheduler_(scheduler),
        admission_({format, params.reservation, params.conflict, params.credit_packets == 0, params.answers},
                   classes, *this) {}

  FlowAdmission& admission() { return admission_; }
  const FlowAdmission& admission() const { return admission_; }
  /// What happens to the flows at one switch depends on other switches by packets and credits only, now and
  /// until somebody begins a collective.
  bool is_settled() const {
    return !params_.phase_rule && params_.phase_change_ps == 0 && !params_.answers && admission_.is_settled();
  }

 private:
  // Of no region: no window of time goes past it, and an entry within one is an error.
  void request_admission_wake(TimePs at) override {
    scheduler_.schedule_run_ahead(at, *this, 0, Turn::endpoints);
  }
  void wake(std::uint32_t, TimePs now) override { admission_.wake(now); }

  FredFlowParams params_;
  Scheduler& scheduler_;
  FlowAdmission admission_;
};

}  // namespace wafertlm
