// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/hbm/dram/dram_memory.h"
#include "models/hbm/flow_memory.h"
#include "models/hbm/hbm_engine.h"
#include "models/hbm/hbm_params.h"
#include "models/hbm/memory_follower.h"
#include "tlm/kernel/ring_queue.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/memory/memory_observer.h"
#include "tlm/memory/page_store.h"
#include "tlm/memory/protocol.h"

namespace wafertlm {

/// The memory of one NPU: an HbmEngine, a DramMemory or a FlowMemory behind a base-protocol socket.
///   - BEGIN_REQ is answered with TLM_UPDATED to END_REQ, or END_REQ comes backward when the queue has room.
///     BEGIN_RESP comes backward when the request is done and the response before it has ended.
///   - b_transport adds the time until the request is done to the delay, and does not wait. It uses the same
///     lines and no room in the queue.
///   - transport_dbg moves data in functional mode, and 0 bytes otherwise. DMI is refused.
///   - Data takes effect in the order in which requests are accepted. Timing counts bytes that are not
///     enabled, too.
/// Responses: TLM_ADDRESS_ERROR beyond the capacity; TLM_BURST_ERROR for no bytes or streaming;
/// TLM_BYTE_ENABLE_ERROR for byte enables without a length; TLM_GENERIC_ERROR for a null data pointer;
/// TLM_IGNORE_COMMAND is fine. These take the latency and no bandwidth.
class Hbm : public sc_core::sc_module, private MemoryForwardIf, private Wakeable {
 public:
  MemoryTargetSocket socket{"socket"};

  /// @throws std::invalid_argument for a bandwidth, capacity or queue of 0.
  Hbm(const sc_core::sc_module_name& name, const HbmParams& params, Scheduler& scheduler);

  const HbmEngine& engine() const { return engine_; }
  /// What was served. With `dram` and `flow` only requests and bytes are told by direction.
  const HbmCounters& counters(HbmCommand command) const {
    return timing_ ? counters_[static_cast<std::size_t>(command)] : engine_.counters(command);
  }
  /// Null unless the memory is by rows and banks; by an efficiency table.
  DramMemory* dram() const { return is_replaced_ ? nullptr : dram_.get(); }
  const FlowMemory* flow() const { return is_replaced_ ? nullptr : flow_.get(); }
  /// Tells `observer`, as memory number `number`, about every transfer from now on.
  void observe(MemoryObserver& observer, std::size_t number) {
    observer_ = &observer;
    observed_ = number;
  }
  /// In place of the model: `timing` says when accesses are done, all of the latency included.
  void set_timing(MemoryTiming& timing) {
    timing_ = &timing;
    latency_ps_ = 0;
    is_replaced_ = true;
  }
  /// Whether something else is in place of the model; of its counters busy_ps is the time that the bytes
  /// take at the bandwidth of the parameters, and idle_ps is not known.
  bool is_replaced() const { return is_replaced_; }
  /// Tells `follower` about every access from now on.
  void set_follower(MemoryFollower& follower) { follower_ = &follower; }
  std::size_t pages() const { return store_.pages(); }

 private:
  using Payload = ::tlm::tlm_generic_payload;
  enum What : std::uint32_t { kReadDone, kWriteDone, kResponseEnded, kAccess };  // kAccess + its number

  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override;
  bool get_direct_mem_ptr(Payload&, ::tlm::tlm_dmi&) override { return false; }
  void wake(std::uint32_t what, TimePs now) override;

  void move_data(const Payload& payload);
  TimedAccess begin(Payload& payload);
  MemoryFollower::Id follow(const TimedAccess& access, TimePs at) {
    return follower_ ? follower_->began(access, at) : 0;
  }
  void end_following(MemoryFollower::Id id, TimePs at) {
    if (follower_) follower_->ended(id, at);
  }
  TimePs serve(Payload& payload, TimePs at);
  void accept_timed(Payload& payload, TimePs at);
  bool ask(MemoryTiming::Id id, TimePs now);
  TimePs observed_advance(const HbmRequest& request, TimePs at);
  void accept(Payload& payload, TimePs at);
  void accept_waiting(TimePs now);
  bool respond(Payload& payload, TimePs now);
  void response_ended();

  const HbmParams params_;
  Scheduler& scheduler_;
  HbmEngine engine_;
  PageStore store_;
  std::unique_ptr<DramMemory> dram_;
  std::unique_ptr<FlowMemory> flow_;
  MemoryTiming* timing_ = nullptr;  // null: engine_
  TimePs latency_ps_;               // beside that of timing_
  bool is_replaced_ = false;
  MemoryFollower* follower_ = nullptr;
  struct Access {
    Payload* payload;
    TimePs since_ps;
    bool known;
    MemoryFollower::Id followed;
  };
  std::vector<Access> accesses_;  // by number
  std::array<HbmCounters, 2> counters_;
  std::array<RingQueue<Payload*>, 2> in_service_;  // by HbmCommand, in the order of their ends
  RingQueue<Payload*> done_;                       // waiting for the response before
  Payload* responding_ = nullptr;                  // its END_RESP is awaited
  Payload* waiting_ = nullptr;                     // its END_REQ is withheld
  TimePs waiting_since_ps_ = 0;
  std::uint32_t held_ = 0;  // accepted, END_RESP not seen
  MemoryObserver* observer_ = nullptr;
  std::size_t observed_ = 0;
};

}  // namespace wafertlm
