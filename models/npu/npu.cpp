// SPDX-License-Identifier: Apache-2.0
#include "models/npu/npu.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/link/switch_module.h"

namespace wafertlm {

namespace {

/// Memory accesses of the endpoint, of a computation's operands, or of a transfer, not of an operation.
constexpr std::uint64_t kOfEndpoint = std::uint64_t{1} << 63, kOfOperands = std::uint64_t{1} << 62,
                        kOfTransfer = std::uint64_t{1} << 61;

::tlm::tlm_command command_of(bool write) {
  return write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND;
}

}  // namespace

using ::tlm::tlm_phase;
using ::tlm::tlm_sync_enum;

Npu::Npu(const sc_core::sc_module_name& name, const NpuParams& params, const ClassTable& classes,
         const NpuPools& pools, Scheduler& scheduler)
    : sc_module(name),
      memory("memory", params.memory, pools.scratch, scheduler, *this),
      params_(params),
      scheduler_(scheduler),
      endpoint_(params.npu, params.injector, classes, pools.packets, pools.messages, *this, params.endpoint),
      compute_(params.compute) {
  if (params.remote)
    remote.emplace("remote", *params.remote, pools.scratch, scheduler,
                   static_cast<MemoryRequesterHost&>(*this));
  if (remote && !params.remote_is_free)
    transfers_.emplace(RemoteTransferParams{params.remote->request_bytes,
                                            params.remote->outstanding + params.memory.outstanding},
                       static_cast<RemoteTransferHost&>(*this));
  if (params.operands) operands_.emplace(*params.operands, static_cast<OperandHost&>(*this));
  operations.bind(static_cast<OperationForwardIf&>(*this));
  to_fabric.bind(static_cast<FabricBackwardIf&>(*this));
  from_fabric.bind(static_cast<FabricForwardIf&>(*this));
  if (params.messages)
    params.messages->connect(params.npu, *this,
                             {params.endpoint.step_cost_ps, params.endpoint.receive_cost_ps,
                              params.endpoint.reduction_bytes_per_s});
}

void Npu::end_of_elaboration() {
  fabric_ = peer_of(to_fabric);
  from_port_ = peer_of(from_fabric);
  // With traffic to the memory the endpoint calls a socket that must see the kernel's time.
  may_lead_ = !params_.endpoint.memory && to_fabric->time_source() == &scheduler_ &&
              from_fabric->time_source() == &scheduler_;
}

tlm_sync_enum Npu::nb_transport_fw(Payload& payload, tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == ::tlm::END_RESP) return ::tlm::TLM_COMPLETED;
  if (phase != ::tlm::BEGIN_REQ || delay != sc_core::SC_ZERO_TIME)
    throw std::logic_error(std::string(name()) + ": an operation begins with BEGIN_REQ, without delay");
  if (requested_.empty()) scheduler_.schedule(scheduler_.now(), *this, kAccept);
  requested_.push_back(&payload);
  return ::tlm::TLM_ACCEPTED;
}

void Npu::accept(Payload& payload, TimePs now) {
  tlm_phase phase = ::tlm::END_REQ;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  operations->nb_transport_bw(payload, phase, none);

  Operation& operation = *payload.get_extension<Operation>();
  operation.start_ps = now;
  const std::uint64_t token = next_token_++;
  running_.emplace(token, &payload);
  switch (operation.kind) {
    case Operation::Kind::compute: {
      if (operands_ && !operation.on_cpu) {
        const std::uint64_t bytes = operation.bytes != 0
                                        ? operation.bytes
                                        : operand_bytes(operation.products, operands_->element_bytes());
        operands_->add(token,
                       compute_.duration({operation.operations, operation.bytes, operation.duration_ps,
                                          operation.products}),
                       bytes, now);
        break;
      }
      TimePs& free = operation.on_cpu ? cpu_free_ps_ : compute_free_ps_;
      operation.start_ps = std::max(now, free);
      free = operation.start_ps + (operation.on_cpu
                                       ? operation.duration_ps
                                       : compute_.duration({operation.operations, operation.bytes,
                                                            operation.duration_ps, operation.products}));
      respond(token, free, true);
      break;
    }
    case Operation::Kind::collective:
    case Operation::Kind::send:
    case Operation::Kind::receive:
      communicate(operation, reinterpret_cast<std::byte*>(payload.get_data_ptr()), token, now);
      break;
    case Operation::Kind::memory_load:
    case Operation::Kind::memory_store: {
      const bool store = operation.kind == Operation::Kind::memory_store;
      if (transfers_ && operation.bytes != 0)
        transfers_->start(store, operation.address, operation.bytes, token);
      else
        (remote ? *remote : memory).start(command_of(store), operation.address, operation.bytes, token);
      break;
    }
  }
}

void Npu::communicate(const Operation& operation, std::byte* buffer, std::uint64_t token, TimePs now) {
  MessageService* const messages = params_.messages;
  switch (operation.kind) {
    case Operation::Kind::collective: {
      const CollectiveProgram& program = *operation.program;
      const CollectiveStart start{operation.collective_id,
                                  program.ranks[operation.rank].get(),
                                  &program.group,
                                  operation.traffic_class,
                                  buffer,
                                  program.data_type,
                                  token};
      if (messages) return messages->start_collective(params_.npu, start, now);
      return endpoint_.start_collective(start, now);
    }
    case Operation::Kind::send:
      if (messages)
        return messages->start_send(params_.npu, operation.peer, operation.tag, operation.bytes,
                                    operation.traffic_class, token, now);
      return endpoint_.start_send(operation.peer, operation.tag, operation.bytes, operation.traffic_class,
                                  token, now);
    case Operation::Kind::receive:
      if (messages) return messages->start_receive(params_.npu, operation.peer, operation.tag, token, now);
      return endpoint_.start_receive(operation.peer, operation.tag, token, now);
    default:
      throw std::logic_error(std::string(name()) + ": not a communication");
  }
}

/// The operation ends at `at`: BEGIN_RESP goes out then.
void Npu::respond(std::uint64_t token, TimePs at, bool ok) {
  const auto found = running_.find(token);
  Payload& payload = *found->second;
  running_.erase(found);
  payload.get_extension<Operation>()->end_ps = at;
  payload.set_response_status(ok ? ::tlm::TLM_OK_RESPONSE : ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (response_wake_.ask(at)) scheduler_.schedule(at, *this, kRespond);
  responses_.push({at, response_order_++, &payload});
}

void Npu::send_due_responses(TimePs now) {
  if (!response_wake_.take(now)) return;
  while (!responses_.empty() && responses_.top().at <= now) {
    Payload& payload = *responses_.top().payload;
    responses_.pop();
    tlm_phase phase = ::tlm::BEGIN_RESP;
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    operations->nb_transport_bw(payload, phase, none);
  }
  if (!responses_.empty() && response_wake_.ask(responses_.top().at))
    scheduler_.schedule(responses_.top().at, *this, kRespond);
}

void Npu::wake(std::uint32_t what, TimePs now) {
  switch (what) {
    case kInjector:
      endpoint_.wake_injector(now);
      break;
    case kTimer:
      endpoint_.wake_timer(now);
      break;
    case kRespond:
      send_due_responses(now);
      break;
    case kTile:
      operands_->tile_computed(now);
      break;
    case kAccept: {
      const std::vector<Payload*> requested = std::move(requested_);
      requested_.clear();
      for (Payload* payload : requested) accept(*payload, now);
      break;
    }
    default:
      break;
  }
}

void Npu::access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) {
  memory.start(command_of(write), address, bytes, token | kOfEndpoint);
}

void Npu::access(bool is_remote, bool write, std::uint64_t address, std::uint64_t bytes,
                 std::uint64_t token) {
  (is_remote ? *remote : memory).start(command_of(write), address, bytes, token | kOfTransfer);
}

void Npu::load_operands(std::uint64_t address, std::uint64_t bytes) {
  memory.start(::tlm::TLM_READ_COMMAND, address, bytes, kOfOperands);
}

void Npu::computed(std::uint64_t token, TimePs start, TimePs end, bool ok) {
  running_.at(token)->get_extension<Operation>()->start_ps = start;
  respond(token, end, ok);
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

void Npu::prefetch(std::uint32_t what, unsigned depth) const {
  if (what != kInjector) return;
  const SwitchCore& port = endpoint_.injection_port();
  if (depth == 0) {
    port.prefetch_output(PortId{0});
    __builtin_prefetch(fabric_);
  } else if (depth == 1) {
    port.prefetch_contenders(PortId{0});
  } else if (depth == 2) {
    likely_ = port.likely_winner(PortId{0});
    if (likely_.packet) prefetch_for_hop(*likely_.packet);
    fabric_->prefetch();
  } else if (depth == 4) {
    if (likely_.packet) fabric_->prefetch(*likely_.packet);
  }
}

void Npu::inject(Packet& packet, TimePs head_ps) {
  begin_request(*this, *fabric_, packet, to_sc_time(head_ps - scheduler_.now()));
}

tlm_sync_enum Npu::nb_transport_fw(Packet& packet, tlm_phase&, sc_core::sc_time&) {
  const TimePs now = scheduler_.now();
  end_request(*this, *from_port_, packet,
              to_sc_time(packet.tail_ps + params_.ejection_credit_delay_ps - now));
  endpoint_.receive(packet, now);
  return ::tlm::TLM_ACCEPTED;
}

tlm_sync_enum Npu::nb_transport_bw(Packet& packet, tlm_phase&, sc_core::sc_time& delay) {
  const TimePs now = scheduler_.now();
  endpoint_.credit(packet, now + delay.value(), now);
  return ::tlm::TLM_ACCEPTED;
}

}  // namespace wafertlm
