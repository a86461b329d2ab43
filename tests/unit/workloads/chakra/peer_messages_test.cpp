// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/peer_messages.h"

#include "tests/unit/workloads/chakra/trace_files.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::chakra::test {
namespace {

using Bytes = std::vector<std::uint64_t>;

Node exchange(Bytes send, Bytes receive) {
  Node node;
  node.id = 7;
  node.name = "experts";
  node.type = NodeType::CommColl;
  node.comm_type = CollectiveType::AllToAll;
  node.comm_size = 1;
  node.pg_name = "g";
  node.data_deps = {3};
  node.send_bytes = std::move(send);
  node.receive_bytes = std::move(receive);
  return node;
}

std::vector<Node> messages(const Node& node, std::uint32_t rank) {
  VectorSource source("w", {node});
  const auto groups = CommGroups::from_map({{"g", {2, 0, 1}}}, 4);
  const auto read = with_peer_messages(source, groups, rank);
  std::vector<Node> nodes;
  for (Node each; read->next(each);) nodes.push_back(each);
  read->rewind();
  Node again;
  EXPECT_TRUE(read->next(again) && again.id == nodes.front().id) << "ids begin anew";
  return nodes;
}

TEST(PeerMessages, AreSentToThePositionsOfTheGroup) {
  const auto nodes = messages(exchange({5, 6, 0}, {4, 9, 8}), 0);  // rank 0 is position 1
  ASSERT_EQ(nodes.size(), 4U);
  const auto text = [](const Node& node) {
    return std::string(to_string(node.type)) + " " + std::to_string(*node.comm_src) + "->" +
           std::to_string(*node.comm_dst) + " " + std::to_string(*node.comm_size) + " " + node.comm_class;
  };
  EXPECT_EQ(text(nodes[0]), "COMM_RECV 2->0 4 dp");
  EXPECT_EQ(text(nodes[1]), "COMM_SEND 0->2 5 dp");
  EXPECT_EQ(text(nodes[2]), "COMM_RECV 1->0 8 dp");
  Bytes all = {3};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(nodes[i].data_deps, Bytes{3});
    all.push_back(nodes[i].id);
  }
  EXPECT_EQ(nodes[3].type, NodeType::Metadata);
  EXPECT_EQ(nodes[3].id, 7U);
  EXPECT_EQ(nodes[3].data_deps, all);
}

TEST(PeerMessages, WhatDoesNotFitTheGroupIsRefused) {
  expect_error([] { messages(exchange({1}, {1}), 0); }, {"w: node 7", "1 peers in a group of 3"});
  expect_error([] { messages(exchange({1, 1, 1}, {1, 1, 1}), 3); }, {"w: node 7", "does not hold rank 3"});
  Node other = exchange({1}, {1});
  other.pg_name = "h";
  expect_error([&] { messages(other, 0); }, {"w: node 7", "group \"h\" is not defined"});
}

TEST(PeerMessages, OfAJobMustAgree) {
  const auto check = [](Bytes of_second) {
    Node first = exchange({0, 8}, {0, 4}), second = exchange({4, 0}, std::move(of_second));
    for (Node* each : {&first, &second}) {
      each->pg_name.clear();
      each->data_deps.clear();
    }
    VectorSource a("a", {first}), b("b", {second});
    return validate_job({&a, &b}, CommGroups(2));
  };
  EXPECT_EQ(check({8, 0}).at(1).message_bytes, 12U);
  expect_error([&] { check({9, 0}); }, {"a", "b", "8 B", "9 B"});
}

}  // namespace
}  // namespace wafertlm::chakra::test
