// SPDX-License-Identifier: Apache-2.0
#include "models/remote_memory/remote_memory.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/kernel/free_numbers.h"
#include "tlm/memory/access.h"

namespace wafertlm {

/// An NPU's side.
class RemoteMemory::Port final : public MemoryResponderHost {
 public:
  Port(RemoteMemory& memory, std::uint32_t npu)
      : responder(("npu_" + std::to_string(npu)).c_str(), memory.params_.queue_requests, memory.scheduler_,
                  *this),
        npu_(npu),
        memory_(memory) {}

  MemoryResponder responder;
  std::uint32_t npu() const { return npu_; }

 private:
  void requested(Payload& payload) override {
    if (!memory_.serve(npu_, payload)) return responder.respond(payload, memory_.scheduler_.now());
    const std::uint32_t number = take_number(memory_.requests_, memory_.free_requests_);
    memory_.requests_[number] = {this, &payload, 0};
    memory_.go_on(number, memory_.scheduler_.now());
  }
  void transport(Payload& payload, sc_core::sc_time& delay) override {
    if (!memory_.serve(npu_, payload)) return;
    PoolEngine& engine = memory_.engine_;
    if (engine.serves_accesses()) {
      const TimePs now = memory_.scheduler_.now();
      delay = to_sc_time(memory_.end_of_part(*this, payload, now + delay.value()) - now);
      return;
    }
    for (std::uint32_t step = 0; step < engine.stages(); ++step) {
      // Others may come to the next stage before.
      if (step != 0) sc_core::wait(delay), delay = sc_core::SC_ZERO_TIME;
      const TimePs now = memory_.scheduler_.now();
      delay = to_sc_time(
          engine.advance(npu_, payload.is_write(), payload.get_data_length(), step, now + delay.value()) -
          now);
    }
  }
  unsigned debug(Payload& payload) override {
    const std::uint64_t address = payload.get_address();
    if (!memory_.params_.functional || address >= memory_.bytes_per_npu_ || !payload.get_data_ptr() ||
        payload.get_command() == ::tlm::TLM_IGNORE_COMMAND)
      return 0;
    return memory_.move_data(
        npu_, payload, std::min<std::uint64_t>(payload.get_data_length(), memory_.bytes_per_npu_ - address));
  }

  const std::uint32_t npu_;
  RemoteMemory& memory_;
};

RemoteMemory::RemoteMemory(const sc_core::sc_module_name& name, const RemoteMemoryParams& params,
                           Scheduler& scheduler)
    : sc_module(name),
      params_(params),
      bytes_per_npu_(params.capacity_bytes / std::max(1U, params.timing.npus)),
      scheduler_(scheduler),
      engine_(params.timing) {
  if (bytes_per_npu_ == 0)
    throw std::invalid_argument(std::string(this->name()) + ": there is less than a byte for each NPU");
  for (std::uint32_t npu = 0; npu < params.timing.npus; ++npu)
    ports_.push_back(std::make_unique<Port>(*this, npu));
}

RemoteMemory::~RemoteMemory() = default;

MemoryTargetSocket& RemoteMemory::socket(std::uint32_t npu) { return ports_.at(npu)->responder.socket; }

/// Checks a request and moves its data; false: it is answered at once.
bool RemoteMemory::serve(std::uint32_t npu, Payload& payload) {
  ::tlm::tlm_response_status status = status_of(payload, bytes_per_npu_);
  if (status == ::tlm::TLM_OK_RESPONSE && payload.get_byte_enable_ptr())
    status = ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  payload.set_response_status(status);
  if (status != ::tlm::TLM_OK_RESPONSE || payload.get_command() == ::tlm::TLM_IGNORE_COMMAND) return false;
  bytes_[payload.is_write()] += payload.get_data_length();
  if (params_.functional) move_data(npu, payload, payload.get_data_length());
  return true;
}

unsigned RemoteMemory::move_data(std::uint32_t npu, Payload& payload, std::uint64_t bytes) {
  const std::uint64_t address = npu * bytes_per_npu_ + payload.get_address();
  store_.move(payload.is_read(), address, payload.get_data_ptr(), bytes);
  return static_cast<unsigned>(bytes);
}

void RemoteMemory::go_on(std::uint32_t number, TimePs now) {
  Request& request = requests_[number];
  Payload& payload = *request.payload;
  const std::uint32_t step = request.stages_done++;
  const TimePs end = engine_.serves_accesses() ? end_of_part(*request.port, payload, now)
                                               : engine_.advance(request.port->npu(), payload.is_write(),
                                                                 payload.get_data_length(), step, now);
  if (request.stages_done < engine_.stages()) return scheduler_.schedule(end, *this, number);
  free_requests_.push_back(number);
  request.port->responder.respond(payload, end);
}

/// A request moves when those of its access before it have moved.
TimePs RemoteMemory::end_of_part(const Port& port, const Payload& payload, TimePs now) {
  const auto* const announced = payload.get_extension<MemoryAccess>();
  const std::uint64_t length = payload.get_data_length();
  const std::uint64_t whole = announced ? announced->bytes : length;
  const auto key = std::make_pair(port.npu(), announced ? announced->number : ~std::uint64_t{0});
  auto found = accesses_.find(key);
  if (found == accesses_.end())
    found = accesses_.emplace(key, Access{engine_.begin_access(port.npu(), whole, now), 0}).first;
  Access& access = found->second;
  access.bytes_served += length;
  const TimePs end =
      std::max(now, access.first_byte_ps + transfer_time_ps(access.bytes_served, engine_.bytes_per_s()));
  if (access.bytes_served >= whole) accesses_.erase(found);
  return end;
}

}  // namespace wafertlm
