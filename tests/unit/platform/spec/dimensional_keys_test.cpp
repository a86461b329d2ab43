// SPDX-License-Identifier: Apache-2.0
// The keys of a fabric of dimensions: what they mean, and what is refused.
#include <gtest/gtest.h>

#include "platform/fabrics/dimensional/dimensional_kind.h"
#include "platform/spec/load.h"
#include "platform/text/config_error.h"
#include "tests/support/same_spec.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

class DimensionalKeys : public ::testing::Test {
 protected:
  PlatformSpec load(const std::string& fabric, const std::string& more = "") {
    return load_platform(folder_.write(
        "p.yaml", "platform: p\nwafer: {fabric: {kind: dimensional, " + fabric + "}}\n" + more));
  }
  void refused(const std::string& fabric, const std::string& why, const std::string& more = "") {
    try {
      load(fabric, more);
      FAIL() << "not refused: " << fabric;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }

  test::TempFolder folder_;
};

constexpr const char* kRing = "dimensions: [{topology: ring, size: 4, bandwidth: 1 GB/s, latency: 1 ns}]";

TEST_F(DimensionalKeys, SidesOfATorusAreDimensions) {
  const PlatformSpec spec = load(
      "dimensions: [{topology: switch, size: 3, bandwidth: 1 GB/s, latency: 1 ns}, {topology: torus, size: "
      "20, "
      "shape: [4, 5], bandwidth: 2 GB/s, latency: 3 ns}]");
  const Dimensions dimensions = dimensional_params(spec.wafer).dimensions;
  EXPECT_EQ(spec.wafer.npu_count(), 60U);
  ASSERT_EQ(dimensions.count(), 3U);
  EXPECT_EQ(dimensions[2].size, 5U);
  EXPECT_EQ(dimensions[2].latency_ps, 3000U);
  EXPECT_EQ(dimensions.coordinate(NpuId{59}, 0), 2U);
  EXPECT_EQ(dimensions.head_latency_ps(NpuId{0}, NpuId{1}), 2000U);      // by the switch
  EXPECT_EQ(dimensions.head_latency_ps(NpuId{0}, NpuId{3 * 3}), 3000U);  // round the ring of four
}

TEST_F(DimensionalKeys, TheResolvedFileIsTheSamePlatform) {
  for (const std::string transport : {"packets", "messages"}) {
    const PlatformSpec spec = load(std::string(kRing) + ", transport: " + transport);
    const std::string text = resolved_yaml(spec);
    EXPECT_TRUE(load_platform(folder_.write("resolved.yaml", text)) == spec) << text;
  }
}

TEST_F(DimensionalKeys, WhatDoesNotFitIsRefused) {
  refused("dimensions: [{topology: torus, size: 20, shape: [4, 4], bandwidth: 1 GB/s, latency: 1 ns}]",
          "the sides multiply to 16");
  refused("dimensions: [{topology: ring, size: 4, shape: [2, 2], bandwidth: 1 GB/s, latency: 1 ns}]",
          "only a mesh or a torus has a shape");
  refused("dimensions: [{topology: rign, size: 4, bandwidth: 1 GB/s, latency: 1 ns}]", "ring");
  refused("dimensions: [{topology: ring, size: 4, bandwidth: 1 GB/s, latency: 0 ns}]", "latency");
  refused(std::string(kRing) + ", transport: messages, packet_bytes: 8 KiB", "has no effect");
  refused(std::string(kRing) + ", transport: messages", "take wafer.fabric.transport: packets",
          "run: {fault: {kind: drop_packet, from: 0, to: 1, packet: 1}}\n");
  refused(std::string(kRing) + ", link_latency: 3 ns", "each dimension has a latency of its own");
  refused(std::string(kRing) + ", virtual_channels: 9", "at most 8");
  refused(std::string(kRing) + ", bit_error_rate: 1e-9", "bit errors are not modelled");
  refused(std::string(kRing) + ", other_links: [{npu: 4, dimension: 0, bandwidth: 1 GB/s, latency: 1 ns}]",
          "there is no NPU 4");
  refused(std::string(kRing) + ", other_links: [{npu: 3, dimension: 1, bandwidth: 1 GB/s, latency: 1 ns}]",
          "there is no dimension 1; they are 0 to 0");
  refused(kRing, "do not pass through the memory", "npu: {endpoint: {memory: hbm}}\n");
}

}  // namespace
}  // namespace wafertlm::config
