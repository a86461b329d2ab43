// SPDX-License-Identifier: Apache-2.0
// DMA engines that finish a message before the next one, on whole platforms.
#include <gtest/gtest.h>

#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

nlohmann::json with_order(const std::string& preset, const std::string& order,
                          std::vector<std::string> overrides, CollectiveType type, std::uint64_t bytes,
                          const std::string& algorithm = "") {
  overrides.push_back("npu.injection.order=" + order);
  return test::outcome(test::preset(preset, overrides),
                       {type, test::whole_wafer(), bytes, algorithm, 0, 0, {}});
}

TEST(InjectionOrderOnPlatforms, ValuesAreRightWithAndWithoutErrors) {
  for (const char* const preset : {"wafer_mesh_5x4", "fred_c", "fred_d"})
    for (const char* const errors : {"0", "1e-7"})
      for (const CollectiveType type : {CollectiveType::all_reduce, CollectiveType::all_to_all}) {
        std::vector<std::string> keys = test::kProof;
        keys.push_back(std::string("wafer.fabric.bit_error_rate=") + errors);
        EXPECT_TRUE(with_order(preset, "message", keys, type, 200'000)["proven"].get<bool>())
            << preset << ", bit error rate " << errors;
      }
}

TEST(InjectionOrderOnPlatforms, ValuesAreRightThroughTheMemory) {
  std::vector<std::string> keys = test::kProof;
  keys.push_back("npu.endpoint.memory=hbm");
  const auto of = [&](const char* order) {
    return with_order("wafer_mesh_5x4", order, keys, CollectiveType::all_to_all, 4'000'000);
  };
  EXPECT_TRUE(of("message")["proven"].get<bool>());
  EXPECT_NE(of("message")["time"], of("packet")["time"]);
}

TEST(InjectionOrderOnPlatforms, MakesNoDifferenceWithNoMoreMessagesThanEngines) {
  for (const char* const preset : {"wafer_mesh_5x4", "fred_c"}) {
    const auto of = [&](const char* order) {
      return with_order(preset, order, {}, CollectiveType::all_reduce, 1'000'000, "ring");
    };
    EXPECT_EQ(of("message"), of("packet")) << preset;
  }
}

}  // namespace
}  // namespace wafertlm
