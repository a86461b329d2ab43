// SPDX-License-Identifier: Apache-2.0
// Large packets are there for speed and must not change what is measured: 4, 64 and 256 KiB with automatic
// buffers, every way to move 64 MiB on the 5x4 wafer, and the streams of FRED wafers. (8 MiB under the
// sanitizers, where filling the pipeline counts for more.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "platform/commands/collective/collective_setup.h"
#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

struct SizeCase {
  const char* type;
  const char* algorithm;
  double tolerance_64k, tolerance_256k;
  const char* platform = "wafer_mesh_5x4";
  std::uint32_t chunks = 0;  ///< 0: as it chooses
};

class PacketSize : public testing::TestWithParam<SizeCase> {};

TEST_P(PacketSize, DoesNotChangeTheTime) {
  CollectiveOptions options;
  options.type = GetParam().type;
  options.algorithm = GetParam().algorithm;
  const std::uint64_t bytes = std::uint64_t{64} << 20;
  const auto time_us = [&](const std::string& packet) {
    std::vector<std::string> keys{"wafer.fabric.packet_bytes=" + packet};
    if (GetParam().chunks != 0) keys.push_back(fmt::format("collectives.chunks={}", GetParam().chunks));
    const config::PlatformSpec spec = config::load_platform(
        std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + GetParam().platform + ".yaml", keys);
    const CollectiveSetup setup(spec, options);
    return run_in_child([&]() -> nlohmann::json {
             return run_collectives(spec,
                                    [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); })
                 .time_ps;
           }).get<double>() /
           1e6;
  };
  const double with_4k = time_us("4KiB"), with_64k = time_us("64KiB"), with_256k = time_us("256KiB");
  std::printf("%s: %s %s: %.3f us with 4 KiB, %.3f with 64 KiB, %.3f with 256 KiB\n", GetParam().platform,
              GetParam().type, GetParam().algorithm, with_4k, with_64k, with_256k);
  EXPECT_NEAR(with_64k / with_4k, 1, GetParam().tolerance_64k);
  EXPECT_NEAR(with_256k / with_4k, 1, GetParam().tolerance_256k);
}

// By itself a double binary tree takes 64 chunks: with 256 KiB four packets each, of which every level of the
// trees waits for a whole one.
// In a gradient store in the network (FRED-D) the first packet of the last of 18 streams waits at its NPU for
// one of each other: 17 packets at 3 TB/s, 1.5 us with 256 KiB.
INSTANTIATE_TEST_SUITE_P(
    Ways, PacketSize,
    testing::Values(SizeCase{"all_reduce", "ring", 0.001, 0.001},
                    SizeCase{"all_reduce", "bidirectional_ring", 0.001, 0.002},
                    SizeCase{"all_reduce", "hierarchical_2d", 0.002, 0.006},
                    SizeCase{"all_reduce", "halving_doubling", 0.01, 0.02},
                    SizeCase{"all_reduce", "double_binary_tree", 0.01, 0.02, "wafer_mesh_5x4", 2},
                    SizeCase{"all_reduce", "double_binary_tree", 0.03, 0.05},
                    SizeCase{"all_reduce", "tree", 0.01, 0.015}, SizeCase{"all_reduce", "direct", 0.01, 0.01},
                    SizeCase{"all_to_all", "direct", 0.01, 0.01}, SizeCase{"weight_load", "", 0.001, 0.001},
                    SizeCase{"gradient_store", "", 0.001, 0.001},
                    SizeCase{"weight_load", "", 0.01, 0.01, "fred_a"},
                    SizeCase{"gradient_store", "", 0.001, 0.001, "fred_a"},
                    SizeCase{"weight_load", "", 0.001, 0.001, "fred_d"},
                    SizeCase{"gradient_store", "", 0.02, 0.055, "fred_d"}),
    [](const testing::TestParamInfo<SizeCase>& tested) {
      return std::string(tested.param.platform) + "_" + tested.param.type + "_" + tested.param.algorithm +
             (tested.param.chunks == 0 ? "" : fmt::format("_{}_chunks", tested.param.chunks));
    });

}  // namespace
}  // namespace wafertlm
