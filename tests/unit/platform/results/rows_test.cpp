// SPDX-License-Identifier: Apache-2.0
// Rows of results.json and its tables, of records with known figures.
#include "platform/results/rows.h"
#include "platform/machine/machine_links.h"

#include <gtest/gtest.h>

#include "platform/describe/table.h"
#include "platform/results/results.h"
#include "platform/results/tables.h"

namespace wafertlm::results {
namespace {

CollectiveRecord record(TimePs first, TimePs last, TimePs end, TimePs bound = 0) {
  CollectiveRecord row;
  row.type = CollectiveType::all_reduce;
  row.bytes = 8'000'000;
  row.group_size = 4;
  row.first_entry_ps = first;
  row.last_entry_ps = last;
  row.end_ps = end;
  row.cost = {1'500'000, bound};
  return row;
}

// From the first entry to the end; the bandwidth counts from the last entry: 8 MB in 4 us, times 2 · 3/4.
TEST(Rows, OfACollective) {
  const Json row = collective_fields().json(record(1'000'000, 3'000'000, 7'000'000, 900'000));
  EXPECT_DOUBLE_EQ(row["start_s"], 1e-6);
  EXPECT_DOUBLE_EQ(row["skew_s"], 2e-6);
  EXPECT_DOUBLE_EQ(row["time_s"], 6e-6);
  EXPECT_EQ(row["time_ps"], 6'000'000);
  EXPECT_DOUBLE_EQ(row["end_s"], 7e-6);
  EXPECT_DOUBLE_EQ(row["predicted_s"], 1.5e-6);
  EXPECT_DOUBLE_EQ(row["bound_s"], 0.9e-6);
  EXPECT_DOUBLE_EQ(row["bus_bandwidth_bytes_per_s"], 3e12);
  CollectiveRecord stream = record(0, 0, 4'000'000);
  stream.io_stream = true;
  EXPECT_DOUBLE_EQ(collective_fields().json(stream)["bus_bandwidth_bytes_per_s"], 2e12);
  EXPECT_EQ(collective_fields().json(record(5, 5, 5))["bus_bandwidth_bytes_per_s"], 0);
}

TEST(Rows, OfALink) {
  const ClassTable classes({{"mp", 0, 1, 3}, {"pp", 1, 1, 2}, {"dp", 2, 1, 1}}, 3);
  MachineLink link;
  link.name = "a->b";
  link.bytes_per_s = 1'000'000'000'000;
  OutputCounters counters;
  counters.packets = 7;
  counters.payload_bytes = 4000;
  counters.wire_bytes = 5000;
  counters.credit_blocked_ps = 2000;
  counters.queue_wait_ps = 3000;
  counters.credit_wait_ps = 4000;
  counters.contention_wait_ps[2] = 5000;
  counters.longest_wait_ps[0] = 6000;
  const Json row = link_fields().json({link, counters, classes, 20'000, 1e-12});
  EXPECT_EQ(row["packets"], 7);
  EXPECT_EQ(row["bytes"], 4000);
  EXPECT_EQ(row["wire_bytes"], 5000);
  EXPECT_DOUBLE_EQ(row["busy_fraction"], 0.25);  // 5 ns of 20
  EXPECT_DOUBLE_EQ(row["blocked_fraction"]["credit"], 0.1);
  EXPECT_DOUBLE_EQ(row["packet_wait_s"]["queue"], 3e-9);
  EXPECT_DOUBLE_EQ(row["packet_wait_s"]["credit"], 4e-9);
  EXPECT_EQ(row["packet_wait_s"]["contention"].size(), 1U);
  EXPECT_DOUBLE_EQ(row["packet_wait_s"]["contention"]["dp"], 5e-9);
  EXPECT_EQ(row["longest_wait_s"].size(), 1U);
  EXPECT_DOUBLE_EQ(row["longest_wait_s"]["mp"], 6e-9);
}

TEST(Rows, OfAnIteration) {
  IterationResult iteration;
  iteration.start_ps = 1'000'000;
  iteration.end_ps = 5'000'000;
  iteration.last_rank = 1;
  iteration.ranks = {{{"compute", 3'000'000}, {"idle", 1'000'000}},
                     {{"compute", 1'000'000}, {"odd", 2'000'000}, {"bubble", 1'000'000}}};
  iteration.last = iteration.ranks[1];
  iteration.least = {{"compute", 1'000'000}};
  iteration.most = {{"compute", 3'000'000}};
  iteration.mean = {{"compute", 2e6}};
  iteration.rank_end_ps = {4'000'000, 5'000'000};
  IterationWork work;
  work.operations = 6e6;
  work.samples = 20;
  const Json row = iteration_fields().json({iteration, true, nullptr, false, work, 3e12});
  EXPECT_DOUBLE_EQ(row["mfu"], 0.5);  // 6e6 operations in 4 us are 1.5 TFLOPS
  EXPECT_DOUBLE_EQ(row["samples_per_s"], 5e6);
  EXPECT_TRUE(row["tokens_per_s"].is_null());
  EXPECT_DOUBLE_EQ(row["time_s"], 4e-6);
  EXPECT_EQ(row["time_ps"], 4'000'000);
  EXPECT_DOUBLE_EQ(row["start_s"], 1e-6);
  EXPECT_DOUBLE_EQ(row["end_s"], 5e-6);
  EXPECT_EQ(row["rank"], 1);
  EXPECT_DOUBLE_EQ(row["breakdown_s"]["compute"], 1e-6);
  EXPECT_DOUBLE_EQ(row["breakdown_s"]["exposed_odd"], 2e-6);
  EXPECT_DOUBLE_EQ(row["breakdown_s"]["bubble"], 1e-6);
  EXPECT_EQ(row["breakdown_s"]["cpu"], 0);
  EXPECT_EQ(row["breakdown_s"]["exposed_mp"], 0);  // those that every file has
  EXPECT_FALSE(row["breakdown_s"].contains("exposed_compute"));
  EXPECT_FALSE(row["breakdown_s"].contains("exposed_idle"));
  EXPECT_EQ(row["breakdown_ps"], (Json{{"bubble", 1'000'000}, {"compute", 1'000'000}, {"odd", 2'000'000}}));
  EXPECT_DOUBLE_EQ(row["breakdown_mean_s"]["compute"], 2e-6);
  ASSERT_EQ(row["ranks"].size(), 2U);
  EXPECT_EQ(row["ranks"][0]["rank"], 0);
  EXPECT_DOUBLE_EQ(row["ranks"][0]["done_s"], 4e-6);
  EXPECT_DOUBLE_EQ(row["ranks"][0]["time_s"], 4e-6);
  EXPECT_DOUBLE_EQ(row["ranks"][0]["breakdown_s"]["idle"], 1e-6);
  EXPECT_EQ(iteration_fields().json({iteration, false})["ranks"], Json::array());
}

// Of very many collectives those that lie farthest above their bound are listed, the worst first.
TEST(Rows, OfTheWorstCollectives) {
  std::vector<CollectiveRecord> records;
  for (TimePs k = 0; k < 10; ++k) {  // excess 3, 6, 9, 2, 5, 8, 1, 4, 7, 0; the longest is not the worst
    const TimePs excess = (3 * k + 3) % 10;
    records.push_back(record(100, 100, 100 + 1000 * (10 - excess) + excess, 1000 * (10 - excess)));
    records.back().id = excess;
  }
  std::vector<const CollectiveRecord*> all;
  for (const CollectiveRecord& each : records) all.push_back(&each);
  const auto ids = [](const std::vector<const CollectiveRecord*>& of) {
    std::vector<std::uint64_t> list;
    for (const CollectiveRecord* each : of) list.push_back(each->id);
    return list;
  };
  EXPECT_EQ(ids(listed(all, 9, 4)), (std::vector<std::uint64_t>{9, 8, 7, 6}));
  EXPECT_EQ(ids(listed(all, 10, 4)), ids(all));
}

TEST(Rows, SchemaOfABreakdown) {
  const Json breakdown = results_schema()["$defs"]["breakdown"];
  EXPECT_EQ(breakdown["required"],
            (Json{"compute", "exposed_mp", "exposed_dp", "exposed_pp", "exposed_ep", "exposed_input",
                  "exposed_weights", "exposed_memory", "bubble", "cpu", "idle"}));
  EXPECT_EQ(breakdown["propertyNames"]["pattern"], "^(compute|bubble|cpu|idle|exposed_.+)$");
}

/// The text of one of the files.
std::string table(const Json& results, const std::string& name) {
  for (const auto& [file, text] : result_tables(results))
    if (file == name) return text;
  return "no " + name;
}

TEST(Rows, ATablePerKind) {
  Json results = {
      {"iterations",
       {{{"time_s", 2.5e-3},
         {"time_ps", 2'500'000'000},
         {"breakdown_s", {{"compute", 2e-3}, {"exposed_dp", 0.5e-3}}},
         {"ranks",
          {{{"rank", 4}, {"breakdown_s", {{"compute", 2e-3}, {"exposed_dp", 0.5e-3}, {"idle", 0.0}}}}}}}}},
      {"collectives", {collective_fields().json(record(0, 0, 2'000'000, 1'000'000))}},
      {"links", Json::array()},
      {"memories", {{{"name", "npu0"}, {"lost", {{"refresh_s", 1e-6}}}, {"channel_time_fs", 7}}}}};
  results["collectives"][0]["name"] = "a \"b\", c";
  EXPECT_EQ(names_of_result_tables(),
            (std::vector<std::string>{"iterations.csv", "breakdown.csv", "collectives.csv", "links.csv",
                                      "memories.csv"}));
  EXPECT_EQ(table(results, "iterations.csv"),
            "\"iteration\",\"time_s\",\"breakdown_compute_s\",\"breakdown_exposed_dp_s\"\n"
            "0,0.0025,0.002,0.0005\n");
  EXPECT_EQ(table(results, "breakdown.csv"),
            "\"iteration\",\"rank\",\"part\",\"time_s\"\n0,4,\"compute\",0.002\n0,4,\"exposed_dp\",0.0005\n");
  const std::string collectives = table(results, "collectives.csv");
  EXPECT_EQ(collectives.find("_ps"), std::string::npos);
  EXPECT_NE(collectives.find("\"a \"\"b\"\", c\""), std::string::npos) << collectives;
  EXPECT_EQ(table(results, "links.csv"), "\"name\",\"bytes\",\"wire_bytes\",\"packets\",\"busy_fraction\"\n");
  EXPECT_EQ(table(results, "memories.csv").substr(0, 67),
            "\"name\",\"bytes_read\",\"bytes_written\",\"busy_fraction\",\"lost_refresh_s");
  // Of a sampled run every time has its half-width beside it; what was simulated has none.
  results["iterations"][0]["number"] = 17;
  results["iterations"][0]["breakdown_half_width_s"] = {{"exposed_dp", 5e-7}};
  EXPECT_EQ(table(results, "breakdown.csv"),
            "\"iteration\",\"rank\",\"part\",\"time_s\",\"time_half_width_s\"\n"
            "17,4,\"compute\",0.002,\n17,4,\"exposed_dp\",0.0005,5e-07\n");
}

// A table without rows has the header that one with rows begins with.
TEST(Rows, HeadersAreThoseOfTheFields) {
  const std::string with = csv(Json::array({collective_fields().json(record(0, 0, 2, 1))}));
  Json none = {{"iterations", Json::array()},
               {"collectives", Json::array()},
               {"links", Json::array()},
               {"memories", Json::array()}};
  std::string header = with.substr(0, with.find('\n') + 1);
  header.erase(header.find("\"time_ps\","), std::string("\"time_ps\",").size());
  EXPECT_EQ(table(none, "collectives.csv"), header);
}

}  // namespace
}  // namespace wafertlm::results
