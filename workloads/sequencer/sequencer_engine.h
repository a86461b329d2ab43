// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "workloads/sequencer/task_graph.h"

namespace wafertlm {

/// When a task ran, for the account of where the time went.
struct TaskRun {
  std::uint32_t task = 0;
  std::uint32_t iteration = 0;
  TimePs start_ps = 0;  ///< its resource was granted
  TimePs end_ps = 0;
  /// The run that this one waited for: the last to finish of its parents and of what held its resource (ties:
  /// the lowest node id). An index into the rank's runs; kNone for what could start at once.
  std::uint32_t waited_for = 0;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
};

class SequencerHost {
 public:
  /// Start the task; SequencerEngine::done(run) when it has ended.
  virtual void start(std::uint32_t run, const Task& task) = 0;
  virtual void iteration_done(std::uint32_t iteration, TimePs now) = 0;

 protected:
  ~SequencerHost() = default;
};

/// Walks a rank's task graph: a task is ready when its parents are done. Ready tasks are started in the order
/// in which they became ready (ties: file order). The NPU's compute unit, its CPU and its memory queue by
/// themselves; of the collectives of one traffic class one is under way at a time; sends and receives are
/// unlimited.
class SequencerEngine {
 public:
  /// The tasks must outlive the engine.
  SequencerEngine(const std::vector<Task>& tasks, SequencerHost& host);

  /// Starts the next iteration. Requires that none is under way.
  void start_iteration(TimePs now);
  void done(std::uint32_t run, TimePs start_ps, TimePs end_ps);

  bool idle() const { return left_ == 0; }
  std::uint32_t iterations_started() const { return iteration_; }
  const std::vector<TaskRun>& runs() const { return runs_; }
  const std::vector<Task>& tasks() const { return tasks_; }
  std::uint64_t finished() const { return finished_; }
  /// Tasks under way, for the watchdog.
  std::vector<std::string> waiting() const;

 private:
  void make_ready(std::uint32_t task, TimePs now);
  void finish(std::uint32_t run, TimePs now);
  void start_run(std::uint32_t run, TimePs now);
  void finish_ready(TimePs now);
  bool later(std::uint32_t a, std::uint32_t b) const;

  const std::vector<Task>& tasks_;
  SequencerHost& host_;
  std::vector<std::uint32_t> missing_;  // parents not done, by task
  std::vector<std::uint32_t> run_of_;   // in this iteration, by task
  std::vector<TaskRun> runs_;
  std::map<std::string, std::deque<std::uint32_t>> class_queue_;  // runs; the front one is under way
  std::map<Task::Kind, std::uint32_t> last_of_unit_;  // the run that last used compute, CPU, memory
  std::set<std::uint32_t> under_way_;
  std::deque<std::uint32_t> instant_;  // runs that take no time, to be finished
  bool finishing_ = false;
  std::uint32_t iteration_ = 0;
  std::uint32_t last_finished_ = TaskRun::kNone;
  std::size_t left_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace wafertlm
