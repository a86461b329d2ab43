// SPDX-License-Identifier: Apache-2.0
// Who knows when that others have entered a collective; ranks 0 and 1 are on wafer 0, 2 and 3 on wafer 1.
#include "platform/run/entry_news.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/support/random_cases.h"

namespace wafertlm {
namespace {

constexpr TimePs kDelay = 501;

/// That a rank is awaited in a collective.
using Awaited = std::tuple<TimePs, std::uint32_t, std::uint64_t>;
/// By rank, in their order.
using Told = std::map<std::uint32_t, std::vector<Awaited>>;
using Answers = std::vector<bool>;

struct Entry {
  TimePs at_ps;
  std::uint32_t rank, group;
  std::uint64_t number;
};

Wafers wafers_of(const std::vector<std::uint32_t>& wafer_of) {
  Wafers wafers;
  wafers.of_npu = wafer_of;
  wafers.count = 1 + *std::max_element(wafer_of.begin(), wafer_of.end());
  wafers.lookahead_ps = kDelay;
  return wafers;
}

/// Ranks that enter at given times, and are asked after each entry whether they gather. `parts`: an object
/// for each, or one for all.
class Ranks final : private Wakeable {
 public:
  Ranks(const std::map<std::string, std::vector<std::uint32_t>>& groups,
        const std::vector<std::uint32_t>& wafer_of, const std::vector<std::optional<Part>>& parts,
        Scheduler& scheduler)
      : scheduler_(scheduler),
        groups_(chakra::CommGroups::from_map(groups, static_cast<std::uint32_t>(wafer_of.size()))),
        wafers_(wafers_of(wafer_of)) {
    for (const std::optional<Part>& part : parts) {
      parts_.push_back(part);
      news_.push_back(
          std::make_unique<EntryNews>(groups_, wafers_, wafer_of, part, scheduler,
                                      [this](std::uint32_t rank, std::uint32_t group, std::uint64_t number,
                                             TimePs now) { told[rank].emplace_back(now, group, number); }));
    }
  }
  void enter(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
      const bool is_new = entries_.find(entry.at_ps) == entries_.end();
      entries_[entry.at_ps].push_back(entry);
      if (is_new) scheduler_.schedule(entry.at_ps, *this, 0, Turn::operations);
    }
  }
  bool gathers(std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now) {
    return of(rank).gathers(rank, group, number, now);
  }

  Told told;
  std::vector<std::pair<TimePs, bool>> answers;

 private:
  EntryNews& of(std::uint32_t rank) {
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (!parts_[part] || parts_[part]->has(wafers_.of_npu[rank])) return *news_[part];
    throw std::logic_error("nobody has it");
  }
  void wake(std::uint32_t, TimePs now) override {
    for (const Entry& entry : entries_.at(now)) {
      of(entry.rank).entered(entry.rank, entry.group, entry.number, now);
      entered_.push_back(entry);
      for (std::uint32_t to = 0; parts_.size() > 1 && to < parts_.size(); ++to)
        for (std::uint32_t from = 0; from < parts_.size(); ++from)
          if (from != to) news_[to]->deliver(news_[from]->take_batch(to));
    }
    for (const Entry& entry : entered_)
      answers.emplace_back(now, gathers(entry.rank, entry.group, entry.number, now));
  }

  Scheduler& scheduler_;
  const chakra::CommGroups groups_;
  const Wafers wafers_;
  std::vector<std::optional<Part>> parts_;
  std::vector<std::unique_ptr<EntryNews>> news_;
  std::map<TimePs, std::vector<Entry>> entries_;
  std::vector<Entry> entered_;
};

const std::vector<std::uint32_t> kTwoWafers{0, 0, 1, 1};

// Rank 1 knows at once that rank 0 has entered; ranks 2 and 3 when the news has come.
TEST(EntryNews, TakesTheLookaheadToAnotherWafer) {
  Scheduler scheduler("scheduler");
  Ranks ranks({{"a", {0, 1, 2, 3}}}, kTwoWafers, {std::nullopt}, scheduler);
  ranks.enter({{1000, 0, 1, 7}, {1200, 2, 1, 7}});
  scheduler.run(10'000);
  const Told expected{{1, {{1000, 1, 7}}}, {3, {{1200, 1, 7}}}};
  EXPECT_EQ(ranks.told, expected);  // rank 2 itself has told wafer 1 before the news from wafer 0 came
}

TEST(EntryNews, TellsAWaferWhereNobodyHasEntered) {
  Scheduler scheduler("scheduler");
  Ranks ranks({{"a", {0, 1, 2, 3}}, {"b", {0, 1}}}, kTwoWafers, {std::nullopt}, scheduler);
  ranks.enter({{1000, 0, 1, 7}, {3000, 1, 2, 0}});
  scheduler.run(10'000);
  const Told expected{
      {0, {{3000, 2, 0}}}, {1, {{1000, 1, 7}}}, {2, {{1000 + kDelay, 1, 7}}}, {3, {{1000 + kDelay, 1, 7}}}};
  EXPECT_EQ(ranks.told, expected);
}

// Rank 3 is the last: its wafer knows so at once, the other one when the news has come.
TEST(EntryNews, ARankGathersUntilAllAreKnownToHaveEntered) {
  Scheduler scheduler("scheduler");
  Ranks ranks({{"a", {0, 1, 2, 3}}}, kTwoWafers, {std::nullopt}, scheduler);
  EXPECT_FALSE(ranks.gathers(0, 1, 7, 0));
  ranks.enter({{1000, 0, 1, 7}, {1000, 1, 1, 7}, {1000, 2, 1, 7}, {4000, 3, 1, 7}});
  scheduler.run(4000 + kDelay);
  EXPECT_TRUE(ranks.gathers(2, 1, 7, 4000));  // until this very instant
  EXPECT_FALSE(ranks.gathers(2, 1, 7, 4001));
  EXPECT_TRUE(ranks.gathers(0, 1, 7, 4000));
  EXPECT_TRUE(ranks.gathers(0, 1, 7, 4000 + kDelay - 1));
  scheduler.run(1);
  EXPECT_TRUE(ranks.gathers(0, 1, 7, 4000 + kDelay));
  EXPECT_FALSE(ranks.gathers(0, 1, 7, 4000 + kDelay + 1));
}

TEST(EntryNews, RefusesNewsThatLieBeforeNow) {
  Scheduler scheduler("scheduler");
  const auto groups = chakra::CommGroups::from_map({{"a", {0, 1, 2, 3}}}, 4);
  const Wafers wafers = wafers_of(kTwoWafers);
  const auto nothing = [](std::uint32_t, std::uint32_t, std::uint64_t, TimePs) {};
  EntryNews here(groups, wafers, kTwoWafers, Part{0, {0, 1}}, scheduler, nothing);
  EntryNews there(groups, wafers, kTwoWafers, Part{1, {0, 1}}, scheduler, nothing);
  here.entered(0, 1, 0, 0);
  EXPECT_EQ(here.take_earliest_ps(), kDelay);
  EXPECT_EQ(here.take_earliest_ps(), kNever);
  const std::vector<std::byte> batch = here.take_batch(1);
  EXPECT_FALSE(batch.empty());
  EXPECT_TRUE(here.take_batch(1).empty());
  sc_core::sc_start(to_sc_time(kDelay + 1));
  EXPECT_THROW(there.deliver(batch), std::logic_error);
}

// Entries at even times, news at odd ones.
TEST(EntryNews, AreTheSameInOneProcessAndInSeveral) {
  std::mt19937_64 random(5);
  Scheduler scheduler("scheduler");
  std::size_t told = 0;
  for (int number = test::random_cases(100, 20); number != 0; --number) {
    const auto count = static_cast<std::uint32_t>(2 + random() % 3);
    std::vector<std::uint32_t> wafer_of;
    for (std::uint32_t wafer = 0; wafer < count; ++wafer)
      wafer_of.insert(wafer_of.end(), 1 + random() % 3, wafer);
    std::map<std::string, std::vector<std::uint32_t>> groups;
    for (const char* const name : {"a", "b"})
      for (std::uint32_t rank = 0; rank < wafer_of.size(); ++rank)
        if (rank == 0 || random() % 3 != 0) groups[name].push_back(rank);
    const TimePs start = (scheduler.now() / 2 + 1) * 2;
    std::vector<Entry> entries;
    for (std::uint32_t group = 1; group <= 2; ++group)
      for (const std::uint32_t rank : groups[group == 1 ? "a" : "b"]) {
        TimePs at = start;
        for (std::uint64_t collective = 0; collective < 4; ++collective) {
          at += 2 * (random() % 600);
          if (random() % 10 != 0) entries.push_back({at, rank, group, collective});
        }
      }
    Part part{0, {}};
    const auto processes = static_cast<std::uint32_t>(2 + random() % (count - 1));
    for (std::uint32_t wafer = 0; wafer < count; ++wafer)
      part.process_of.push_back(wafer < processes ? wafer : static_cast<std::uint32_t>(random() % processes));
    std::vector<std::optional<Part>> parts;
    for (part.process = 0; part.process < processes; ++part.process) parts.emplace_back(part);
    Ranks one(groups, wafer_of, {std::nullopt}, scheduler), several(groups, wafer_of, parts, scheduler);
    one.enter(entries);
    several.enter(entries);
    scheduler.run(20'000);
    told += one.told.size();
    EXPECT_EQ(one.told, several.told);
    EXPECT_EQ(one.answers, several.answers);
  }
  EXPECT_GT(told, 0U);
}

}  // namespace
}  // namespace wafertlm
