// SPDX-License-Identifier: Apache-2.0
// Which loops are over layers. A sequence is written in letters: a capital is of the same kind as the small
// letter, with other dependencies; s sends, r receives.
#include <gtest/gtest.h>

#include <cctype>

#include "workloads/trace_model/fold.h"

namespace wafertlm::trace_model {
namespace {

std::string times(const std::string& what, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += what;
  return text;
}

Behaviour behaviour_of(const std::string& letters) {
  std::vector<std::uint32_t> tokens;
  for (const char each : letters) tokens.push_back(static_cast<std::uint32_t>(each));
  Behaviour of;
  of.ranks = {0};
  of.steps = fold(tokens);
  std::vector<std::uint32_t> leaves;
  const auto place = [&](const auto& self, const std::vector<Step>& steps) -> void {
    for (const Step& step : steps)
      for (std::uint32_t i = 0; i < step.times; ++i)
        if (step.body.empty())
          leaves.push_back(step.slot);
        else
          self(self, step.body);
  };
  place(place, of.steps);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i] == of.slots.size())
      of.slots.emplace_back().kind = static_cast<std::uint32_t>(std::tolower(letters[i]) - 'a');
  return of;
}

std::vector<Kind> letter_kinds() {
  std::vector<Kind> kinds(26);
  kinds['s' - 'a'].type = chakra::NodeType::CommSend;
  kinds['r' - 'a'].type = chakra::NodeType::CommRecv;
  return kinds;
}

/// "ab[3:1 cd]": a loop of three that are layers.
std::string steps_text(const Behaviour& of, const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps)
    if (step.body.empty())
      text += static_cast<char>('a' + of.slots[step.slot].kind);
    else
      text += "[" + std::to_string(step.times) + ":" + std::to_string(step.layers) + " " +
              steps_text(of, step.body) + "]";
  return text;
}

struct LayersRow {
  const char* name;
  std::string letters;
  std::uint32_t count, nodes;
  const char* steps;
};

class TraceModelLayers : public testing::TestWithParam<LayersRow> {};

TEST_P(TraceModelLayers, AreFound) {
  std::vector<Behaviour> behaviours = {behaviour_of(GetParam().letters)};
  const Layers found = mark_layers(behaviours, letter_kinds());
  EXPECT_EQ(found.count, GetParam().count);
  EXPECT_EQ(found.nodes, GetParam().nodes);
  EXPECT_EQ(steps_text(behaviours[0], behaviours[0].steps), GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, TraceModelLayers,
    testing::Values(
        LayersRow{"NoLoop", "abcdef", 0, 0, "abcdef"},
        LayersRow{"OneLoop", "x" + times("abc", 10) + "y", 10, 3, "x[10:1 abc]y"},
        LayersRow{"ForwardAndBackward", times("abc", 12) + "x" + times("defg", 12), 12, 4,
                  "[12:1 abc]x[12:1 defg]"},
        LayersRow{"FirstLayerBesideTheLoop", "Abc" + times("abc", 9) + "x", 10, 3, "a[9:1 bca]bcx"},
        LayersRow{"LastLayerBesideTheLoop", "x" + times("abc", 9) + "abC", 10, 3, "x[9:1 abc]abc"},
        LayersRow{"HalfALayerBesideTheLoopIsNone", "x" + times("abc", 9) + "aB", 9, 3, "x[9:1 abc]ab"},
        LayersRow{"WithinMicrobatches", times("x" + times("abc", 12) + "y", 4), 12, 3, "[4:0 x[12:1 abc]y]"},
        LayersRow{"MessagesAreOfMicrobatches", times("asb", 10), 0, 0, "[10:0 asb]"},
        LayersRow{"ReceivesToo", times("x" + times("ab", 6) + "r", 9), 6, 2, "[9:0 x[6:1 ab]r]"},
        LayersRow{"TwoTimesAllLayers", times("abc", 12) + "x" + times("ef", 12) + "y" + times("g", 24), 12, 3,
                  "[12:1 abc]x[12:1 ef]y[24:2 g]"},
        LayersRow{"TheShortestPatternOfThoseThatCoverMuch", times("abc", 12) + "x" + times("gh", 24), 24, 2,
                  "[12:0 abc]x[24:1 gh]"},
        LayersRow{"OneMoreOrLessFromEightOn", times("abc", 10) + "x" + times("de", 9), 10, 3,
                  "[10:1 abc]x[9:1 de]"},
        LayersRow{"NotBelowEight", times("abcd", 7) + "x" + times("ef", 6), 7, 4, "[7:1 abcd]x[6:0 ef]"},
        LayersRow{"SmallLoopsDoNotCount", times("abcdefgh", 12) + "x" + times("z", 5), 12, 8,
                  "[12:1 abcdefgh]x[5:0 z]"}),
    [](const auto& each) { return std::string(each.param.name); });

// A loop of few nodes on many ranks weighs more than one of many nodes on one.
TEST(TraceModelLayers, CountNodesOnAllRanks) {
  std::vector<Behaviour> behaviours = {behaviour_of(times("abcdefg", 10)), behaviour_of(times("xy", 20))};
  EXPECT_EQ(mark_layers(behaviours, letter_kinds()).count, 10U);
  behaviours = {behaviour_of(times("abcdefg", 10)), behaviour_of(times("xy", 20))};
  behaviours[1].ranks = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(mark_layers(behaviours, letter_kinds()).count, 20U);
  EXPECT_EQ(steps_text(behaviours[0], behaviours[0].steps), "[10:0 abcdefg]");
}

struct FoldRow {
  const char* name;
  std::string letters;
  const char* steps;
};

class TraceModelFolding : public testing::TestWithParam<FoldRow> {};

TEST_P(TraceModelFolding, TakesTheShortestPeriodsFirst) {
  const Behaviour of = behaviour_of(GetParam().letters);
  EXPECT_EQ(steps_text(of, of.steps), GetParam().steps);
  EXPECT_EQ(length(of.steps), GetParam().letters.size());
  EXPECT_EQ(float_length(of.steps), static_cast<double>(GetParam().letters.size()));
}

INSTANTIATE_TEST_SUITE_P(
    Sequences, TraceModelFolding,
    testing::Values(FoldRow{"TwiceIsNothing", "aabb", "aabb"}, FoldRow{"Thrice", "aaab", "[3:0 a]b"},
                    FoldRow{"FourTokensTwice", "abcdabcd", "[2:0 abcd]"},
                    FoldRow{"ThreeTokensTwice", "abcabc", "abcabc"},
                    FoldRow{"ARestStays", "abababa", "[3:0 ab]a"},
                    FoldRow{"LoopsInALoop", "aaabbbaaabbbaaabbb", "[3:0 [3:0 a][3:0 b]]"},
                    FoldRow{"LoopsOfDifferentLengthDiffer", "aaabaaaabaaab", "[3:0 a]b[4:0 a]b[3:0 a]b"},
                    FoldRow{"TwoEqualLoopsBesideEachOtherAreOne", "xaaaaaay", "x[6:0 a]y"},
                    FoldRow{"One", "a", "a"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace wafertlm::trace_model
