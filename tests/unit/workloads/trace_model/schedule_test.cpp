// SPDX-License-Identifier: Apache-2.0
// In which order a model's nodes come, with more or fewer layers, and what they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/refusal.h"
#include "workloads/trace_model/schedule.h"

namespace wafertlm::trace_model {
namespace {

/// 0, three times (1 2) as layers, 3; a side node before all, and one behind each of the first two 1s.
Behaviour three_layers() {
  Behaviour of;
  of.slots.resize(4);
  of.side_slots.resize(2);
  of.steps = {{0, 1, 0, {}}, {0, 3, 1, {{1, 1, 0, {}}, {2, 1, 0, {}}}}, {3, 1, 0, {}}};
  of.sides = {{0, 1, 1}, {2, 0, 2}};  // at places 0, 2 and 4
  return of;
}

/// "slot.number<learned@source", one after the other.
std::string text_of(const Schedule& schedule) {
  std::string text;
  for (const Occurrence& each : schedule.nodes)
    text += (text.empty() ? "" : " ") + std::to_string(each.slot) + "." + std::to_string(each.number) + "<" +
            std::to_string(each.learned) + "@" + std::to_string(each.source);
  return text;
}

struct LayerRow {
  std::int64_t more;
  const char* nodes;
};

class TraceModelSchedule : public testing::TestWithParam<LayerRow> {};

TEST_P(TraceModelSchedule, EachLayerStandsForOneAtTheSamePartOfTheLoop) {
  EXPECT_EQ(text_of(schedule_of(three_layers(), GetParam().more)), GetParam().nodes);
}

// The source: 5 at 0; 0 at 1; 1 at 2, 4 at 3 behind it, 2 at 4; 1 at 5, 4 at 6, 2 at 7; 1 at 8, 2 at 9; 3.
INSTANTIATE_TEST_SUITE_P(
    Layers, TraceModelSchedule,
    testing::Values(
        LayerRow{0,
                 "5.0<0@0 0.0<0@1 1.0<0@2 4.0<0@3 2.0<0@4 1.1<1@5 4.1<1@6 2.1<1@7 1.2<2@8 2.2<2@9 3.0<0@10"},
        LayerRow{-1, "5.0<0@0 0.0<0@1 1.0<0@2 4.0<0@3 2.0<0@4 1.1<1@5 4.1<1@6 2.1<1@7 3.0<0@10"},
        LayerRow{-2, "5.0<0@0 0.0<0@1 1.0<0@2 4.0<0@3 2.0<0@4 3.0<0@10"},
        LayerRow{-3, "5.0<0@0 0.0<0@1 3.0<0@10"},
        LayerRow{1,
                 "5.0<0@0 0.0<0@1 1.0<0@2 4.0<0@3 2.0<0@4 1.1<0@2 4.1<0@3 2.1<0@4 1.2<1@5 4.2<1@6 2.2<1@7 "
                 "1.3<2@8 2.3<2@9 3.0<0@10"}));

TEST(TraceModelSchedule, RefusesToTakeMoreLayersThanThereAre) {
  EXPECT_EQ(test::refusal_of([] { schedule_of(three_layers(), -4); }),
            "too few layers: a loop over them has 3 repetitions, and 4 are to go");
}

TEST(TraceModelSchedule, RefusesSideNodesBehindTheEnd) {
  Behaviour of = three_layers();
  of.sides = {{8, 0, 1}};  // behind the last of eight nodes
  const std::string text = text_of(schedule_of(of, 0)), end = " 3.0<0@7 4.0<0@8";
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
  of.sides = {{9, 0, 1}};
  EXPECT_EQ(test::refusal_of([&] { schedule_of(of, 0); }), "a side node comes behind the end of the steps");
}

TEST(TraceModelSchedule, LoopsOfTwoLayersGetTwiceAsMany) {
  Behaviour of;
  of.slots.resize(3);
  // A loop of four repetitions, which are two times all layers, around nothing else; and one that is none.
  of.steps = {{0, 4, 2, {{0, 1, 0, {}}}}, {0, 5, 0, {{1, 1, 0, {}}, {0, 2, 1, {{2, 1, 0, {}}}}}}};
  const Schedule made = schedule_of(of, 3);
  EXPECT_EQ(made.counts, (std::vector<std::uint32_t>{4 + 2 * 3, 5, 5 * (2 + 3)}));
  EXPECT_EQ(made.learned, (std::vector<std::uint32_t>{4, 5, 10}));
}

/// What the nodes of steps are, in order, as text; of random steps.
std::string written_out(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) {
    const std::string once = step.body.empty() ? std::to_string(step.slot) + " " : written_out(step.body);
    for (std::uint32_t i = 0; i < step.times; ++i) text += once;
  }
  return text;
}

TEST(TraceModelSchedule, WithoutMoreLayersIsTheSource) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    Behaviour of;
    const auto leaf = [&] {
      of.slots.emplace_back();
      return Step{static_cast<std::uint32_t>(of.slots.size() - 1), 1, 0, {}};
    };
    const std::size_t count = 1 + random() % 5;
    for (std::size_t i = 0; i < count; ++i) {
      if (random() % 2 == 0) {
        of.steps.push_back(leaf());
        continue;
      }
      Step loop{
          0, static_cast<std::uint32_t>(1 + random() % 4), static_cast<std::uint32_t>(random() % 2), {}};
      loop.body = {leaf()};
      if (random() % 2 == 0) loop.body.push_back({0, 3, 0, {leaf(), leaf()}});
      of.steps.push_back(loop);
    }
    of.side_slots.resize(2);
    std::uint64_t free = length(of.steps);
    for (int i = 0; i < 4; ++i) {
      const auto skip = static_cast<std::uint32_t>(random() % (free / 2 + 1));
      of.sides.push_back({skip, static_cast<std::uint32_t>(random() % 2), 1});
      free -= skip;
    }
    const Schedule made = schedule_of(of, 0);
    EXPECT_EQ(made.counts, made.learned);
    ASSERT_EQ(made.nodes.size(), length(of.steps) + 4);
    std::string main;
    std::vector<std::uint32_t> seen(made.counts.size());
    for (std::uint32_t i = 0; i < made.nodes.size(); ++i) {
      EXPECT_EQ(made.nodes[i].source, i) << round;
      EXPECT_EQ(made.nodes[i].number, seen[made.nodes[i].slot]) << round;
      EXPECT_EQ(made.nodes[i].learned, seen[made.nodes[i].slot]++) << round;
      if (made.nodes[i].slot < of.slots.size()) main += std::to_string(made.nodes[i].slot) + " ";
    }
    EXPECT_EQ(main, written_out(of.steps)) << round;
  }
}

}  // namespace
}  // namespace wafertlm::trace_model
