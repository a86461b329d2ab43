// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "models/memory_engine/contents_proof.h"
#include "models/memory_engine/provider_engine.h"
#include "models/memory_engine/requester_engine.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/memory/requester.h"
#include "tlm/memory/responder.h"

namespace wafertlm {

/// The platform's scheduler as the engines' clock.
class SchedulerClock final : public EngineClock {
 public:
  explicit SchedulerClock(Scheduler& scheduler) : scheduler_(scheduler) {}
  TimePs now() const override { return scheduler_.now(); }
  void schedule(TimePs at, Wakeable& target, std::uint32_t what) override {
    scheduler_.schedule(at, target, what);
  }

 private:
  Scheduler& scheduler_;
};

/// The requester's engine behind a base-protocol socket: a host sees memory that lies with providers.
///   - Responses: TLM_ADDRESS_ERROR outside the region and for pages without a grant, TLM_COMMAND_ERROR where
///     a grant does not allow it, TLM_GENERIC_ERROR for tampered pages and errors of the provider's memory,
///     TLM_BYTE_ENABLE_ERROR for byte enables, the others as usual. The counters tell the causes.
///   - With made-up contents an access that is refused or loads what was not stored ends the simulation.
///   - b_transport waits, as an access has a way to go. transport_dbg moves nothing.
class MemoryEngineRequester : public sc_core::sc_module,
                              private MemoryResponderHost,
                              private RequesterEngineHost {
 public:
  /// Accesses that the host may have under way.
  static constexpr std::uint32_t kQueueRequests = 64;
  MemoryResponder host;

  /// @throws std::invalid_argument, see require_sound().
  MemoryEngineRequester(const sc_core::sc_module_name& name, const RequesterEngineParams& params,
                        std::vector<ProviderPort> providers, Scheduler& scheduler, EngineClock& clock,
                        EngineNetwork& network);

  RequesterEngine& engine() { return engine_; }
  const RequesterEngine& engine() const { return engine_; }
  /// Null without made-up contents.
  const ContentsProof* proof() const { return proof_ ? &*proof_ : nullptr; }

 private:
  using Payload = ::tlm::tlm_generic_payload;
  struct Running {
    Payload* payload;
    sc_core::sc_event* waiting;  // of b_transport
  };
  void requested(Payload& payload) override;
  void transport(Payload& payload, sc_core::sc_time& delay) override;
  void access_done(std::uint64_t token, Refusal cause) override;
  bool begin(Payload& payload, sc_core::sc_event* waiting);
  void prove(std::uint64_t token, const Payload& payload, Refusal cause);

  Scheduler& scheduler_;
  const bool functional_;
  RequesterEngine engine_;
  std::optional<ContentsProof> proof_;
  std::unordered_map<std::uint64_t, Running> running_;
  std::uint64_t next_token_ = 0;
};

/// The provider's engine: validates what comes from the engine network and accesses a memory of the base
/// protocol.
class MemoryEngineProvider : public sc_core::sc_module, private MemoryRequesterHost, private ProviderMemory {
 public:
  MemoryRequester memory;

  MemoryEngineProvider(const sc_core::sc_module_name& name, const ProviderEngineParams& params,
                       const MemoryRequesterParams& requests, PageTable table, ScratchMemory& scratch,
                       Scheduler& scheduler, EngineClock& clock, EngineNetwork& network);

  ProviderEngine& engine() { return engine_; }
  const ProviderEngine& engine() const { return engine_; }
  /// A provider that cheats: it acknowledges the next store to this place and does not carry it out.
  void drop_next_store(const Segment& place) {
    if (place.bytes != 0) dropped_.push_back(place);
  }

 private:
  void start(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token,
             unsigned char* data) override;
  void memory_done(std::uint64_t token, bool ok) override { engine_.memory_done(token, ok); }

  ProviderEngine engine_;
  std::vector<Segment> dropped_;
};

}  // namespace wafertlm
