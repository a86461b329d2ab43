// SPDX-License-Identifier: Apache-2.0
// Every file in configs/ is good, with everything that it names.
#include <gtest/gtest.h>

#include <filesystem>

#include "models/rtl/design.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

class Presets : public testing::TestWithParam<const char*> {};

TEST_P(Presets, PassCheck) {
  std::size_t files = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(WAFERTLM_SOURCE_DIR) / "configs" / GetParam())) {
    if (entry.path().extension() != ".yaml") continue;
    const test::ToolResult result = test::run_tool("check " + entry.path().string());
    ++files;
    const std::string name = entry.path().stem();
    const bool has_rtl = name.size() > 4 && name.compare(name.size() - 4, 4, "_rtl") == 0;
    if (!has_rtl || rtl_is_built()) {
      EXPECT_EQ(result.exit_code, 0) << result.error;
    } else {
      EXPECT_EQ(result.exit_code, 2) << name;
      EXPECT_NE(result.error.find("apt-get install verilator"), std::string::npos) << result.error;
    }
  }
  EXPECT_GT(files, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Presets, testing::Values("platforms", "workloads", "experiments", "studies"));

// Each of these on the mesh and on four FRED wafers.
TEST(PresetList, ExperimentsOfEveryWorkload) {
  for (const char* workload : {"resnet152", "transformer_17b", "gpt3_streamed", "transformer_1t_streamed",
                               "dlrm", "mixtral_8x7b", "llama3_8b", "llama3_70b"})
    for (const char* fabric : {"mesh", "fred_a", "fred_b", "fred_c", "fred_d"})
      EXPECT_TRUE(fs::exists(fs::path(WAFERTLM_SOURCE_DIR) / "configs/experiments" /
                             (std::string(workload) + "_" + fabric + ".yaml")))
          << workload << ' ' << fabric;
}

}  // namespace
}  // namespace wafertlm
