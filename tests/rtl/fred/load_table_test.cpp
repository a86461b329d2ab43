// SPDX-License-Identifier: Apache-2.0
// The mean latency of the RTL and of the TLM switch over loads and sizes of packets.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/rtl/fred/models.h"
#include "tests/rtl/fred/random_scenario.h"
#include "tests/rtl/fred/tlm_run.h"

namespace wafertlm::test {
namespace {

constexpr double kMaxLatencyError = 0.05;  ///< of the mean

struct Kind {
  const char* name;
  FlowKinds flows;
  double dp, mp, unicasts;  ///< parts of the load
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class LoadTable : public ::testing::TestWithParam<std::tuple<Kind, std::uint32_t>> {
 protected:
  /// RTL and TLM, cycles.
  static std::pair<double, double> mean_latencies(std::uint32_t ports, const Kind& kind, double load,
                                                  std::uint32_t flits) {
    RandomTraffic traffic;
    traffic.dp_load = load * kind.dp;
    traffic.mp_load = load * kind.mp;
    traffic.unicast_load = load * kind.unicasts;
    traffic.kinds = kind.flows;
    traffic.flits = traffic.unicast_flits = flits;
    constexpr std::size_t kScenarios = 4;
    const std::size_t deliveries = flits < 16 ? 2000 : 600;
    double rtl_sum = 0, tlm_sum = 0, packets = 0;
    for (std::uint64_t seed = 1; seed <= kScenarios; ++seed) {
      const SwitchScenario scenario = random_scenario(ports, traffic, deliveries, seed);
      const Comparison result = compare(scenario, run_tlm(scenario).deliveries, run_rtl(scenario).deliveries,
                                        ~std::uint64_t{0} >> 1);
      EXPECT_EQ(result.packets, scenario.packets());
      EXPECT_EQ(result.data_errors + result.missing + result.unexpected, 0U);
      const auto count = static_cast<double>(result.packets);
      rtl_sum += result.mean_latency * count;
      tlm_sum += result.expected_mean_latency * count;
      packets += count;
    }
    return {rtl_sum / packets, tlm_sum / packets};
  }
};

TEST_P(LoadTable, MeanLatencyOfTheTlmSwitch) {
  const auto& [kind, ports] = GetParam();
  for (const std::uint32_t flits : {1U, 4U, 16U, 64U}) {
    if (9 * flits > depth_flits(ports)) continue;
    for (const double load : {0.1, 0.3, 0.5, 0.7, 0.8, 0.9}) {
      const auto [rtl, tlm] = mean_latencies(ports, kind, load, flits);
      std::printf("FRED_3(%u) %-9s %2u flits, load %.1f: RTL %8.3f cycles, TLM %+.2f %%\n", ports, kind.name,
                  flits, load, rtl, 100 * (tlm / rtl - 1));
      EXPECT_NEAR(rtl / tlm, 1, kMaxLatencyError) << flits << " flits, load " << load;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Traffic, LoadTable,
    ::testing::Combine(::testing::Values(Kind{"unicast", FlowKinds::any, 0, 0, 1},
                                         Kind{"multicast", FlowKinds::one_input, 0.5, 0.5, 0},
                                         Kind{"reduce", FlowKinds::one_output, 0.5, 0.5, 0},
                                         Kind{"mixed", FlowKinds::any, 0.3, 0.3, 0.4}),
                       ::testing::Values(5U, 8U, 12U)));

}  // namespace
}  // namespace wafertlm::test
