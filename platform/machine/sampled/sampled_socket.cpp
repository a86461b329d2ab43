// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/sampled/sampled_socket.h"

namespace wafertlm {
namespace {

/// By Operation::Kind, from collective on.
constexpr TransferPart::Kind kPartKinds[] = {TransferPart::Kind::collective, TransferPart::Kind::send,
                                             TransferPart::Kind::receive, TransferPart::Kind::load,
                                             TransferPart::Kind::store};

TransferPart part_of(const Operation& operation, NpuId at) {
  TransferPart part;
  part.kind = kPartKinds[static_cast<int>(operation.kind) - static_cast<int>(Operation::Kind::collective)];
  part.at = at;
  part.traffic_class = operation.traffic_class;
  part.peer = operation.peer;
  part.tag = operation.tag;
  part.bytes = operation.bytes;
  if (operation.kind != Operation::Kind::collective) return part;
  part.program = operation.program.get();
  part.id = operation.collective_id;
  part.rank = operation.rank;
  return part;
}

}  // namespace

SampledSocket::SampledSocket(const sc_core::sc_module_name& name, NpuId at, Sampling& sampling,
                             Scheduler& scheduler)
    : sc_module(name), at_(at), sampling_(sampling), scheduler_(scheduler) {
  set_rank(static_cast<std::uint32_t>(index_of(at)) + 1);
  target_side.bind(static_cast<OperationForwardIf&>(*this));
  initiator_side.bind(static_cast<OperationBackwardIf&>(*this));
}

::tlm::tlm_sync_enum SampledSocket::nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  if (const Operation& operation = *payload.get_extension<Operation>();
      phase == ::tlm::BEGIN_REQ && operation.kind != Operation::Kind::compute) {
    const std::uint64_t number = sampling_.take_number();
    const TimePs now = scheduler_.now();
    parts_.emplace(number, Part{&payload, now});
    sampling_.begin(part_of(operation, at_), *this, number, now);
    return ::tlm::TLM_ACCEPTED;
  }
  if (phase == ::tlm::END_RESP && &payload == answered_) return ::tlm::TLM_COMPLETED;
  return initiator_side->nb_transport_fw(payload, phase, delay);
}

void SampledSocket::pass_on(std::uint64_t number) {
  Payload& payload = *parts_.at(number).payload;
  passed_on_.emplace(&payload, number);
  ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  initiator_side->nb_transport_fw(payload, phase, none);
}

/// From the endpoint.
::tlm::tlm_sync_enum SampledSocket::nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  if (phase == ::tlm::BEGIN_RESP)
    if (const auto found = passed_on_.find(&payload); found != passed_on_.end()) {
      const std::uint64_t number = found->second;
      passed_on_.erase(found);
      payload.get_extension<Operation>()->start_ps = parts_.at(number).begin_ps;
      parts_.erase(number);
      sampling_.ended(number, scheduler_.now());
    }
  return target_side->nb_transport_bw(payload, phase, delay);
}

void SampledSocket::end_at(std::uint64_t number, TimePs at) {
  ends_.emplace(at, number);
  scheduler_.schedule(at, *this, 0, Turn::operations);
}

void SampledSocket::wake(std::uint32_t, TimePs now) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const std::uint64_t number = ends_.begin()->second;
    ends_.erase(ends_.begin());
    const auto [payload, begin_ps] = parts_.extract(number).mapped();
    Operation& operation = *payload->get_extension<Operation>();
    operation.start_ps = begin_ps;
    operation.end_ps = now;
    payload->set_response_status(::tlm::TLM_OK_RESPONSE);
    sampling_.ended(number, now);
    answered_ = payload;
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    for (::tlm::tlm_phase phase : {::tlm::tlm_phase(::tlm::END_REQ), ::tlm::tlm_phase(::tlm::BEGIN_RESP)})
      target_side->nb_transport_bw(*payload, phase, none);
  }
}

}  // namespace wafertlm
