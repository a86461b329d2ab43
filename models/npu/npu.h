// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "models/endpoint/endpoint_module.h"
#include "models/npu/compute_engine.h"
#include "models/npu/operand_stream.h"
#include "models/npu/remote_transfers.h"
#include "tlm/memory/requester.h"

namespace wafertlm {

struct NpuParams : EndpointModuleParams {
  NpuId npu{};
  MemoryRequesterParams memory;
  std::optional<MemoryRequesterParams> remote;  ///< then loads and stores go there
  bool remote_is_free = false;  ///< for the NPU's own memory: loads are not written to it, stores not read
  ComputeParams compute;
  std::optional<OperandParams> operands = {};  ///< none: computing takes no memory
};

/// What all NPUs of a platform share.
struct NpuPools : EndpointPools {
  ScratchMemory& scratch;
};

/// An NPU: executes the operations that a sequencer sends it. A compute unit and a CPU, each serial and first
/// come first served, and beside them as many numbered units as operations name; collectives, sends and
/// receives run side by side in the endpoint; loads and stores go to the memory, or between it and the remote
/// memory.
class Npu final : public EndpointModule,
                  private MemoryRequesterHost,
                  private OperandHost,
                  private RemoteTransferHost {
 public:
  MemoryRequester memory;
  std::optional<MemoryRequester> remote;  ///< to memory beyond the NPU's own

  Npu(const sc_core::sc_module_name& name, const NpuParams& params, const ClassTable& classes,
      const NpuPools& pools, Scheduler& scheduler);

  const ComputeEngine& compute() const { return compute_; }
  /// Null if computing takes no memory.
  const OperandStream* operands() const { return operands_ ? &*operands_ : nullptr; }
  /// Puts `fault`, whose `from` is this NPU, into a packet.
  void set_fault(Fault& fault) { endpoint_.set_fault(fault); }

 private:
  static constexpr std::uint32_t kTile = kFirstFree;  // wake-ups

  void execute(Operation& operation, std::uint64_t token, TimePs now) override;
  void start_compute(const Operation& operation, std::uint64_t token, TimePs now);
  void start_memory(const Operation& operation, std::uint64_t token);
  void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) override;
  void memory_done(std::uint64_t token, bool ok) override;
  void load_operands(std::uint64_t address, std::uint64_t bytes) override;
  void wake_for_tile(TimePs at) override { scheduler_.schedule(at, *this, kTile, Turn::endpoints); }
  void computed(std::uint64_t token, TimePs start, TimePs end, bool ok) override;
  void access(bool remote, bool write, std::uint64_t address, std::uint64_t bytes,
              std::uint64_t token) override;
  void transfer_done(std::uint64_t token, bool ok) override { respond(token, scheduler_.now(), ok); }
  void wake(std::uint32_t what, TimePs now) override;

  ComputeEngine compute_;
  std::map<std::pair<bool, std::uint32_t>, TimePs> free_ps_;  // of the CPU?, number; 0: the unit itself
  std::optional<OperandStream> operands_;
  std::optional<RemoteTransfers> transfers_;  // between both memories
};

}  // namespace wafertlm
