// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/commands/libra/priced.h"
#include "workloads/astra_text/text_workload.h"

namespace wafertlm::libra {

/// How the NPUs of a dimension are wired.
enum class Shape : std::uint8_t { ring, fully_connected, switched };
const char* to_string(Shape shape);

struct NetworkDimension {
  Shape shape = Shape::ring;
  std::uint32_t size = 0;
  std::string cost_class;  ///< "InterPod"
};

/// LIBRA's network file: Topology, NpusCount, CostDimension.
struct Network {
  std::vector<NetworkDimension> dimensions;
  std::uint64_t npus() const;
};

/// LIBRA's communicator file: by pass (Forward, InputGrad, WeightGrad) the group size in each dimension,
/// -1: the dimension takes no part.
using Communicator = std::array<std::vector<int>, astra_text::kPasses>;

/// $ per GB/s of a class. A ring of k NPUs has 2k links of B/2, a fully connected set k(k−1) of B/(k−1), a
/// switch one link, port and NIC of B per NPU: so an NPU pays B times link, or link + switch + NIC.
struct CostClass {
  double link = 0, switch_port = 0, nic = 0;
  bool has_switch = false;
};
using CostModel = std::map<std::string, CostClass>;

// All read LIBRA's files as they are. @throws config::ConfigError with the place and what would be right.

Network read_network(const std::string& path);
Communicator read_communicator(const std::string& path, const Network& network);
CostModel read_cost_model(const std::string& path);

/// Its network cost per NPU and GB/s in each dimension.
/// @throws std::invalid_argument: no prices for a class, or none of its switches.
std::vector<double> price_per_bandwidth(const Network& network, const CostModel& costs);

/// A workload with its groups.
struct Load {
  std::string name;
  astra_text::TextWorkload workload;
  Communicator communicator;
};

/// A collective of a load that somebody takes part in.
struct LoadCollective {
  chakra::CollectiveType type;
  double bytes;
  std::vector<int> groups;   ///< by dimension
  std::vector<double> sent;  ///< the same, bytes per NPU
};
struct LoadCollectives {
  std::vector<LoadCollective> all;  ///< in the workload's order
  std::size_t without_group = 0;    ///< those of a pass that has no group
};
LoadCollectives collectives_of(const Load& load);

/// The iteration time of the training loop `no_overlap`: all computation, then each collective after the
/// other, of which each takes max_d bytes_d / B_d (perfect pipelining, no latency, no contention).
/// @param without_group counts collectives whose pass has no group: they take no time
BandwidthProblem time_problem(const Load& load, const Network& network, std::size_t& without_group);

/// Bytes per NPU and iteration in each dimension.
std::vector<double> traffic(const BandwidthProblem& time);

/// "B0 >= B1", "B2 + B3 = 200", "2*B0 <= 900", "sum = 1000"; GB/s.
/// @throws std::invalid_argument that says what of it is wrong.
LinearConstraint parse_constraint(const std::string& text, std::size_t dimensions);

/// Of a link of a dimension in parts of an NPU's bandwidth: two links of 1/2 in a ring (of two NPUs one), k −
/// 1 of 1/(k − 1) fully connected, one to a switch.
double link_share(const NetworkDimension& dimension);

/// By term of time_problem() and dimension: how many times as long as LIBRA's model says a collective takes
/// for its wires alone. A fully connected group of k among n has k − 1 of an NPU's n − 1 links; else 1.
std::vector<std::vector<double>> wire_factors(const Load& load, const Network& network);

}  // namespace wafertlm::libra
