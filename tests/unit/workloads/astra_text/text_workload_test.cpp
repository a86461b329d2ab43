// SPDX-License-Identifier: Apache-2.0
#include "workloads/astra_text/text_workload.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "workloads/astra_text/text_nodes.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::astra_text {
namespace {

using Type = chakra::CollectiveType;
const char* const kLayers =
    "a -1 100 ALLREDUCE 64 200 ALLGATHER 8 300 NONE 0 10\n"
    "b -1 1.5 NONE 0 0 AllToAll 16 5 REDUCESCATTER 32 10\n";

TEST(TextWorkload, ReadsLayers) {
  const test::TempFolder folder;
  for (const char* const header : {"", "HYBRID_TRANSFORMER model_parallel_NPU_group: 8\n2\n"}) {
    const TextWorkload workload = read_text_workload(folder.write("w.txt", std::string(header) + kLayers));
    ASSERT_EQ(workload.layers.size(), 2U);
    EXPECT_EQ(workload.compute_ns(), 606.5);
    EXPECT_EQ(workload.layers[1].name, "b");
    EXPECT_EQ(workload.layers[0].phases[1].collective, Type::AllGather);
    EXPECT_EQ(workload.layers[1].phases[2].bytes, 32U);
    EXPECT_FALSE(workload.layers[1].phases[0].communicates);
  }
}

TEST(TextWorkload, RefusesWithTheLine) {
  const test::TempFolder folder;
  const auto refusal = [&](const std::string& text) {
    return test::refusal_of<chakra::TraceError>([&] { read_text_workload(folder.write("w.txt", text)); });
  };
  EXPECT_NE(refusal(std::string(kLayers) + "c -1 1 NONE 0\n").find(":3: a layer has 12 fields"),
            std::string::npos);
  EXPECT_NE(refusal("a -1 1 SUM 5 1 NONE 0 1 NONE 0 1\n").find("field 4"), std::string::npos);
  EXPECT_NE(refusal("a -1 x NONE 0 1 NONE 0 1 NONE 0 1\n").find("field 3"), std::string::npos);
  EXPECT_NE(refusal("a -1 1 ALLREDUCE 0 1 NONE 0 1 NONE 0 1\n").find("0 bytes"), std::string::npos);
  EXPECT_NE(refusal("a -1 1 NONE 7 1 NONE 0 1 NONE 0 1\n").find("write 0"), std::string::npos);
  EXPECT_NE(refusal("DATA\n3\n" + std::string(kLayers)).find("announces 3"), std::string::npos);
  EXPECT_NE(refusal("").find("no layers"), std::string::npos);
}

TEST(TextWorkload, BytesByDimension) {
  using Bytes = std::vector<double>;
  EXPECT_EQ(bytes_by_dimension(Type::AllReduce, 64, {4, -1, 8}), (Bytes{96, 0, 28}));
  EXPECT_EQ(bytes_by_dimension(Type::ReduceScatter, 64, {4, 8, -1}), (Bytes{48, 14, 0}));
  EXPECT_EQ(bytes_by_dimension(Type::AllGather, 2, {4, 8, -1}), (Bytes{48, 14, 0}));  // a shard, reversed
  EXPECT_EQ(bytes_by_dimension(Type::AllToAll, 64, {4, 8, 1}), (Bytes{48, 56, 0}));
}

TEST(TextWorkload, BecomesAChainOfNodes) {
  const test::TempFolder folder;
  const TextWorkload workload = read_text_workload(folder.write("w.txt", kLayers));
  const std::array<std::vector<int>, kPasses> groups = {{{4, -1}, {4, -1}, {-1, 2}}};
  const auto nodes = no_overlap_nodes(workload, groups, {4, 2});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    names.push_back(nodes[i].name);
    EXPECT_EQ(nodes[i].data_deps.size(), i == 0 ? 0U : 1U);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a forward", "a forward collective", "b forward",
                                             "b input gradient collective", "b weight gradient",
                                             "b weight gradient collective", "a input gradient",
                                             "a input gradient collective", "a weight gradient"}));
  EXPECT_EQ(nodes[2].duration_ps, 1500U);
  EXPECT_EQ(nodes[5].involved_dim, (std::vector<bool>{false, true}));
  EXPECT_EQ(nodes[5].comm_class, "dp");
  EXPECT_NE(test::refusal_of<chakra::TraceError>([&] { no_overlap_nodes(workload, groups, {8, 2}); }), "");
}

}  // namespace
}  // namespace wafertlm::astra_text
