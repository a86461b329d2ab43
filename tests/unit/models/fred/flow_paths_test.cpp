// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

/// A switch with three endpoints.
FlowTree star() {
  FlowTree tree;
  tree.add_switch(3);
  for (std::uint32_t n = 0; n < 3; ++n) tree.attach(static_cast<NpuId>(n), 0, static_cast<PortId>(n));
  return tree;
}

const std::vector<NpuId> kAll = {NpuId{0}, NpuId{1}, NpuId{2}};

TEST(FlowPaths, OneTreeTakesAllPackets) {
  const FlowPaths ways = star();
  const FlowPaths::Plan plan = ways.plan(kAll, kAll, 100, 7);
  EXPECT_EQ(plan.stripes, 1U);
  ASSERT_EQ(plan.places.size(), 1U);
  EXPECT_EQ(plan.places[0].at, 0U);
  EXPECT_EQ(plan.places[0].branch.share.packets(100), 100U);
}

/// Five stars, at the switches 10, 11, …, of which the ones with even numbers may be used.
FlowPaths stars() {
  FlowPaths ways;
  for (std::size_t k = 0; k < 5; ++k) ways.add(star(), {10 + k});
  ways.set_choice([](const std::vector<NpuId>&) { return std::vector<std::size_t>{0, 2, 4}; });
  return ways;
}

TEST(FlowPaths, PacketsGoRoundTheWaysFromTheFirstOne) {
  const FlowPaths::Plan plan = stars().plan(kAll, {NpuId{1}}, 8, 4);
  EXPECT_EQ(plan.stripes, 3U);
  ASSERT_EQ(plan.places.size(), 3U);
  std::set<std::uint64_t> numbers;
  for (const FlowTree::SwitchBranch& place : plan.places) {
    const FlowShare& share = place.branch.share;
    for (std::uint64_t i = 0; i < share.packets(8); ++i) {
      const std::uint64_t number = share.number(i);
      EXPECT_TRUE(numbers.insert(number).second);
      EXPECT_EQ(share.position(number), i);
      EXPECT_EQ(place.at, 10 + 2 * ((4 + number) % 3));
    }
  }
  EXPECT_EQ(numbers.size(), 8U);
  EXPECT_EQ(*numbers.rbegin(), 7U);
}

TEST(FlowPaths, LegsWithoutPacketsAreLeftOut) {
  const FlowPaths::Plan plan = stars().plan(kAll, kAll, 2, 0);
  EXPECT_EQ(plan.stripes, 3U);
  ASSERT_EQ(plan.places.size(), 2U);
  EXPECT_EQ(plan.places[0].at, 10U);
  EXPECT_EQ(plan.places[1].at, 12U);
}

/// A tree with endpoints here and there, and what a flow needs in it, by walking from switch to switch.
class RandomTree {
 public:
  explicit RandomTree(std::mt19937_64& random) : random_(random) {
    const std::uint32_t switches = 1 + below(7);
    parent_.resize(switches);
    std::vector<std::vector<PortId>> free;
    for (std::uint32_t s = 0; s < switches; ++s) {
      tree.add_switch(24);
      free.emplace_back();
      for (std::uint32_t p = 0; p < 24; ++p) free.back().push_back(static_cast<PortId>(p));
      std::shuffle(free.back().begin(), free.back().end(), random);
    }
    const auto take = [&](std::size_t s) {
      const PortId port = free[s].back();
      free[s].pop_back();
      return port;
    };
    for (std::uint32_t s = 1; s < switches; ++s) {
      parent_[s] = {below(s), take(s), {}};
      parent_[s].there = take(parent_[s].at);
      tree.join(s, parent_[s].here, parent_[s].at, parent_[s].there);
    }
    for (std::uint32_t n = 0; n < 2 + below(8); ++n) {
      at_.push_back(below(switches));
      ports_.push_back(take(at_.back()));
      tree.attach(static_cast<NpuId>(n), at_.back(), ports_.back());
    }
  }
  std::vector<NpuId> some() {
    std::vector<NpuId> list;
    while (list.empty())
      for (std::uint32_t n = 0; n < at_.size(); ++n)
        if (below(2) == 0) list.push_back(static_cast<NpuId>(n));
    return list;
  }

  using Port = std::pair<std::size_t, PortId>;
  struct Ports {
    std::set<Port> in, out;
  };
  /// The sum is made at the lowest switch above all contributors, or above all receivers if that lies below
  /// it.
  Ports expected(const std::vector<NpuId>& from, const std::vector<NpuId>& to) const {
    const std::size_t source = common(from), target = common(to);
    const bool lies_below = up(target).count(source) != 0;
    const std::size_t turn = lies_below ? target : source;
    Ports ports;
    for (const NpuId npu : from) {
      ports.in.insert({at_[index_of(npu)], ports_[index_of(npu)]});
      walk(at_[index_of(npu)], turn, ports);
    }
    for (const NpuId npu : to) {
      ports.out.insert({at_[index_of(npu)], ports_[index_of(npu)]});
      walk(turn, at_[index_of(npu)], ports);
    }
    return ports;
  }
  /// The switch has a parent, and the branch an input from it.
  std::optional<PortId> from_above(const FlowTree::SwitchBranch& place) const {
    if (place.at == 0) return std::nullopt;
    const auto& inputs = place.branch.inputs;
    const bool comes = std::find(inputs.begin(), inputs.end(), parent_[place.at].here) != inputs.end();
    return comes ? std::optional(parent_[place.at].here) : std::nullopt;
  }
  FlowTree tree;

 private:
  struct Parent {
    std::size_t at;
    PortId here, there;
  };
  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  /// A switch and those above it.
  std::set<std::size_t> up(std::size_t s) const {
    std::set<std::size_t> found{s};
    for (; s != 0; s = parent_[s].at) found.insert(parent_[s].at);
    return found;
  }
  /// Parents have lower numbers: of the switches above all of these the last one is the lowest.
  std::size_t common(const std::vector<NpuId>& npus) const {
    std::set<std::size_t> all = up(at_[index_of(npus.front())]);
    for (const NpuId npu : npus) {
      std::set<std::size_t> both;
      for (const std::size_t s : up(at_[index_of(npu)]))
        if (all.count(s) != 0) both.insert(s);
      all = both;
    }
    return *all.rbegin();
  }
  void walk(std::size_t from, std::size_t to, Ports& ports) const {
    while (from != to) {
      const bool down = up(to).count(from) != 0;
      std::size_t child = down ? to : from;
      while (down && parent_[child].at != from) child = parent_[child].at;
      const Port low{child, parent_[child].here}, high{parent_[child].at, parent_[child].there};
      ports.out.insert(down ? high : low);
      ports.in.insert(down ? low : high);
      from = down ? child : parent_[child].at;
    }
  }

  std::mt19937_64& random_;
  std::vector<Parent> parent_;
  std::vector<std::size_t> at_;
  std::vector<PortId> ports_;
};

TEST(FlowTree, FlowsTakeTheShortestWays) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 500; ++round) {
    RandomTree model(random);
    const std::vector<NpuId> from = model.some(), to = model.some();
    RandomTree::Ports ports;
    for (const FlowTree::SwitchBranch& place : model.tree.branches(from, to)) {
      const FlowBranch& branch = place.branch;
      for (const PortId port : branch.inputs) EXPECT_TRUE(ports.in.insert({place.at, port}).second);
      for (const PortId port : branch.outputs) EXPECT_TRUE(ports.out.insert({place.at, port}).second);
      EXPECT_TRUE(std::is_sorted(branch.inputs.begin(), branch.inputs.end()));
      EXPECT_TRUE(std::is_sorted(branch.outputs.begin(), branch.outputs.end()));
      EXPECT_EQ(branch.from_above, model.from_above(place));
      ASSERT_EQ(branch.order.size() + 1, branch.inputs.size());
      for (std::uint32_t i = 0; i < branch.order.size(); ++i) {
        EXPECT_EQ(branch.order[i].into, 0U);
        EXPECT_EQ(branch.order[i].from, i + 1);
      }
    }
    const RandomTree::Ports expected = model.expected(from, to);
    EXPECT_EQ(ports.in, expected.in);
    EXPECT_EQ(ports.out, expected.out);
  }
}

// The same sums as at the switches, one after the other, in a notation with brackets.
TEST(FlowTree, AdditionsAreThoseOfTheSwitches) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 300; ++round) {
    RandomTree model(random);
    const std::vector<NpuId> from = model.some(), to = model.some();
    const auto branches = model.tree.branches(from, to);
    std::map<std::pair<std::size_t, PortId>, std::string> leaves;  // what each output sends
    std::string result;
    for (std::size_t pass = 0; pass < branches.size(); ++pass)
      for (const auto& [at, branch] : branches) {
        std::vector<std::string> values;
        for (const PortId input : branch.inputs) {
          const auto behind = model.tree.behind(at, input);
          if (behind) {
            values.push_back(leaves[{behind->at, behind->port}]);
            continue;
          }
          for (std::size_t i = 0; i < from.size(); ++i) {
            const FlowTree::Attachment here = model.tree.attachment(from[i]);
            if (here.at == at && here.port == input) values.push_back(std::to_string(i));
          }
        }
        ASSERT_EQ(values.size(), branch.inputs.size());
        if (std::count(values.begin(), values.end(), "") != 0) continue;
        std::string sum = values[0];
        for (std::size_t i = 1; i < values.size(); ++i) sum = "(" + sum + "+" + values[i] + ")";
        for (const PortId output : branch.outputs) leaves[{at, output}] = sum;
        const FlowTree::Attachment receiver = model.tree.attachment(to.front());
        if (receiver.at == at && leaves.count({at, receiver.port}) != 0) result = leaves[{at, receiver.port}];
      }
    std::vector<std::string> values;
    for (std::size_t i = 0; i < from.size(); ++i) values.push_back(std::to_string(i));
    std::string last = values[0];
    const AdditionOrder order = model.tree.additions(from, branches);
    EXPECT_EQ(order.size(), from.size() - 1);
    for (const Addition& addition : order)
      last = values[addition.into] = "(" + values[addition.into] + "+" + values[addition.from] + ")";
    EXPECT_EQ(last, result);
  }
}

TEST(FlowTree, RefusesFlowsOfNobody) {
  const FlowTree tree = star();
  const std::string text = "a flow needs a contributor and a receiver";
  EXPECT_EQ(test::refusal_of([&] { tree.branches({}, kAll); }), text);
  EXPECT_EQ(test::refusal_of([&] { tree.branches(kAll, {}); }), text);
  EXPECT_NE(test::refusal_of([&] { tree.branches({NpuId{3}}, kAll); }), "");
  FlowTree two = star();
  two.attach(NpuId{3}, two.add_switch(1), PortId{0});
  EXPECT_EQ(test::refusal_of([&] {
              two.branches({NpuId{3}, NpuId{0}}, kAll);
            }),
            "the members of a flow are in different trees");
}

}  // namespace
}  // namespace wafertlm
