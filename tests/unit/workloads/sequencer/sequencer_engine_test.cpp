// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/sequencer_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/fake_job.h"
#include "tests/support/trace_nodes.h"

namespace wafertlm::test {
namespace {

using Ids = std::vector<std::uint64_t>;
using Nodes = std::vector<chakra::Node>;

Ids order(const Nodes& rank, IssueOrder order) {
  SequencerOptions options;
  options.order = order;
  FakeJob job({rank}, options);
  job.run();
  return job.started(0);
}

TEST(IssueOrder, DecidesWhichReadyNodeAFreeResourceTakes) {
  // 1 is ready at once, 4 becomes ready when 1 is done.
  Nodes rank{compute(1, 10), compute(2, 10), compute(3, 10), compute(4, 10, {1})};
  rank[2].comm_priority = 7;
  EXPECT_EQ(order(rank, IssueOrder::fifo), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(order(rank, IssueOrder::lifo), (Ids{3, 2, 1, 4}));
  EXPECT_EQ(order(rank, IssueOrder::priority), (Ids{3, 1, 2, 4}));
  EXPECT_EQ(
      order({compute(3, 10), compute(2, 10), compute(9, 10), compute(1, 5, {3})}, IssueOrder::lowest_id),
      (Ids{2, 3, 1, 9}));
  // A child of the first one goes before what has waited longer.
  EXPECT_EQ(order({compute(1, 10), cpu(2, 5), compute(3, 10), compute(4, 10, {2})}, IssueOrder::lifo),
            (Ids{3, 2, 4, 1}));
}

TEST(Sequencer, ResourcesOverlapAndAreSerialEach) {
  FakeJob job({{compute(1, 10), compute(2, 10), cpu(3, 7), cpu(4, 7), load(5, 9), load(6, 9), store(7, 30)}});
  EXPECT_EQ(job.run(), 30U);
}

TEST(Sequencer, ALimitOfCommunicationsIsOneQueueForAllButReceives) {
  const Nodes rank{load(1, 10), store(2, 10), load(3, 5), compute(4, 20), cpu(5, 20)};
  const auto time = [&](std::uint32_t communications) {
    SequencerOptions options;
    options.communications = communications;
    return FakeJob({rank}, options).run();
  };
  EXPECT_EQ(time(0), 20U);
  EXPECT_EQ(time(1), 25U);
  EXPECT_EQ(time(2), 20U);
  // The second send waits for the first, and a receive for nobody.
  SequencerOptions one;
  one.communications = 1;
  one.order = IssueOrder::lowest_id;
  FakeJob job(
      {{send(2, 1, 5, 30), send(1, 1, 6, 10)}, {receive(1, 0, 5), receive(2, 0, 6), all_reduce(3, 7)}}, one);
  EXPECT_EQ(job.started(0), (Ids{}));
  job.run();
  EXPECT_EQ(job.started(0), (Ids{1, 2}));
  EXPECT_EQ(job.started(1), (Ids{1, 2, 3}));
}

// Nothing is joined: as in ASTRA-sim, ranks that begin with different collectives wait for ever.
TEST(Sequencer, WithALimitOfCommunicationsNothingIsJoined) {
  SequencerOptions one;
  one.communications = 1;
  const std::vector<Nodes> ranks{{all_reduce(1, 10), all_reduce(2, 10)},
                                 {cpu(9, 5), all_reduce(1, 10, {9}), all_reduce(2, 10)}};
  FakeJob joined(ranks, {}, true), strict(ranks, one, true);
  EXPECT_GT(joined.run(), 0U);
  EXPECT_TRUE(joined.engine(0).idle());
  strict.run();
  EXPECT_FALSE(strict.engine(0).idle());
  EXPECT_FALSE(strict.engine(1).idle());
}

TEST(Sequencer, ParentsMayComeAfterTheirChildrenEvenBeyondTheLookAhead) {
  Nodes rank{compute(1, 10, {100})};
  for (std::uint64_t id = 2; id < 50; ++id) rank.push_back(compute(id, 10, {id - 1}));
  rank.push_back(compute(100, 10));
  SequencerOptions options;
  options.look_ahead = 4;
  FakeJob job({rank}, options);
  EXPECT_EQ(job.run(), 500U);
  EXPECT_EQ(job.started(0).front(), 100U);
}

TEST(Sequencer, HoldsTheNodesInFlightAndNotTheTrace) {
  constexpr std::uint64_t kNodes = 100'000;
  SequencerOptions options;
  options.look_ahead = 1000;
  Nodes chain, independent;
  for (std::uint64_t id = 0; id < kNodes; ++id) {
    chain.push_back(compute(id, 10, id == 0 ? Parents{} : Parents{id - 1}));
    independent.push_back(compute(id, 10));
  }
  for (const Nodes& rank : {chain, independent}) {
    FakeJob job({rank}, options);
    job.causes.bound(2000, [&job] { return job.accounted_ps(); });
    EXPECT_EQ(job.run(), 10 * kNodes);
    EXPECT_EQ(job.breakdown(0), (std::map<std::string, TimePs>{{"compute", 10 * kNodes}}));
    EXPECT_TRUE(std::is_sorted(job.started(0).begin(), job.started(0).end()));
    EXPECT_LE(job.engine(0).held_high_water(), 1000U);
    EXPECT_LE(job.causes.high_water(), 4000U);
  }
}

TEST(Sequencer, AnUnknownParentIsAnErrorAtTheEndOfTheTrace) {
  FakeJob job({{compute(1, 10), compute(2, 10, {77})}});
  EXPECT_THROW(job.run(), std::runtime_error);
}

TEST(Sequencer, OnlyDataDependenciesCountOnRequestAndMissingOnesIfAccepted) {
  Nodes rank{compute(1, 10), compute(2, 10, {77})};
  rank[0].ctrl_deps = {1, 99};
  SequencerOptions options;
  options.dependencies = chakra::Dependencies::data;
  options.missing = {77};
  FakeJob job({rank}, options);
  EXPECT_EQ(job.run(), 20U);
}

TEST(Sequencer, MessagesOfOneTagAreMatchedInOrder) {
  FakeJob job(
      {{send(1, 1, 5, 30), send(2, 1, 5, 10)}, {receive(1, 0, 5), receive(2, 0, 5), compute(3, 1, {2})}});
  EXPECT_EQ(job.run(), 30U);
  EXPECT_EQ(job.breakdown(1).at("pp"), 10U + 19U) << "the second message was there at 10";
}

}  // namespace
}  // namespace wafertlm::test
