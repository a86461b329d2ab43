// SPDX-License-Identifier: Apache-2.0
// Wormhole routers against the pipelined reference (tests/support/router_mesh.h): mean latency up to 90 % of
// its saturation, and what both accept beyond it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/router_mesh.h"
#include "tests/support/wormhole_mesh.h"
#include "tests/timing/traffic/flit_platform.h"

namespace wafertlm::test {
namespace {

struct Routers {
  MeshTraffic traffic;
  int packet_flits, speedup;
  double saturation;  ///< of the reference: the highest load at which its mean stays below 200 cycles
};
void PrintTo(const Routers& r, std::ostream* out) {
  *out << (r.traffic == MeshTraffic::uniform ? "uniform" : "transpose") << ", " << r.packet_flits
       << " flits, speedup " << r.speedup;
}

RouterMeshParams params_of(const Routers& routers, double load) {
  RouterMeshParams params;
  params.vcs = params.buffer_flits = 8;
  params.packet_flits = routers.packet_flits;
  params.speedup = routers.speedup;
  params.traffic = routers.traffic;
  params.load = load;
  params.warmup_cycles = 1'500;
  params.measure_cycles = 5'000;
  return params;
}

class WormholeReference : public testing::TestWithParam<Routers> {};

TEST_P(WormholeReference, LatencyUpTo90PercentOfSaturation) {
  for (const double part : {0.5, 0.9}) {
    const RouterMeshParams params = params_of(GetParam(), part * GetParam().saturation);
    const double expected = run_router_mesh(params).mean_cycles;
    const double mean = run_wormhole_mesh(params).mean_cycles;
    fmt::print("load {:.4f}: {:.2f} cycles, reference {:.2f}, {:+.1f} %\n", params.load, mean, expected,
               100 * (mean / expected - 1));
    EXPECT_NEAR(mean, expected, 0.03 * expected);
  }
}

TEST_P(WormholeReference, AcceptedBeyondSaturation) {
  RouterMeshParams params = params_of(GetParam(), 1.3 * GetParam().saturation);
  params.measure_cycles = 3'000;
  const double expected = run_router_mesh(params).accepted;
  const double accepted = run_wormhole_mesh(params).accepted;
  fmt::print("accepted {:.4f}, reference {:.4f}, {:+.1f} %\n", accepted, expected,
             100 * (accepted / expected - 1));
  EXPECT_NEAR(accepted, expected, 0.03 * expected);
}

INSTANTIATE_TEST_SUITE_P(Mesh8x8, WormholeReference,
                         testing::Values(Routers{MeshTraffic::uniform, 1, 1, 0.425},
                                         Routers{MeshTraffic::uniform, 8, 1, 0.405},
                                         Routers{MeshTraffic::uniform, 1, 2, 0.490},
                                         Routers{MeshTraffic::uniform, 8, 2, 0.475},
                                         Routers{MeshTraffic::transpose, 1, 1, 0.142},
                                         Routers{MeshTraffic::transpose, 1, 2, 0.142},
                                         Routers{MeshTraffic::transpose, 8, 1, 0.142},
                                         Routers{MeshTraffic::transpose, 8, 2, 0.142}));

// Alone, a packet takes the closed form, here and there: 5.25 hops on the mean.
TEST(RouterMesh, StartsAtTheClosedForm) {
  for (const int flits : {1, 8})
    for (const int speedup : {1, 2}) {
      RouterMeshParams params = params_of({MeshTraffic::uniform, flits, speedup, 0}, 0.002 * flits);
      params.measure_cycles = 60'000;
      const double closed = 6.25 * (4.0 / speedup + 1) + 2 + flits - 1;
      EXPECT_NEAR(run_router_mesh(params).mean_cycles, closed, 0.02 * closed);
      EXPECT_NEAR(run_wormhole_mesh(params).mean_cycles, closed, 0.02 * closed);
    }
}

// Any number of channels, flits and stages, at half of what such routers carry.
TEST(RouterMesh, AgreesOnRandomRouters) {
  std::mt19937_64 random(7);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  double worst = 0;
  for (int run = 0; run < 12; ++run) {
    RouterMeshParams params;
    params.side = pick(3, 5);
    params.packet_flits = pick(1, 6);
    params.vcs = pick(2, 6);
    params.buffer_flits = pick(4, 12);
    params.speedup = pick(1, 2);
    params.link_latency = pick(1, 2);
    params.credit_delay = pick(0, 1);
    params.load = 0.2;
    params.warmup_cycles = 1'000;
    params.measure_cycles = 8'000;
    params.seed = static_cast<std::uint64_t>(run) + 1;
    const double expected = run_router_mesh(params).mean_cycles;
    const double difference = run_wormhole_mesh(params).mean_cycles / expected - 1;
    if (std::abs(difference) > std::abs(worst)) worst = difference;
    EXPECT_LE(std::abs(difference), 0.05) << "run " << run;
  }
  fmt::print("worst of 12 random routers: {:+.1f} %\n", 100 * worst);
}

// The same through YAML, modules and checkers.
TEST(WormholePlatform, TakesInternalSpeedup) {
  for (const int speedup : {1, 2}) {
    auto options = flit_mesh_options("8flits", 8, "wormhole");
    options.overrides.push_back("wafer.fabric.input_buffer=128B");
    options.overrides.push_back(fmt::format("wafer.fabric.internal_speedup={}", speedup));
    options.overrides.push_back(fmt::format("wafer.fabric.router_pipeline={}ns", 4 / speedup));
    options.measure_packets = 20'000;
    const double mean = run_sweep(resolve(options), {0.3}).front().mean_cycles();
    const double expected =
        run_router_mesh(params_of({MeshTraffic::uniform, 8, speedup, 0}, 0.3)).mean_cycles;
    fmt::print("speedup {}: {:.2f} cycles, reference {:.2f}\n", speedup, mean, expected);
    EXPECT_NEAR(mean, expected, 0.05 * expected);
  }
}

}  // namespace
}  // namespace wafertlm::test
