// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/support/scripted.h"
#include "tlm/memory/checker.h"

namespace wafertlm::memory_bench {

using Payload = ::tlm::tlm_generic_payload;

/// An initiator with the parts of the interface that the others do not have.
struct Initiator : ScriptedInitiator<MemoryInitiatorSocket, MemoryBackwardIf, Payload> {
  using ScriptedInitiator::ScriptedInitiator;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64 end) override { invalidated = end; }
  sc_dt::uint64 invalidated = 0;
};
struct Target : ScriptedTarget<MemoryTargetSocket, MemoryForwardIf, Payload> {
  using ScriptedTarget::ScriptedTarget;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { blocking(payload, delay); }
  unsigned transport_dbg(Payload&) override { return debug_count; }
  bool get_direct_mem_ptr(Payload&, ::tlm::tlm_dmi&) override { return grants_dmi; }

  std::function<void(Payload&, sc_core::sc_time&)> blocking = [](Payload& payload, sc_core::sc_time&) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  };
  unsigned debug_count = 0;
  bool grants_dmi = false;
};

struct NoPool : ::tlm::tlm_mm_interface {
  void free(Payload*) override {}
};

struct Bench {
  explicit Bench(const MemoryLimits& limits = {}) {
    bind_checked(initiator.socket, target.socket, &checkers, "checker", limits);
    for (Payload* payload : {&first, &second}) {
      payload->set_mm(&pool);
      payload->acquire();
      payload->set_read();
      payload->set_data_ptr(data);
      payload->set_data_length(64);
      payload->set_streaming_width(64);
    }
  }
  void begin(Payload& payload) { initiator.call(payload, ::tlm::BEGIN_REQ); }
  void accept(Payload& payload) { target.call(payload, ::tlm::END_REQ); }
  void respond(Payload& payload) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    target.call(payload, ::tlm::BEGIN_RESP);
  }
  void end(Payload& payload) { initiator.call(payload, ::tlm::END_RESP); }
  void whole(Payload& payload) {
    begin(payload);
    accept(payload);
    respond(payload);
    end(payload);
  }
  void block(Payload& payload) {
    sc_core::sc_time delay = to_sc_time(10);
    initiator.socket->b_transport(payload, delay);
  }

  NoPool pool;
  unsigned char data[64] = {}, enables[4] = {0xff, 0, 0xff, 0};
  Payload first, second;
  Violations violations;
  CheckerSet checkers{violations.handler()};
  Initiator initiator{"initiator"};
  Target target{"target"};
};
using Case = Conversation<Bench>;

/// A whole transaction; `spoil` is done before BEGIN_REQ.
inline Case request(const char* rule, void (*spoil)(Bench&, Payload&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            spoil(bench, bench.first);
            bench.whole(bench.first);
          },
          variant};
}
/// The same over b_transport.
inline Case blocking(const char* rule, void (*spoil)(Bench&, Payload&), const char* variant) {
  return {rule,
          [spoil](Bench& bench) {
            spoil(bench, bench.first);
            bench.block(bench.first);
          },
          variant};
}
/// A whole transaction; `spoil` is done between END_REQ and BEGIN_RESP.
inline Case in_flight(const char* rule, void (*spoil)(Bench&, Payload&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            bench.begin(bench.first);
            bench.accept(bench.first);
            spoil(bench, bench.first);
            bench.respond(bench.first);
            bench.end(bench.first);
          },
          variant};
}
/// An answer together with the response status.
inline Answer<Payload> with_status(Answer<Payload> answer) {
  return [=](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    return answer(payload, phase, delay);
  };
}
inline const Answer<Payload> kCompleted = always<Payload>(::tlm::TLM_COMPLETED);

}  // namespace wafertlm::memory_bench
