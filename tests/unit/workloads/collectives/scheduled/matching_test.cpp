// SPDX-License-Identifier: Apache-2.0
// What greedy matching plans, played back: nobody sends what it has not got, links carry one piece at a time,
// and everybody gets everything once.
#include "workloads/collectives/scheduled/matching.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/workloads/collectives/scheduled/links.h"

namespace wafertlm {
namespace {

/// Places where a piece is, and since when.
using Since = std::map<std::pair<std::uint32_t, std::uint32_t>, TimePs>;

/// Plays sends; `since` begins with what ranks have. @return the end.
TimePs play(const std::vector<PlannedSend>& sends, const RankLinks& links, const LinkTimes& times,
            Since& since) {
  std::vector<TimePs> free(links.links.size(), 0);
  TimePs end = 0, before = 0;
  for (const PlannedSend& send : sends) {
    const RankLinks::Link& link = links.links[send.link];
    EXPECT_GE(send.start, before);
    EXPECT_GE(send.start, free[send.link]);
    const auto at_sender = since.find({link.from, send.piece});
    if (at_sender == since.end() || at_sender->second > send.start) {
      ADD_FAILURE() << "rank " << link.from << " has no piece " << send.piece;
      return 0;
    }
    const TimePs arrives = send.start + times.hops[send.link];
    EXPECT_TRUE(since.emplace(std::pair(link.to, send.piece), arrives).second) << "comes twice";
    free[send.link] = send.start + times.slots[send.link];
    before = send.start;
    end = std::max(end, arrives);
  }
  return end;
}

TEST(Matching, SpreadsEveryPieceToAllOnce) {
  std::mt19937_64 random(1);
  for (int number = 0; number < 60; ++number) {
    const auto ranks = static_cast<std::uint32_t>(2 + random() % 20);
    const RankLinks links = test::random_rank_links(random, ranks);
    const LinkTimes times = test::times_of(links, 1 + random() % 1'000'000);
    std::vector<std::uint32_t> owners;
    for (std::uint64_t piece = 0, pieces = 1 + random() % 100; piece < pieces; ++piece)
      owners.push_back(static_cast<std::uint32_t>(random() % ranks));
    Since since;
    for (std::uint32_t piece = 0; piece < owners.size(); ++piece) since[{owners[piece], piece}] = 0;
    play(match_spread(links, times, owners), links, times, since);
    EXPECT_EQ(since.size(), owners.size() * ranks) << number;
  }
}

TEST(Matching, ExchangesEveryPieceOnce) {
  std::mt19937_64 random(2);
  for (int number = 0; number < 60; ++number) {
    const auto ranks = static_cast<std::uint32_t>(2 + random() % 16);
    const auto pieces = static_cast<std::uint32_t>(1 + random() % 3);
    const RankLinks links = test::random_rank_links(random, ranks);
    const LinkTimes times = test::times_of(links, 1 + random() % 1'000'000);
    Since since;
    for (std::uint32_t piece = 0; piece < ranks * ranks * pieces; ++piece)
      since[{piece / pieces / ranks, piece}] = 0;
    play(match_exchange(links, times, pieces), links, times, since);
    for (std::uint32_t piece = 0; piece < ranks * ranks * pieces; ++piece)
      EXPECT_EQ(since.count({piece / pieces % ranks, piece}), 1U) << number << ": " << piece;
  }
}

TEST(Matching, BackwardsBringsSumsTogether) {
  std::mt19937_64 random(3);
  for (int number = 0; number < 30; ++number) {
    const auto ranks = static_cast<std::uint32_t>(2 + random() % 12);
    const RankLinks links = test::random_rank_links(random, ranks);
    const LinkTimes times = test::times_of(links, 1 + random() % 1'000'000);
    std::vector<std::uint32_t> owners(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) owners[rank] = rank;
    const auto sends = backwards(match_spread(turned(links), times, owners), times);
    // Every rank but the owner passes its sum on once, after all of it has come.
    std::set<std::pair<std::uint32_t, std::uint32_t>> passed_on;
    Since last;
    TimePs before = 0;
    for (const PlannedSend& send : sends) {
      const RankLinks::Link& link = links.links[send.link];
      EXPECT_GE(send.start, before);
      before = send.start;
      EXPECT_TRUE(passed_on.emplace(link.from, send.piece).second);
      EXPECT_EQ(passed_on.count({link.to, send.piece}), 0U);
      EXPECT_LE((last[{link.from, send.piece}]), send.start);
      TimePs& at_receiver = last[{link.to, send.piece}];
      at_receiver = std::max(at_receiver, send.start + times.hops[send.link]);
    }
    EXPECT_EQ(passed_on.size(), std::size_t{ranks} * (ranks - 1));
  }
}

// A corner of a mesh receives 19 of 20 blocks over two links (ForestColl's cut), the middle of 5 x 4 lets 96
// blocks of an all-to-all pass over four.
TEST(Matching, OnAMeshIsNearTheCut) {
  const RankLinks links = test::mesh_rank_links(5, 4);
  const LinkTimes times = test::times_of(links, 64 << 20);
  std::vector<std::uint32_t> owners(20);
  Since spread, exchange;
  for (std::uint32_t rank = 0; rank < 20; ++rank) spread[{owners[rank] = rank, rank}] = 0;
  for (std::uint32_t piece = 0; piece < 400; ++piece) exchange[{piece / 20, piece}] = 0;
  const auto slots = [&](TimePs end) {
    return static_cast<double>(end) / static_cast<double>(times.slots[0]);
  };
  EXPECT_LE(slots(play(match_spread(links, times, owners), links, times, spread)), 11.1);  // bound: 9.5
  EXPECT_LE(slots(play(match_exchange(links, times, 1), links, times, exchange)), 30.1);   // bound: 24
}

// Two ranks, a link of a hundredth of the rate beside a fast one: what goes over the slow one would come
// last.
TEST(Matching, LeavesTheLastPiecesToFastLinks) {
  RankLinks links = test::ranks_without_links(2);
  test::add_link(links, 0, 1, 1'000'000'000'000);
  test::add_link(links, 0, 1, 10'000'000'000);
  test::add_link(links, 1, 0, 1'000'000'000'000);
  const LinkTimes times = test::times_of(links, 1'000'000);  // 1 us and 100 us
  Since since;
  for (std::uint32_t piece = 0; piece < 20; ++piece) since[{0, piece}] = 0;
  EXPECT_EQ(play(match_spread(links, times, std::vector<std::uint32_t>(20, 0)), links, times, since),
            20'100'000U);
}

}  // namespace
}  // namespace wafertlm
