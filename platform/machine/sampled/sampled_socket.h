// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>

#include "platform/machine/sampled/sampling.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/operation/protocol.h"

namespace wafertlm {

/// Between a sequencer and an endpoint: lets `sampling` decide which operations the endpoint carries out.
/// Computations pass.
class SampledSocket final : public sc_core::sc_module,
                            private OperationForwardIf,
                            private OperationBackwardIf,
                            private SampledEndpoint,
                            private Wakeable {
 public:
  OperationTargetSocket target_side{"target_side"};           ///< bind the sequencer's socket to this one
  OperationInitiatorSocket initiator_side{"initiator_side"};  ///< bind this one to the endpoint's socket

  SampledSocket(const sc_core::sc_module_name& name, NpuId at, Sampling& sampling, Scheduler& scheduler);

 private:
  using Payload = ::tlm::tlm_generic_payload;
  struct Part {
    Payload* payload;
    TimePs begin_ps;
  };

  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void pass_on(std::uint64_t number) override;
  void end_at(std::uint64_t number, TimePs at) override;
  void wake(std::uint32_t what, TimePs now) override;

  const NpuId at_;
  Sampling& sampling_;
  Scheduler& scheduler_;
  std::unordered_map<std::uint64_t, Part> parts_;                // that have begun, by number
  std::unordered_map<const Payload*, std::uint64_t> passed_on_;  // numbers
  std::multimap<TimePs, std::uint64_t> ends_;                    // of those that are played
  const Payload* answered_ = nullptr;                            // that was played last
};

}  // namespace wafertlm
