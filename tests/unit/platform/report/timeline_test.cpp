// SPDX-License-Identifier: Apache-2.0
// What the report's timeline keeps of operations and stretches of time.
#include "platform/report/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

Task task(std::uint64_t id, Task::Kind kind, const std::string& name) {
  Task task;
  task.id = id;
  task.kind = kind;
  task.name = name;
  return task;
}

void run(Timeline& timeline, std::uint32_t rank, const Task& task, TimePs issued, TimePs start, TimePs end) {
  timeline.operation_started(rank, task, issued);
  timeline.operation_ended(rank, task, start, end);
}

/// With texts in place of their numbers.
Json read(Timeline& timeline) {
  Json json = timeline.json();
  const auto text = [&](const Json& place) -> Json {
    return place.get<int>() < 0 ? Json("none") : json["strings"][place.get<std::size_t>()];
  };
  for (Json& row : json["operations"])
    for (const std::size_t column : {1U, 2U, 3U, 9U}) row[column] = text(row[column]);
  for (Json& row : json["short"])
    for (const std::size_t column : {1U, 2U}) row[column] = text(row[column]);
  for (Json& row : json["spent"])
    if (row[3].is_array())
      for (Json& part : row[3]) part[0] = text(part[0]);
    else
      row[3] = text(row[3]);
  return json;
}

TEST(Timeline, OperationsByRankAndTime) {
  Timeline timeline;
  Task collective = task(7, Task::Kind::collective, "sum");
  collective.group = "dp";
  collective.traffic_class = "dp";
  collective.number = 5;
  collective.bytes = 100;
  Task receive = task(8, Task::Kind::receive, "get");
  receive.peer = 3;
  receive.traffic_class = "pp";
  run(timeline, 1, collective, 10, 20, 40);
  run(timeline, 0, task(2, Task::Kind::compute, "b"), 1, 30, 50);
  run(timeline, 0, task(9, Task::Kind::compute, "a"), 2, 5, 30);
  run(timeline, 0, receive, 3, 5, 6);
  EXPECT_EQ(read(timeline)["operations"],
            Json::parse(R"([[0, "receive", "get", "pp", 3, 5, 6, 0, 8, "none", 3],
                            [0, "compute", "a", "", 2, 5, 30, 0, 9, "none", 0],
                            [0, "compute", "b", "", 1, 30, 50, 0, 2, "none", 0],
                            [1, "collective", "sum", "dp", 10, 20, 40, 100, 7, "dp", 5]])"));
}

// A rank may run the same node again.
TEST(Timeline, ANodeOfTwoIterations) {
  Timeline timeline;
  const Task node = task(2, Task::Kind::compute, "a");
  run(timeline, 0, node, 1, 2, 3);
  run(timeline, 0, node, 11, 12, 13);
  const Json rows = read(timeline)["operations"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][4], 1);
  EXPECT_EQ(rows[1][4], 11);
}

TEST(Timeline, NeighboursOfOneCategoryBecomeOne) {
  Timeline timeline;
  timeline.time_spent(0, 20, 30, "dp");
  timeline.time_spent(0, 0, 10, "compute");
  timeline.time_spent(0, 10, 20, "compute");
  timeline.time_spent(0, 35, 40, "dp");  // a gap before it
  timeline.time_spent(1, 40, 50, "dp");  // another rank
  timeline.time_spent(1, 50, 60, "idle");
  EXPECT_EQ(read(timeline)["spent"],
            Json::parse(R"([[0, 0, 20, "compute"], [0, 20, 30, "dp"], [0, 35, 40, "dp"],
                                                      [1, 40, 50, "dp"], [1, 50, 60, "idle"]])"));
}

// Beyond what it may keep the shortest operations are short ones; of equal ones the first stay.
TEST(Timeline, KeepsTheLongest) {
  Timeline timeline(4);
  const TimePs lengths[] = {5, 1, 9, 3, 3, 7, 3, 8, 2};
  TimePs at = 0;
  std::uint64_t id = 0;
  for (const TimePs length : lengths) {
    run(timeline, 0, task(id++, Task::Kind::compute, "x"), at, at, at + length);
    at += 100;
  }
  const Json json = read(timeline);
  std::vector<int> ids;
  for (const Json& row : json["operations"]) ids.push_back(row[8]);
  EXPECT_EQ(ids, (std::vector<int>{0, 2, 5, 7}));
  // Of 1, 3, 3, 3 and 2 ps at 100, 300, 400, 600 and 800 four may be kept: parts of 256 ps make them four.
  EXPECT_EQ(json["short"],
            Json::parse(R"([[0, "compute", "", 100, 101, 1, 1], [0, "compute", "", 300, 403, 6, 2],
                            [0, "compute", "", 600, 603, 3, 1], [0, "compute", "", 800, 802, 2, 1]])"));
  Timeline equal(2);
  for (std::uint64_t k = 0; k < 3; ++k) run(equal, 0, task(k, Task::Kind::cpu, "y"), k, k, k + 6);
  const Json kept = read(equal);
  ASSERT_EQ(kept["operations"].size(), 2U);
  EXPECT_EQ(kept["operations"][1][8], 1);
  EXPECT_EQ(kept["operations"][1][1], "cpu");
  EXPECT_EQ(kept["short"], Json::parse(R"([[0, "cpu", "", 2, 8, 6, 1]])"));
}

// By hand: parts of 16 ps make four of nine; with parts of 8 ps there are more.
TEST(Timeline, ShortStretchesBecomeOneWithTheirParts) {
  Timeline timeline(4);
  TimePs at = 0;
  int i = 0;
  for (const TimePs to : std::initializer_list<TimePs>{6, 7, 8, 12, 14, 40, 50, 55, 60}) {
    timeline.time_spent(0, at, to, i++ % 2 == 0 ? "compute" : "dp");
    at = to;
  }
  const Json json = read(timeline);
  EXPECT_EQ(json["spent"], Json::parse(R"([[0, 0, 14, [["compute", 9], ["dp", 5]]], [0, 14, 40, "dp"],
                                           [0, 40, 50, "compute"], [0, 50, 60, [["dp", 5], ["compute", 5]]]])"));
  EXPECT_EQ(json["spent_resolution_ps"], 16);
}

// Random ranks: nothing is lost, however few may be kept, and what is longer than the resolution stays.
TEST(Timeline, MergedStretchesSumExactly) {
  std::mt19937 random(7);
  for (const std::size_t most : {8U, 40U, 200U, 5000U}) {
    Timeline timeline(most);
    constexpr std::uint32_t kRanks = 4;
    TimePs now[kRanks] = {};
    std::map<std::pair<std::uint32_t, std::string>, TimePs> expected, found;
    std::vector<std::pair<TimePs, TimePs>> all[kRanks];
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t rank = random() % kRanks;
      const TimePs to = now[rank] + 1 + (random() % 20 == 0 ? random() % 5000 : random() % 30);
      const std::string category = std::string(1, static_cast<char>('a' + i % 3));
      timeline.time_spent(rank, now[rank], to, category);
      expected[{rank, category}] += to - now[rank];
      now[rank] = to;
    }
    const Json json = read(timeline);
    EXPECT_LE(json["spent"].size(), most);
    EXPECT_EQ(json["spent_resolution_ps"] == 0, most == 5000);
    for (const Json& row : json["spent"]) {
      const std::uint32_t rank = row[0];
      const TimePs from = row[1], to = row[2];
      TimePs sum = 0;
      const bool is_one = !row[3].is_array();
      const auto take = [&](const std::string& category, TimePs time_ps) {
        sum += time_ps;
        found[{rank, category}] += time_ps;
      };
      if (is_one) {
        take(row[3], to - from);
      } else {
        for (const Json& part : row[3]) take(part[0], part[1]);
      }
      EXPECT_EQ(sum, to - from);
      EXPECT_TRUE(is_one || to - from <= json["spent_resolution_ps"].get<TimePs>());
      EXPECT_TRUE(all[rank].empty() ? from == 0 : from == all[rank].back().second);
      all[rank].emplace_back(from, to);
    }
    EXPECT_EQ(found, expected);
  }
}

// Random operations: kept and short ones together are all of them, by rank, kind and class, in number and
// time.
TEST(Timeline, ShortOperationsSumExactly) {
  std::mt19937 random(11);
  for (const std::size_t most : {10U, 60U, 400U, 5000U}) {
    Timeline timeline(most);
    using Sums =
        std::map<std::tuple<std::uint32_t, std::string, std::string>, std::pair<TimePs, std::uint64_t>>;
    Sums expected, found;
    const auto add = [](Sums& sums, std::uint32_t rank, const std::string& kind, const std::string& traffic,
                        TimePs time_ps, std::uint64_t count) {
      auto& [time, number] = sums[{rank, kind, traffic}];
      time += time_ps;
      number += count;
    };
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::uint32_t rank = random() % 2;
      const bool computes = random() % 2 == 0;
      Task each = task(i, computes ? Task::Kind::compute : Task::Kind::send, "x");
      each.traffic_class = computes ? "" : random() % 2 == 0 ? "dp" : "pp";
      const TimePs start = 10 * i + random() % 50, time = 1 + random() % 100;
      run(timeline, rank, each, start, start, start + time);
      add(expected, rank, computes ? "compute" : "send", each.traffic_class, time, 1);
    }
    const Json json = read(timeline);
    EXPECT_EQ(json["operations"].size(), std::min<std::size_t>(most, 2000));
    EXPECT_LE(json["short"].size(), most);
    for (const Json& row : json["operations"])
      add(found, row[0], row[1], row[3], row[6].get<TimePs>() - row[5].get<TimePs>(), 1);
    for (const Json& row : json["short"]) {
      add(found, row[0], row[1], row[2], row[5], row[6]);
      EXPECT_LT(row[3].get<TimePs>(), row[4].get<TimePs>());
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace wafertlm
