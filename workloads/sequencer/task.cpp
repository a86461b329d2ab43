// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/task.h"

namespace wafertlm {
namespace {

using chakra::Node;
using chakra::NodeType;

void fill_collective(Task& task, const Node& node, const chakra::CommGroups& groups) {
  task.group = groups.canonical(node.pg_name);
  task.group_number = static_cast<std::uint32_t>(groups.number(node.pg_name));
  const std::uint64_t ranks = groups.ranks(node.pg_name).size();
  task.io_stream = node.io_stream;
  task.kind = ranks > 1 || node.io_stream ? Task::Kind::collective : Task::Kind::none;
  task.collective = *node.comm_type;
  task.bytes = node.comm_size.value_or(0);
  if (task.collective == chakra::CollectiveType::AllGather) task.bytes *= ranks;
  task.traffic_class = node.comm_class.empty() ? chakra::kDefaultCollectiveClass : node.comm_class;
}

}  // namespace

Task make_task(const Node& node, std::uint32_t rank, const chakra::CommGroups& groups) {
  Task task;
  task.id = node.id;
  task.name = node.name;
  task.duration_ps = node.duration_ps;
  task.unit = node.unit;
  task.priority = node.comm_priority.value_or(0);
  switch (node.type) {
    case NodeType::Comp:
      task.kind = node.is_cpu_op ? Task::Kind::cpu : Task::Kind::compute;
      task.operations = node.num_ops.value_or(0);
      task.products = node.products;
      task.bytes = node.tensor_size.value_or(0);
      break;
    case NodeType::CommColl:
      if (node.is_launch())
        task.kind = Task::Kind::cpu;
      else
        fill_collective(task, node, groups);
      break;
    case NodeType::CommSend:
    case NodeType::CommRecv:
      task.kind = node.type == NodeType::CommSend ? Task::Kind::send : Task::Kind::receive;
      task.peer = (node.type == NodeType::CommSend ? node.comm_dst : node.comm_src).value_or(rank);
      task.tag = node.comm_tag.value_or(0);
      task.bytes = node.comm_size.value_or(0);
      task.traffic_class = node.comm_class.empty() ? chakra::kDefaultMessageClass : node.comm_class;
      break;
    case NodeType::MemLoad:
    case NodeType::MemStore:
      task.kind = node.type == NodeType::MemLoad ? Task::Kind::memory_load : Task::Kind::memory_store;
      task.bytes = node.tensor_size.value_or(0);
      if (task.bytes == 0) task.kind = Task::Kind::none;
      break;
    case NodeType::Metadata:
    case NodeType::Invalid:
      break;
  }
  return task;
}

std::string describe(const Task& task) {
  chakra::Node node;
  node.id = task.id;
  node.name = task.name;
  return chakra::describe(node);
}

}  // namespace wafertlm
