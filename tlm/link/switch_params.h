// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/packets/class_table.h"

namespace wafertlm {

enum class InputQueue {
  fifo,        ///< one queue per virtual channel: a blocked head holds up what is behind it
  per_output,  ///< one queue per virtual channel and output, sharing the channel's buffer
};

enum class Switching {
  cut_through,  ///< virtual cut-through: a packet goes in one piece, when the next buffer has room for it
  wormhole,     ///< flit by flit, see link/wormhole.h
};

/// An output port and the link behind it, up to the next input buffer.
struct OutputParams {
  std::uint64_t bytes_per_s = 0;
  TimePs latency_ps = 0;
  std::uint64_t buffer_bytes = 0;       ///< of the next input, per virtual channel
  std::uint64_t flow_buffer_bytes = 0;  ///< the same of the channels of in-network flows
  std::uint64_t flow_credit_bytes = 0;  ///< of that, what a flow at line rate reserves
  /// Of buffer_bytes, bandwidth × round trip, where the rest is made for packets of the largest size; else 0.
  std::uint64_t round_trip_bytes = 0;
};

/// A port on a ring. Packets go round on the lower half of their class's channels until they cross the link
/// behind the dateline, from then on on the upper half: so no cycle of channels waits for itself.
struct RingPort {
  std::uint16_t ring = 0;  ///< number within the switch, 0: on none
  bool dateline = false;   ///< of an output: its link is the one that closes the ring
  bool by_route = false;   ///< of an output, in place of both: RouteFunction::on_upper_half() says the half
};

struct SwitchParams {
  TimePs pipeline_ps = 0;  ///< head in → ready for arbitration
  InputQueue input_queue = InputQueue::per_output;
  std::vector<TimePs> credit_delay_ps;  ///< per input: tail out → room known upstream
  std::vector<OutputParams> outputs;
  Switching switching = Switching::cut_through;
  /// Of a wormhole router: time of a flit on its links, as many times the router's own cycle as
  /// internal_speedup says. 0: a source's port, without a pipeline of its own.
  TimePs link_cycle_ps = 0;
  std::uint32_t internal_speedup = 1;
  TimePs head_pipeline_ps = 0;  ///< part of pipeline_ps that only heads take, see link/wormhole.h
  /// Of a switch that takes part in in-network flows: inputs behind the others, for the copies that its
  /// FlowUnit makes.
  std::uint32_t flow_lanes = 0;
  std::uint32_t flow_stripes = 1;  ///< as in FlowUnitParams
  bool phase_rule = false;         ///< the same
  TimePs phase_change_ps = 0;
  /// By port; both empty: no rings. Requires InputQueue::per_output, and classes with an even number of
  /// channels.
  std::vector<RingPort> ring_inputs = {}, ring_outputs = {};
  /// Between the starts of two packets of an input, whatever their outputs: its arbiter takes one at a time.
  /// 0: none. Of cut-through with InputQueue::per_output; copies of in-network flows do not come from an
  /// input.
  TimePs input_start_ps = 0;
};

/// What one output counted. Waits are sums over packets, from eligible to sent.
struct OutputCounters {
  std::uint64_t packets = 0, payload_bytes = 0, wire_bytes = 0;
  TimePs credit_blocked_ps = 0;  ///< line idle, the packet sent next was ready but had no credit
  TimePs queue_wait_ps = 0, credit_wait_ps = 0;
  TimePs down_wait_ps = 0;                               ///< for a link that was down
  std::array<TimePs, kMaxClasses> contention_wait_ps{};  ///< by the class that was served
  std::array<TimePs, kMaxClasses> longest_wait_ps{};     ///< starvation, by the class that waited
};

}  // namespace wafertlm
