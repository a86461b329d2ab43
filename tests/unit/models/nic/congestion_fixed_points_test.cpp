// SPDX-License-Identifier: Apache-2.0
// Where the schemes come to rest on one queue, against closed forms
// (tests/unit/models/nic/congestion_fluid.py solves them) and against the means of ns-3
// (shared/reference/ethernet.md, section 3).
#include <gtest/gtest.h>

#include "tests/unit/models/nic/bottleneck.h"
#include "tests/unit/models/nic/times.h"

namespace wafertlm::nic {
namespace {

/// Queue at most K + N packets, amplitude ½√(2N(BDP + K)), BDP = C·RTT: 42 / 11.1 packets.
TEST(FixedPoints, DctcpIsASawtooth) {
  Bottleneck::Params params;
  params.bytes_per_s = 1'250'000'000;
  params.rtt_ps = 100 * kUs - 1'200'000;
  params.packet_bytes = 1500;
  params.kmin = params.kmax = 40 * 1500 - 1;
  params.from_ps = 60 * kMs;
  Bottleneck network(params, DctcpParams{}, 2);
  network.run(120 * kMs);
  EXPECT_NEAR(network.most_queue() / 1500, 42, 1.5);
  EXPECT_NEAR((network.most_queue() - network.least_queue()) / 1500, 11.1, 2.5);
  EXPECT_NEAR(network.rate(0) + network.rate(1), 1.25e9, 1.25e9 * .002);
}

/// As ns-3 has it (a CNP for every mark, one decrease per interval, α by its timer) with the paper's
/// timers: 16.5 and 40.5 KB there. The root of the fluid model is 20.2 and 41.8 KB.
TEST(FixedPoints, DcqcnStandsAtItsMarkingProbability) {
  DcqcnParams dcqcn;
  dcqcn.cnp_interval_ps = 0;
  dcqcn.decrease_interval_ps = 50 * kUs;
  dcqcn.alpha_grows_by_timer = true;
  dcqcn.byte_counter = 0;
  for (const auto& [flows, mean] : {std::pair{2U, 16.5e3}, {4U, 40.5e3}}) {
    Bottleneck::Params params;
    params.bytes_per_s = 5'000'000'000;
    params.rtt_ps = 4 * kUs;
    params.packet_bytes = 1000;
    params.kmin = 5e3;
    params.kmax = 200e3;
    params.pmax = .01;
    params.from_ps = 60 * kMs;
    Bottleneck network(params, dcqcn, flows);
    network.run(260 * kMs);
    EXPECT_NEAR(network.mean_queue(), mean, .1 * mean) << flows;
    EXPECT_NEAR(network.rate(0) / network.rate(1), 1, .1);
  }
}

/// RTT* = Tlow (1 + Nδ/(βC)), with the β = .008 that its authors take: it rests at once and exactly.
TEST(FixedPoints, PatchedTimelyStandsAtItsQueue) {
  Bottleneck::Params params;
  params.bytes_per_s = 1'250'000'000;
  params.rtt_ps = 4 * kUs;
  params.packet_bytes = 1000;
  params.from_ps = 150 * kMs;
  TimelyParams timely;
  timely.patched = true;
  timely.beta = .008;
  Bottleneck network(params, timely, 4);
  network.run(200 * kMs);
  const double rtt = 50e-6 * (1 + 4 * 10 / (.008 * 10e3)), path = 4.8e-6;
  EXPECT_NEAR(network.mean_queue(), 1.25e9 * (rtt - path), 1000);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_NEAR(network.rate(i) / 1.25e9, .25, .002);
}

/// Σ W = η BDP + N W_AI, an empty queue; the line at η.
TEST(FixedPoints, HpccLeavesTheQueueEmpty) {
  Bottleneck::Params params;
  params.bytes_per_s = 12'500'000'000;
  params.rtt_ps = 12 * kUs;
  params.packet_bytes = 1000;
  params.from_ps = 10 * kMs;
  for (const std::uint32_t flows : {2U, 8U}) {
    Bottleneck network(params, HpccParams{}, flows);
    network.run(20 * kMs);
    double sum = 0;
    for (std::uint32_t i = 0; i < flows; ++i) sum += network.rate(i);
    const double bdp = 12.5e9 * 12.08e-6;
    EXPECT_NEAR(sum / 12.5e9, .95 + flows * 80 / bdp, .02);
    EXPECT_LT(network.mean_queue(), 1000.0 * flows);
  }
}

TEST(FixedPoints, PowerTcpHoldsBetaPerFlow) {
  Bottleneck::Params params;
  params.bytes_per_s = 12'500'000'000;
  params.rtt_ps = 12 * kUs;
  params.packet_bytes = 1000;
  params.from_ps = 10 * kMs;
  for (const std::uint32_t flows : {2U, 8U}) {
    Bottleneck network(params, PowerTcpParams{}, flows);
    network.run(20 * kMs);
    double windows = 0;
    for (std::uint32_t i = 0; i < flows; ++i) windows += network.control(i).window_bytes();
    const double bdp = 12.5e9 * 12.08e-6, beta = bdp / 10;
    EXPECT_NEAR(windows / (bdp + flows * beta), 1, .02);
    EXPECT_NEAR(network.mean_queue() / (flows * beta), 1, .1);
  }
}

TEST(FixedPoints, SwiftOscillatesAboutItsTarget) {
  Bottleneck::Params params;
  params.bytes_per_s = 12'500'000'000;
  params.rtt_ps = 12 * kUs;
  params.packet_bytes = 1000;
  params.from_ps = 10 * kMs;
  SwiftParams swift;
  Bottleneck network(params, swift, 4);
  network.run(30 * kMs);
  // Windows of about 72 packets: next to no flow term.
  const double target = static_cast<Swift&>(network.control(0)).target_ps();
  const double queue = 12.5e9 * (target - 12.08e6) / 1e12;
  EXPECT_NEAR(network.mean_queue(), queue, .1 * (queue + 151e3));
  EXPECT_NEAR(network.rate(0) + network.rate(1) + network.rate(2) + network.rate(3), 12.5e9, .01 * 12.5e9);
}

}  // namespace
}  // namespace wafertlm::nic
