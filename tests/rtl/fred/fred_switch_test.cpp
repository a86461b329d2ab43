// SPDX-License-Identifier: Apache-2.0
// FRED_3(8) and FRED_3(12) in SystemVerilog against the TLM switch, and FRED_3(5), which has a demux and a
// mux.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/rtl/fred/models.h"
#include "tests/rtl/fred/random_scenario.h"
#include "tests/rtl/fred/tlm_run.h"

namespace wafertlm::test {
namespace {

constexpr double kMaxLatencyError = 0.05;  ///< of the mean
constexpr double kMaxWindowError = 0.02;   ///< of the throughput of 1000 packets

struct Case {
  const char* name;
  RandomTraffic traffic;
};

RandomTraffic flows_only(double dp, double mp = 0) {
  RandomTraffic traffic;
  traffic.dp_load = dp;
  traffic.mp_load = mp;
  return traffic;
}

/// Other traffic of the same kinds: WAFERTLM_RTL_SEED=100.
std::uint64_t first_seed() {
  const char* const text = std::getenv("WAFERTLM_RTL_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

class FredSwitch : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  struct Outcome {
    Comparison all;
    double window = 0, tlm_s = 0, rtl_s = 0;
    std::size_t deliveries = 0;
    std::uint64_t phase_changes = 0, cycles = 0;
  };
  /// Several scenarios of one kind; prints what they gave.
  Outcome run(const Case& of, std::size_t deliveries, std::size_t scenarios = 4) {
    Outcome sum;
    double latency = 0, expected = 0;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + scenarios; ++seed) {
      const SwitchScenario scenario = random_scenario(GetParam(), of.traffic, deliveries / scenarios, seed);
      const TlmRun tlm = run_tlm(scenario);
      const RtlRun rtl = run_rtl(scenario);
      const Comparison result = compare(scenario, tlm.deliveries, rtl.deliveries, ~std::uint64_t{0} >> 1);
      EXPECT_EQ(result.packets, scenario.packets());
      EXPECT_EQ(result.data_errors + result.missing + result.unexpected, 0U)
          << of.name << " seed " << seed << ": "
          << (result.first.empty() ? "" : to_string(result.first[0].key) + " " + result.first[0].what);
      const auto count = static_cast<double>(result.packets);
      latency += result.mean_latency * count;
      expected += result.expected_mean_latency * count;
      sum.deliveries += result.packets;
      sum.all.most_late = std::max(sum.all.most_late, result.most_late);
      sum.all.most_early = std::min(sum.all.most_early, result.most_early);
      sum.window = std::max(sum.window, worst_window(tlm.deliveries, rtl.deliveries, 1000));
      sum.tlm_s += tlm.seconds;
      sum.rtl_s += rtl.seconds;
      sum.phase_changes += tlm.phase_changes;
      sum.cycles += rtl.cycles;
    }
    sum.all.mean_latency = latency / static_cast<double>(sum.deliveries);
    sum.all.expected_mean_latency = expected / static_cast<double>(sum.deliveries);
    std::printf(
        "FRED_3(%u) %-28s %7zu packets, data equal; mean latency %8.3f cycles (TLM %8.3f, %+.2f %%), "
        "%lld to %+lld; 1000-packet windows within %.2f %%; TLM %.0f, RTL %.0f packets/ms (%.1f x); "
        "%llu phase changes\n",
        GetParam(), of.name, sum.deliveries, sum.all.mean_latency, sum.all.expected_mean_latency,
        100 * (sum.all.mean_latency / sum.all.expected_mean_latency - 1),
        static_cast<long long>(sum.all.most_early), static_cast<long long>(sum.all.most_late),
        100 * sum.window, static_cast<double>(sum.deliveries) / sum.tlm_s / 1000,
        static_cast<double>(sum.deliveries) / sum.rtl_s / 1000, sum.rtl_s / sum.tlm_s,
        static_cast<unsigned long long>(sum.phase_changes));
    return sum;
  }
  void expect_close(const Case& of, const Outcome& sum) {
    EXPECT_NEAR(sum.all.mean_latency / sum.all.expected_mean_latency, 1, kMaxLatencyError) << of.name;
    EXPECT_LE(sum.window, kMaxWindowError) << of.name;
  }
};

class FredSwitchOfManyGroups : public FredSwitch {};

TEST_P(FredSwitch, FlowsAlone) {
  RandomTraffic slow = flows_only(0.05);
  const auto idle = run({"flows, no contention", slow}, 4'000);
  EXPECT_EQ(idle.all.most_late, 0);
  EXPECT_EQ(idle.all.most_early, 0);
  RandomTraffic late = flows_only(0.5);
  late.jitter = 0.9;
  late.late_cycles = 40;
  for (const Case& of : {Case{"flows at line rate", flows_only(1)}, Case{"late inputs", late}})
    expect_close(of, run(of, 20'000));
}

TEST_P(FredSwitch, Contention) {
  RandomTraffic unicast, compound = flows_only(0.8), small = flows_only(0.2, 0.1);
  unicast.unicast_load = 0.5;
  compound.compound = true;
  small.unicast_load = 0.02;
  small.unicast_flits = 1;
  for (const Case& of :
       {Case{"unicasts", unicast}, Case{"flows in series", compound},
        Case{"two classes of flows", flows_only(0.25, 0.2)}, Case{"flows and small unicasts", small}})
    expect_close(of, run(of, 20'000));
}

// The copies of a packet wait for each output alone.
TEST_P(FredSwitch, CopiesAndBackpressure) {
  RandomTraffic mixed = flows_only(0.15, 0.15), flows = flows_only(0.5), held = flows_only(0.2, 0.2);
  mixed.unicast_load = 0.1;
  flows.most_hold = 100;
  held.unicast_load = 0.1;
  held.most_hold = 100;
  for (const Case& of : {Case{"flows and large unicasts", mixed}, Case{"backpressure, flows", flows},
                         Case{"backpressure, mixed", held}})
    expect_close(of, run(of, 10'000));
}

TEST_P(FredSwitch, Backpressure) {
  RandomTraffic unicasts, reduces = flows_only(0.6), series = flows_only(0.5);
  unicasts.unicast_load = 0.3;
  unicasts.most_hold = 40;
  reduces.most_hold = series.most_hold = 150;
  reduces.kinds = series.kinds = FlowKinds::one_output;
  series.compound = true;
  for (const Case& of : {Case{"backpressure, unicasts", unicasts}, Case{"backpressure, reduces", reduces},
                         Case{"backpressure, reduce-scatters", series}})
    expect_close(of, run(of, 10'000));
}

TEST_P(FredSwitch, Phases) {
  RandomTraffic rule = flows_only(0.1, 0.1), cost = flows_only(0.04, 0.04);
  rule.phase_rule = true;
  rule.phase_change = 5;
  cost.phase_change = 3;
  for (const Case& of : {Case{"phase changes", rule}, Case{"phase changes, no rule", cost}}) {
    const auto sum = run(of, of.traffic.phase_rule ? 10'000 : 4'000);
    expect_close(of, sum);
    EXPECT_GT(sum.phase_changes, 100U);
  }
}

// Phases follow each other without a pause, and packets wait for ever more of them. The RTL has to remember
// them.
TEST_P(FredSwitchOfManyGroups, PhasesThatSaturate) {
  for (const std::uint32_t change : {2U, 5U, 20U}) {
    RandomTraffic traffic = flows_only(0.4, 0.4);
    traffic.phase_rule = true;
    traffic.phase_change = change;
    const Case of{"phases that saturate", traffic};
    const Outcome sum = run(of, 4'000);
    EXPECT_NEAR(sum.all.mean_latency / sum.all.expected_mean_latency, 1, kMaxLatencyError) << change;
  }
}

INSTANTIATE_TEST_SUITE_P(Ports, FredSwitchOfManyGroups, ::testing::Values(5U));
INSTANTIATE_TEST_SUITE_P(Ports, FredSwitch, ::testing::Values(5U, 8U, 12U));

}  // namespace
}  // namespace wafertlm::test
