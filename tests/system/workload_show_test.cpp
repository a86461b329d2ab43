// SPDX-License-Identifier: Apache-2.0
// `workload show` against the traces that `workload generate` writes: the same bytes, operations and memory.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

using chakra::NodeType;

struct Sums {
  std::uint64_t nodes = 0, operations = 0, loaded = 0, stored = 0, sent = 0;
};

Sums sums_of(chakra::NodeSource& trace) {
  Sums sums;
  for (chakra::Node node; trace.next(node);) {
    ++sums.nodes;
    sums.operations += node.num_ops.value_or(0);
    if (node.type == NodeType::MemLoad) sums.loaded += node.tensor_size.value();
    if (node.type == NodeType::MemStore) sums.stored += node.tensor_size.value();
    if (node.type == NodeType::CommSend) sums.sent += node.comm_size.value();
    // Tied embeddings: an all-reduce of two ranks, of which each sends as much as it has.
    if (node.is_collective() && node.comm_class == "pp") sums.sent += node.comm_size.value();
  }
  return sums;
}

// Two of four experts on each rank of DP(4).
constexpr const char* kWorkload =
    "workload: w\n"
    "model: {model: m, transformer: {layers: 4, hidden: 48, heads: 4, sequence: 48, vocabulary: 96, "
    "experts: 4, experts_per_token: 2}}\n"
    "parallelism: DP(4)-PP(2)\nexpert_parallel: 2\nsamples_per_replica: 4\nmicrobatches: 2\nzero_stage: 2\n"
    "offload_optimizer: true\noffload_gradients: true\neffective_flops: 1 TFLOPS\n";

TEST(WorkloadShow, AgreesWithTheTracesAndTheMemoryAccount) {
  const test::TempFolder folder;
  const std::string file = folder.write("w.yaml", kWorkload);
  const test::ToolResult text = test::run_tool("workload show " + file);
  ASSERT_EQ(text.exit_code, 0) << text.error;
  for (const char* part : {"Remote memory, an NPU in an iteration", "loaded", "stored", "kept there"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  const test::ToolResult shown = test::run_tool("workload show " + file + " --json");
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  ASSERT_EQ(test::run_tool("workload generate " + file + " --out " + folder.path()).exit_code, 0);
  const nlohmann::json ranks = nlohmann::json::parse(shown.out)["ranks"];
  ASSERT_EQ(ranks.size(), 8U);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const nlohmann::json& row = ranks[rank];
    const auto trace = chakra::open_trace(folder.path() + "/w." + std::to_string(rank) + ".et");
    const Sums sums = sums_of(*trace);
    EXPECT_EQ(row["nodes"], sums.nodes);
    EXPECT_EQ(row["operations"], sums.operations);
    EXPECT_EQ(row["remote_memory"]["loaded_bytes"], sums.loaded);
    EXPECT_EQ(row["remote_memory"]["stored_bytes"], sums.stored);
    EXPECT_EQ(row["classes"]["pp"]["sent_bytes"], sums.sent);
    // Gradients of 2 bytes and a state of 12 of what a rank updates come, and go: gradients when reduced.
    EXPECT_EQ(row["memory_bytes"]["offloaded"], sums.loaded);
    EXPECT_EQ(sums.loaded, sums.stored);
    EXPECT_EQ(trace->memory_bytes(), row["memory_bytes"]["total"].get<std::uint64_t>());
  }
}

// Four ranks of data parallelism update what one would, once.
TEST(WorkloadShow, DividedOptimizersUpdateEverythingOnce) {
  const test::TempFolder folder;
  const std::string file = folder.write("w.yaml", kWorkload);
  const auto kept = [&](const std::string& more) {
    const test::ToolResult shown = test::run_tool("workload show " + file + " --json " + more);
    EXPECT_EQ(shown.exit_code, 0) << shown.error;
    std::uint64_t sum = 0;
    const nlohmann::json all = nlohmann::json::parse(shown.out);
    for (const nlohmann::json& row : all["ranks"])
      sum += row["memory_bytes"]["offloaded"].get<std::uint64_t>();
    return sum;
  };
  EXPECT_EQ(kept(""), kept("--set 'parallelism=PP(2)' --set expert_parallel=1"));
}

}  // namespace
}  // namespace wafertlm
