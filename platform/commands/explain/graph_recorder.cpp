// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/graph_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "platform/run/job.h"

namespace wafertlm {
namespace {

std::string category_of(const Task& task) {
  if (task.kind == Task::Kind::compute) return "compute";
  if (task.kind == Task::Kind::cpu) return "cpu";
  return task.traffic_class.empty() ? "memory" : task.traffic_class;
}

/// As SequencerEngine's resources: sends and receives start at once.
std::string resource_of(const Task& task) {
  if (task.kind == Task::Kind::compute) return "compute";
  if (task.kind == Task::Kind::cpu) return "cpu";
  if (task.kind == Task::Kind::memory_load) return "load";
  if (task.kind == Task::Kind::memory_store) return "store";
  if (task.kind != Task::Kind::collective) return "";
  const bool in = task.collective == chakra::CollectiveType::Broadcast;
  return fmt::format("collective {} {}{}", task.group, task.traffic_class,
                     !task.io_stream ? ""
                     : in            ? " in"
                                     : " out");
}

std::string meeting_of(std::uint32_t rank, const Task& task) {
  const auto message = [&](std::uint32_t from, std::uint32_t to) {
    return fmt::format("message {} {} {} {}", from, to, task.tag, task.number);
  };
  if (task.kind == Task::Kind::collective) return fmt::format("collective {} {}", task.group, task.number);
  if (task.kind == Task::Kind::send) return message(rank, task.peer);
  if (task.kind == Task::Kind::receive) return message(task.peer, rank);
  return "";
}

}  // namespace

void GraphRecorder::operation_started(std::uint32_t rank, const Task& task, TimePs now) {
  if (open_.size() < done_.size()) open_.resize(done_.size());
  open_[rank][task.id] = now;
}

void GraphRecorder::operation_ended(std::uint32_t rank, const Task& task, TimePs, TimePs end_ps) {
  const auto issued = open_[rank].find(task.id);
  done_[rank].push_back({task.id, issued->second, end_ps, task.kind, category_of(task), resource_of(task),
                         meeting_of(rank, task)});
  open_[rank].erase(issued);
}

TimePs GraphRecorder::Recorded::iteration_ps(const std::vector<TimePs>& ends) const {
  const std::uint32_t last = keys.back().iteration;
  TimePs before = 0, end = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].iteration + 1 == last) before = std::max(before, ends[i]);
    if (keys[i].iteration == last) end = std::max(end, ends[i]);
  }
  return end - before;
}

GraphRecorder::Recorded GraphRecorder::graph(const JobRun& run, const config::ExperimentSpec& experiment) {
  Recorded made;
  made.categories = {""};
  std::map<std::string, std::uint32_t> categories, meetings;
  const auto add = [&](RecordedGraph::Operation operation, const Recorded::Key& key) {
    made.keys.push_back(key);
    return made.graph.add(std::move(operation));
  };
  const auto number_of = [](auto& table, const std::string& key) {
    return table.try_emplace(key, static_cast<std::uint32_t>(table.size())).first->second;
  };
  const auto iterations = run.iterations();
  // With a barrier an iteration of a rank begins when that of all has ended.
  std::vector<std::uint32_t> ends(done_.size(), RecordedGraph::kNone);
  std::vector<std::size_t> position(done_.size());
  for (std::uint32_t k = 0; k < iterations.size(); ++k) {
    const std::vector<std::uint32_t> before = ends;
    for (std::uint32_t rank = 0; rank < done_.size(); ++rank) {
      // A rank's iterations follow each other, so these are the next ones in the order of their ends.
      std::map<std::uint64_t, const Done*> ran;
      for (std::size_t& at = position[rank]; at < done_[rank].size(); ++at)
        if (!ran.emplace(done_[rank][at].node, &done_[rank][at]).second) break;
      chakra::NodeSource& source = *run.job().ranks[rank];
      source.rewind();
      struct Node {
        std::uint64_t id;
        std::vector<std::uint64_t> parents;
      };
      std::vector<Node> nodes;
      for (chakra::Node node; source.next(node);) {
        Node& copy = nodes.emplace_back(Node{node.id, node.data_deps});
        if (run.job().dependencies != chakra::Dependencies::data)
          copy.parents.insert(copy.parents.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
      }
      std::vector<std::uint32_t> begin;
      for (std::uint32_t other = 0; other < done_.size(); ++other)
        if ((experiment.barrier || other == rank) && before[other] != RecordedGraph::kNone)
          begin.push_back(before[other]);
      TimePs begin_ps = 0;
      for (const std::uint32_t each : begin) begin_ps = std::max(begin_ps, made.graph.operation(each).end_ps);
      // Nodes that take no time pass on what they wait for: what stands for a node is a list of operations.
      std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> parents;
      for (Node& node : nodes) parents.emplace(node.id, std::move(node.parents));
      std::unordered_map<std::uint64_t, std::uint32_t> numbers;
      std::vector<std::uint32_t> all;
      std::vector<const Done*> sorted;
      for (const auto& [id, each] : ran) sorted.push_back(each);
      std::stable_sort(sorted.begin(), sorted.end(),
                       [](const Done* a, const Done* b) { return a->start_ps < b->start_ps; });
      for (const Done* each : sorted) {
        RecordedGraph::Operation operation;
        operation.start_ps = each->start_ps;
        operation.end_ps = each->end_ps;
        const auto [found, is_new] =
            categories.try_emplace(each->category, static_cast<std::uint32_t>(made.categories.size()));
        if (is_new) made.categories.push_back(each->category);
        operation.category = found->second;
        if (!each->meeting.empty()) {
          operation.meeting = number_of(meetings, each->meeting);
          // A send does not wait for its receive.
          made.graph.meet(operation.meeting, static_cast<std::uint32_t>(made.graph.size()));
          if (each->kind == Task::Kind::send) operation.meeting = RecordedGraph::kNone;
        }
        numbers[each->node] = add(std::move(operation), {rank, k, each->node});
        all.push_back(numbers[each->node]);
      }
      std::unordered_map<std::string, std::uint32_t> last;  // of a resource
      for (const Done* each : sorted) {
        std::vector<std::uint32_t> waits = begin;
        std::vector<std::uint64_t> open = parents[each->node];
        std::set<std::uint64_t> seen;
        while (!open.empty()) {
          const std::uint64_t id = open.back();
          open.pop_back();
          if (!seen.insert(id).second) continue;
          if (const auto found = numbers.find(id); found != numbers.end())
            waits.push_back(found->second);
          else if (const auto passed = parents.find(id); passed != parents.end())
            open.insert(open.end(), passed->second.begin(), passed->second.end());
        }
        const std::uint32_t number = numbers[each->node];
        if (!each->resource.empty()) {
          const auto [found, is_new] = last.try_emplace(each->resource, number);
          if (!is_new && made.graph.operation(found->second).end_ps <= each->start_ps)
            waits.push_back(found->second);
          found->second = number;
        }
        made.graph.set_waits(number, std::move(waits));
      }
      RecordedGraph::Operation end;
      end.start_ps = end.end_ps = begin_ps;
      for (const std::uint32_t each : all)
        end.start_ps = end.end_ps = std::max(end.end_ps, made.graph.operation(each).end_ps);
      end.waits_for = all.empty() ? begin : all;
      ends[rank] = add(std::move(end), {rank, k, Recorded::kEnd});
    }
  }
  made.graph.close();
  return made;
}

}  // namespace wafertlm
