// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm::test {

enum class MeshTraffic {
  uniform,    ///< to every node, itself included
  transpose,  ///< (x, y) to (y, x); nodes of the diagonal do not send
};

struct RouterMeshParams {
  int side = 8;
  int packet_flits = 1, vcs = 4;
  int buffer_flits = 16;  ///< per virtual channel, at every input
  int speedup = 1;        ///< internal: router cycles per link cycle
  int routing = 1;        ///< router cycles from a head at the front of its channel to channel allocation
  int vc_allocation =
      1;  ///< router cycles of channel allocation, then come those of the switch: 1, and 1 of ST
  int link_latency = 1;  ///< link cycles, of injection and ejection too
  int credit_delay = 0;  ///< link cycles beyond those of the way back, which takes as long as a link
  MeshTraffic traffic = MeshTraffic::uniform;
  double load = 0.1;  ///< flits per sending node and cycle
  std::uint64_t seed = 1;
  int warmup_cycles = 10'000, measure_cycles = 30'000;
};

struct RouterMeshResult {
  double mean_cycles = 0;  ///< creation to the arrival of the tail, of packets created in the measurement
  double accepted = 0;     ///< flits delivered during the measurement, per sending node and cycle
  std::uint64_t packets = 0;
  bool complete = true;  ///< every measured packet arrived within twice the time
};

/// An independent reference: a mesh of the pipelined input-queued virtual-channel routers of Dally and
/// Towles, Principles and Practices of Interconnection Networks, chapters 16 to 19, cycle by cycle:
///
/// - a head at the front of its channel is routed (RC), then asks for an output channel (VA); every flit asks
///   for the switch (SA) and crosses it (ST), a router cycle each. A packet behind another in the same
///   channel starts RC when the tail has left;
/// - both allocators are separable, input first, with round-robin arbiters that move on when their grant was
///   used: VA has an arbiter per input channel over output channels, then one per output channel over input
///   channels; SA chooses a channel for every pair of input and output, an output for every input, then an
///   input for every output;
/// - with `speedup` the router does that many cycles in one of the links'; flits queue behind the crossbar
/// for
///   the link;
/// - a credit per flit leaves when SA has granted it, one per input and link cycle.
///
/// X-Y routing, Bernoulli sources with unlimited queues. Without contention a packet over h hops takes
///   (h + 1) × ((routing + vc_allocation + 2) / speedup + link) + link + 1 + flits - 1, each division rounded
///   up.
RouterMeshResult run_router_mesh(const RouterMeshParams& params);

}  // namespace wafertlm::test
