// SPDX-License-Identifier: Apache-2.0
// All results of a small run, whose times follow by hand.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/squeezed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

using nlohmann::json;

/// Numbers may differ by rounding; a key or an entry more or less may not.
void expect_near(const json& found, const json& expected, const std::string& place) {
  if (expected.is_number_float()) {
    ASSERT_TRUE(found.is_number()) << place;
    EXPECT_NEAR(found.get<double>(), expected.get<double>(), 1e-9 * std::abs(expected.get<double>()))
        << place;
  } else if (expected.is_structured()) {
    ASSERT_EQ(found.size(), expected.size()) << place << ": " << found;
    for (const auto& [key, value] : expected.items()) {
      const bool by_key = expected.is_object();
      ASSERT_TRUE(!by_key || found.contains(key)) << place << '.' << key;
      expect_near(by_key ? found[key] : found[std::stoul(key)], value, place + '.' + key);
    }
  } else {
    EXPECT_EQ(found, expected) << place;
  }
}

/// Microseconds of a rank's or an iteration's parts.
json breakdown_s(double compute, double pp, double bubble) {
  return {{"compute", compute * 1e-6},
          {"exposed_mp", 0.0},
          {"exposed_dp", 0.0},
          {"exposed_pp", pp * 1e-6},
          {"exposed_ep", 0.0},
          {"exposed_input", 0.0},
          {"exposed_weights", 0.0},
          {"exposed_memory", 0.0},
          {"bubble", bubble * 1e-6},
          {"cpu", 0.0},
          {"idle", 0.0}};
}
json breakdown_ps(std::uint64_t compute, std::uint64_t pp, std::uint64_t bubble) {
  json parts = {{"compute", compute}, {"pp", pp}};
  if (bubble != 0) parts["bubble"] = bubble;
  return parts;
}
json link(const std::string& name, bool is_used, double busy_us) {
  return {{"name", name},
          {"bytes", is_used ? 2'000'000 : 0},
          {"wire_bytes", is_used ? 2'000'000 : 0},
          {"packets", is_used ? 200 : 0},
          {"busy_fraction", busy_us / 32.02},
          {"blocked_fraction", {{"credit", 0.0}}},
          {"packet_wait_s", {{"queue", 0.0}, {"credit", 0.0}, {"contention", json::object()}}},
          {"longest_wait_s", json::object()},
          {"energy_j", is_used ? 16e6 * 1e-12 : 0.0}};
}

// Two ranks, two iterations without a barrier. Rank 0 computes for 3 us, sends 1 MB (10 us, on a link of 20
// ns), and computes for 1 us; rank 1 computes for 2 us, receives, and computes for 5 us. So, in us:
//   rank 0    0 compute 3 send 13 compute 14 | compute 17 send 27 compute 28 | bubble 32.02
//   rank 1    0 compute 2 receive 13.02 compute 18.02 | compute 20.02 receive 27.02 compute 32.02 |
// Of rank 1's first wait 1 us is rank 0's computation: bubble. Iterations end when rank 1 is done, at 18.02
// and 32.02.
class RunByHand : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<chakra::Node> ranks[] = {
        {compute(1, 3'000'000), send(2, 1, 0, 0, {1}), compute(3, 1'000'000, {2})},
        {receive(1, 0, 0), compute(2, 5'000'000, {1}), compute(4, 2'000'000)}};
    for (int rank = 0; rank < 2; ++rank) {
      std::vector<chakra::Node> nodes = ranks[rank];
      nodes[rank == 0 ? 1 : 0].comm_size = 1'000'000;
      chakra::VectorSource source("rank", nodes);
      chakra::write_trace(source, fmt::format("{}/job.{}.et", folder.path(), rank));
    }
    const std::string experiment = folder.write(
        "e.yaml",
        "experiment: e\n"
        "platform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s, "
        "injection_bandwidth: 200 GB/s, ejection_bandwidth: 200 GB/s, link_latency: 20 ns, packet_bytes: "
        "10000 B, "
        "energy_per_bit: 1 pJ/bit}}, run: {seed: 7, functional: true}}\n"
        "workload: {workload: w, chakra: job}\niterations: 2\n");
    const ToolResult result =
        run_tool("run " + experiment + " --critical-path --out " + folder.path() + "/out");
    ASSERT_EQ(result.exit_code, 0) << result.error;
    printed = result.out;
    results = json::parse(read_text(folder.path() + "/out/results.json"));
  }

  TempFolder folder;
  std::string printed;
  json results;
};

TEST_F(RunByHand, Iterations) {
  const auto rank = [](int number, double time, double done, const json& part_s, const json& part_ps) {
    return json{{"rank", number},
                {"time_s", time * 1e-6},
                {"done_s", done * 1e-6},
                {"breakdown_s", part_s},
                {"breakdown_ps", part_ps}};
  };
  const json first_0 = breakdown_s(7, 11.02, 0), first_1 = breakdown_s(7, 10.02, 1),
             second_0 = breakdown_s(1, 8.98, 4.02), second_1 = breakdown_s(7, 7, 0);
  const json expected = {{{"time_s", 18.02e-6},
                          {"time_ps", 18'020'000},
                          {"mfu", nullptr},
                          {"samples_per_s", nullptr},
                          {"tokens_per_s", nullptr},
                          {"start_s", 0.0},
                          {"end_s", 18.02e-6},
                          {"rank", 1},
                          {"breakdown_s", first_1},
                          {"breakdown_ps", breakdown_ps(7'000'000, 10'020'000, 1'000'000)},
                          {"breakdown_min_s", breakdown_s(7, 10.02, 0)},
                          {"breakdown_mean_s", breakdown_s(7, 10.52, 0.5)},
                          {"breakdown_max_s", breakdown_s(7, 11.02, 1)},
                          {"ranks",
                           {rank(0, 18.02, 14, first_0, breakdown_ps(7'000'000, 11'020'000, 0)),
                            rank(1, 18.02, 18.02, first_1, breakdown_ps(7'000'000, 10'020'000, 1'000'000))}}},
                         {{"time_s", 14e-6},
                          {"time_ps", 14'000'000},
                          {"mfu", nullptr},
                          {"samples_per_s", nullptr},
                          {"tokens_per_s", nullptr},
                          {"start_s", 18.02e-6},
                          {"end_s", 32.02e-6},
                          {"rank", 1},
                          {"breakdown_s", second_1},
                          {"breakdown_ps", breakdown_ps(7'000'000, 7'000'000, 0)},
                          {"breakdown_min_s", breakdown_s(1, 7, 0)},
                          {"breakdown_mean_s", breakdown_s(4, 7.99, 2.01)},
                          {"breakdown_max_s", breakdown_s(7, 8.98, 4.02)},
                          {"ranks",
                           {rank(0, 14, 28, second_0, breakdown_ps(1'000'000, 8'980'000, 4'020'000)),
                            rank(1, 14, 32.02, second_1, breakdown_ps(7'000'000, 7'000'000, 0))}}}};
  expect_near(results["iterations"], expected, "iterations");
}

TEST_F(RunByHand, EverythingElse) {
  json rest = results;
  rest.erase("iterations");
  // They follow from the order of events, and the host.
  EXPECT_GT(rest["host"]["scheduler_events"], 400);
  EXPECT_GT(rest["host"]["wall_s"], 0);
  EXPECT_NEAR(rest["host"]["packet_hops_per_s"].get<double>() * rest["host"]["wall_s"].get<double>(), 400,
              1e-6);
  EXPECT_GT(rest["host"]["peak_rss_bytes"], 1'000'000);
  EXPECT_EQ(rest["host"]["packets_held_most"], 2);
  EXPECT_EQ(rest["host"]["nodes_held_most"], 3);
  EXPECT_EQ(rest["host"]["accelerated"],
            json({{"off_because", "functional mode has values in every packet"}}));
  EXPECT_EQ(rest["host"].size(), 7U);
  rest.erase("host");
  const auto step = [](int node, const char* category, double start, double end) {
    return json{{"rank", 1},
                {"node", node},
                {"name", fmt::format("n{}", node)},
                {"category", category},
                {"start_s", start * 1e-6},
                {"end_s", end * 1e-6}};
  };
  const auto memory = [](const char* name) {
    return json{{"name", name},
                {"bytes_read", 0},
                {"bytes_written", 0},
                {"busy_fraction", 0.0},
                {"lost", {{"too_few_outstanding_s", 0.0}}}};
  };
  const json expected = {{"experiment", "e"},
                         {"platform", "p"},
                         {"workload", "w"},
                         {"iteration_time_s", 14e-6},
                         {"training", nullptr},
                         {"memory_check",
                          {{"checked", false},
                           {"fits", nullptr},
                           {"needed_bytes", 0},
                           {"rank", 0},
                           {"capacity_bytes", 80'000'000'000},
                           {"reason", folder.path() + "/job.0.et: it does not name its tensors"}}},
                         {"compute",
                          {{"model", "roofline"},
                           {"told_by",
                            {{"duration", {{"computations", 8}, {"time_s", 22e-6}}},
                             {"roofline", {{"computations", 0}, {"time_s", 0.0}}}}}}},
                         {"critical_path",  // of the last iteration
                          {{"length", 2},
                           {"beginning_not_kept", false},
                           {"breakdown_ps", {{"compute", 5'000'000}, {"pp", 9'000'000}}},
                           {"steps", {step(1, "pp", 18.02, 27.02), step(2, "compute", 27.02, 32.02)}}}},
                         {"collectives_total", 0},
                         {"collectives", json::array()},
                         {"links",  // 2 MB in 20 us, at the ends in 10
                          {link("router0->router1", true, 20), link("router0->npu0", false, 0),
                           link("router1->router0", false, 0), link("router1->npu1", true, 10),
                           link("npu0->router0", true, 10), link("npu1->router1", false, 0)}},
                         {"memories", {memory("hbm_0"), memory("hbm_1")}},
                         {"notes", json::array()},
                         {"energy_j", {{"links", 48e-6}, {"per_bit_j", 1e-12}, {"drawn", nullptr}}},
                         {"cost",
                          {{"table", nullptr},
                           {"price", nullptr},
                           {"price_per_npu", nullptr},
                           {"power_w", nullptr},
                           {"power_per_npu_w", nullptr},
                           {"price_per_hour", nullptr},
                           {"price_per_sample", nullptr},
                           {"price_per_token", nullptr},
                           {"time_per_token_s", nullptr},
                           {"parts", json::array()}}},
                         {"traces",
                          {{"ranks", 2},
                           {"missing_dependencies", 0},
                           {"control_dependencies_left_out", 0},
                           {"unknown_attributes", json::object()}}},
                         {"values_proven", true},
                         {"endpoints", {{"early_bytes_high_water", 0}}},
                         {"simulation",
                          {{"end_s", 32.02e-6},
                           {"packet_hops", 400},  // 200 packets through two routers
                           {"seed", 7},
                           {"version", WAFERTLM_VERSION}}}};
  expect_near(rest, expected, "results");
}

TEST_F(RunByHand, TheTables) {
  EXPECT_EQ(read_text(folder.path() + "/out/breakdown.csv"),
            "\"iteration\",\"rank\",\"part\",\"time_s\"\n"
            "0,0,\"compute\",7e-06\n0,0,\"exposed_pp\",1.102e-05\n"
            "0,1,\"compute\",7e-06\n0,1,\"exposed_pp\",1.002e-05\n0,1,\"bubble\",1e-06\n"
            "1,0,\"compute\",1e-06\n1,0,\"exposed_pp\",8.98e-06\n1,0,\"bubble\",4.02e-06\n"
            "1,1,\"compute\",7e-06\n1,1,\"exposed_pp\",7e-06\n");
  // Busy: 20 and 10 of 32.02 us.
  const std::string links = read_text(folder.path() + "/out/links.csv");
  EXPECT_NE(links.find("\n\"router0->router1\",2000000,"), std::string::npos) << links;
  EXPECT_NE(links.find(",0.6246096189881324,0.0,"), std::string::npos) << links;
  EXPECT_EQ(std::count(links.begin(), links.end(), '\n'), 1 + 6);
  EXPECT_EQ(read_text(folder.path() + "/out/iterations.csv").find("\"iteration\",\"time_s\",\"mfu\","), 0U);
}

TEST_F(RunByHand, WhatIsPrinted) {
  const std::size_t simulated = printed.find("Simulated 400 packet hops in ");
  ASSERT_NE(simulated, std::string::npos) << printed;
  EXPECT_EQ(
      squeezed(printed.substr(0, simulated)),
      squeezed("\nCritical path of the last iteration: 2 operations\n"
               "   rank       start        time what              node  name\n"
               "      1    18.02 us    9.000 us pp                   1  n1\n"
               "      1    27.02 us    5.000 us compute              2  n2\n"
               "  compute   5.000 us\n"
               "  pp        9.000 us\n"
               "e\n"
               "  platform p, workload w\n"
               "\n"
               "Iteration 0: 18.02 us   (rank 1, which finishes last; min, mean and max over all ranks)\n"
               "  compute             7.000 us  38.85 %      7.000 us    7.000 us    7.000 us\n"
               "  exposed_pp          10.02 us  55.60 %      10.02 us    10.52 us    11.02 us\n"
               "  bubble              1.000 us   5.55 %          0 ps    500.0 ns    1.000 us\n"
               "\n"
               "Iteration 1: 14.00 us   (rank 1, which finishes last; min, mean and max over all ranks)\n"
               "  compute             7.000 us  50.00 %      1.000 us    4.000 us    7.000 us\n"
               "  exposed_pp          7.000 us  50.00 %      7.000 us    7.990 us    8.980 us\n"
               "  bubble                  0 ps   0.00 %          0 ps    2.010 us    4.020 us\n"
               "\n"
               "No collectives.\n"
               "\n"
               "Busiest links\n"
               "  link                         payload     busy       no credit\n"
               "  router0->router1            2.000 MB  62.46 %          0.00 %\n"
               "  router1->npu1               2.000 MB  31.23 %          0.00 %\n"
               "  npu0->router0               2.000 MB  31.23 %          0.00 %\n"
               "\n"
               "The last iteration takes 14.00 us; the compute units work 50.00 % of it, the rest is exposed "
               "communication, bubble or idle.\n"
               "Most of the rest is exposed_pp (7.000 us, 50.00 %).\n"
               "Memory not checked: " +
               folder.path() +
               "/job.0.et: it does not name its tensors.\n"
               "Energy of the links: 4.8e-05 J, at 1 pJ/bit.\n"));
  EXPECT_EQ(printed.substr(printed.find("Written:\n")),
            fmt::format("Written:\n  {0}/results.json\n  {0}/iterations.csv\n  {0}/breakdown.csv\n"
                        "  {0}/collectives.csv\n  {0}/links.csv\n  {0}/memories.csv\n  {0}/resolved.yaml\n",
                        folder.path() + "/out"));
}

}  // namespace
}  // namespace wafertlm::test
