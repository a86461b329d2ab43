// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/operation_log.h"

#include <stdexcept>
#include <string>

#include "tlm/remote/crossing.h"

namespace wafertlm {

std::vector<std::byte> OperationLogs::pack() const {
  ByteWriter writer;
  for (const auto& [endpoint, log] : logs_) {
    writer.put(endpoint);
    writer.put(std::uint64_t{log.ends.size()});
    for (const OperationLog::End& end : log.ends) writer.put(end);
  }
  return writer.take();
}

void OperationLogs::add(const std::vector<std::byte>& packed) {
  for (ByteReader reader(packed); !reader.at_end();) {
    OperationLog& log = logs_[reader.get<NpuId>()];
    for (auto ends = reader.get<std::uint64_t>(); ends != 0; --ends)
      log.ends.push_back(reader.get<OperationLog::End>());
  }
}

RecordedSocket::RecordedSocket(const sc_core::sc_module_name& name, OperationLog& log)
    : sc_module(name), log_(log) {
  target_side.bind(static_cast<OperationForwardIf&>(*this));
  initiator_side.bind(static_cast<OperationBackwardIf&>(*this));
}

::tlm::tlm_sync_enum RecordedSocket::nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  if (phase == ::tlm::BEGIN_REQ) numbers_[&payload] = begun_++;
  return initiator_side->nb_transport_fw(payload, phase, delay);
}

::tlm::tlm_sync_enum RecordedSocket::nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  if (phase == ::tlm::BEGIN_RESP) {
    const Operation& operation = *payload.get_extension<Operation>();
    log_.ends.push_back({numbers_.extract(&payload).mapped(), operation.start_ps, operation.end_ps});
  }
  return target_side->nb_transport_bw(payload, phase, delay);
}

PlayedSocket::PlayedSocket(const sc_core::sc_module_name& name, NpuId endpoint, const OperationLog& log,
                           Scheduler& scheduler)
    : sc_module(name), log_(log), scheduler_(scheduler) {
  set_rank(static_cast<std::uint32_t>(index_of(endpoint)) + 1);  // as of the endpoint
  socket.bind(static_cast<OperationForwardIf&>(*this));
}

::tlm::tlm_sync_enum PlayedSocket::nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                                   sc_core::sc_time&) {
  if (phase == ::tlm::END_RESP) return ::tlm::TLM_COMPLETED;
  const std::uint64_t number = begun_++;
  under_way_.emplace(number, &payload);
  if (is_next_under_way() && log_.ends[ended_].number == number) plan();
  return ::tlm::TLM_ACCEPTED;
}

bool PlayedSocket::is_next_under_way() const {
  return ended_ < log_.ends.size() && under_way_.count(log_.ends[ended_].number) != 0;
}

void PlayedSocket::plan() {
  const TimePs at = log_.ends[ended_].end_ps;
  if (at < scheduler_.now())
    throw std::logic_error(std::string(name()) + ": an operation ended at " + std::to_string(at) +
                           " ps and begins at " + std::to_string(scheduler_.now()) +
                           " ps when it is played: the processes differ");
  scheduler_.schedule(at, *this, 0, Turn::operations);
}

void PlayedSocket::wake(std::uint32_t, TimePs now) {
  const OperationLog::End& end = log_.ends[ended_];
  Payload& payload = *under_way_.extract(end.number).mapped();
  ++ended_;
  if (is_next_under_way()) plan();  // else when it begins
  Operation& operation = *payload.get_extension<Operation>();
  operation.start_ps = end.start_ps;
  operation.end_ps = now;
  payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  for (::tlm::tlm_phase phase : {::tlm::tlm_phase(::tlm::END_REQ), ::tlm::tlm_phase(::tlm::BEGIN_RESP)})
    socket->nb_transport_bw(payload, phase, none);
}

}  // namespace wafertlm
