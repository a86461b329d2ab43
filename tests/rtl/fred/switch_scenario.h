// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/fred/rtl/flow_entry.h"
#include "tlm/packets/class_table.h"

namespace wafertlm::test {

constexpr std::uint32_t kFlitBytes = 8;
/// Of every buffer and channel; that of 5 ports takes the largest packets. A multiple of all packets' sizes:
/// a link's credits come flit by flit, in the TLM switch those of a packet at its tail, and with a rest of
/// room the RTL would go that much earlier.
constexpr std::uint32_t depth_flits(std::uint32_t ports) { return ports == 5 ? 576 : 36; }
constexpr std::uint32_t kCreditCycles = 4;

/// A flow of a scenario; its number is its entry in the RTL.
struct ScenarioFlow {
  FredFlowEntry entry;
  std::uint32_t traffic_class = 0;
};

/// All inputs of a flow, or the one of a unicast, have a packet with the same number.
struct ScenarioPacket {
  int flow = -1;  ///< −1: unicast to `output`
  std::uint32_t output = 0, traffic_class = 0;
  std::uint32_t sequence = 0, flits = 1;
  std::uint64_t created = 0;  ///< cycle before which it does not come
  std::vector<std::byte> data;
};

/// What one switch is given.
struct SwitchScenario {
  std::uint32_t ports = 8;
  std::vector<ScenarioFlow> flows;
  std::vector<std::vector<ScenarioPacket>> inputs;  ///< by port, in the order of sending
  std::uint64_t seed = 1;
  std::uint32_t most_hold = 0;  ///< cycles for which an output's buffer keeps a packet, from 0 to this
  std::vector<std::uint64_t> closed_until;  ///< by output: no credit comes back before this cycle
  bool phase_rule = false;
  std::uint32_t phase_change = 0;  ///< cycles

  std::size_t packets() const;
};

/// Which packet, at which output: (output, flow or −1 − source, number).
using DeliveryKey = std::tuple<std::uint32_t, int, std::uint32_t>;
std::string to_string(const DeliveryKey& key);

struct Delivery {
  std::uint64_t head = 0, tail = 0;  ///< cycles in which the first and last flit are at the output
  std::vector<std::byte> data;
};
using Deliveries = std::map<DeliveryKey, Delivery>;

/// Cycles that the buffer behind an output keeps a packet: the same for every model.
std::uint64_t hold_cycles(const SwitchScenario& scenario, const DeliveryKey& key);

/// Two classes, dp below mp, with a channel each and one for the flows of each: 0, 1, 2, 3. Unicasts are dp.
const ClassTable& scenario_classes();
std::uint32_t channel_of(const ScenarioPacket& packet);
/// In the RTL unicasts have a channel for each output, as the TLM switch has queues, and flows one per class.
constexpr std::uint32_t rtl_channels(std::uint32_t ports) { return ports + 2; }
std::uint32_t rtl_channel_of(std::uint32_t ports, const ScenarioPacket& packet);
std::uint32_t channel_of_rtl(std::uint32_t ports, std::uint32_t rtl_channel);

/// The cycle in which the last of the inputs of each expected packet has it; for latencies.
std::map<DeliveryKey, std::uint64_t> ready_cycles(const SwitchScenario& scenario);

/// Where two runs differ, by the expected time. `tolerance`: cycles by which a head may differ.
struct Divergence {
  DeliveryKey key;
  std::uint64_t cycle = 0;  ///< expected
  std::string what;
};
struct Comparison {
  std::size_t packets = 0, data_errors = 0, missing = 0, unexpected = 0, late = 0;
  double mean_latency = 0, expected_mean_latency = 0;
  std::int64_t most_late = 0, most_early = 0;  ///< cycles
  std::vector<Divergence> first;               ///< at most one
};
Comparison compare(const SwitchScenario& scenario, const Deliveries& expected, const Deliveries& got,
                   std::uint64_t tolerance);
/// Payload flits in windows of so many packets: the largest difference of a window's throughput, relative.
double worst_window(const Deliveries& expected, const Deliveries& got, std::size_t packets);

}  // namespace wafertlm::test
