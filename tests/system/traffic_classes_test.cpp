// SPDX-License-Identifier: Apache-2.0
// Collectives of groups that name no traffic class are told: their time counts as data parallelism.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

/// An all-reduce of each rank, in groups of two or of all.
class TrafficClasses : public testing::Test {
 protected:
  nlohmann::json run(bool in_pairs, const std::string& traffic_class) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      chakra::Node node = all_reduce(1, 0, {}, 1 << 20);
      node.pg_name = in_pairs ? (rank < 2 ? "8" : "9") : "";
      node.comm_class = traffic_class;
      chakra::VectorSource source("rank", {node});
      chakra::write_trace(source, fmt::format("{}/job.{}.et", folder_.path(), rank));
    }
    folder_.write("groups.json", R"({"8": [0, 1], "9": [2, 3]})");
    nlohmann::json results =
        run_traces(folder_, "wafer_mesh_5x4",
                   std::string("chakra: job") + (in_pairs ? ", comm_groups: groups.json" : ""), "", result_);
    EXPECT_EQ(result_.exit_code, 0) << result_.error;
    return results;
  }

  TempFolder folder_;
  ToolResult result_;
};

/// Without those of keys that change nothing.
std::vector<std::string> notes_of_classes(const nlohmann::json& results) {
  std::vector<std::string> notes;
  for (const nlohmann::json& each : results["notes"])
    if (each.get<std::string>().find(" nothing here: ") == std::string::npos) notes.push_back(each);
  return notes;
}

TEST_F(TrafficClasses, ThatGroupsDoNotNameAreTold) {
  const nlohmann::json results = run(true, "");
  const std::vector<std::string> notes = notes_of_classes(results);
  ASSERT_EQ(notes.size(), 1U);
  const std::string note =
      "the traces do not say what the collectives of the 2 groups (8, 9) are for, so all of them are in "
      "class "
      "dp and exposed_dp, be they of tensor, expert or data parallelism; `wafertlm trace classify` gives "
      "them their class";
  EXPECT_EQ(notes[0], note);
  EXPECT_NE(result_.out.find("Note: " + note + ".\n"), std::string::npos) << result_.out;
  EXPECT_GT(results["iterations"][0]["breakdown_s"]["exposed_dp"], 0);
}

TEST_F(TrafficClasses, ThatAreNamedOrOfAllRanksAreNot) {
  const nlohmann::json named = run(true, "mp");
  EXPECT_TRUE(notes_of_classes(named).empty());
  EXPECT_GT(named["iterations"][0]["breakdown_s"]["exposed_mp"], 0);
  EXPECT_TRUE(notes_of_classes(run(false, "")).empty());
}

}  // namespace
}  // namespace wafertlm::test
