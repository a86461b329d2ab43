// SPDX-License-Identifier: Apache-2.0
// What the engine keeps when nothing is under way (tlm/acceleration).
#include <algorithm>

#include "models/ethernet/engine/ethernet_engine.h"

namespace wafertlm::ethernet {

void EthernetEngine::PortState::list_state(StateVisitor& state, const EthernetParams& params) {
  state.require(!busy && !pause_to_send && paused_since == kNever && !pause.is_paused(state.now()));
  line.list_state(state);
  if (params.switches.loss == Loss::trim) state.value(controls_in_row);
  // Pauses are known by the numbers of operations (pause_causes()): where there was one nothing comes again.
  state.value(counters.pauses);
  for (std::uint64_t* const count : {&counters.packets, &counters.wire_bytes, &counters.payload_bytes,
                                     &counters.marks, &counters.drops, &counters.trims})
    state.count(*count);
  if (params.watch_queues) found.list_state(state, params.switches.buffer_bytes);
}

/// Queue pairs are as new or it is not at rest: so it does not matter how many there are.
void EthernetEngine::list_state(StateVisitor& state) {
  state.require(events_.empty() && frames_.in_use() == 0);
  state.require(std::all_of(pairs_.begin(), pairs_.end(), [&](const QueuePair& pair) {
    return !pair.sender || pair.is_as_new(state.now());
  }));
  random_.list_state(state);
  for (PortState& port : ports_) port.list_state(state, params_);
  for (NicHost& host : hosts_) host.pacer.list_state(state);
  state.count(hops_);
  state.count(event_count_);
  closed_.list_state(state);
  state.count(drops_);
}

}  // namespace wafertlm::ethernet
