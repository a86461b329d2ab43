// SPDX-License-Identifier: Apache-2.0
// What is printed and written of made-up results; loads and destinations of patterns.
#include "platform/commands/traffic/traffic_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/commands/traffic/traffic_options.h"
#include "platform/spec/traffic/patterns.h"
#include "tests/support/squeezed.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::traffic {
namespace {

TrafficResult made_up() {
  TrafficResult result;
  result.offered = 0.25;
  result.accepted = 0.24;
  result.accepted_slowest = 0.23;
  result.mean_ps = 40'000;
  result.p50_ps = 39'000;
  result.p99_ps = 88'000;
  result.max_ps = 99'000;
  result.mean_half_width_ps = 1500;
  result.packets_left_out = 3;
  result.cycle_ps = 2000;
  result.packet_flits = 8;
  result.packets_measured = 4321;
  result.zero_load_ps = 35'000;
  result.channel_bound = 0.5;
  result.bound_link = "a->b";
  result.stable = true;
  result.backlog_growth = 0.125;
  result.worst_links = {{"a->b", 0.5, 0.75, 0.25}, {"b->c", 0.125, 0.0625, 0}};
  result.packet_hops = 5;
  result.scheduler_events = 6;
  result.simulated_ps = 7;
  result.wall_s = 8;
  return result;
}

TEST(TrafficReport, ARowInNanosecondsAndCycles) {
  TrafficResult result = made_up();
  EXPECT_EQ(
      test::squeezed(report_row(result)),
      test::squeezed(
          "  0.2500    0.2400    0.2300        40.00      1.50       20.00       39.00       88.00      "
          "4321  stable\n"));
  result.mean_half_width_ps = std::nan("");
  result.stable = false;
  EXPECT_EQ(
      test::squeezed(report_row(result)),
      test::squeezed(
          "  0.2500    0.2400    0.2300        40.00         ?       20.00       39.00       88.00      "
          "4321  not "
          "stable\n"));
  result.saturated = true;
  EXPECT_STREQ(result.state(), "saturated");
}

TEST(TrafficReport, TheBusiestLinksInPercent) {
  EXPECT_EQ(test::squeezed(report_links(made_up())),
            test::squeezed("\nBusiest links at load 0.25\n"
                           "link                         busy  expected       no credit\n"
                           "a->b                       50.0 %    75.0 %          25.0 %\n"
                           "b->c                       12.5 %     6.2 %           0.0 %\n"));
}

TEST(TrafficReport, ResultsAreTheSameBehindJson) {
  for (const bool saturated : {false, true}) {
    TrafficResult result = made_up();
    result.saturated = saturated;
    const nlohmann::json json = to_json(result);
    EXPECT_EQ(json["state"], saturated ? "saturated" : "stable");
    EXPECT_EQ(json["host"]["wall_s"], 8);
    EXPECT_EQ(json["worst_links"][0],
              nlohmann::json::parse(R"({"name": "a->b", "busy_fraction": 0.5, "expected_fraction": 0.75,
                                        "blocked_fraction": {"credit": 0.25}})"));
    EXPECT_EQ(to_json(result_from_json(json)), json);
    for (const char* name :
         {"offered", "accepted", "accepted_slowest", "mean_ps", "p50_ps", "p99_ps", "max_ps", "cycle_ps",
          "packet_flits", "packets_measured", "zero_load_ps", "channel_bound", "backlog_growth",
          "packets_left_out", "packet_hops", "scheduler_events", "simulated_ps"}) {
      nlohmann::json other = json;
      other[name] = json[name].get<double>() + 1;
      EXPECT_EQ(to_json(result_from_json(other))[name], other[name]) << name;
    }
  }
  TrafficResult unknown = made_up();
  unknown.mean_half_width_ps = std::nan("");
  const std::string text = to_json(unknown).dump();  // in which a NaN is null
  EXPECT_TRUE(std::isnan(result_from_json(nlohmann::json::parse(text)).mean_half_width_ps));
}

// Between the last load before the first that is not stable, and that one, in whatever order they ran.
TEST(TrafficReport, WhereItSaturates) {
  const auto results_of = [](const std::vector<std::pair<double, const char*>>& loads) {
    std::vector<TrafficResult> results;
    for (const auto& [offered, state] : loads) {
      results.push_back(made_up());
      results.back().offered = offered;
      results.back().stable = *state == 's';
      results.back().saturated = *state == 'x';
    }
    return results;
  };
  const std::string told =
      "not stable: latencies or backlog have not settled in this run, so the mean says nothing; --measure "
      "more packets\n";
  EXPECT_EQ(report_saturation(results_of({{0.1, "s"}, {0.2, "s"}})), "");
  const auto mixed = results_of({{0.4, "s"}, {0.1, "s"}, {0.3, "x"}, {0.2, "s"}});
  EXPECT_EQ(report_saturation(mixed), "\nsaturation between load 0.2, the last that is stable, and 0.3\n");
  EXPECT_EQ(report_saturation(results_of({{0.1, "x"}, {0.2, "s"}})), "\nno load below 0.1 was stable\n");
  EXPECT_EQ(report_saturation(results_of({{0.1, "s"}, {0.2, "n"}})),
            "\nsaturation between load 0.1, the last that is stable, and 0.2\n" + told);

  TrafficOptions options;
  options.platform_file = WAFERTLM_SOURCE_DIR "/configs/platforms/mesh_8x8_flit.yaml";
  options.seed = 9;
  const TrafficSetup setup = resolve(options);
  const nlohmann::json sweep = sweep_json(setup, mixed);
  EXPECT_EQ(sweep["saturation"],
            nlohmann::json::parse(R"({"largest_stable": 0.2, "first_not_stable": 0.3})"));
  EXPECT_EQ(sweep["rows"].size(), 4U);
  EXPECT_EQ(sweep["rows"][2], to_json(mixed[2]));
  EXPECT_EQ(sweep["platform"], "mesh 8x8, flits");
  EXPECT_EQ(sweep["pattern"], "uniform");
  EXPECT_EQ(sweep["class"], "data");
  EXPECT_EQ(sweep["packet_bytes"], 128);
  EXPECT_EQ(sweep["seed"], 9);
  EXPECT_EQ(sweep_json(setup, results_of({{0.1, "x"}}))["saturation"],
            nlohmann::json::parse(R"({"largest_stable": null, "first_not_stable": 0.1})"));
  EXPECT_EQ(sweep_json(setup, results_of({{0.1, "s"}}))["saturation"],
            nlohmann::json::parse(R"({"largest_stable": 0.1, "first_not_stable": null})"));
  EXPECT_EQ(
      test::squeezed(report_heading(setup)),
      test::squeezed(
          "mesh 8x8, flits: 8x8 mesh, fifo input queues, pattern uniform, class data, seed 9\n"
          "packet 128 B payload = 8 flits of 16 B; cycle 1 ns; loads in flits per sending node and cycle\n"
          "channel bound    0.5000  (link router3->router4: 2 flits per flit offered)\n"
          "zero-load latency 27.750 ns = 27.750 cycles (mean over the pattern, closed form)\n\n"
          "offered accepted slowest mean ns +-95 % ns cycles p50 ns p99 ns packets state\n"));
}

TEST(TrafficLoads, OfANumberOrARange) {
  EXPECT_EQ(parse_loads("0.3"), std::vector<double>{0.3});
  EXPECT_EQ(parse_loads("0.05:0.2:0.05"), (std::vector<double>{0.05, 0.1, 0.15, 0.2}));
  EXPECT_EQ(parse_loads("0.1:0.29:0.1"), (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(parse_loads("1:1:1"), std::vector<double>{1});
  EXPECT_EQ(parse_loads("1:10000:1").size(), 10'000U);
  for (const char* bad : {"", "x", "0", "-1", "0.1x", "inf", "1:2", "1:2:3:4", "1::2", "1:2:0"})
    EXPECT_THROW(parse_loads(bad), std::invalid_argument) << bad;
  for (const char* bad : {"1:10001:1", "2:1:1"}) {
    try {
      parse_loads(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), std::string("--load ") + bad +
                                  ": the last load must not be below the first, and at most 10000 points");
    }
  }
}

/// All but the node itself go to it; a permutation is one cycle through all nodes.
TEST(Patterns, IncastAndRandomPermutation) {
  PatternOptions options;
  options.name = "incast";
  options.hotspot_node = 3;
  const auto incast = make_pattern(options, MeshGeometry(6, 1));
  for (std::uint32_t node = 0; node < 6; ++node) {
    EXPECT_EQ(incast->sends(NpuId{node}), node != 3);
    if (node != 3) {
      EXPECT_EQ(incast->choices(NpuId{node}).front().destination, NpuId{3});
    }
  }
  options = {};
  options.name = "random_permutation";
  std::vector<NpuId> before;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    const auto pattern = make_pattern(options, MeshGeometry(5, 4));
    std::vector<NpuId> to;
    for (std::uint32_t node = 0; node < 20; ++node)
      to.push_back(pattern->choices(NpuId{node}).front().destination);
    NpuId at{0};
    for (int steps = 1; steps < 20; ++steps) {
      at = to[index_of(at)];
      EXPECT_NE(at, NpuId{0}) << "after " << steps;
    }
    EXPECT_EQ(to[index_of(at)], NpuId{0});
    EXPECT_NE(to, before);
    before = to;
  }
  for (const char* name : {"incast", "random_permutation"}) {
    options = {};
    options.name = name;
    EXPECT_THROW(make_pattern(options, MeshGeometry(1, 1)), std::invalid_argument);
  }
}

// By column and row, as patterns.h states them; silent nodes have none.
TEST(Patterns, DestinationsByPlace) {
  const auto destination = [](const std::string& name, const MeshGeometry& geometry, std::uint32_t node) {
    PatternOptions options;
    options.name = name;
    const auto choices = make_pattern(options, geometry)->choices(static_cast<NpuId>(node));
    EXPECT_EQ(choices.size(), 1U);
    return index_of(choices.front().destination);
  };
  for (const auto& [width, height] : {std::pair{8U, 8U}, {5U, 4U}, {1U, 7U}, {2U, 3U}}) {
    const MeshGeometry geometry(width, height);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        const std::uint32_t node = y * width + x;
        EXPECT_EQ(destination("bit_complement", geometry, node), width * height - 1 - node);
        const std::uint32_t far_x = (x + (width + 1) / 2 - 1) % width,
                            far_y = (y + (height + 1) / 2 - 1) % height;
        EXPECT_EQ(destination("tornado", geometry, node), far_y * width + far_x);
        if (width != height) continue;
        EXPECT_EQ(destination("transpose", geometry, node), x * width + y);
      }
  }
  const test::TempFolder folder;
  PatternOptions options;
  options.name = "permutation";
  options.permutation_file = folder.write("p", "# none\n\n 0 3 # here\n2 2\n3 0\n");
  const auto pattern = make_pattern(options, MeshGeometry(2, 2));
  EXPECT_EQ(pattern->choices(NpuId{0}).front().destination, NpuId{3});
  EXPECT_TRUE(pattern->choices(NpuId{1}).empty());
  EXPECT_FALSE(pattern->sends(NpuId{1}));
  EXPECT_TRUE(pattern->sends(NpuId{2}));
  PatternOptions several;
  several.name = "pairs";
  several.pairs_file = folder.write("pairs", "0 3\n1 3\n3 1\n");
  const auto pairs = make_pattern(several, MeshGeometry(2, 2));
  EXPECT_EQ(pairs->choices(NpuId{0}).front().destination, NpuId{3});
  EXPECT_EQ(pairs->choices(NpuId{1}).front().destination, NpuId{3});
  several.name = "permutation";
  several.permutation_file.swap(several.pairs_file);
  EXPECT_THROW(make_pattern(several, MeshGeometry(2, 2)), config::ConfigError) << "node 3 receives twice";
  EXPECT_EQ(pattern_names(),
            "uniform, transpose, neighbor, bit_complement, tornado, hotspot, incast, permutation, "
            "random_permutation, pairs");
  options.name = "neighbor";
  EXPECT_THROW(make_pattern(options, MeshGeometry(2, 2)), std::invalid_argument) << "it has no file";
  options.permutation_file.clear();
  EXPECT_THROW(make_pattern(options, MeshGeometry(1, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::traffic
