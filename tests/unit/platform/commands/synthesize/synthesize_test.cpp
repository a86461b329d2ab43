// SPDX-License-Identifier: Apache-2.0
// `wafertlm synthesize` as a user calls it: files that run, and take what the algorithm itself takes.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;
using test::run_tool;

const std::string kMesh = " " WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml";

json row_of(const std::string& options) {
  const auto run = run_tool("collective" + kMesh + options + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.error;
  return json::parse(run.out)["rows"][0];
}

// All pieces are of one length: 10 trees of the all-reduce, 2 of each block, in 4 chunks.
TEST(Synthesize, FilesTakeTheTimeOfTheAlgorithm) {
  const test::TempFolder folder;
  for (const std::string type : {"all_reduce", "all_gather", "reduce_scatter"})
    for (const std::string file : {"made.xml", "made"}) {
      const std::string out = folder.path() + "/" + type + "_" + file;
      const std::string what = " --type " + type + " --size 960000B --npus 0-3,5-8";
      const auto made = run_tool("synthesize" + kMesh + what + " --chunks 4 --json --out " + out);
      ASSERT_EQ(made.exit_code, 0) << made.error;
      const json statistics = json::parse(made.out);
      EXPECT_EQ(statistics["ranks"], 8);
      EXPECT_EQ(statistics["chunks"], 4);
      EXPECT_GT(statistics["trees"]["count"], 1);
      EXPECT_GT(statistics["links"]["busiest_busy_fraction"], 0.5);
      EXPECT_LE(statistics["links"]["busiest_busy_fraction"], 1.0);
      EXPECT_TRUE(std::filesystem::exists(out + (file == "made" ? ".7.et" : "")));
      const json ours = row_of(what + " --algorithm packed_trees --set collectives.chunks=4"),
                 read = row_of(what + " --algorithm " + out + " --set run.functional=true");
      EXPECT_TRUE(read["values_proven"].get<bool>());
      const auto time = ours["time_ps"].get<double>();
      // Threads of a trace are its nodes: what comes to a port at one instant takes its turn in another
      // order.
      EXPECT_NEAR(read["time_ps"].get<double>(), time, time / 200) << out;
    }
}

TEST(Synthesize, RefusesWhatNoFileCanSay) {
  const test::TempFolder folder;
  const auto refused = [&](const std::string& options, const std::string& words) {
    const auto run = run_tool("synthesize" + kMesh + options);
    EXPECT_EQ(run.exit_code, 2) << options;
    EXPECT_NE(run.error.find(words), std::string::npos) << run.error;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  };
  const std::string out = " --out " + folder.path() + "/a.xml";
  refused(" --type all_reduce", "--out");
  refused(" --type broadcast" + out, "there is no 'broadcast'");
  refused(" --type all_reduce --size 1MiB,2MiB" + out, "expected one size");
  refused(" --type all_gather --size 4B" + out, "no equal chunks");
  refused(" --type all_reduce --npus 3" + out, "two NPUs");
  refused(" --type all_reduce --size 1MiB --algorithm in_network" + out, "cannot run as 'in_network'");
  refused(" --type all_reduce --size 1MiB --algorithm direct" + out, "several peers");
  refused(" --type all_reduce --size 1MiB --out /nowhere/a.xml", "/nowhere");
  refused(" --type all_reduce --size 1MiB --out " + folder.path(), "PREFIX");
}

}  // namespace
}  // namespace wafertlm
