// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/endpoint/endpoint.h"
#include "models/npu/compute_engine.h"
#include "models/npu/operand_stream.h"
#include "models/npu/remote_transfers.h"
#include "tlm/fabric/protocol.h"
#include "tlm/memory/requester.h"
#include "tlm/operation/protocol.h"
#include "tlm/scheduler.h"
#include "tlm/wake_slot.h"

namespace wafertlm {

struct NpuParams {
  NpuId npu{};
  InjectorParams injector;
  EndpointParams endpoint;
  TimePs ejection_credit_delay_ps = 0;
  MemoryRequesterParams memory;
  std::optional<MemoryRequesterParams> remote;  ///< then loads and stores go there
  bool remote_is_free = false;  ///< for the NPU's own memory: loads are not written to it, stores not read
  ComputeParams compute;
  std::optional<OperandParams> operands = {};  ///< none: computing takes no memory
  MessageService* messages = nullptr;  ///< takes the communication in place of the endpoint; null: nobody
};

/// What all NPUs of a platform share.
struct NpuPools {
  PacketPool& packets;
  MessagePool& messages;
  ScratchMemory& scratch;
};

/// An NPU: executes the operations that a sequencer sends it. A compute unit and a CPU, each serial and first
/// come first served; collectives, sends and receives run side by side in the endpoint; loads and stores go
/// to the memory, or between it and the remote memory.
class Npu : public sc_core::sc_module,
            private OperationForwardIf,
            private FabricForwardIf,
            private FabricBackwardIf,
            private EndpointHost,
            private MessageListener,
            private MemoryRequesterHost,
            private OperandHost,
            private RemoteTransferHost,
            private Wakeable {
 public:
  OperationTargetSocket operations{"operations"};
  FabricInitiatorSocket to_fabric{"to_fabric"};
  FabricTargetSocket from_fabric{"from_fabric"};
  MemoryRequester memory;
  std::optional<MemoryRequester> remote;  ///< to memory beyond the NPU's own

  Npu(const sc_core::sc_module_name& name, const NpuParams& params, const ClassTable& classes,
      const NpuPools& pools, Scheduler& scheduler);

  using Wakeable::set_region;
  const Endpoint& endpoint() const { return endpoint_; }
  void observe(LinkObserver& observer, std::size_t number) { endpoint_.observe(observer, number); }
  const ComputeEngine& compute() const { return compute_; }
  /// Null if computing takes no memory.
  const OperandStream* operands() const { return operands_ ? &*operands_ : nullptr; }
  void set_flow_control(FlowControl& control) { endpoint_.set_flow_control(control); }
  /// Puts `fault`, whose `from` is this NPU, into a packet.
  void set_fault(Fault& fault) { endpoint_.set_fault(fault); }
  /// What is not done yet, in words.
  std::vector<std::string> pending() const {
    return params_.messages ? params_.messages->pending(params_.npu) : endpoint_.pending();
  }

 private:
  using Payload = ::tlm::tlm_generic_payload;
  enum Wake : std::uint32_t { kInjector, kTimer, kAccept, kRespond, kTile };

  ::tlm::tlm_sync_enum nb_transport_fw(Payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  ::tlm::tlm_sync_enum nb_transport_fw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  void inject(Packet& packet, TimePs head_ps) override;
  const Scheduler* time_source() const override { return &scheduler_; }
  void end_of_elaboration() override;
  // What the endpoint does stays within the fabric; sequencer and memory are called from other wake-ups.
  void request_injector_wake(TimePs at) override { schedule_endpoint(at, kInjector); }
  void request_timer_wake(TimePs at) override { schedule_endpoint(at, kTimer); }
  void schedule_endpoint(TimePs at, Wake what) {
    if (may_lead_)
      scheduler_.schedule_leading(at, *this, what);
    else
      scheduler_.schedule(at, *this, what);
  }
  void communication_done(std::uint64_t token) override { respond(token, scheduler_.now(), true); }
  void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) override;
  void memory_done(std::uint64_t token, bool ok) override;
  void load_operands(std::uint64_t address, std::uint64_t bytes) override;
  void wake_for_tile(TimePs at) override { scheduler_.schedule(at, *this, kTile); }
  void computed(std::uint64_t token, TimePs start, TimePs end, bool ok) override;
  void access(bool remote, bool write, std::uint64_t address, std::uint64_t bytes,
              std::uint64_t token) override;
  void transfer_done(std::uint64_t token, bool ok) override { respond(token, scheduler_.now(), ok); }
  void wake(std::uint32_t what, TimePs now) override;
  void prefetch(std::uint32_t what, unsigned depth) const override;
  void prefetch() const override { endpoint_.injection_port().prefetch_tables(); }
  void prefetch(const Packet& packet) const override {
    endpoint_.injection_port().prefetch_credit(PortId{0}, packet.vc);
  }

  void accept(Payload& payload, TimePs now);
  void communicate(const Operation& operation, std::byte* buffer, std::uint64_t token, TimePs now);
  void respond(std::uint64_t token, TimePs at, bool ok);
  void send_due_responses(TimePs now);

  NpuParams params_;
  Scheduler& scheduler_;
  bool may_lead_ = false;
  FabricForwardIf* fabric_ = nullptr;  // behind the sockets
  FabricBackwardIf* from_port_ = nullptr;
  mutable SwitchCore::Winner likely_;  // of the look-ahead
  Endpoint endpoint_;
  ComputeEngine compute_;
  std::optional<OperandStream> operands_;
  std::optional<RemoteTransfers> transfers_;  // with a remote memory that is not free
  TimePs compute_free_ps_ = 0, cpu_free_ps_ = 0;
  std::unordered_map<std::uint64_t, Payload*> running_;  // by token
  std::vector<Payload*> requested_;                      // BEGIN_REQ came, at this instant
  struct Response {
    TimePs at;
    std::uint64_t order;
    Payload* payload;
    bool operator>(const Response& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  std::priority_queue<Response, std::vector<Response>, std::greater<>> responses_;
  WakeSlot response_wake_;
  std::uint64_t next_token_ = 1, response_order_ = 0;
};

}  // namespace wafertlm
