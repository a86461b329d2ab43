// SPDX-License-Identifier: Apache-2.0
// What is printed arrives, or the command fails; names that lead nowhere are bad input.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

namespace fs = std::filesystem;

const std::string kConfigFolder = WAFERTLM_SOURCE_DIR "/configs";

// With /dev/full every write fails: no space left on device.
TEST(Output, ThatCannotBeWrittenIsAnError) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out", errors = folder.path() + "/errors",
                    experiment =
                        kConfigFolder + "/experiments/resnet50_dp20_mesh_5x4.yaml --set iterations=1",
                    mesh = kConfigFolder + "/platforms/wafer_mesh_5x4.yaml";
  ASSERT_EQ(run_tool("run " + experiment + " --out " + out).exit_code, 0);
  for (const std::string& command :
       {std::string("--help"), std::string("--version"), std::string("run --help"), std::string("schema"),
        "check " + experiment, "check " + mesh + " --resolved", "run " + experiment + " --out " + out,
        "explain --quick " + out, "compare " + out + " " + out + " --out " + folder.path() + "/compare.html",
        "collective " + mesh + " --type all_reduce --size 4KiB",
        "collective " + mesh + " --type all_reduce --size 4KiB --choices",
        "workload show " + kConfigFolder + "/workloads/resnet50_dp20.yaml",
        std::string("model fred counts --ports 4 --m 2"), std::string("model memory stream hbm3"),
        std::string("rtl designs")}) {
    const int status = std::system((tool_path() + " " + command + " >/dev/full 2>" + errors).c_str());
    ASSERT_TRUE(WIFEXITED(status)) << command;
    EXPECT_EQ(WEXITSTATUS(status), 1) << command;
    EXPECT_NE(read_text(errors).find("No space left on device"), std::string::npos)
        << command << ": " << read_text(errors);
  }
}

TEST(Output, NamesThatLeadNowhereAreBadInput) {
  const TempFolder folder;
  fs::create_symlink(folder.path() + "/loop", folder.path() + "/loop");
  const std::string experiment = kConfigFolder + "/experiments/resnet50_dp20_mesh_5x4.yaml";
  for (const std::string& name : {folder.path() + "/loop", folder.path() + "/" + std::string(300, 'x'),
                                  std::string("/dev/null/x"), folder.path()}) {
    for (const std::string command :
         {"run ", "check ", "study ", "explain ", "collective --type barrier ", "workload show ",
          "trace convert --to json ", "trace info ", "trace check ", "traffic ", "compare "}) {
      const ToolResult result = run_tool(command + name);
      EXPECT_EQ(result.exit_code, 2) << command << name << ": " << result.error;
      EXPECT_EQ(result.out, "") << command << name;
    }
    if (name == folder.path()) continue;
    EXPECT_EQ(run_tool("run " + experiment + " --out " + name + "/results").exit_code, 2) << name;
  }
}

}  // namespace
}  // namespace wafertlm::test
