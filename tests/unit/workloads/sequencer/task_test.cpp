// SPDX-License-Identifier: Apache-2.0
// What of a node a task has.
#include "workloads/sequencer/task.h"

#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"

namespace wafertlm::test {
namespace {

Task task_of(const chakra::Node& node) {
  return make_task(node, 2, chakra::CommGroups::from_map({{"pair", {2, 5}}, {"alone", {2}}}, 6));
}

TEST(Tasks, Computations) {
  chakra::Node node = compute(3, 500);
  node.comm_priority = 4;
  Task task = task_of(node);
  EXPECT_EQ(task.id, 3U);
  EXPECT_EQ(task.name, "n3");
  EXPECT_EQ(task.kind, Task::Kind::compute);
  EXPECT_EQ(task.duration_ps, 500U);
  EXPECT_EQ(task.priority, 4U);
  EXPECT_EQ(task.operations, 0U);
  EXPECT_EQ(task.bytes, 0U);
  EXPECT_EQ(task.traffic_class, "");
  node.num_ops = 6;
  node.tensor_size = 7;
  node.products = {{1, 2, 3, 4}};
  node.comm_priority.reset();
  task = task_of(node);
  EXPECT_EQ(task.operations, 6U);
  EXPECT_EQ(task.bytes, 7U);
  EXPECT_EQ(task.products.size(), 1U);
  EXPECT_EQ(task.priority, 0U);
  EXPECT_EQ(task_of(cpu(3, 500)).kind, Task::Kind::cpu);
}

TEST(Tasks, Collectives) {
  chakra::Node node = all_reduce(3, 500, {}, 80);
  Task task = task_of(node);
  EXPECT_EQ(task.kind, Task::Kind::collective);
  EXPECT_EQ(task.collective, chakra::CollectiveType::AllReduce);
  EXPECT_EQ(task.bytes, 80U);
  EXPECT_EQ(task.traffic_class, "dp");
  EXPECT_FALSE(task.io_stream);
  node.pg_name = "pair";
  node.comm_class = "mp";
  node.comm_type = chakra::CollectiveType::AllGather;  // its size is what a rank contributes
  task = task_of(node);
  EXPECT_EQ(task.bytes, 160U);
  EXPECT_EQ(task.group, "pair");
  EXPECT_EQ(task.traffic_class, "mp");
  EXPECT_NE(task.group_number, task_of(all_reduce(3, 0)).group_number);
  node.comm_type = chakra::CollectiveType::Barrier;
  node.comm_size.reset();
  EXPECT_EQ(task_of(node).bytes, 0U);
  node.pg_name = "alone";
  EXPECT_EQ(task_of(node).kind, Task::Kind::none);
  node.io_stream = true;  // with the controllers
  EXPECT_EQ(task_of(node).kind, Task::Kind::collective);
  EXPECT_TRUE(task_of(node).io_stream);
  node.comm_type.reset();  // its launch
  EXPECT_EQ(task_of(node).kind, Task::Kind::cpu);
}

TEST(Tasks, Messages) {
  chakra::Node node = send(3, 5, 7, 0);
  Task task = task_of(node);
  EXPECT_EQ(task.kind, Task::Kind::send);
  EXPECT_EQ(task.peer, 5U);
  EXPECT_EQ(task.tag, 7U);
  EXPECT_EQ(task.bytes, 64U);
  EXPECT_EQ(task.traffic_class, "pp");
  node.comm_tag.reset();
  node.comm_dst.reset();
  node.comm_class = "ep";
  task = task_of(node);
  EXPECT_EQ(task.peer, 2U) << "the rank itself";
  EXPECT_EQ(task.tag, 0U);
  EXPECT_EQ(task.traffic_class, "ep");
  node = receive(3, 4, 9);
  node.comm_dst = 5;
  task = task_of(node);
  EXPECT_EQ(task.kind, Task::Kind::receive);
  EXPECT_EQ(task.peer, 4U);
  EXPECT_EQ(task.tag, 9U);
}

TEST(Tasks, AccessesAndWhatIsNothing) {
  EXPECT_EQ(task_of(load(3, 0)).kind, Task::Kind::memory_load);
  EXPECT_EQ(task_of(store(3, 0)).kind, Task::Kind::memory_store);
  EXPECT_EQ(task_of(store(3, 0)).bytes, 64U);
  chakra::Node node = load(3, 0);
  node.tensor_size = 0;
  EXPECT_EQ(task_of(node).kind, Task::Kind::none);
  node.tensor_size = 1;
  EXPECT_EQ(task_of(node).kind, Task::Kind::memory_load);
  node.type = chakra::NodeType::Metadata;
  EXPECT_EQ(task_of(node).kind, Task::Kind::none);
}

}  // namespace
}  // namespace wafertlm::test
