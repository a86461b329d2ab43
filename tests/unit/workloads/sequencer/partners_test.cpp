// SPDX-License-Identifier: Apache-2.0
// Who meets whom depends on the traces alone: not on durations, policies or the order of issue.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/support/fake_job.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::test {
namespace {

using Nodes = std::vector<chakra::Node>;
using Ids = std::vector<std::uint64_t>;

SequencerOptions with(IssueOrder order) {
  SequencerOptions options;
  options.order = order;
  return options;
}

constexpr IssueOrder kOrders[] = {IssueOrder::fifo, IssueOrder::lifo, IssueOrder::priority};

// Rank 1 gets its collectives ready in the reverse order.
TEST(Partners, RanksThatIssueInOppositeOrdersMeetInTheSameCollectives) {
  for (const IssueOrder order : kOrders) {
    FakeJob job({{compute(1, 10), compute(2, 50, {1}), all_reduce(3, 20, {1}), all_reduce(4, 30, {2})},
                 {compute(1, 10), compute(2, 50, {1}), all_reduce(3, 20, {2}), all_reduce(4, 30, {1})}},
                with(order), true);
    // Rank 0 is in node 3 from 10 on, rank 1 in node 4; at 60 each joins the other.
    EXPECT_EQ(job.run(), 90U);
    EXPECT_EQ(job.partners(), (std::vector<Ids>{{3, 3}, {4, 4}}));
  }
}

TEST(Partners, TheOrderIsThatOfTheDependenciesAndThenOfTheFile) {
  // Node 3 comes first in rank 0's file, but needs node 4: 4 is number 0 on both ranks.
  FakeJob job({{all_reduce(3, 20, {4}), all_reduce(4, 30)}, {all_reduce(4, 30), all_reduce(3, 20, {4})}}, {},
              true);
  EXPECT_EQ(job.run(), 50U);
  EXPECT_EQ(job.partners(), (std::vector<Ids>{{3, 3}, {4, 4}}));
}

// A rank that waits in one collective joins another only if somebody is in it.
TEST(Partners, AWaitDoesNotEmptyTheQueue) {
  FakeJob job({{all_reduce(1, 10), all_reduce(2, 10), all_reduce(3, 10)},
               {compute(9, 100), all_reduce(1, 10, {9}), all_reduce(2, 10, {9}), all_reduce(3, 10, {9})}},
              {}, true);
  EXPECT_EQ(job.run(), 130U) << "one after the other";
  EXPECT_EQ(job.started(0), (Ids{1, 2, 3}));
}

// Each waits in one for which the other is not ready before 1 is done: somebody has to enter 1 first.
TEST(Partners, ACollectiveThatNobodyHasEnteredIsNotStarved) {
  const std::vector<Nodes> ranks{
      {cpu(9, 10), all_reduce(1, 10, {9}), all_reduce(5, 10), all_reduce(6, 10, {1})},
      {cpu(9, 10), all_reduce(1, 10, {9}), all_reduce(5, 10, {1}), all_reduce(6, 10)}};
  for (const IssueOrder order : kOrders) {
    FakeJob job(ranks, with(order), true);
    EXPECT_EQ(job.run(), 30U) << "1 from 10 to 20; then 5 and 6";
    EXPECT_EQ(job.partners(), (std::vector<Ids>{{1, 1}, {5, 5}, {6, 6}}));
  }
}

TEST(Partners, MessagesOfOneRouteMeetByNumberAndNotByTime) {
  // Node 1 is sent last, and is the first of its route; sizes tell them apart.
  Nodes sender{compute(9, 50), send(1, 1, 5, 30, {9}), send(2, 1, 5, 10)};
  sender[1].comm_size = 100;
  Nodes receiver{receive(1, 0, 5), receive(2, 0, 5), compute(3, 1, {2})};
  receiver[0].comm_size = 100;
  FakeJob job({sender, receiver}, {}, true);
  EXPECT_EQ(job.run(), 80U);
  EXPECT_EQ(job.breakdown(1).at("compute"), 1U);
  EXPECT_EQ(job.breakdown(1).at("bubble"), 39U) << "from 11, message 2 and node 3, to the send of message 1";
}

TEST(Partners, MessagesOfDifferentSizesNameBothSides) {
  Nodes receiver{receive(7, 0, 5)};
  receiver[0].comm_size = 65;
  FakeJob job({{send(1, 1, 5, 30)}, receiver});
  try {
    job.run();
    FAIL() << "64 B were received as 65";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    for (const std::string part : {"rank 0 node 1 \"n1\" sends 64 B", "rank 1 node 7 \"n7\" receives 65 B"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

// The first to enter says what it is.
TEST(Partners, CollectivesOfDifferentSizesNameBothSides) {
  FakeJob job({{compute(3, 10), all_reduce(7, 20, {3}, 65)}, {all_reduce(9, 20)}});
  try {
    job.run();
    FAIL() << "they do not agree";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(
        error.what(),
        "collective number 0 of group '': rank 1 enters node 9 \"n9\", all_reduce of 64 B in class dp and "
        "rank 0 enters node 7 \"n7\", all_reduce of 65 B in class dp");
  }
}

/// Ranks with the same collectives, of a size each, in the same file order but behind different work.
std::vector<Nodes> stragglers(std::mt19937_64& random, std::uint32_t ranks, std::uint64_t collectives) {
  std::vector<Nodes> job(ranks);
  for (Nodes& rank : job) {
    for (std::uint64_t id = 0; id < collectives; ++id) rank.push_back(compute(id, 1 + random() % 1'000'000));
    for (std::uint64_t id = 0; id < collectives; ++id) {
      Parents parents{random() % collectives};
      if (id > 0 && random() % 3 == 0) parents.push_back(100 + random() % id);  // other ones on other ranks
      rank.push_back(all_reduce(100 + id, 1000, parents, 64 * (id + 1)));
      rank.back().comm_priority = static_cast<std::uint32_t>(random() % 4);
    }
    for (std::uint64_t k = 0; k < collectives; ++k) {  // work that only takes a place in the file
      const auto place = static_cast<std::ptrdiff_t>(random() % rank.size());
      rank.insert(rank.begin() + place, cpu(1000 + k, 1 + random() % 100'000));
    }
  }
  return job;
}

TEST(Partners, SevenHundredRandomJobsEndWithTheRightOnesInEveryPolicy) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 700; ++i) {
    const std::uint32_t ranks = 2 + static_cast<std::uint32_t>(random() % 4);
    const std::uint64_t collectives = 2 + random() % 8;
    const auto nodes = stragglers(random, ranks, collectives);
    std::vector<Ids> expected;
    for (std::uint64_t id = 0; id < collectives; ++id) expected.emplace_back(ranks, 100 + id);
    for (const IssueOrder order : kOrders) {
      FakeJob first(nodes, with(order), true), second(nodes, with(order), true);
      const TimePs end = first.run();
      ASSERT_EQ(first.partners(), expected) << i;
      ASSERT_EQ(second.run(), end);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        TimePs sum = 0;
        for (const auto& [name, time] : first.breakdown(rank)) sum += time;
        ASSERT_EQ(sum, end);
        ASSERT_EQ(first.started(rank), second.started(rank));
      }
    }
  }
}

}  // namespace
}  // namespace wafertlm::test
