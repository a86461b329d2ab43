// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/rtl/fred/switch_scenario.h"

namespace wafertlm::test {

enum class FlowKinds : std::uint8_t { any, one_output, one_input };

/// What random traffic a switch gets. Loads are parts of a port's rate.
struct RandomTraffic {
  double dp_load = 0, mp_load = 0;  ///< of the flows of a class
  FlowKinds kinds = FlowKinds::any;
  bool compound = false;  ///< dp is reduce-scatters and all-gathers: flows in series
  double unicast_load = 0;
  std::uint32_t flits = 0, unicast_flits = 0;  ///< 0: 1 to 4
  double jitter = 0;              ///< a packet's input may be late by so many of its flow's periods
  std::uint32_t late_cycles = 0;  ///< an input begins late by up to this
  std::uint32_t most_hold = 0;
  bool phase_rule = false;
  std::uint32_t phase_change = 0;
  std::uint32_t burst = 0;  ///< packets after which a flow rests as long; 0: it does not
};

/// Flows of FRED_3(ports) that route together (each class for itself), with about so many deliveries.
SwitchScenario random_scenario(std::uint32_t ports, const RandomTraffic& traffic, std::size_t deliveries,
                               std::uint64_t seed);
/// The way of each of `flows`, which route together on FRED_3(ports).
std::vector<std::vector<std::uint32_t>> ways_of(std::uint32_t ports, const std::vector<FredFlow>& flows);
/// Random values of a type; BF16 ones are finite, and so are their sums.
std::vector<std::byte> random_values(DataType type, std::size_t bytes, std::uint64_t& state);

}  // namespace wafertlm::test
