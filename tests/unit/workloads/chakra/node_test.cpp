// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/node.h"

#include <gtest/gtest.h>

#include "tests/support/same_node.h"
#include "tests/unit/workloads/chakra/random_nodes.h"

namespace wafertlm::chakra::test {
namespace {

// Nothing is left over, so that a reader can fill the same node again and again.
TEST(Nodes, AClearedOneIsLikeANewOne) {
  for (Node node : random_nodes(200)) {
    node.io_stream = true;
    EXPECT_NE(node, Node());
    node.name += std::string(100, 'x');
    const std::size_t room[] = {node.name.capacity(), node.ctrl_deps.capacity(), node.data_deps.capacity()};
    node.clear();
    EXPECT_EQ(node, Node());
    // It keeps the memory of its lists.
    EXPECT_EQ(node.name.capacity(), room[0]);
    EXPECT_EQ(node.ctrl_deps.capacity(), room[1]);
    EXPECT_EQ(node.data_deps.capacity(), room[2]);
  }
}

TEST(Nodes, AreEqualIfEveryFieldIs) {
  const Node plain;
  const auto differs = [&](const auto& change) {
    Node other;
    change(other);
    return other != plain;
  };
  EXPECT_EQ(Node(), plain);
  EXPECT_TRUE(differs([](Node& n) { n.id = 1; }));
  EXPECT_TRUE(differs([](Node& n) { n.name = "a"; }));
  EXPECT_TRUE(differs([](Node& n) { n.type = NodeType::Comp; }));
  EXPECT_TRUE(differs([](Node& n) { n.ctrl_deps = {0}; }));
  EXPECT_TRUE(differs([](Node& n) { n.data_deps = {0}; }));
  EXPECT_TRUE(differs([](Node& n) { n.duration_ps = 1; }));
  EXPECT_TRUE(differs([](Node& n) { n.is_cpu_op = true; }));
  EXPECT_TRUE(differs([](Node& n) { n.num_ops = 0; }));
  EXPECT_TRUE(differs([](Node& n) { n.tensor_size = 0; }));
  EXPECT_TRUE(differs([](Node& n) { n.products = {{1, 1, 1, 1}}; }));
  EXPECT_TRUE(differs([](Node& n) { n.comm_type = CollectiveType::AllReduce; }));
  EXPECT_TRUE(differs([](Node& n) { n.comm_size = 0; }));
  EXPECT_TRUE(differs([](Node& n) { n.send_bytes = {0}; }));
  EXPECT_TRUE(differs([](Node& n) { n.receive_bytes = {0}; }));
  EXPECT_TRUE(differs([](Node& n) { n.comm_src = 0; }));
  EXPECT_TRUE(differs([](Node& n) { n.comm_dst = 0; }));
  EXPECT_TRUE(differs([](Node& n) { n.comm_tag = 0; }));
  EXPECT_TRUE(differs([](Node& n) { n.comm_priority = 0; }));
  EXPECT_TRUE(differs([](Node& n) { n.pg_name = "g"; }));
  EXPECT_TRUE(differs([](Node& n) { n.involved_dim = {true}; }));
  EXPECT_TRUE(differs([](Node& n) { n.comm_class = "dp"; }));
  EXPECT_TRUE(differs([](Node& n) { n.io_stream = true; }));
}

// 60 bytes of a name, of a character of several bytes all or nothing; control characters as escapes.
TEST(Nodes, AreDescribedInALine) {
  const auto described = [](const std::string& name) {
    Node node;
    node.id = 7;
    node.name = name;
    return describe(node);
  };
  EXPECT_EQ(described(""), "node 7");
  EXPECT_EQ(described("a b~"), "node 7 \"a b~\"");
  EXPECT_EQ(described("a\nb\tc\x01\x1f\x7f"), "node 7 \"a\\nb\\tc\\x01\\x1f\\x7f\"");
  EXPECT_EQ(described(std::string(60, 'x')), "node 7 \"" + std::string(60, 'x') + "\"");
  EXPECT_EQ(described(std::string(61, 'x')), "node 7 \"" + std::string(60, 'x') + "…\"");
  EXPECT_EQ(described(std::string(58, 'x') + "α"), "node 7 \"" + std::string(58, 'x') + "α\"");
  EXPECT_EQ(described(std::string(59, 'x') + "αβ"), "node 7 \"" + std::string(59, 'x') + "…\"");
  EXPECT_EQ(described(std::string(58, 'x') + "αβ"), "node 7 \"" + std::string(58, 'x') + "α…\"");
  EXPECT_EQ(described(std::string(70, '\x80')), "node 7 \"…\"") << "no text at all";
}

TEST(Nodes, NamesOfTypesAreThoseOfChakra) {
  EXPECT_STREQ(to_string(NodeType::Metadata), "METADATA");
  EXPECT_STREQ(to_string(NodeType::CommColl), "COMM_COLL");
  EXPECT_STREQ(to_string(CollectiveType::AllReduce), "ALL_REDUCE");
  EXPECT_STREQ(to_string(CollectiveType::ReduceScatterBlock), "REDUCE_SCATTER_BLOCK");
  EXPECT_STREQ(to_string(CollectiveType::Barrier), "BARRIER");
}

}  // namespace
}  // namespace wafertlm::chakra::test
