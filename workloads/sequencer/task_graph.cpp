// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/task_graph.h"

#include <algorithm>
#include <unordered_map>

#include "workloads/chakra/trace_error.h"

namespace wafertlm {
namespace {

using chakra::Node;
using chakra::NodeType;

void fill_collective(Task& task, const Node& node, const chakra::CommGroups& groups,
                     const TaskGraphOptions& options) {
  task.group = groups.canonical(node.pg_name);
  const std::uint64_t ranks = groups.ranks(node.pg_name).size();
  task.kind = ranks > 1 ? Task::Kind::collective : Task::Kind::none;
  task.collective = *node.comm_type;
  task.bytes = node.comm_size.value_or(0);
  if (task.collective == chakra::CollectiveType::AllGather) task.bytes *= ranks;
  task.traffic_class = node.comm_class.empty() ? options.collective_class : node.comm_class;
}

Task task_of(const Node& node, std::uint32_t rank, const chakra::CommGroups& groups,
             const TaskGraphOptions& options) {
  Task task;
  task.id = node.id;
  task.name = node.name;
  task.duration_ps = node.duration_ps;
  switch (node.type) {
    case NodeType::Comp:
      task.kind = node.is_cpu_op ? Task::Kind::cpu : Task::Kind::compute;
      break;
    case NodeType::CommColl:
      if (node.is_launch())
        task.kind = Task::Kind::cpu;
      else
        fill_collective(task, node, groups, options);
      break;
    case NodeType::CommSend:
    case NodeType::CommRecv:
      task.kind = node.type == NodeType::CommSend ? Task::Kind::send : Task::Kind::receive;
      task.peer = (node.type == NodeType::CommSend ? node.comm_dst : node.comm_src).value_or(rank);
      task.tag = node.comm_tag.value_or(0);
      task.bytes = node.comm_size.value_or(0);
      task.traffic_class = node.comm_class.empty() ? options.point_to_point_class : node.comm_class;
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

}  // namespace

std::vector<Task> load_tasks(chakra::NodeSource& source, std::uint32_t rank, const chakra::CommGroups& groups,
                             const TaskGraphOptions& options) {
  std::vector<Task> tasks;
  std::vector<std::vector<std::uint64_t>> needs;
  std::unordered_map<std::uint64_t, std::uint32_t> place;
  Node node;
  while (source.next(node)) {
    place.emplace(node.id, static_cast<std::uint32_t>(tasks.size()));
    tasks.push_back(task_of(node, rank, groups, options));
    needs.push_back(node.ctrl_deps);
    needs.back().insert(needs.back().end(), node.data_deps.begin(), node.data_deps.end());
  }
  source.rewind();
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    for (const std::uint64_t id : needs[i]) {
      const auto found = place.find(id);
      if (found != place.end())
        tasks[i].parents.push_back(found->second);
      else if (!options.accept_missing_dependencies)
        throw chakra::TraceError(source.name() + ": node " + std::to_string(tasks[i].id) + " needs node " +
                                 std::to_string(id) + ", which is not in the trace");
    }
    auto& parents = tasks[i].parents;
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    for (const std::uint32_t parent : parents) tasks[parent].children.push_back(i);
  }
  return tasks;
}

}  // namespace wafertlm
