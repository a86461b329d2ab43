// SPDX-License-Identifier: Apache-2.0
#include "platform/host/progress.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

TEST(Progress, TimeLeftIsWhatTheRestTakesAtTheSameSpeed) {
  EXPECT_EQ(time_left(10, 0.25), ", about 30 s left");
  EXPECT_EQ(time_left(99, 0.5), ", about 99 s left");
  EXPECT_EQ(time_left(100, 0.5), ", about 2 min left");
  EXPECT_EQ(time_left(600, 0.1), ", about 90 min left");
  EXPECT_EQ(time_left(5, 0), "");
  EXPECT_EQ(time_left(5, 1), "");
}

TEST(Progress, IsALineAMinuteInFilesAndPipes) {
  using std::chrono::seconds;
  EXPECT_EQ(progress_times(false, false).first, seconds(60));
  EXPECT_EQ(progress_times(false, false).between, seconds(60));
  EXPECT_EQ(progress_times(false, true).between, seconds(5));
  EXPECT_LT(progress_times(true, false).between, seconds(1));
}

// Tests have no terminal, so `script` makes one.
TEST(Progress, IsShownOnATerminal) {
  const std::string commands[] = {
      "run " WAFERTLM_SOURCE_DIR
      "/configs/experiments/resnet50_dp20_mesh_5x4.yaml --set iterations=1000 --out ",
      "collective " WAFERTLM_SOURCE_DIR
      "/configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --algorithm ring --set run.acceleration=off "
      "--size 4GiB # "};
  for (const std::string& command : commands) {
    const test::TempFolder folder;
    const std::string typed = folder.path() + "/typed";
    const std::string script = "touch " + typed + "; script -qefc '" + test::tool_path() + " " + command +
                               folder.path() + "/out' " + typed +
                               " >/dev/null 2>&1 & for turn in $(seq 150); do grep -q ' left' " + typed +
                               " && break; sleep 0.2; done; kill $!; wait $!";
    EXPECT_NE(std::system(script.c_str()), -1);
    EXPECT_TRUE(
        std::regex_search(test::read_text(typed),
                          std::regex("[0-9.]+ [mun]s simulated.*, [0-9]+ % done, about [0-9]+ (s|min) left")))
        << test::read_text(typed);
  }
}

}  // namespace
}  // namespace wafertlm
