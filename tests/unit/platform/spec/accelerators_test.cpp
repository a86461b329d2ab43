// SPDX-License-Identifier: Apache-2.0
// An NPU in a file of its own, and the keys of its units and tiles.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/describe/preset_files.h"
#include "platform/spec/load.h"
#include "platform/spec/npu_spec.h"
#include "platform/text/config_error.h"
#include "tests/support/refusal.h"

namespace wafertlm::config {
namespace {

const std::string kAcceleratorFiles = WAFERTLM_SOURCE_DIR "/configs/accelerators/";

TEST(Accelerators, AllHaveUnitsTilesAndRates) {
  const std::vector<std::string> names = preset_names("accelerators");
  EXPECT_GT(names.size(), 15U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const NpuSpec npu = load_npu(kAcceleratorFiles + name + ".yaml");
    ASSERT_TRUE(npu.compute.tiled.has_value());
    EXPECT_TRUE(npu.compute.rate().peak_operations_per_s.has_value());
    for (const RateSpec* const rate : npu.compute.rates()) {
      if (rate->peak_operations_per_s) {
        EXPECT_LT(rate->efficiency_percent, 100U) << "a sustained rate";
      }
    }
    EXPECT_GT(npu.hbm.bytes_per_s(false), 100'000'000'000U);
    EXPECT_GT(compute_params(npu, 0, 1).operations_per_s, 0U);
  }
}

TEST(Accelerators, AreNpusOfAPlatform) {
  const std::string platform = WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml";
  const PlatformSpec spec = load_platform(platform, {"npu=" + kAcceleratorFiles + "h100.yaml"});
  EXPECT_EQ(spec.npu.name, "H100 SXM");
  EXPECT_EQ(spec.npu.compute.tiled->units, 132U);
  const ComputeParams params = compute_params(spec.npu, 0, 1);
  EXPECT_EQ(params.tiled->shapes.size(), 7U);
  EXPECT_EQ(params.operations_per_s, 662'898'000'000'000U);  // 67 % of 989.4 TFLOPS
}

TEST(Accelerators, SixteenElementsOrMoreShareAScale) {
  const auto bits = [](const std::vector<std::string>& changes) {
    return load_npu(kAcceleratorFiles + "b200.yaml", changes).compute.factor_bits_x4() / 4.0;
  };
  EXPECT_EQ(bits({}), 16);
  EXPECT_EQ(bits({"compute.precision=fp8"}), 8);
  EXPECT_EQ(bits({"compute.precision=fp8", "compute.scales=fp32_per_128"}), 8.25);
  EXPECT_EQ(bits({"compute.precision=fp8", "compute.scales=e8m0_per_32"}), 8.25);
  EXPECT_EQ(bits({"compute.precision=fp4", "compute.scales=e4m3_per_16"}), 4.5);
}

TEST(Accelerators, TilesThatNoUnitsCanComputeAreRefused) {
  const auto refusal = [](const std::string& change) {
    return test::refusal_of<ConfigError>([&] { load_npu(kAcceleratorFiles + "a100.yaml", {change}); });
  };
  EXPECT_NE(refusal("compute.tiled={units: 4, shapes: [{m: 8, n: 8, k: 8, units: 5}]}")
                .find("a tile for 5 units, and there are 4"),
            std::string::npos);
  EXPECT_NE(refusal("compute.durations=replay").find("contradicts 'compute.model: tiled'"),
            std::string::npos);
  EXPECT_NE(refusal("compute={model: tiled}").find("needs the units and their tiles"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::config
