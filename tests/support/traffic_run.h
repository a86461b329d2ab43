// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <random>
#include <vector>

#include "models/traffic/traffic_node.h"
#include "platform/machine/wafer.h"

namespace wafertlm {

struct TrafficRunOptions {
  double load = 1;           ///< packets per packet time of the injection port
  TimePs stop_ps = 0;        ///< no packet is created from then on
  unsigned hot_percent = 0;  ///< of the packets that go to NPU 0; the others go anywhere but home
  std::uint64_t seed = 1;
  bool reverse = false;  ///< builds all modules in reverse order
};

/// Random traffic on a wafer, every delivery noted. Each NPU sends one class, NPU n class n mod classes.
/// Several runs fit into one simulation: each is a module of its own with a scheduler of its own.
class TrafficRun : public sc_core::sc_module, private DestinationSource, private TrafficSink {
 public:
  TrafficRun(const sc_core::sc_module_name& name, const config::PlatformSpec& spec,
             const TrafficRunOptions& options);

  struct Delivery {
    std::uint32_t source, destination;
    std::uint64_t sequence;
    ClassId traffic_class;
    TimePs created_ps, tail_ps;
    Waits waits;
  };
  /// In order of source and sequence, whatever the order in which they came within an instant.
  std::vector<Delivery> log() const;
  /// FNV-1a over source, sequence, destination, times and waits of the log.
  std::uint64_t hash() const;
  std::uint64_t created_packets() const;
  /// Sum of a counter over all outputs of the fabric and the injection ports.
  template <typename Counter>
  TimePs total(Counter counter) const {
    TimePs sum = 0;
    for (const TrafficNode& node : nodes_) sum += counter(node.injector().counters(PortId{0}));
    for (const FabricLink& link : wafer.fabric().links()) sum += counter(wafer.fabric().counters(link));
    return sum;
  }
  /// Everything sent has arrived, and all is at rest. @throws std::logic_error otherwise
  void require_rest();

  Wafer wafer;

 private:
  NpuId next(NpuId source, std::mt19937_64& random) const override;
  void delivered(const Packet& packet, TimePs tail_ps) override;

  unsigned hot_percent_;
  std::deque<TrafficNode> nodes_;
  std::vector<Delivery> log_;
};

}  // namespace wafertlm
