// SPDX-License-Identifier: Apache-2.0
#include "models/npu/npu.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

namespace {

/// Memory accesses of the endpoint, of a computation's operands, or of a transfer, not of an operation.
constexpr std::uint64_t kOfEndpoint = std::uint64_t{1} << 63, kOfOperands = std::uint64_t{1} << 62,
                        kOfTransfer = std::uint64_t{1} << 61;

::tlm::tlm_command command_of(bool write) {
  return write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND;
}

}  // namespace

Npu::Npu(const sc_core::sc_module_name& name, const NpuParams& params, const ClassTable& classes,
         const NpuPools& pools, Scheduler& scheduler)
    : EndpointModule(name, params.npu, params, classes, pools, scheduler),
      memory("memory", params.memory, pools.scratch, scheduler, *this),
      compute_(params.compute) {
  if (params.operands) operands_.emplace(*params.operands, static_cast<OperandHost&>(*this));
  if (!params.remote) return;
  remote.emplace("remote", *params.remote, pools.scratch, scheduler,
                 static_cast<MemoryRequesterHost&>(*this));
  if (!params.remote_is_free)
    transfers_.emplace(RemoteTransferParams{params.remote->request_bytes,
                                            params.remote->outstanding + params.memory.outstanding},
                       static_cast<RemoteTransferHost&>(*this));
}

void Npu::execute(Operation& operation, std::uint64_t token, TimePs now) {
  switch (operation.kind) {
    case Operation::Kind::compute:
      return start_compute(operation, token, now);
    case Operation::Kind::memory_load:
    case Operation::Kind::memory_store:
      return start_memory(operation, token);
    default:
      throw std::logic_error(std::string(name()) + ": a communication is the endpoint's");
  }
}

void Npu::start_compute(const Operation& operation, std::uint64_t token, TimePs now) {
  const ComputeWork work{operation.operations, operation.bytes, operation.duration_ps, operation.products};
  if (operands_ && !operation.on_cpu) return operands_->start(token, work, compute_.duration(work, now), now);
  TimePs& free_ps = free_ps_[{operation.on_cpu, operation.unit}];
  const TimePs start = std::max(now, free_ps);
  const TimePs duration =
      operation.on_cpu ? compute_.cpu_duration(work.duration_ps) : compute_.duration(work, start);
  free_ps = start + duration;
  computed(token, start, free_ps, true);
}

void Npu::start_memory(const Operation& operation, std::uint64_t token) {
  const bool store = operation.kind == Operation::Kind::memory_store;
  if (transfers_ && operation.bytes != 0)
    transfers_->start(store, operation.address, operation.bytes, token);
  else
    (remote ? *remote : memory).start(command_of(store), operation.address, operation.bytes, token);
}

void Npu::computed(std::uint64_t token, TimePs start, TimePs end, bool ok) {
  running(token).start_ps = start;
  respond(token, end, ok);
}

void Npu::wake(std::uint32_t what, TimePs now) {
  if (what == kTile)
    operands_->tile_computed(now);
  else
    EndpointModule::wake(what, now);
}

// ---------------------------------------------------------------- memories

void Npu::access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) {
  memory.start(command_of(write), address, bytes, token | kOfEndpoint);
}

void Npu::access(bool is_remote, bool write, std::uint64_t address, std::uint64_t bytes,
                 std::uint64_t token) {
  (is_remote ? *remote : memory).start(command_of(write), address, bytes, token | kOfTransfer);
}

void Npu::load_operands(std::uint64_t address, std::uint64_t bytes) {
  memory.start(command_of(false), address, bytes, kOfOperands);
}

void Npu::memory_done(std::uint64_t token, bool ok) {
  if ((token & kOfEndpoint) != 0)
    endpoint_.memory_done(token & ~kOfEndpoint, ok, scheduler_.now());
  else if ((token & kOfOperands) != 0)
    operands_->loaded(ok, scheduler_.now());
  else if ((token & kOfTransfer) != 0)
    transfers_->access_done(token & ~kOfTransfer, ok);
  else
    respond(token, scheduler_.now(), ok);
}

}  // namespace wafertlm
