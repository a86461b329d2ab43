// SPDX-License-Identifier: Apache-2.0
// Hand-drawn graphs, run by a fake machine that gives every task its own duration.
#include "workloads/sequencer/time_account.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace wafertlm {
namespace {

Task task(std::uint64_t id, Task::Kind kind, TimePs duration, std::vector<std::uint32_t> parents,
          const std::string& traffic_class = "") {
  Task made;
  made.id = id;
  made.kind = kind;
  made.duration_ps = duration;
  made.parents = std::move(parents);
  made.traffic_class = traffic_class;
  return made;
}

void link_children(std::vector<Task>& tasks) {
  for (std::uint32_t i = 0; i < tasks.size(); ++i)
    for (const std::uint32_t parent : tasks[i].parents) tasks[parent].children.push_back(i);
}

/// Compute is serial, everything else runs at once for its duration.
class FakeMachine : public SequencerHost {
 public:
  explicit FakeMachine(std::vector<Task> tasks) : tasks_(std::move(tasks)), engine(tasks_, *this) {}

  void run() {
    engine.start_iteration(0);
    while (!ends_.empty()) {
      const auto first = *ends_.begin();
      ends_.erase(ends_.begin());
      now_ = first.end;
      engine.done(first.run, first.start, first.end);
    }
  }
  TimePs end() const { return now_; }
  bool finished = false;

 private:
  struct End {
    TimePs end;
    std::uint32_t run;
    TimePs start;
    bool operator<(const End& other) const { return end != other.end ? end < other.end : run < other.run; }
  };
  void start(std::uint32_t run, const Task& what) override {
    TimePs from = now_;
    if (what.kind == Task::Kind::compute) {
      from = std::max(now_, compute_free_);
      compute_free_ = from + what.duration_ps;
    }
    ends_.insert({from + what.duration_ps, run, from});
  }
  void iteration_done(std::uint32_t, TimePs) override { finished = true; }

  std::vector<Task> tasks_;

 public:
  SequencerEngine engine;

 private:
  std::set<End> ends_;
  TimePs now_ = 0, compute_free_ = 0;
};

std::map<std::string, TimePs> account(std::vector<Task> tasks, TimePs& end) {
  link_children(tasks);
  FakeMachine machine(std::move(tasks));
  machine.run();
  EXPECT_TRUE(machine.finished);
  end = machine.end();
  return breakdown(account_time(machine.engine, end), 0, end);
}

TEST(TimeAccount, CommunicationBehindComputeIsExposedOnlyWhereNothingComputes) {
  // A (10) starts the all-reduce C (25) and B (15); D (5) needs both: 10 of C are hidden... B ends at 25, C
  // at 35.
  TimePs end = 0;
  const auto parts =
      account({task(1, Task::Kind::compute, 10, {}), task(2, Task::Kind::compute, 15, {0}),
               task(3, Task::Kind::collective, 25, {0}, "dp"), task(4, Task::Kind::compute, 5, {1, 2})},
              end);
  EXPECT_EQ(end, 40U);
  EXPECT_EQ(parts.at("compute"), 30U);
  EXPECT_EQ(parts.at("dp"), 10U);
  EXPECT_EQ(parts.size(), 2U);
}

TEST(TimeAccount, AChainOfCausesIsWalkedBack) {
  // compute 10, then pp receive 7, then mp all-reduce 20, then compute 3
  TimePs end = 0;
  const auto parts =
      account({task(1, Task::Kind::compute, 10, {}), task(2, Task::Kind::receive, 7, {0}, "pp"),
               task(3, Task::Kind::collective, 20, {1}, "mp"), task(4, Task::Kind::compute, 3, {2})},
              end);
  EXPECT_EQ(end, 40U);
  EXPECT_EQ(parts.at("compute"), 13U);
  EXPECT_EQ(parts.at("pp"), 7U);
  EXPECT_EQ(parts.at("mp"), 20U);
}

TEST(TimeAccount, TheLastToFinishIsTheCauseAndTheCpuIsIdleTime) {
  // The receive (30) ends after the CPU's work (12): it alone explains the wait; then 5 of CPU are idle time.
  TimePs end = 0;
  const auto parts = account({task(1, Task::Kind::cpu, 12, {}), task(2, Task::Kind::receive, 30, {}, "pp"),
                              task(3, Task::Kind::compute, 4, {0, 1}), task(4, Task::Kind::cpu, 5, {2})},
                             end);
  EXPECT_EQ(end, 39U);
  EXPECT_EQ(parts.at("pp"), 30U);
  EXPECT_EQ(parts.at("compute"), 4U);
  EXPECT_EQ(parts.at("idle"), 5U);
}

TEST(TimeAccount, CollectivesOfAClassFollowEachOther) {
  // Two dp all-reduces of 20 become ready at 0: the second starts when the first is done. An mp one runs
  // beside them.
  TimePs end = 0;
  const auto parts =
      account({task(1, Task::Kind::collective, 20, {}, "dp"), task(2, Task::Kind::collective, 20, {}, "dp"),
               task(3, Task::Kind::collective, 30, {}, "mp")},
              end);
  EXPECT_EQ(end, 40U);
  EXPECT_EQ(parts.at("dp"), 40U);
}

TEST(TimeAccount, EveryPicosecondOfRandomGraphsIsAccountedFor) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  constexpr Task::Kind kKinds[] = {Task::Kind::compute, Task::Kind::cpu,         Task::Kind::collective,
                                   Task::Kind::send,    Task::Kind::memory_load, Task::Kind::none};
  for (int graph = 0; graph < 300; ++graph) {
    std::vector<Task> tasks;
    const std::uint32_t count = 1 + below(40);
    TimePs computed = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::set<std::uint32_t> parents;
      for (std::uint32_t k = below(3); i > 0 && k > 0; --k) parents.insert(below(i));
      const Task::Kind kind = kKinds[below(6)];
      const bool fabric = kind == Task::Kind::collective || kind == Task::Kind::send;
      tasks.push_back(task(i + 1, kind, below(50), {parents.begin(), parents.end()},
                           fabric ? (below(2) ? "dp" : "mp") : ""));
      if (kind == Task::Kind::compute) computed += tasks.back().duration_ps;
    }
    TimePs end = 0, sum = 0;
    const auto parts = account(tasks, end);
    for (const auto& [category, time] : parts) sum += time;
    EXPECT_EQ(sum, end) << "graph " << graph;
    const auto compute = parts.find("compute");
    EXPECT_EQ(compute == parts.end() ? 0 : compute->second, computed) << "graph " << graph;
  }
}

}  // namespace
}  // namespace wafertlm
