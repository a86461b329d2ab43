// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/engine_modules.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/checking/checking.h"

namespace wafertlm {
namespace {

::tlm::tlm_response_status response_of(Refusal cause) {
  switch (cause) {
    case Refusal::none:
      return ::tlm::TLM_OK_RESPONSE;
    case Refusal::outside_region:
    case Refusal::not_granted:
    case Refusal::revoked:
    case Refusal::of_another:
    case Refusal::forged:
      return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case Refusal::no_right:
      return ::tlm::TLM_COMMAND_ERROR_RESPONSE;
    case Refusal::no_bytes:
      return ::tlm::TLM_BURST_ERROR_RESPONSE;
    case Refusal::memory_error:
    case Refusal::tampered:
    case Refusal::journal_full:
    case Refusal::halted:
      break;
  }
  return ::tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace

MemoryEngineRequester::MemoryEngineRequester(const sc_core::sc_module_name& name,
                                             const RequesterEngineParams& params,
                                             std::vector<ProviderPort> providers, Scheduler& scheduler,
                                             EngineClock& clock, EngineNetwork& network)
    : sc_module(name),
      host("host", kQueueRequests, scheduler, *this),
      scheduler_(scheduler),
      functional_(params.functional),
      engine_(params, std::move(providers), clock, network, *this) {
  if (params.makes_up_contents) proof_.emplace(params.seed, params.id);
}

/// Hands the payload to the engine; returns false if it is answered already. What lies outside the region is
/// the engine's to refuse, and to count.
bool MemoryEngineRequester::begin(Payload& payload, sc_core::sc_event* waiting) {
  ::tlm::tlm_response_status status = status_of(payload, ~std::uint64_t{0});
  if (status == ::tlm::TLM_OK_RESPONSE && payload.get_byte_enable_ptr())
    status = ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (status != ::tlm::TLM_OK_RESPONSE || payload.get_command() == ::tlm::TLM_IGNORE_COMMAND) {
    payload.set_response_status(status);
    return false;
  }
  const std::uint64_t token = next_token_++;
  running_.emplace(token, Running{&payload, waiting});
  const std::uint64_t address = payload.get_address(), bytes = payload.get_data_length();
  unsigned char* const data = proof_        ? proof_->begin(token, payload.is_write(), address, bytes)
                              : functional_ ? payload.get_data_ptr()
                                            : nullptr;
  engine_.start(payload.is_write(), address, bytes, data, token);
  return true;
}

void MemoryEngineRequester::requested(Payload& payload) {
  if (!begin(payload, nullptr)) host.respond(payload, scheduler_.now());
}

void MemoryEngineRequester::transport(Payload& payload, sc_core::sc_time& delay) {
  wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  sc_core::sc_event done;
  if (begin(payload, &done)) wait(done);
}

void MemoryEngineRequester::access_done(std::uint64_t token, Refusal cause) {
  const Running running = running_.extract(token).mapped();
  if (proof_) prove(token, *running.payload, cause);
  running.payload->set_response_status(response_of(cause));
  if (running.waiting)
    running.waiting->notify(sc_core::SC_ZERO_TIME);
  else
    host.respond(*running.payload, scheduler_.now());
}

void MemoryEngineRequester::prove(std::uint64_t token, const Payload& payload, Refusal cause) {
  const std::optional<std::uint64_t> wrong = proof_->end(token, cause == Refusal::none);
  if (cause != Refusal::none)
    throw std::runtime_error(say(name(), ": a ", payload.is_read() ? "load" : "store", " of ",
                                 payload.get_data_length(), " B at ", payload.get_address(),
                                 " of its remote memory was refused: ", to_string(cause)));
  if (wrong)
    throw std::runtime_error(say(name(), ": a load of ", payload.get_data_length(), " B at ",
                                 payload.get_address(), " of its remote memory brought a wrong byte at ",
                                 *wrong, ", and nothing noticed it"));
}

void MemoryEngineProvider::start(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token,
                                 unsigned char* data) {
  const auto drops = std::find_if(dropped_.begin(), dropped_.end(), [&](const Segment& place) {
    return place.address < address + bytes && address < place.address + place.bytes;
  });
  const bool is_dropped = write && drops != dropped_.end();
  if (is_dropped) dropped_.erase(drops);
  if (is_dropped) data = nullptr;  // a load into nowhere takes as long
  memory.start(write && !is_dropped ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND, address, bytes,
               token, data);
}

MemoryEngineProvider::MemoryEngineProvider(const sc_core::sc_module_name& name,
                                           const ProviderEngineParams& params,
                                           const MemoryRequesterParams& requests, PageTable table,
                                           ScratchMemory& scratch, Scheduler& scheduler, EngineClock& clock,
                                           EngineNetwork& network)
    : sc_module(name),
      memory("memory", requests, scratch, scheduler, *this),
      engine_(params, std::move(table), clock, network, *this) {}

}  // namespace wafertlm
