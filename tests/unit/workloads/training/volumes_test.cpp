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

// Of trees the root of a broadcast or scatter sends, of a reduction or gather all others: a gather's part.
TEST(Volumes, OfTrees) {
  const auto sent = [](CollectiveType type, std::uint32_t rank) {
    chakra::VectorSource source("test", {collective(type, 400, "x")});
    return volumes_of(source, rank, chakra::CommGroups(4)).classes.at("x").sent_bytes;
  };
  EXPECT_EQ(sent(CollectiveType::Scatter, 0), 300U);
  EXPECT_EQ(sent(CollectiveType::Scatter, 2), 0U);
  EXPECT_EQ(sent(CollectiveType::Reduce, 0), 0U);
  EXPECT_EQ(sent(CollectiveType::Reduce, 2), 400U);
  EXPECT_EQ(sent(CollectiveType::Gather, 0), 0U);
  EXPECT_EQ(sent(CollectiveType::Gather, 2), 100U);
  EXPECT_EQ(sent(CollectiveType::ReduceScatterBlock, 1), 300U);
}

// What comes in reaches every rank of the group, and crosses the I/O controllers once: the first counts it.
TEST(Volumes, OfStreams) {
  Node in = collective(CollectiveType::Broadcast, 500, "weights");
  in.io_stream = true;
  Node out = collective(CollectiveType::Reduce, 30, "weights");
  out.io_stream = true;
  for (const std::uint32_t rank : {0U, 3U}) {
    chakra::VectorSource source("test", {in, out, out});
    const ClassVolume of = volumes_of(source, rank, chakra::CommGroups(4)).classes.at("weights");
    EXPECT_EQ(of.operations, 3U);
    EXPECT_EQ(of.sent_bytes, 0U);
    EXPECT_EQ(of.streamed_in_bytes, 500U);
    EXPECT_EQ(of.streamed_out_bytes, 60U);
    EXPECT_EQ(of.io_in_bytes, rank == 0 ? 500U : 0U);
    EXPECT_EQ(of.io_out_bytes, rank == 0 ? 60U : 0U);
  }
}

TEST(Volumes, OfTheRemoteMemory) {
  Node load;
  load.type = NodeType::MemLoad;
  load.tensor_size = 7;
  Node store = load;
  store.type = NodeType::MemStore;
  store.tensor_size = 5;
  chakra::VectorSource source("test", {load, store, load, load});
  const Volumes of = volumes_of(source, 0, chakra::CommGroups(1));
  EXPECT_EQ(of.loads.operations, 3U);
  EXPECT_EQ(of.loads.bytes, 21U);
  EXPECT_EQ(of.stores.operations, 1U);
  EXPECT_EQ(of.stores.bytes, 5U);
  EXPECT_TRUE(of.classes.empty());
}

}  // namespace
}  // namespace wafertlm::training
