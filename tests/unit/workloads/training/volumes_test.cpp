// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/volumes.h"

#include <gtest/gtest.h>

namespace wafertlm::training {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

Node collective(CollectiveType type, std::uint64_t bytes, const char* traffic_class) {
  Node node;
  node.type = NodeType::CommColl;
  node.comm_type = type;
  node.comm_size = bytes;
  node.comm_class = traffic_class;
  return node;
}

// reference: collectives.md; an all-gather names what a rank contributes.
TEST(Volumes, OfEveryType) {
  Node send;
  send.type = NodeType::CommSend;
  send.comm_size = 10;
  Node compute;
  compute.type = NodeType::Comp;
  compute.num_ops = 7;
  compute.duration_ps = 5;
  const auto run = [&](std::uint32_t rank) {
    chakra::VectorSource source("test", {collective(CollectiveType::AllReduce, 400, "mp"),
                                         collective(CollectiveType::AllGather, 100, "mp"),
                                         collective(CollectiveType::ReduceScatter, 400, "dp"),
                                         collective(CollectiveType::AllToAll, 400, "ep"),
                                         collective(CollectiveType::Broadcast, 400, "weights"),
                                         collective(CollectiveType::Barrier, 0, ""), send, compute});
    return volumes_of(source, rank, chakra::CommGroups(4));
  };
  const Volumes root = run(0), other = run(3);
  EXPECT_EQ(root.classes.at("mp").sent_bytes, 600U + 300);
  EXPECT_EQ(root.classes.at("mp").operations, 2U);
  EXPECT_EQ(root.classes.at("mp").by_size, (std::map<unsigned, std::uint64_t>{{6, 1}, {8, 1}}));
  EXPECT_EQ(root.classes.at("dp").sent_bytes, 300U);
  EXPECT_EQ(root.classes.at("dp").operations, 2U);  // with the barrier
  EXPECT_EQ(root.classes.at("ep").sent_bytes, 300U);
  EXPECT_EQ(root.classes.at("weights").sent_bytes, 400U);
  EXPECT_EQ(other.classes.at("weights").sent_bytes, 0U);
  EXPECT_EQ(root.classes.at("pp").sent_bytes, 10U);
  EXPECT_EQ(root.operations, 7U);
  EXPECT_EQ(root.compute_ps, 5U);
  EXPECT_EQ(root.nodes, 8U);
}

}  // namespace
}  // namespace wafertlm::training
