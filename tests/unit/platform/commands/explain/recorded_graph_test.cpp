// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/recorded_graph.h"
#include "tlm/operation/operation_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace wafertlm {
namespace {

/// A job of a few ranks in a random schedule, played event by event: an independent model of what a recorded
/// graph says. Operations are played in the order in which they may start, not in an order that is known
/// before.
struct Play {
  struct Step {
    std::vector<std::size_t> waits_for;
    TimePs lag = 0, own = 0;
    std::uint32_t category = 0;
    int meeting = -1;
    bool waits_for_meeting = true;
  };
  std::vector<Step> steps;
  std::vector<std::vector<std::size_t>> meetings;

  explicit Play(std::mt19937_64& random) {
    const auto draw = [&](std::uint64_t most) { return random() % (most + 1); };
    const std::size_t ranks = 1 + draw(5), rounds = 1 + draw(8);
    std::vector<std::vector<std::size_t>> of_rank(ranks);
    const auto add = [&](std::size_t rank, std::uint32_t category, TimePs own) {
      Step step;
      step.lag = draw(3) == 0 ? draw(50) : 0;
      step.own = own;
      step.category = category;
      if (!of_rank[rank].empty()) {
        if (draw(1) == 0) step.waits_for.push_back(of_rank[rank].back());
        if (draw(2) == 0) step.waits_for.push_back(of_rank[rank][draw(of_rank[rank].size() - 1)]);
      }
      steps.push_back(step);
      of_rank[rank].push_back(steps.size() - 1);
      return steps.size() - 1;
    };
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t rank = 0; rank < ranks; ++rank)
        for (std::uint64_t k = draw(3); k > 0; --k)
          add(rank, static_cast<std::uint32_t>(draw(1)), draw(1000));
      if (ranks == 1 || draw(2) == 0) continue;
      meetings.emplace_back();
      if (draw(1) == 0) {  // a collective
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          const std::size_t step = add(rank, 2, draw(500));
          steps[step].meeting = static_cast<int>(meetings.size()) - 1;
          meetings.back().push_back(step);
        }
      } else {  // a message
        for (const bool sends : {true, false}) {
          const std::size_t step = add(sends ? 0 : 1, 3, draw(500));
          steps[step].meeting = static_cast<int>(meetings.size()) - 1;
          steps[step].waits_for_meeting = !sends;
          meetings.back().push_back(step);
        }
      }
    }
  }

  struct Times {
    std::vector<TimePs> start, end;
    TimePs last() const { return end.empty() ? 0 : *std::max_element(end.begin(), end.end()); }
  };
  /// Operations of category `instant` take no time of their own.
  Times run(std::uint32_t instant = 99) const {
    Times times{std::vector<TimePs>(steps.size(), kNever), std::vector<TimePs>(steps.size(), kNever)};
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        if (times.start[i] == kNever) {
          TimePs ready = 0;
          for (const std::size_t before : step.waits_for) ready = std::max(ready, times.end[before]);
          if (ready == kNever) continue;
          times.start[i] = ready + step.lag;
          moved = true;
        }
        if (times.end[i] != kNever) continue;
        TimePs from = times.start[i];
        if (step.meeting >= 0 && step.waits_for_meeting)
          for (const std::size_t other : meetings[static_cast<std::size_t>(step.meeting)])
            from = std::max(from, times.start[other]);
        if (from == kNever) continue;
        times.end[i] = from + (step.category == instant ? 0 : step.own);
        moved = true;
      }
    }
    return times;
  }

  RecordedGraph recorded() const {
    const Times times = run();
    RecordedGraph graph;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      RecordedGraph::Operation operation;
      operation.start_ps = times.start[i];
      operation.end_ps = times.end[i];
      operation.category = steps[i].category;
      if (steps[i].meeting >= 0 && steps[i].waits_for_meeting)
        operation.meeting = static_cast<std::uint32_t>(steps[i].meeting);
      for (const std::size_t before : steps[i].waits_for)
        operation.waits_for.push_back(static_cast<std::uint32_t>(before));
      graph.add(std::move(operation));
    }
    for (std::size_t m = 0; m < meetings.size(); ++m)
      for (const std::size_t member : meetings[m])
        graph.meet(static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(member));
    graph.close();
    return graph;
  }
};

TEST(RecordedGraph, RetimedItIsWhatAnIndependentPlaySaysInAHundredScenarios) {
  std::mt19937_64 random(8);
  std::size_t with_gain = 0;
  for (int scenario = 0; scenario < 100; ++scenario) {
    SCOPED_TRACE(scenario);
    const Play play(random);
    if (play.steps.empty()) continue;
    const RecordedGraph graph = play.recorded();
    EXPECT_EQ(graph.left_out(), 0u);
    const Play::Times as_it_was = play.run();
    EXPECT_EQ(graph.retime([&](std::uint32_t i) { return graph.own_ps(i); }), as_it_was.end);
    for (std::uint32_t category = 0; category < 4; ++category) {
      const auto ends = graph.retime(
          [&](std::uint32_t i) { return graph.operation(i).category == category ? 0 : graph.own_ps(i); });
      const Play::Times instant = play.run(category);
      EXPECT_EQ(ends, instant.end) << "category " << category;
      with_gain += instant.last() < as_it_was.last() ? 1 : 0;
    }
  }
  EXPECT_GT(with_gain, 100u);  // the scenarios are no empty ones
}

TEST(RecordedGraph, WhatHadNotEndedWasNoReason) {
  RecordedGraph graph;
  const auto first = graph.add({0, 100, 0, RecordedGraph::kNone, {}});
  graph.add({50, 120, 0, RecordedGraph::kNone, {first}});
  graph.close();
  EXPECT_EQ(graph.left_out(), 1u);
  EXPECT_EQ(graph.retime([](std::uint32_t) { return 7; }), (std::vector<TimePs>{7, 57}));
}

}  // namespace
}  // namespace wafertlm
