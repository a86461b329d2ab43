// SPDX-License-Identifier: Apache-2.0
// Latency against offered load on the 8x8 mesh: where it starts, that it never falls, and what bounds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/support/temp_folder.h"
#include "tests/timing/traffic/flit_platform.h"

namespace wafertlm::test {
namespace {

using traffic::TrafficOptions;
using traffic::TrafficResult;
using traffic::TrafficSetup;

void set_queue(TrafficOptions& options, const std::string& queue, const std::string& buffer) {
  options.overrides.push_back("wafer.fabric.input_queue=" + queue);
  options.overrides.push_back("wafer.fabric.input_buffer=" + buffer);
}

std::vector<TrafficResult> sweep(const TrafficOptions& options, const std::vector<double>& loads) {
  std::vector<TrafficResult> results = run_sweep(resolve(options), loads);
  print(results);
  return results;
}

void expect_rising(const std::vector<TrafficResult>& results) {
  for (std::size_t i = 1; i < results.size(); ++i)
    EXPECT_GE(results[i].mean_ps + results[i].mean_half_width_ps + results[i - 1].mean_half_width_ps,
              results[i - 1].mean_ps)
        << "load " << results[i].offered;
}

// The mean over the 64 x 64 pairs by hand: 5.25 hops of 3 cycles, a first router of 2, injection and ejection
// of 1 each, and the packet itself.
class ZeroLoad : public testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(ZeroLoad, UniformStartsAtTheClosedForm) {
  const auto [flits, switching] = GetParam();
  TrafficOptions options = flit_mesh_options(std::to_string(flits) + "flits", 4, switching);
  options.measure_packets = 100'000;
  const TrafficResult result = run_traffic(resolve(options), 0.001);
  fmt::print("closed form {:.3f} cycles\n", result.zero_load_ps / 1000);
  print({result});
  EXPECT_EQ(result.zero_load_ps, 1000 * (5.25 * 3 + 2 + 2 + flits));
  EXPECT_NEAR(result.mean_ps, result.zero_load_ps, 0.01 * result.zero_load_ps);
  EXPECT_FALSE(result.saturated);
  // Percentiles are those of the pairs, within a hop; few meet another packet, and wait for it to pass.
  std::vector<double> times;
  for (int from = 0; from < 64; ++from)
    for (int to = 0; to < 64; ++to)
      times.push_back(1000 *
                      (3 * (std::abs(from % 8 - to % 8) + std::abs(from / 8 - to / 8)) + 2 + 2 + flits));
  std::sort(times.begin(), times.end());
  EXPECT_NEAR(result.p50_ps, times[times.size() / 2], 3000);
  EXPECT_NEAR(result.p99_ps, times[times.size() * 99 / 100], 3000);
  EXPECT_GE(result.max_ps, times.back());
}

// Too few to tell how sure their mean is; on an empty way each takes its route's time: 1 hop of 3 cycles, a
// first router of 2, the ends of 1 each, and 8 flits.
TEST(LatencyLoad, AFewPacketsHaveAMean) {
  TrafficOptions options = flit_mesh_options("8flits");
  const TempFolder folder;
  options.pattern.name = "permutation";
  options.pattern.permutation_file = folder.write("pair.txt", "0 1\n");
  options.measure_packets = 5;
  const TrafficResult result = run_traffic(resolve(options), 0.001);
  EXPECT_GT(result.packets_measured, 1U);
  EXPECT_LT(result.packets_measured, 20U);
  EXPECT_EQ(result.zero_load_ps, 15'000);
  EXPECT_EQ(result.mean_ps, 15'000);
  EXPECT_EQ(result.max_ps, 15'000);
  EXPECT_TRUE(std::isnan(result.mean_half_width_ps));
  EXPECT_FALSE(result.stable);
}

// Latencies that grow to the end have no warm-up that could be left out.
TEST(LatencyLoad, AnOverloadNeverSettles) {
  TrafficOptions options = flit_mesh_options("4flits");
  const TempFolder folder;
  options.pattern.name = "permutation";
  options.pattern.permutation_file = folder.write("pair.txt", "0 1\n");
  options.measure_packets = 2000;
  const TrafficResult result = run_traffic(resolve(options), 2);  // twice what goes through
  EXPECT_TRUE(result.saturated);
  EXPECT_FALSE(result.stable);
  EXPECT_EQ(result.packets_left_out, 0U);
  EXPECT_GT(result.backlog_growth, 0);
}

INSTANTIATE_TEST_SUITE_P(Flits, ZeroLoad,
                         testing::Combine(testing::Values(1, 8), testing::Values("cut_through", "wormhole")));

// Every packet of a transpose takes its route's own time, so nothing is left to chance but the sample.
TEST(LatencyLoad, TransposeStartsAtTheClosedForm) {
  TrafficOptions options = flit_mesh_options("1flits");
  options.pattern.name = "transpose";
  const TrafficResult result = run_traffic(resolve(options), 0.001);
  print({result});
  // 2 |x - y| hops; the mean of |x - y| over 64 pairs is 168 / 64.
  EXPECT_EQ(result.zero_load_ps, 1000 * (2 * 168.0 / 64 * 3 + 2 + 2 + 1));
  EXPECT_NEAR(result.mean_ps, result.zero_load_ps, 0.01 * result.zero_load_ps);
}

// Up to the bound a stable load is accepted as offered. Beyond, sources far from the full links get through
// more than the others, so their mean may lie above the bound; the least served source's load cannot: its
// packets leave in the order of the pattern, so the busiest link would carry more than it can.
void expect_bounded(const std::vector<TrafficResult>& results, double bound) {
  for (const TrafficResult& result : results) {
    EXPECT_EQ(result.channel_bound, bound);
    EXPECT_LE(result.accepted_slowest, bound);
    if (result.offered <= bound) {
      EXPECT_LE(result.accepted, bound);
    }
    if (result.offered > bound) {
      EXPECT_TRUE(result.saturated) << result.offered;
    }
    for (const traffic::LinkUse& link : result.worst_links) EXPECT_LE(link.busy_fraction, 1 + 1e-3);
  }
}

class Uniform : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Uniform, RisesAndStaysBelowTheBound) {
  const auto [queue, switching] = GetParam();
  TrafficOptions options = flit_mesh_options("1flits", 4, switching);
  set_queue(options, queue, "256B");
  const auto results = sweep(options, {0.01, 0.1, 0.2, 0.3, 0.4, 0.44, 0.5, 1.0});
  expect_rising(results);
  expect_bounded(results, 0.5);
  // One crossbar port per input and stages for each head: the pipelined reference carries 0.42.
  const bool one_port = std::string(queue) == "fifo" && std::string(switching) == "wormhole";
  for (const TrafficResult& result : results) {
    if (result.offered <= (one_port ? 0.4 : 0.44)) {
      EXPECT_FALSE(result.saturated) << result.offered;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LatencyLoad, Uniform,
                         testing::Combine(testing::Values("fifo", "per_output"),
                                          testing::Values("cut_through", "wormhole")),
                         [](const auto& which) {
                           return std::string(std::get<0>(which.param)) + "_" + std::get<1>(which.param);
                         });

TEST(LatencyLoad, TransposeRisesAndStaysBelowTheBound) {
  TrafficOptions options = flit_mesh_options("1flits");
  options.pattern.name = "transpose";
  const auto results = sweep(options, {0.01, 0.05, 0.1, 0.125, 0.135, 0.15, 0.2, 0.5});
  expect_rising(results);
  expect_bounded(results, 1.0 / 7);
  for (const TrafficResult& result : results) {
    if (result.offered <= 0.135) {
      EXPECT_FALSE(result.saturated) << result.offered;
    }
  }
}

// The saturation throughput is the highest load that is accepted as offered for as long as one likes.
class Saturation : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Saturation, PerOutputQueuesReachNineTenthsOfTheBound) {
  const auto [packet, switching] = GetParam();
  TrafficOptions options = flit_mesh_options(packet, 1, switching);
  set_queue(options, "per_output", "64KiB");
  // With one channel the stages of heads would be its limit: a packet in three or four cycles.
  if (std::string(switching) == "wormhole") options.overrides.emplace_back("wafer.fabric.head_pipeline=0 ns");
  options.measure_packets = 150'000;
  double saturation = 0;
  for (const TrafficResult& result : sweep(options, {0.45, 0.47, 0.49}))
    if (!result.saturated) saturation = std::max(saturation, result.accepted);
  fmt::print("{}, {}: stable up to {:.4f}, {:.1f} % of the bound\n", packet, switching, saturation,
             saturation / 0.005);
  EXPECT_GE(saturation, 0.9 * 0.5);
  EXPECT_LE(saturation, 0.5);
}

INSTANTIATE_TEST_SUITE_P(LatencyLoad, Saturation,
                         testing::Combine(testing::Values("1flits", "8flits"),
                                          testing::Values("cut_through", "wormhole")),
                         [](const auto& which) {
                           return "packet_of_" + std::string(std::get<0>(which.param)) + "_" +
                                  std::get<1>(which.param);
                         });

TEST(LatencyLoad, HeadOfLineLossOfFifoQueues) {
  for (const char* packet : {"1flits", "8flits"}) {
    double accepted[2];
    for (const bool fifo : {false, true}) {
      TrafficOptions options = flit_mesh_options(packet, 1);
      set_queue(options, fifo ? "fifo" : "per_output", "4KiB");
      accepted[fifo] = sweep(options, {1.0}).front().accepted;
    }
    fmt::print("{}, one channel of 4 KiB: per_output {:.4f}, fifo {:.4f}: head-of-line loss {:.1f} %\n",
               packet, accepted[0], accepted[1], 100 * (1 - accepted[1] / accepted[0]));
    EXPECT_LT(accepted[1], 0.98 * accepted[0]);
  }
}

// With the least buffer that is allowed, at full load: run_traffic() ends only when everything has drained
// and all credits are home, and throws otherwise.
class Overload : public testing::TestWithParam<const char*> {};

TEST_P(Overload, MinimumBuffersDrain) {
  const std::tuple<const char*, const char*, const char*> engines[] = {{"cut_through", "fifo", "256B"},
                                                                       {"cut_through", "per_output", "256B"},
                                                                       {"wormhole", "fifo", "16B"},
                                                                       {"wormhole", "per_output", "16B"}};
  for (const auto& [switching, queue, buffer] : engines)
    for (const unsigned vcs : {1U, 4U}) {
      TrafficOptions options = flit_mesh_options("8flits", vcs, switching);
      options.pattern.name = GetParam();
      if (options.pattern.name == "hotspot") options.pattern.hotspot_node = 27;
      options.measure_packets = 10'000;
      set_queue(options, queue, buffer);
      fmt::print("{} {} {} channels\n", switching, queue, vcs);
      const auto results = sweep(options, {1.0, 8.0});
      for (const TrafficResult& result : results) EXPECT_GT(result.accepted, 0.02);
    }
}

INSTANTIATE_TEST_SUITE_P(Patterns, Overload,
                         testing::Values("uniform", "transpose", "bit_complement", "tornado", "hotspot",
                                         "neighbor"),
                         [](const auto& which) { return std::string(which.param); });

TEST(LatencyLoad, ResultsDoNotDependOnJobs) {
  TrafficOptions options = flit_mesh_options("8flits");
  options.measure_packets = 5'000;
  const TrafficSetup setup = resolve(options);
  const std::vector<double> loads{0.1, 0.2, 0.3, 0.4};
  const auto one = run_sweep(setup, loads, 1), three = run_sweep(setup, loads, 3);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    EXPECT_EQ(one[i].offered, loads[i]);
    EXPECT_EQ(one[i].mean_ps, three[i].mean_ps);
    EXPECT_EQ(one[i].packet_hops, three[i].packet_hops);
    EXPECT_EQ(one[i].scheduler_events, three[i].scheduler_events);
  }
}

}  // namespace
}  // namespace wafertlm::test
