// SPDX-License-Identifier: Apache-2.0
// What a user sees after a run, of made-up results: which rows, in which order, with which figures.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/results/parts.h"
#include "platform/results/results.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

Json link(const std::string& name, double busy, double no_credit, std::uint64_t bytes) {
  return {{"name", name},
          {"bytes", bytes},
          {"busy_fraction", busy},
          {"blocked_fraction", {{"credit", no_credit}}}};
}

Json collective(const std::string& type, std::uint64_t bytes, double time_s, double bound_s,
                const std::string& traffic_class = "dp") {
  return {{"type", type},           {"algorithm", "ring"},
          {"class", traffic_class}, {"group_size", 4},
          {"bytes", bytes},         {"time_s", time_s},
          {"skew_s", time_s / 8},   {"predicted_s", time_s / 2},
          {"bound_s", bound_s},     {"bus_bandwidth_bytes_per_s", static_cast<double>(bytes) / time_s}};
}

Json parts(double compute, double exposed_dp, double exposed_mp, double idle) {
  return {{"compute", compute}, {"exposed_mp", exposed_mp}, {"exposed_dp", exposed_dp}, {"idle", idle}};
}

/// An iteration of 10 ms, 6 ms of them compute.
Json results() {
  return {{"experiment", "made up"},
          {"platform", "none"},
          {"workload", "some"},
          {"iterations",
           {{{"time_s", 10e-3},
             {"mfu", 0.25},
             {"samples_per_s", 8000.0},
             {"tokens_per_s", nullptr},
             {"rank", 3},
             {"breakdown_s", parts(6e-3, 2.5e-3, 1e-3, 0.5e-3)},
             {"breakdown_min_s", parts(5e-3, 1e-3, 0.5e-3, 0)},
             {"breakdown_mean_s", parts(5.5e-3, 2e-3, 0.75e-3, 0.25e-3)},
             {"breakdown_max_s", parts(7e-3, 3e-3, 1.5e-3, 0.6e-3)}}}},
          {"collectives_total", 0},
          {"collectives", Json::array()},
          {"links", Json::array()},
          {"memories", Json::array()},
          {"compute", {{"model", "roofline"}}},
          {"training", nullptr},
          {"memory_check", {{"checked", true}, {"fits", true}}},
          {"energy_j", {{"links", nullptr}, {"not_modelled", "no energy per bit"}}},
          {"cost", {{"table", nullptr}}},
          {"notes", Json::array({"a first note"})},
          {"traces",
           {{"control_dependencies_left_out", 0},
            {"missing_dependencies", 0},
            {"unknown_attributes", Json::object()}}},
          {"simulation", {{"packet_hops", 2000}, {"end_s", 10e-3}}},
          {"host", {{"wall_s", 0.5}, {"packet_hops_per_s", 4000.0}}}};
}

/// The lines that follow the line with `title`, up to an empty one.
std::vector<std::string> lines_after(const std::string& text, const std::string& title) {
  std::vector<std::string> lines;
  std::size_t at = text.find(title);
  if (at == std::string::npos) return lines;
  at = text.find('\n', at) + 1;
  while (at < text.size() && text[at] != '\n') {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> list;
  for (std::size_t at = line.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    list.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
  return list;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Summary, PartsOfAnIteration) {
  Json given = results();
  given["iterations"][0]["breakdown_s"]["exposed_pp"] = 0.0;
  for (const char* each : {"breakdown_min_s", "breakdown_mean_s", "breakdown_max_s"})
    given["iterations"][0][each]["exposed_pp"] = 0.0;
  const std::string text = run_summary(given);
  EXPECT_EQ(text.rfind("made up\n  platform none, workload some\n", 0), 0U) << text;
  const auto rows = lines_after(text, "Iteration 0: 10.00 ms   (rank 3,");
  ASSERT_EQ(rows.size(), 4U) << text;  // nobody has any exposed_pp
  EXPECT_EQ(words(rows[0]), (std::vector<std::string>{"compute", "6.000", "ms", "60.00", "%", "5.000", "ms",
                                                      "5.500", "ms", "7.000", "ms"}));
  EXPECT_EQ(words(rows[2]), (std::vector<std::string>{"exposed_dp", "2.500", "ms", "25.00", "%", "1.000",
                                                      "ms", "2.000", "ms", "3.000", "ms"}));
  EXPECT_TRUE(contains(text, "The last iteration takes 10.00 ms; the compute units work 60.00 % of it"));
  EXPECT_TRUE(contains(text, "\nAchieved: 25.00 % of the peak (model FLOPs utilisation), 8000 samples/s.\n"));
  EXPECT_TRUE(contains(text, "Simulated 2000 packet hops in 0.50 s (4e+03 per second)"));
}

// A part that the last rank does not have is shown if another rank has it.
TEST(Summary, PartsThatOtherRanksHave) {
  Json given = results();
  given["iterations"][0]["breakdown_s"]["idle"] = 0.0;
  EXPECT_EQ(lines_after(run_summary(given), "Iteration 0").size(), 4U);
  given["iterations"][0]["breakdown_max_s"]["idle"] = 0.0;
  EXPECT_EQ(lines_after(run_summary(given), "Iteration 0").size(), 3U);
}

TEST(Summary, KindsOfCollectivesByTotalTimeAndTheSlowestOfEach) {
  Json given = results();
  // Together the small ones take longest, though one of the large ones takes longer than any of them.
  for (const double time : {1e-3, 3e-3, 2e-3})
    given["collectives"].push_back(collective("all_gather", 1000, time, 0.5e-3));
  given["collectives"].push_back(collective("all_reduce", 4'000'000, 5e-3, 2e-3));
  given["collectives"].push_back(collective("all_to_all", 7000, 1e-3, 1e-3, "ep"));
  given["collectives_total"] = 5;
  const auto rows = lines_after(run_summary(given), "Collectives: 5 in all");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(words(rows[1]),
            (std::vector<std::string>{"all_gather", "ring", "dp", "4", "1.000", "kB", "3", "3.000", "ms",
                                      "375.0", "us", "1.500", "ms", "500.0", "us", "333.3", "kB/s"}));
  EXPECT_EQ(words(rows[2])[0], "all_reduce");
  EXPECT_EQ(words(rows[2])[6], "1");
  EXPECT_EQ(words(rows[3])[0], "all_to_all");
}

TEST(Summary, EightKindsAtMost) {
  for (const std::uint64_t kinds : {8U, 9U, 11U}) {
    Json given = results();
    for (std::uint64_t k = 0; k < kinds; ++k)
      given["collectives"].push_back(
          collective("all_reduce", 1000 + k, 1e-3 * static_cast<double>(k + 1), 0));
    const std::string text = run_summary(given);
    const auto rows = lines_after(text, "Collectives:");
    ASSERT_EQ(rows.size(), kinds == 8 ? 9U : 10U);
    EXPECT_EQ(words(rows[1])[4], "1.0" + std::to_string(kinds / 10) + std::to_string((kinds - 1) % 10))
        << rows[1];
    EXPECT_EQ(contains(text, "... and " + std::to_string(kinds - 8) + " more kinds in results.json"),
              kinds > 8);
  }
  EXPECT_TRUE(contains(run_summary(results()), "\nNo collectives.\n"));
}

TEST(Summary, TheThreeBusiestLinksInOrder) {
  Json given = results();
  given["links"] = {link("a", 0.1, 0, 10), link("b", 0.7, 0.25, 2'000'000), link("c", 0.3, 0, 30),
                    link("d", 0.7, 0, 40), link("e", 0.5, 0.125, 50)};
  const auto rows = lines_after(run_summary(given), "Busiest links");
  ASSERT_GE(rows.size(), 4U);
  EXPECT_EQ(words(rows[1]), (std::vector<std::string>{"b", "2.000", "MB", "70.00", "%", "25.00", "%"}));
  EXPECT_EQ(words(rows[2])[0], "d");  // equal ones in the order of the results
  EXPECT_EQ(words(rows[3])[0], "e");
  given["links"] = Json::array({link("alone", 0.1, 0, 10)});
  EXPECT_EQ(lines_after(run_summary(given), "Busiest links").size(), 2U);
}

TEST(Summary, WhatTheLastRankWaitsFor) {
  Json given = results();
  given["collectives"] = {collective("all_gather", 1000, 1e-3, 0.5e-3),
                          collective("all_reduce", 4096, 3e-3, 2e-3), collective("reduce", 1000, 2e-3, 1e-3),
                          collective("scatter", 1000, 9e-3, 1e-3, "mp")};
  EXPECT_TRUE(contains(run_summary(given),
                       "Most of the rest is exposed_dp (2.500 ms, 25.00 %); its longest collective, "
                       "all_reduce of 4 KiB, takes 1.50 times its lower bound.\n"));
  given["collectives"] = Json::array({collective("all_reduce", 4096, 3e-3, 0)});
  EXPECT_TRUE(contains(run_summary(given), "Most of the rest is exposed_dp (2.500 ms, 25.00 %).\n"));
  given["iterations"][0]["breakdown_s"] = parts(6e-3, 1e-3, 1e-3, 2e-3);
  EXPECT_TRUE(
      contains(run_summary(given), "Most of the rest is idle (2.000 ms, 20.00 %): the rank waits for"));
  given["iterations"][0]["breakdown_s"] = parts(10e-3, 0, 0, 0);
  EXPECT_TRUE(contains(run_summary(given), "Nothing but computation is on the way"));
}

TEST(Summary, WhatWasLeftOut) {
  Json given = results();
  EXPECT_FALSE(contains(run_summary(given), "dependencies"));
  given["traces"] = {{"control_dependencies_left_out", 7},
                     {"missing_dependencies", 2},
                     {"unknown_attributes", {{"comm_group", 3}}}};
  EXPECT_TRUE(contains(run_summary(given), "7 control dependencies of the traces were left out"));
  EXPECT_TRUE(contains(run_summary(given), "2 dependencies are on nodes that are not in the traces"));
  EXPECT_TRUE(contains(run_summary(given),
                       "Attribute 'comm_group' of the traces is not known and changes nothing (3 nodes)"));
}

TEST(Summary, MemoryEnergyAndNotes) {
  Json given = results();
  EXPECT_TRUE(contains(run_summary(given), "Energy: not modelled (no energy per bit)."));
  EXPECT_TRUE(contains(run_summary(given), "Note: a first note."));
  given["energy_j"] = {{"links", 0.25}, {"per_bit_j", 2e-12}};
  EXPECT_TRUE(contains(run_summary(given), "Energy of the links: 0.25 J, at 2 pJ/bit."));
  EXPECT_FALSE(contains(run_summary(given), "Cost:"));
  given["cost"] = {{"table", "costs.yaml"},       {"price_per_npu", 12.5},     {"price", 250.0},
                   {"power_per_npu_w", 1.5},      {"power_w", 30.0},           {"price_per_hour", 2.5},
                   {"price_per_sample", 1.25e-7}, {"price_per_token", nullptr}};
  EXPECT_TRUE(contains(run_summary(given), "\nAn hour costs 2.5 $, a sample 1.25e-07 $.\n"));
  EXPECT_TRUE(contains(run_summary(given),
                       "Cost: 12.5 $ per NPU, 250 $ in all; power 1.5 W per NPU, 30 W in all (costs.yaml)."));
  given["memory_check"] = {{"checked", false}, {"reason", "no tensors"}};
  EXPECT_TRUE(contains(run_summary(given), "Memory not checked: no tensors."));
  given["memory_check"] = {{"checked", true},
                           {"fits", false},
                           {"rank", 5},
                           {"needed_bytes", 3'000'000'000ULL},
                           {"capacity_bytes", 2'000'000'000ULL}};
  EXPECT_TRUE(contains(run_summary(given),
                       "It does not fit: rank 5 needs 3.000 GB of memory, and an NPU has 2.000 GB "
                       "(hbm_overflow: note)."));
}

TEST(Summary, ComputationsOfASystolicArray) {
  Json given = results();
  EXPECT_EQ(compute_text(given), "");
  given["compute"] = {{"model", "systolic"},
                      {"told_by",
                       {{"systolic", {{"computations", 12}, {"time_s", 2e-3}}},
                        {"roofline", {{"computations", 3}, {"time_s", 5e-6}}}}}};
  EXPECT_EQ(compute_text(given),
            "Computations of all NPUs: 12 by systolic (2.000 ms), 3 by roofline (5.000 us); what names no "
            "matrix product goes by the roofline.\n");
}

TEST(Summary, WhatIsRemarkableOfTraining) {
  Json given = results();
  EXPECT_EQ(training_text(given), "");
  given["training"] = {{"effective_rate_operations_per_s", 3e12},
                       {"effective_to_peak", 0.5},
                       {"chunks_per_stage", 8},
                       {"simulated_chunks", 2},
                       {"weight_loads_per_pass", 4},
                       {"simulated_rounds", 4}};
  EXPECT_EQ(training_text(given),
            "Given in the workload: computations at 3 TFLOPS, 0.5 times the peak of an NPU.\n"
            "Only 2 of 8 chunks of each stage are simulated: all times are of this part.\n");
  given["training"]["effective_to_peak"] = nullptr;
  given["training"]["simulated_chunks"] = 8;
  EXPECT_EQ(training_text(given), "");
}

// Two memories with 1 TB/s of pins for 10 ms, one that is not used: 4 of 20 GB moved.
TEST(Summary, BandwidthOfMemoriesAndWhatKeptTheRest) {
  Json given = results();
  const auto memory = [](double gigabytes, double busy, double few, double turns) {
    return Json{{"bytes_read", gigabytes * 0.75e9},
                {"bytes_written", gigabytes * 0.25e9},
                {"busy_fraction", busy},
                {"bandwidth_bytes_per_s", 1e12},
                {"lost", {{"too_few_outstanding_s", few}, {"turnarounds_s", turns}, {"refresh_s", 0.0}}}};
  };
  given["memories"] = {memory(3, 0.3, 2e-3, 4e-3), memory(1, 0.1, 1e-3, 5e-3), memory(0, 0, 9e-3, 0)};
  // The rest of 80 % is split as the lost time: 3 ms to 9 ms.
  EXPECT_EQ(
      memories_text(given),
      "\nMemories: 4.0 GB at 20.0 % of their pins' bandwidth over the run. The rest went to turnarounds "
      "60.0 %, too_few_outstanding 20.0 %\n");
  given["memories"] = Json::array({memory(0, 0, 9e-3, 0)});
  EXPECT_EQ(memories_text(given), "");
  given["memories"][0].erase("bandwidth_bytes_per_s");
  EXPECT_EQ(memories_text(given), "");
}

TEST(Summary, CriticalPath) {
  Json given = {{"critical_path",
                 {{"length", 5},
                  {"beginning_not_kept", true},
                  {"breakdown_ps", {{"compute", 1'500'000}, {"dp", 2000}}},
                  {"steps",
                   {{{"rank", 2},
                     {"node", 17},
                     {"name", "matmul"},
                     {"category", "compute"},
                     {"start_s", 1e-6},
                     {"end_s", 2.5e-6}}}}}}};
  const std::string text = critical_path_text(given);
  EXPECT_TRUE(contains(text, "5 operations, the first of them not kept\n")) << text;
  const auto rows = lines_after(text, "Critical path");
  ASSERT_EQ(rows.size(), 4U) << text;
  EXPECT_EQ(words(rows[1]),
            (std::vector<std::string>{"2", "1.000", "us", "1.500", "us", "compute", "17", "matmul"}));
  EXPECT_EQ(words(rows[2]), (std::vector<std::string>{"compute", "1.500", "us"}));
  given["critical_path"]["beginning_not_kept"] = false;
  EXPECT_FALSE(contains(critical_path_text(given), "not kept"));
}

}  // namespace
}  // namespace wafertlm
