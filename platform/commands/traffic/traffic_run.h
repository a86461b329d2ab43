// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/traffic/slot_clock.h"
#include "platform/spec/platform_spec.h"
#include "platform/spec/traffic/channel_load.h"
#include "platform/spec/traffic/patterns.h"
#include "platform/spec/traffic/traffic_model.h"
#include "tlm/packets/wire_format.h"
#include "tlm/shape/topology.h"

namespace wafertlm::traffic {

/// One platform under one pattern. The packet size is the platform's packet_bytes.
struct TrafficSetup {
  config::PlatformSpec platform;
  PatternOptions pattern;
  std::string traffic_class;          ///< empty: the first of the platform
  std::uint64_t warmup_packets = 0;   ///< of all nodes together; 0: 200 for each
  std::uint64_t measure_packets = 0;  ///< of all nodes together; 0: 1000 for each
  std::uint64_t seed = 1;
  std::vector<std::string> notes;  ///< what the platform has and traffic does without
};

/// What follows from the setup without a simulation.
struct TrafficUnits {
  std::uint64_t flit_bytes = 0;  ///< the platform's; when that is 0, a packet
  std::uint64_t packet_flits = 0;
  SlotClock cycles{1, 1};  ///< times of a flit at TrafficModel::cycle_bytes_per_s

  double cycle_ps() const { return cycles.period_ps(); }
};

/// Channel loads and zero-load latency of a pattern.
struct TrafficOutlook {
  ChannelLoads loads;
  double zero_load_ps = 0;
};
TrafficOutlook outlook(const config::WaferSpec& wafer, const Pattern& pattern);

/// @throws std::invalid_argument: no traffic goes over this kind of fabric.
TrafficUnits traffic_units(const config::WaferSpec& wafer);

/// Mean over the packets of a pattern of Σ (latency + pipeline) + bytes / slowest link: the latency of a
/// packet that meets no other.
double zero_load_ps(const Topology& topology, const WireFormat& format, const TrafficModel& model,
                    const Pattern& pattern);

struct LinkUse {
  std::string name;
  double busy_fraction = 0;      ///< of the measurement
  double expected_fraction = 0;  ///< offered load × channel load; above 1 the link cannot carry it
  double credit_blocked_fraction = 0;
};

/// Loads are in flits per sending node and cycle.
struct TrafficResult {
  double offered = 0;
  double accepted = 0;                                     ///< delivered during the measurement
  double accepted_slowest = 0;                             ///< of the source that got through the least
  double mean_ps = 0, p50_ps = 0, p99_ps = 0, max_ps = 0;  ///< creation to tail delivered
  double mean_half_width_ps = 0;       ///< 95 % confidence of mean_ps, from 20 batch means
  std::uint64_t packets_left_out = 0;  ///< of packets_measured: the first, by MSER-5; mean_ps is without them
  double cycle_ps = 0;
  std::uint64_t packet_flits = 0;
  std::uint64_t packets_measured = 0;
  double zero_load_ps = 0;
  double channel_bound = 0;  ///< see ChannelLoads::bound
  std::string bound_link;
  /// The offered load is above the channel bound, less was delivered than offered (beyond what chance
  /// explains), or packets of the measurement did not arrive within twice the time after it. The latencies
  /// then grow with the length of the run.
  bool saturated = false;
  /// Not saturated, and latencies and backlog have settled (steady_state.h). Neither: the load may be
  /// sustained, but this run does not show it; its mean has no meaning.
  bool stable = false;
  /// Packets created and not delivered, at the end of the measurement less at its begin, per sending node and
  /// 1000 cycles.
  double backlog_growth = 0;
  std::vector<LinkUse> worst_links;  ///< the 8 busiest
  std::uint64_t packet_hops = 0, scheduler_events = 0;
  double simulated_ps = 0;
  double wall_s = 0;

  const char* state() const { return saturated ? "saturated" : stable ? "stable" : "not stable"; }
  double mean_cycles() const { return mean_ps / cycle_ps; }
};

/// Of a load, which draws numbers of its own: an unlucky sequence is one point of a curve, not all of it.
std::uint64_t stream_seed(std::uint64_t seed, double offered);

/// Simulates one load in this process (one SystemC elaboration per process): warm-up, measurement, then on
/// under load until the measured packets have arrived, then sources stop, everything drains, and
/// Wafer::require_rest() must hold.
/// @throws std::invalid_argument: bad input, with a way out; std::logic_error: the run failed.
TrafficResult run_traffic(const TrafficSetup& setup, double offered);

/// Runs each offered load in a process of its own (one simulation per process), up to `jobs` at a time.
/// `done` is called in the order of `loads`, as soon as a result and all before it are there. Results do not
/// depend on `jobs`.
/// @throws std::invalid_argument (bad input) or std::runtime_error with the first failing load's message.
std::vector<TrafficResult> run_sweep(const TrafficSetup& setup, const std::vector<double>& loads,
                                     unsigned jobs = 1,
                                     const std::function<void(const TrafficResult&)>& done = nullptr);

}  // namespace wafertlm::traffic
