// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm::test {

/// What the reference does differently from a classic flit-level router. All false: the classic one. Each
/// switch is a property of WaferTLM's packet-level engine, so that the effect of each can be measured alone.
struct FlitMeshVariant {
  bool port_per_vc = false;    ///< every virtual channel has its own crossbar input (classic: one per port)
  bool hold_output = false;    ///< an output serves a packet to its tail (classic: flits interleave)
  bool whole_packets = false;  ///< a packet starts only with room for all of it, its room comes back when the
                               ///< tail has left (classic: flit by flit)
  bool shared_vcs = false;     ///< any number of packets may be on their way into a virtual channel (classic:
                               ///< one holds it until its tail has left)
};

struct FlitMeshParams {
  int width = 8, height = 8;
  int packet_flits = 1, vcs = 1;
  int buffer_flits = 16;               ///< per virtual channel, at every input and at the sink
  int pipeline = 2, link_latency = 1;  ///< cycles: head in to allocation; flit out to next input
  int injection_latency = 1, ejection_latency = 1;
  int credit_delay = 1;  ///< flit out to room known upstream, beyond its own cycle
  FlitMeshVariant variant;
  double load = 0.1;  ///< flits per node and cycle, uniform over all nodes
  std::uint64_t seed = 1;
  int warmup_cycles = 10'000, measure_cycles = 50'000;
};

struct FlitMeshResult {
  double mean_cycles = 0;  ///< creation to the end of the tail flit, of packets created in the measurement
  double accepted = 0;     ///< flits delivered during the measurement, per node and cycle
  std::uint64_t packets = 0;
  bool complete = true;  ///< every measured packet arrived within twice the time
};

/// An independent reference: a mesh of input-queued virtual-channel routers, simulated flit by flit and cycle
/// by cycle, with per-flit credits, one virtual channel per packet and hop, separable round-robin allocation
/// (first a virtual channel per input, then an input per output), X-Y routing and Bernoulli sources with
/// unlimited queues. Shares no code with the engine. Without contention a packet takes
///   injection + hops × link + (hops + 1) × pipeline + ejection latency + flits.
FlitMeshResult run_flit_mesh(const FlitMeshParams& params);

}  // namespace wafertlm::test
