// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/sequencer_engine.h"

#include <stdexcept>

namespace wafertlm {
namespace {

bool is_serial_unit(Task::Kind kind) {
  return kind == Task::Kind::compute || kind == Task::Kind::cpu || kind == Task::Kind::memory_load ||
         kind == Task::Kind::memory_store;
}

Task::Kind unit_of(Task::Kind kind) {
  return kind == Task::Kind::memory_store ? Task::Kind::memory_load : kind;
}

}  // namespace

SequencerEngine::SequencerEngine(const std::vector<Task>& tasks, SequencerHost& host)
    : tasks_(tasks), host_(host), missing_(tasks.size()), run_of_(tasks.size()) {}

/// Whether run a finished after run b; of equal ends the lower node id counts.
bool SequencerEngine::later(std::uint32_t a, std::uint32_t b) const {
  if (b == TaskRun::kNone) return true;
  if (runs_[a].end_ps != runs_[b].end_ps) return runs_[a].end_ps > runs_[b].end_ps;
  return tasks_[runs_[a].task].id < tasks_[runs_[b].task].id;
}

void SequencerEngine::start_iteration(TimePs now) {
  if (left_ != 0) throw std::logic_error("an iteration starts while one is under way");
  const std::uint32_t before = last_finished_;
  left_ = tasks_.size();
  for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
    missing_[task] = static_cast<std::uint32_t>(tasks_[task].parents.size());
    run_of_[task] = static_cast<std::uint32_t>(runs_.size());
    runs_.push_back({task, iteration_, 0, 0, before});
  }
  ++iteration_;
  for (std::uint32_t task = 0; task < tasks_.size(); ++task)
    if (tasks_[task].parents.empty()) make_ready(task, now);
  finish_ready(now);
}

void SequencerEngine::make_ready(std::uint32_t task, TimePs now) {
  const std::uint32_t run = run_of_[task];
  for (const std::uint32_t parent : tasks_[task].parents)
    if (later(run_of_[parent], runs_[run].waited_for)) runs_[run].waited_for = run_of_[parent];
  if (tasks_[task].kind == Task::Kind::collective) {
    std::deque<std::uint32_t>& queue = class_queue_[tasks_[task].traffic_class];
    queue.push_back(run);
    if (queue.size() > 1) return;
  }
  start_run(run, now);
}

void SequencerEngine::start_run(std::uint32_t run, TimePs now) {
  const Task& task = tasks_[runs_[run].task];
  if (task.kind == Task::Kind::none) {
    runs_[run].start_ps = runs_[run].end_ps = now;
    instant_.push_back(run);
    return;
  }
  under_way_.insert(run);
  host_.start(run, task);
}

void SequencerEngine::done(std::uint32_t run, TimePs start_ps, TimePs end_ps) {
  under_way_.erase(run);
  runs_[run].start_ps = start_ps;
  runs_[run].end_ps = end_ps;
  const Task& task = tasks_[runs_[run].task];
  if (is_serial_unit(task.kind)) {
    const auto [last, is_first] = last_of_unit_.try_emplace(unit_of(task.kind), run);
    if (!is_first) {
      if (last->second != run && later(last->second, runs_[run].waited_for))
        runs_[run].waited_for = last->second;
      last->second = run;
    }
  }
  instant_.push_back(run);
  finish_ready(end_ps);
}

void SequencerEngine::finish_ready(TimePs now) {
  if (finishing_) return;
  finishing_ = true;
  while (!instant_.empty()) {
    const std::uint32_t run = instant_.front();
    instant_.pop_front();
    finish(run, now);
  }
  finishing_ = false;
}

void SequencerEngine::finish(std::uint32_t run, TimePs now) {
  const Task& task = tasks_[runs_[run].task];
  ++finished_;
  if (later(run, last_finished_)) last_finished_ = run;
  if (task.kind == Task::Kind::collective) {
    std::deque<std::uint32_t>& queue = class_queue_[task.traffic_class];
    queue.pop_front();
    if (!queue.empty()) {
      const std::uint32_t next = queue.front();
      if (later(run, runs_[next].waited_for)) runs_[next].waited_for = run;
      start_run(next, now);
    }
  }
  for (const std::uint32_t child : task.children)
    if (--missing_[child] == 0) make_ready(child, now);
  if (--left_ == 0) host_.iteration_done(iteration_ - 1, now);
}

std::vector<std::string> SequencerEngine::waiting() const {
  std::vector<std::string> lines;
  for (const std::uint32_t run : under_way_) {
    const Task& task = tasks_[runs_[run].task];
    lines.push_back("node " + std::to_string(task.id) + " \"" + task.name + "\" is not done");
  }
  return lines;
}

}  // namespace wafertlm
