// SPDX-License-Identifier: Apache-2.0
// Every type of collective that a trace can name, under the name of the results.
#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

TEST(CollectiveTypes, AllOfATrace) {
  const TempFolder folder;
  std::vector<chakra::Node> nodes;
  for (std::uint64_t type = 0; type < chakra::kCollectiveTypes; ++type) {
    nodes.push_back(all_reduce(type, 0, type == 0 ? Parents{} : Parents{type - 1}, 4096));
    nodes.back().comm_type = static_cast<chakra::CollectiveType>(type);
    if (nodes.back().comm_type == chakra::CollectiveType::Barrier) nodes.back().comm_size.reset();
  }
  for (const char* const rank : {"0", "1"}) {
    chakra::VectorSource source("rank", nodes);
    chakra::write_trace(source, folder.path() + "/job." + rank + ".et");
  }
  ToolResult result;
  const auto results =
      run_traces(folder, "wafer_mesh_5x4", "chakra: job", "--set run.functional=true", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  // In the order of chakra::CollectiveType; a block of a reduce-scatter is the same.
  const char* const names[] = {"all_reduce", "reduce",     "all_gather",     "gather",         "scatter",
                               "broadcast",  "all_to_all", "reduce_scatter", "reduce_scatter", "barrier"};
  ASSERT_EQ(results["collectives"].size(), chakra::kCollectiveTypes);
  for (std::size_t type = 0; type < chakra::kCollectiveTypes; ++type)
    EXPECT_EQ(results["collectives"][type]["type"], names[type]);
  EXPECT_EQ(results["collectives"][2]["bytes"], 2 * 4096) << "what all contribute";
}

}  // namespace
}  // namespace wafertlm::test
