// SPDX-License-Identifier: Apache-2.0
#include "models/npu/npu.h"

#include <stdexcept>

namespace wafertlm {

namespace {

/// Memory accesses of the endpoint, of a computation's operands, or of a transfer, not of an operation.
constexpr std::uint64_t kOfEndpoint = std::uint64_t{1} << 63, kOfOperands = std::uint64_t{1} << 62,
                        kOfTransfer = std::uint64_t{1} << 61;

}  // namespace

Npu::Npu(const sc_core::sc_module_name& name, const NpuParams& params, const ClassTable& classes,
         const NpuPools& pools, Scheduler& scheduler)
    : EndpointModule(name, params.npu, params, classes, pools, scheduler),
      memory("memory", params.memory, pools.scratch, scheduler, *this),
      compute_(params.compute) {
  if (params.operands) unit_ = &operands_.emplace(*params.operands, static_cast<OperandHost&>(*this));
  if (params.remote)
    remote.emplace("remote", *params.remote, pools.scratch, scheduler,
                   static_cast<MemoryRequesterHost&>(*this));
  if (!params.remote || params.remote_is_free)
    load_store_ = std::make_unique<OneMemory>(remote ? *remote : memory);
  else
    load_store_ = std::make_unique<BetweenMemories>(
        RemoteTransferParams{params.remote->request_bytes,
                             params.remote->outstanding + params.memory.outstanding},
        *remote, static_cast<RemoteTransferHost&>(*this));
}

void Npu::execute(Operation& operation, std::uint64_t token, TimePs now) {
  switch (operation.kind) {
    case Operation::Kind::compute: {
      const ComputeWork work{operation.operations, operation.bytes, operation.duration_ps,
                             operation.products};
      if (operation.on_cpu) return cpu_.start(token, work, operation.duration_ps, now);
      return unit_->start(token, work, compute_.duration(work), now);
    }
    case Operation::Kind::memory_load:
    case Operation::Kind::memory_store:
      return load_store_->start(operation.kind == Operation::Kind::memory_store, operation.address,
                                operation.bytes, token);
    default:
      throw std::logic_error(std::string(name()) + ": a communication is the endpoint's");
  }
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
    load_store_->access_done(token & ~kOfTransfer, ok);
  else
    respond(token, scheduler_.now(), ok);
}

}  // namespace wafertlm
