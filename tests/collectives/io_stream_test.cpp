// SPDX-License-Identifier: Apache-2.0
// Weights in and gradients out over the I/O controllers, against the arithmetic of the FRED paper: on a w x h
// mesh with a controller on every free side the busiest link carries 2 max(w, h) - 1 shares (7, 9 and 15 on
// 4x4, 5x4 and 8x8), so a stream runs at min(1, link / (shares x channel)) of line rate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "platform/commands/collective/collective_setup.h"
#include "platform/host/child.h"
#include "platform/spec/load.h"
#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

const char* const kTypes[] = {"weight_load", "gradient_store"};

/// One stream, in a process of its own.
nlohmann::json stream_outcome(const config::PlatformSpec& spec, const std::string& type, std::uint64_t bytes,
                              bool reverse = false) {
  CollectiveOptions options;
  options.type = type;
  const CollectiveSetup setup(spec, options);
  return run_in_child([&]() -> nlohmann::json {
    const CollectiveResult result = run_collectives(
        spec, [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); }, reverse);
    return {{"time", result.time_ps},
            {"bound", result.bound_ps},
            {"predicted", result.predicted_ps},
            {"channels", result.end_ps},
            {"busiest", result.busiest_link_payload_bytes},
            {"proven", result.proven}};
  });
}

std::string set(const std::string& key, std::uint64_t value, const std::string& unit = "") {
  return key + "=" + std::to_string(value) + unit;
}

TEST(IoStreams, TheBusiestLinkCarriesTheSharesOfThePaper) {
  struct Case {
    std::uint32_t width, height, shares;
  };
  for (const Case& wafer : {Case{4, 4, 7}, Case{5, 4, 9}, Case{8, 8, 15}}) {
    const auto spec = test::platform({set("wafer.width", wafer.width), set("wafer.height", wafer.height)});
    const std::uint64_t share = 10'000, channels = 2 * (wafer.width + wafer.height);
    for (const char* type : kTypes) {
      const auto result = stream_outcome(spec, type, channels * share);
      EXPECT_EQ(result["channels"].size(), channels);
      EXPECT_EQ(result["busiest"].get<std::uint64_t>(), wafer.shares * share) << type;
    }
  }
}

// 9 x 128 GB/s over a link of 750 GB/s.
TEST(IoStreams, RunAtTheRateOfThePaper) {
  const std::uint64_t bytes = std::uint64_t{72} << 20;
  for (const char* type : kTypes) {
    const auto result = stream_outcome(test::platform(), type, bytes);
    const double line = static_cast<double>(bytes) / (18 * 128e9) * 1e12 / result["time"].get<double>();
    std::printf("%s: %.4f of line rate, the paper has %.4f\n", type, line, 750.0 / 1152);
    EXPECT_NEAR(line / (750.0 / 1152), 1, 0.01) << type;
    EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
    EXPECT_NEAR(result["time"].get<double>() / result["predicted"].get<double>(), 1, 0.01);
  }
}

class RandomWafers : public testing::TestWithParam<unsigned> {};

TEST_P(RandomWafers, StreamAtTheRateOfTheirBusiestLink) {
  std::mt19937_64 random(GetParam());
  const auto between = [&](std::uint64_t least, std::uint64_t most) {
    return least + random() % (most - least + 1);
  };
  const std::uint64_t width = between(1, 6), height = between(1, 6);
  const std::uint64_t link = between(200, 1500), channel = between(20, 400);  // GB/s
  // Ports of the NPUs that are no bottleneck: all links, and all controllers, at full speed.
  const std::uint64_t channels = 2 * (width + height), port = 4 * link + channels * channel;
  const auto spec = test::platform({set("wafer.width", width), set("wafer.height", height),
                                    set("wafer.fabric.link_bandwidth", link, "GB/s"),
                                    set("wafer.io.bandwidth", channel, "GB/s"),
                                    set("wafer.fabric.injection_bandwidth", port, "GB/s"),
                                    set("wafer.fabric.ejection_bandwidth", port, "GB/s")});
  const std::uint64_t share = 1500 * 4096;
  const auto shares = static_cast<double>(width * height == 1 ? 0 : 2 * std::max(width, height) - 1);
  const double expected = std::min(1.0, static_cast<double>(link) / (shares * static_cast<double>(channel)));
  for (const char* type : kTypes) {
    const auto result = stream_outcome(spec, type, channels * share);
    const double rate =
        static_cast<double>(share) * 1000 / (static_cast<double>(channel) * result["time"].get<double>());
    std::printf("%s %lux%lu, link %lu GB/s, channel %lu GB/s: %.4f of line rate, expected %.4f; channels end",
                type, width, height, link, channel, rate, expected);
    for (const auto& end : result["channels"]) std::printf(" %.1f", end.get<double>() / 1e6);
    std::printf(" us\n");
    EXPECT_NEAR(rate / expected, 1, 0.01) << type;
    EXPECT_EQ(result["busiest"].get<double>(), shares * static_cast<double>(share));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWafers, testing::Range(0U, 20U));

TEST(IoStreams, BringEveryValueToEveryNpuAndEverySumOut) {
  const std::vector<std::string> proof = {"run.functional=true", "run.checkers=true"};
  const std::vector<std::vector<std::string>> wafers = {
      {},
      {"wafer.width=1", "wafer.height=1"},
      {"wafer.width=1", "wafer.height=5"},
      {"wafer.width=3", "wafer.height=3", "wafer.io.controllers=[{npu: 5, side: east}]"},
      {"wafer.io.controllers=[{npu: 0, side: west}, {npu: 2, side: north}, {npu: 19, side: south}]",
       "wafer.io.bandwidth=300GB/s", "wafer.io.latency=35ns", "wafer.io.chunk=5000B"}};
  int proven = 0;
  for (std::vector<std::string> overrides : wafers) {
    overrides.insert(overrides.end(), proof.begin(), proof.end());
    for (const char* values : {"int32", "bf16"}) {
      overrides.push_back(std::string("run.data_type=") + values);
      for (const char* type : kTypes)
        for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{4} * 30'011})
          if (stream_outcome(test::platform(overrides), type, bytes)["proven"].get<bool>()) ++proven;
    }
  }
  EXPECT_EQ(proven, 5 * 2 * 2 * 2);
}

TEST(IoStreams, AreTheSameInAnyOrderOfConstructionAndWithCheckers) {
  for (const char* type : kTypes) {
    const auto plain = stream_outcome(test::platform(), type, 18 << 16);
    EXPECT_EQ(plain["channels"], stream_outcome(test::platform(), type, 18 << 16, true)["channels"]);
    EXPECT_EQ(plain["channels"], stream_outcome(test::platform({"run.functional=true", "run.checkers=true"}),
                                                type, 18 << 16)["channels"]);
  }
}

}  // namespace
}  // namespace wafertlm
