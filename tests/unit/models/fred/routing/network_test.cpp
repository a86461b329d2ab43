// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "models/fred/routing/evaluate.h"

namespace wafertlm {
namespace {

constexpr std::size_t kMicroSwitchKinds = 5;

struct Row {
  std::uint32_t ports, m;
  std::size_t count[kMicroSwitchKinds];  ///< in the order of the enumeration's R, D, RD, demux, mux
  std::uint32_t stages;
};

std::vector<Row> rows_of_the_recursion(std::uint32_t most_ports, std::uint32_t most_m) {
  const std::string command = fmt::format("python3 '{}/tests/unit/models/fred/routing/fred_counts.py' {} {}",
                                          WAFERTLM_SOURCE_DIR, most_ports, most_m);
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  char part[4096];
  while (const std::size_t bytes = fread(part, 1, sizeof part, pipe)) output.append(part, bytes);
  EXPECT_EQ(pclose(pipe), 0) << command;
  std::vector<Row> rows;
  std::istringstream text(output);
  for (Row row; text >> row.ports >> row.m >> row.count[0] >> row.count[1] >> row.count[2] >> row.count[3] >>
                row.count[4] >> row.stages;)
    rows.push_back(row);
  return rows;
}

/// µswitches on the longest way from an input port to an output port (mux and demux count as one).
std::uint32_t depth_of(const FredNetlist& netlist) {
  std::vector<std::uint32_t> depths;
  const auto depth = [&](const FredWire& wire) {
    return wire.element == FredWire::kPort ? 0 : depths[wire.element];
  };
  for (const MicroSwitch& element : netlist.elements()) {
    std::uint32_t before = 0;
    for (const FredWire& input : element.inputs) before = std::max(before, depth(input));
    depths.push_back(before + 1);
  }
  std::uint32_t longest = 0;
  for (const FredWire& output : netlist.outputs()) longest = std::max(longest, depth(output));
  return longest;
}

TEST(FredNetwork, CountsOfMicroSwitchesFollowTheRecursion) {
  const std::vector<Row> rows = rows_of_the_recursion(64, 4);
  ASSERT_EQ(rows.size(), 63U * 4);
  fmt::print("{:>5} {:>2} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7}\n", "P", "m", "R", "D", "RD", "demux", "mux",
             "stages");
  for (const Row& row : rows) {
    const FredNetwork network(row.m, row.ports);
    std::size_t all = 0;
    for (std::size_t kind = 0; kind < kMicroSwitchKinds; ++kind) {
      const std::size_t built = network.netlist().count(static_cast<MicroSwitchKind>(kind));
      EXPECT_EQ(built, row.count[kind]) << "kind " << kind << " of P " << row.ports << ", m " << row.m;
      all += built;
    }
    EXPECT_EQ(all, network.netlist().elements().size());
    EXPECT_EQ(depth_of(network.netlist()), row.stages) << row.ports;
    EXPECT_EQ(FredNetwork::stages(row.ports), row.stages) << row.ports;
    if (row.ports <= 12 || row.ports == 16 || row.ports == 20 || row.ports == 33 || row.ports == 64)
      fmt::print("{:>5} {:>2} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7}\n", row.ports, row.m, row.count[0],
                 row.count[1], row.count[2], row.count[3], row.count[4], row.stages);
  }
}

// By hand, for the chips of the FRED wafer. FRED_3(12) has 6 R in front of 3 x FRED_3(6), each with 3 R in
// front of 3 x FRED_3(3), each with 3 RD: R 6 + 9, RD 27. FRED_3(11): 5 + 9. FRED_3(10): 5 + 3 x 2, and
// three demuxes in the FRED_3(5).
TEST(FredNetwork, ChipsOfTheWafer) {
  const auto counts = [](std::uint32_t ports) {
    const FredNetwork network(3, ports);
    std::vector<std::size_t> found;
    for (std::size_t kind = 0; kind < kMicroSwitchKinds; ++kind)
      found.push_back(network.netlist().count(static_cast<MicroSwitchKind>(kind)));
    return found;
  };
  EXPECT_EQ(counts(12), (std::vector<std::size_t>{15, 15, 27, 0, 0}));
  EXPECT_EQ(counts(11), (std::vector<std::size_t>{14, 14, 27, 1, 1}));
  EXPECT_EQ(counts(10), (std::vector<std::size_t>{11, 11, 27, 3, 3}));
}

TEST(FredNetwork, RefusesWhatIsNoNetwork) {
  EXPECT_THROW(FredNetwork(0, 8), std::invalid_argument);
  EXPECT_THROW(FredNetwork(32, 8), std::invalid_argument);
  EXPECT_THROW(FredNetwork(2, 1), std::invalid_argument);
  EXPECT_THROW(FredNetwork(31, 4096), std::invalid_argument);  // 31^11 base switches
}

/// Permutations of three ports that a chain of RD-µswitches on the given pairs of lanes reaches, each
/// straight or crossed.
std::size_t permutations_reached(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& lanes) {
  FredNetlist netlist(3);
  std::vector<FredWire> wire = netlist.input_ports();
  for (const auto& [a, b] : lanes) {
    const auto out = netlist.add(MicroSwitchKind::reduce_distribute, "rd", {wire[a], wire[b]}, 2);
    wire[a] = out[0];
    wire[b] = out[1];
  }
  netlist.set_outputs(wire);
  std::set<std::vector<std::uint32_t>> reached;
  for (std::uint32_t crossed = 0; crossed < 1U << lanes.size(); ++crossed) {
    FredConfiguration configuration = netlist.idle();
    for (std::uint32_t i = 0; i < lanes.size(); ++i) {
      configuration.takes[2 * i] = crossed >> i & 1U ? 2 : 1;
      configuration.takes[2 * i + 1] = crossed >> i & 1U ? 1 : 2;
    }
    const FredValues values = evaluate(netlist, configuration);
    reached.insert({values.output[0].value(), values.output[1].value(), values.output[2].value()});
  }
  return reached.size();
}

// The smallest non-blocking 3 x 3 needs three µswitches: two have four settings and there are six
// permutations.
TEST(FredNetwork, ThreePortsNeedThreeMicroSwitches) {
  EXPECT_EQ(permutations_reached({{0, 1}, {1, 2}}), 4U);
  EXPECT_EQ(permutations_reached({{1, 2}, {0, 1}}), 4U);
  EXPECT_EQ(permutations_reached({{0, 1}, {0, 2}}), 4U);
  EXPECT_EQ(permutations_reached({{0, 1}, {1, 2}, {0, 1}}), 6U);
}

}  // namespace
}  // namespace wafertlm
