// SPDX-License-Identifier: Apache-2.0
// Deliberate faults of the RTL (mutations.svh): each is found, at the packet that it affects first.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/rtl/fred/models.h"
#include "tests/rtl/fred/random_scenario.h"
#include "tests/rtl/fred/tlm_run.h"

namespace wafertlm::test {
namespace {

constexpr std::uint64_t kTolerance = 16;  // cycles

enum Flows { pair_sum, far_sum, copy, high };

/// Four flows of FRED_3(8): {0,1→0} adds in an R-µswitch, {2,4→2} in an RD-µswitch, {3→1,5} copies, and
/// {6,7→6,7} is of the higher class and begins when the others are through. 40 packets of two flits each.
SwitchScenario bench(DataType type = DataType::int32) {
  SwitchScenario scenario;
  scenario.ports = 8;
  scenario.inputs.resize(8);
  const std::vector<FredFlow> flows = {{{0, 1}, {0}}, {{2, 4}, {2}}, {{3}, {1, 5}}, {{6, 7}, {6, 7}}};
  const auto ways = ways_of(8, flows);
  std::uint64_t state = 1;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const std::uint32_t traffic_class = f == high ? 1 : 0;
    ScenarioFlow& flow = scenario.flows.emplace_back();
    flow.entry = {flows[f], ways[f], traffic_class + 1, type, {}, 40};
    flow.traffic_class = traffic_class;
    for (const std::uint32_t port : flows[f].inputs)
      for (std::uint32_t n = 0; n < 40; ++n) {
        ScenarioPacket packet;
        packet.flow = static_cast<int>(f);
        packet.traffic_class = traffic_class;
        packet.sequence = n;
        packet.flits = 2;
        packet.created = (f == high ? 3000 : 20 * f) + 3 * n;
        packet.data = random_values(type, 2 * kFlitBytes, state);
        scenario.inputs[port].push_back(std::move(packet));
      }
  }
  return scenario;
}

/// All values of a packet.
void fill(SwitchScenario& scenario, std::uint32_t port, std::uint32_t number, std::uint16_t value) {
  auto& data = scenario.inputs[port][number].data;
  for (std::size_t i = 0; i < data.size(); i += 2) std::memcpy(&data[i], &value, 2);
}

struct Mutation {
  int number;
  const char* name;
  SwitchScenario scenario;
  DeliveryKey first;  // that is affected
};

std::vector<Mutation> mutations() {
  std::vector<Mutation> all;
  all.push_back({1, "wrong reduce input", bench(), {2, far_sum, 0}});
  // 36 flits of room take 18 packets; of those behind, the fifth is dropped.
  SwitchScenario closed = bench();
  closed.closed_until.assign(8, 0);
  closed.closed_until[1] = closed.closed_until[5] = 1500;
  all.push_back({2, "packet dropped under backpressure", closed, {1, copy, 22}});
  all.push_back({3, "credit leak", closed, {1, copy, 18}});
  all.push_back({4, "off-by-one sequence", bench(), {0, pair_sum, 8}});
  SwitchScenario ways = bench();
  std::size_t other = 0;  // the first flow that is not in middle switch 0 throughout
  while (ways.flows[other].entry.way == std::vector<std::uint32_t>{0, 0}) ++other;
  const DeliveryKey first_of_other{ways.flows[other].entry.flow.outputs[0], static_cast<int>(other), 0};
  all.push_back({5, "swapped middle switch", ways, first_of_other});
  SwitchScenario phases = bench();
  phases.phase_change = 5;
  all.push_back({6, "stuck phase", phases, {6, high, 0}});
  all.push_back({7, "double reduction", bench(), {0, pair_sum, 0}});
  // Sums of whole numbers are exact; in packet 7 it is 1 + 2^-8, half way between two values.
  SwitchScenario rounding = bench(DataType::bf16);
  for (const std::uint32_t port : {0U, 1U, 2U, 4U, 3U, 6U, 7U})
    for (std::uint32_t n = 0; n < 40; ++n) fill(rounding, port, n, 0x3F80);  // 1
  fill(rounding, 1, 7, 0x3B80);
  all.push_back({8, "BF16 rounding", rounding, {0, pair_sum, 7}});
  return all;
}

TEST(Mutations, UnmutatedPasses) {
  for (const Mutation& mutation : mutations()) {
    const Comparison result = compare(mutation.scenario, run_tlm(mutation.scenario).deliveries,
                                      run_rtl(mutation.scenario).deliveries, kTolerance);
    if (!result.first.empty())
      ADD_FAILURE() << mutation.name << ": " << to_string(result.first[0].key) << " " << result.first[0].what;
  }
}

TEST(Mutations, EachIsFoundAtItsFirstPacketWithAWaveform) {
  for (const Mutation& mutation : mutations()) {
    RtlRunOptions options;
    options.mutation = mutation.number;
    options.idle = 4000;
    const TlmRun tlm = run_tlm(mutation.scenario);
    const Comparison result = compare(mutation.scenario, tlm.deliveries,
                                      run_rtl(mutation.scenario, options).deliveries, kTolerance);
    ASSERT_FALSE(result.first.empty()) << mutation.name << " was not found";
    const Divergence& first = result.first[0];
    EXPECT_EQ(first.key, mutation.first) << mutation.name << ": " << to_string(first.key) << " " << first.what
                                         << ", and not " << to_string(mutation.first);
    const std::string file =
        ::testing::TempDir() + "wafertlm_mutation_" + std::to_string(mutation.number) + ".vcd";
    run_rtl_traced(mutation.scenario, options, file, first.cycle, first.cycle + 60);
    std::ostringstream waveform;
    waveform << std::ifstream(file).rdbuf();
    EXPECT_NE(waveform.str().find("out_header"), std::string::npos) << file;
    EXPECT_NE(waveform.str().find("\n#"), std::string::npos) << file << " holds no change";
    std::printf("mutation %d, %s: FRED_3(8): %s, expected in cycle %llu, %s; %s\n", mutation.number,
                mutation.name, to_string(first.key).c_str(), static_cast<unsigned long long>(first.cycle),
                first.what.c_str(), file.c_str());
  }
}

}  // namespace
}  // namespace wafertlm::test
