// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/kernel/ring_queue.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/memory/protocol.h"
#include "tlm/memory/requester_params.h"

namespace wafertlm {

/// Where data goes that nobody looks at. One for all requesters: only times are real.
using ScratchMemory = std::array<unsigned char, kMaxRequestBytes>;

class MemoryRequesterHost {
 public:
  /// The access that was started with `token` is over; `ok` if no request of it failed.
  virtual void memory_done(std::uint64_t token, bool ok) = 0;

 protected:
  ~MemoryRequesterHost() = default;
};

/// The initiator's side of the memory protocol: cuts loads and stores into requests and keeps several in
/// flight. Accesses that run at the same time take turns, request by request. Loads and stores have a window
/// each, so that neither keeps the other from the memory.
///
/// Any memory of the base protocol will do. It may answer BEGIN_REQ with TLM_COMPLETED, END_REQ or
/// BEGIN_RESP, skip END_REQ, call back from within a call, and annotate delays: a phase counts at the time of
/// the call plus the delay, and the next BEGIN_REQ waits until the one before has counted as accepted
/// (TLM_COMPLETED: as completed). BEGIN_RESP is answered with TLM_COMPLETED, so the response channel is never
/// held. No forward call is made from within a backward call.
class MemoryRequester final : private MemoryBackwardIf, private ::tlm::tlm_mm_interface, private Wakeable {
 public:
  MemoryInitiatorSocket socket;

  /// To be made within a module, as a member of it: the socket becomes the module's.
  /// @throws std::invalid_argument for parameters out of their range.
  MemoryRequester(const char* socket_name, const MemoryRequesterParams& params, ScratchMemory& scratch,
                  Scheduler& scheduler, MemoryRequesterHost& host);
  MemoryRequester(const MemoryRequester&) = delete;
  MemoryRequester& operator=(const MemoryRequester&) = delete;

  /// Starts a load (TLM_READ_COMMAND) or store of any length; memory_done(token) follows, never from within
  /// this call. An access sends no more requests once one has failed. `data`, if given, has `bytes` bytes and
  /// stays until then; otherwise scratch memory is used. Returns the number of requests it is cut into.
  /// @throws std::invalid_argument for another command or an end beyond 2^64.
  std::uint64_t start(::tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes,
                      std::uint64_t token, unsigned char* data = nullptr);

  bool idle() const { return running_ == 0; }
  std::uint32_t in_flight() const { return directions_[0].in_flight + directions_[1].in_flight; }
  /// Payloads made so far: what was in flight, or held by a memory beyond its end, at one time.
  std::size_t payloads() const { return requests_.size(); }

 private:
  using Payload = ::tlm::tlm_generic_payload;
  /// What a wake-up stands for, in its lowest bits; above is the number of the request (of the access for
  /// `nothing_to_do`).
  enum Effect : std::uint32_t { end_request, completed, begin_response, nothing_to_do };
  static constexpr unsigned kEffectBits = 2;

  struct Request : Payload {
    Request(::tlm::tlm_mm_interface* pool, std::uint32_t its_number) : Payload(pool), number(its_number) {}
    const std::uint32_t number;  // in requests_
    std::uint32_t access = 0;
  };
  struct Access {
    ::tlm::tlm_command command;
    std::uint64_t address, bytes;  // of what is left to request
    unsigned char* data;           // for it, or null
    std::uint64_t token;
    std::uint32_t in_flight;
    bool ok;
    std::uint64_t number, whole_bytes;
  };
  struct Direction {
    RingQueue<std::uint32_t> turns;  // accesses with something left to request
    std::uint32_t in_flight = 0;
  };

  ::tlm::tlm_sync_enum nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void free(Payload* payload) override;
  void wake(std::uint32_t what, TimePs now) override;

  void issue();
  Request& next_request(Direction& direction);
  Direction& direction_of(const Access& access) {
    return directions_[access.command == ::tlm::TLM_WRITE_COMMAND];
  }
  void send(Request& request);
  void later(const Request& request, Effect effect, const sc_core::sc_time& delay);
  void finish(Request& request);
  void finish_access(std::uint32_t number);
  void request_no_more(std::uint32_t number);
  [[noreturn]] void protocol_error(const std::string& what) const;

  const MemoryRequesterParams params_;
  ScratchMemory& scratch_;
  Scheduler& scheduler_;
  MemoryRequesterHost& host_;
  std::vector<std::unique_ptr<Request>> requests_;
  std::vector<Request*> free_requests_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_accesses_;
  std::array<Direction, 2> directions_;
  std::size_t next_direction_ = 0;
  const Request* requesting_ = nullptr;  // its END_REQ is awaited
  std::uint32_t running_ = 0;
  std::uint64_t accesses_started_ = 0;
  bool issuing_ = false;
};

}  // namespace wafertlm
