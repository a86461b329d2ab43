// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "models/fred/routing/evaluate.h"
#include "tests/support/refusal.h"

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

/// "R in0 < p0 p1" for each µswitch; a wire is a port, or a µswitch and its output.
std::vector<std::string> wires_of(const FredNetwork& network) {
  const FredNetlist& netlist = network.netlist();
  const auto text_of = [&](const FredWire& wire) {
    return wire.element == FredWire::kPort
               ? fmt::format(" p{}", wire.output)
               : fmt::format(" {}.{}", netlist.elements()[wire.element].name, wire.output);
  };
  std::vector<std::string> lines;
  for (const MicroSwitch& element : netlist.elements()) {
    lines.push_back(fmt::format("{} {} <", to_string(element.kind), element.name));
    for (const FredWire& input : element.inputs) lines.back() += text_of(input);
  }
  lines.push_back("ports <");
  for (const FredWire& output : netlist.outputs()) lines.back() += text_of(output);
  return lines;
}

// The figure of FRED_2(5), wire by wire.
TEST(FredNetwork, FivePortsAreWiredLikeThis) {
  const FredNetwork network(2, 5);
  EXPECT_EQ(wires_of(network),
            (std::vector<std::string>{"R in0 < p0 p1", "R in1 < p2 p3", "demux demux < p4",                //
                                      "RD mid0/rd0 < in0.0 in1.0", "RD mid0/rd1 < mid0/rd0.1 demux.0",     //
                                      "RD mid0/rd2 < mid0/rd0.0 mid0/rd1.0",                               //
                                      "RD mid1/rd0 < in0.1 in1.1", "RD mid1/rd1 < mid1/rd0.1 demux.1",     //
                                      "RD mid1/rd2 < mid1/rd0.0 mid1/rd1.0",                               //
                                      "D out0 < mid0/rd2.0 mid1/rd2.0", "D out1 < mid0/rd2.1 mid1/rd2.1",  //
                                      "mux mux < mid0/rd1.1 mid1/rd1.1",
                                      "ports < out0.0 out0.1 out1.0 out1.1 mux.0"}));
  const FredNetwork::Block& root = network.block(network.root());
  EXPECT_EQ(root.ports, 5U);
  EXPECT_EQ(root.inputs, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(root.outputs, (std::vector<std::uint32_t>{9, 10, 11}));
  EXPECT_EQ(network.block(root.middles.at(1)).inputs, (std::vector<std::uint32_t>{6, 7, 8}));
  EXPECT_EQ(network.block(root.middles.at(1)).name, "mid1");
  EXPECT_EQ(wires_of(FredNetwork(3, 2)), (std::vector<std::string>{"RD rd < p0 p1", "ports < rd.0 rd.1"}));
}

TEST(FredNetwork, RefusesWhatIsNoNetwork) {
  const auto refusal = [](std::uint32_t m, std::uint32_t ports) {
    return test::refusal_of([&] { FredNetwork(m, ports); });
  };
  EXPECT_EQ(refusal(0, 8), "FRED_m(P) with m = 0: there are 1 to 31 middle switches; FRED uses 2 or 3");
  EXPECT_EQ(refusal(32, 8), "FRED_m(P) with m = 32: there are 1 to 31 middle switches; FRED uses 2 or 3");
  EXPECT_EQ(refusal(31, 4), "");
  EXPECT_EQ(refusal(1, 2), "");
  EXPECT_EQ(refusal(2, 1), "FRED_m(P) with P = 1: it has 2 ports or more");
  EXPECT_EQ(
      refusal(31, 49),  // 49, 25, 13, 7, 4, 2: 31^5
      "FRED_31(49) has more than a million switches of 2 or 3 ports at its centre; choose fewer ports or a "
      "smaller m");
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
