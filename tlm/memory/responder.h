// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/ring_queue.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/memory/protocol.h"

namespace wafertlm {

class MemoryResponderHost {
 public:
  /// A request begins. MemoryResponder::respond() must follow, from within if its time is known.
  virtual void requested(::tlm::tlm_generic_payload& payload) = 0;
  /// b_transport, in the caller's process.
  virtual void transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) = 0;
  /// transport_dbg; returns the bytes moved.
  virtual unsigned debug(::tlm::tlm_generic_payload&) { return 0; }

 protected:
  ~MemoryResponderHost() = default;
};

/// Whether a memory of `capacity_bytes` can do what a payload asks for: TLM_OK_RESPONSE, or the standard's
/// error. TLM_IGNORE_COMMAND is fine.
::tlm::tlm_response_status status_of(const ::tlm::tlm_generic_payload& payload, std::uint64_t capacity_bytes);

/// The target's side of the memory protocol, for memories whose answers come in any order. All four phases:
/// BEGIN_REQ is answered with END_REQ while the queue has room (a place is taken until END_RESP), else
/// END_REQ comes backward later; BEGIN_RESP comes backward. No backward call is made from within a forward
/// call. No DMI.
class MemoryResponder final : private MemoryForwardIf, private Wakeable {
 public:
  MemoryTargetSocket socket;

  /// To be made within a module, as a member of it: the socket becomes the module's.
  /// @throws std::invalid_argument for a queue of 0.
  MemoryResponder(const char* socket_name, std::uint32_t queue_requests, Scheduler& scheduler,
                  MemoryResponderHost& host);
  MemoryResponder(const MemoryResponder&) = delete;
  MemoryResponder& operator=(const MemoryResponder&) = delete;

  /// The response, which is set in the payload by then, begins at `at` or when the one before has ended.
  void respond(::tlm::tlm_generic_payload& payload, TimePs at);
  bool idle() const { return held_ == 0 && !waiting_; }

 private:
  using Payload = ::tlm::tlm_generic_payload;
  enum What : std::uint32_t { kBegin, kDone, kResponseEnded };
  static constexpr unsigned kWhatBits = 2;

  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { host_.transport(payload, delay); }
  unsigned transport_dbg(Payload& payload) override { return host_.debug(payload); }
  bool get_direct_mem_ptr(Payload&, ::tlm::tlm_dmi&) override { return false; }
  void wake(std::uint32_t what, TimePs now) override;
  void accept_waiting();
  void respond_all(TimePs now);
  void response_ended();

  const std::uint32_t queue_requests_;
  Scheduler& scheduler_;
  MemoryResponderHost& host_;
  std::vector<Payload*> numbered_;  // in wake-ups
  std::vector<std::uint32_t> free_numbers_;
  RingQueue<Payload*> done_;
  Payload* responding_ = nullptr;  // its END_RESP is awaited
  Payload* waiting_ = nullptr;     // its END_REQ is withheld
  bool is_begun_ = false;          // its BEGIN_REQ has taken effect
  std::uint32_t held_ = 0;         // accepted, END_RESP not seen
};

}  // namespace wafertlm
