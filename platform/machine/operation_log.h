// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tlm/kernel/scheduler.h"
#include "tlm/operation/protocol.h"

namespace wafertlm {

/// What an endpoint did: its operations in the order in which they ended.
struct OperationLog {
  struct End {
    std::uint64_t number = 0;  ///< of the operation, in the order of their beginnings
    TimePs start_ps = 0, end_ps = 0;
  };
  std::vector<End> ends;
};

/// Of the endpoints that one of several processes has simulated. With those of all, a job can be played
/// again without the machine that it ran on.
class OperationLogs {
 public:
  OperationLog& of(NpuId endpoint) { return logs_[endpoint]; }
  std::vector<std::byte> pack() const;
  /// Those of another process, from its pack().
  void add(const std::vector<std::byte>& packed);
  /// What the machines of all processes say that they wait for (Machine::pending).
  std::vector<std::string> pending;

 private:
  std::map<NpuId, OperationLog> logs_;
};

/// Between a sequencer and an endpoint: writes down what ends.
class RecordedSocket final : public sc_core::sc_module,
                             private OperationForwardIf,
                             private OperationBackwardIf {
 public:
  OperationTargetSocket target_side{"target_side"};           ///< bind the sequencer's socket to this one
  OperationInitiatorSocket initiator_side{"initiator_side"};  ///< bind this one to the endpoint's socket

  RecordedSocket(const sc_core::sc_module_name& name, OperationLog& log);

 private:
  using Payload = ::tlm::tlm_generic_payload;
  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;

  OperationLog& log_;
  std::map<const Payload*, std::uint64_t> numbers_;  // of what is under way
  std::uint64_t begun_ = 0;
};

/// In an endpoint's place: what begins ends when the log says so.
class PlayedSocket final : public sc_core::sc_module, private OperationForwardIf, private Wakeable {
 public:
  OperationTargetSocket socket{"socket"};

  PlayedSocket(const sc_core::sc_module_name& name, NpuId endpoint, const OperationLog& log,
               Scheduler& scheduler);

 private:
  using Payload = ::tlm::tlm_generic_payload;
  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void wake(std::uint32_t what, TimePs now) override;
  void plan();
  bool is_next_under_way() const;

  const OperationLog& log_;
  Scheduler& scheduler_;
  std::map<std::uint64_t, Payload*> under_way_;
  std::uint64_t begun_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace wafertlm
