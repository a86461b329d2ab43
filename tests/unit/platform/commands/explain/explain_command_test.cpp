// SPDX-License-Identifier: Apache-2.0
// `wafertlm explain` of jobs whose times are known.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <tuple>

#include "platform/text/format.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

using test::run_tool;
using test::ToolResult;
using Nodes = std::vector<chakra::Node>;

chakra::Node with_bytes(chakra::Node node, std::uint64_t bytes) {
  (node.comm_size ? node.comm_size : node.tensor_size) = bytes;
  return node;
}

class Explain : public testing::Test {
 protected:
  test::TempFolder folder_;

  void trace(const std::vector<Nodes>& ranks) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      chakra::VectorSource source("rank", ranks[rank]);
      chakra::write_trace_file(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
    }
  }
  /// Runs the traces twice on two NPUs with a link of 100 GB/s and 20 ns; each has a remote memory of 100
  /// GB/s behind 2 us. @return ps of the last iteration
  TimePs run(const std::string& more = "") {
    const std::string experiment = folder_.write(
        "e.yaml",
        "experiment: two\nplatform: {platform: two, wafer: {width: 2, height: 1, fabric: {link_bandwidth: "
        "100 "
        "GB/s, link_latency: 20 ns}}, remote_memory: {kind: per_npu, capacity: 1 TB, bandwidth: 100 GB/s, "
        "latency: 2 us, local: free}}\nworkload: {workload: w, chakra: job}\niterations: 2\n");
    const ToolResult result = run_tool("run " + experiment + " --out " + folder_.path() + "/out " + more);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const auto results = nlohmann::json::parse(test::read_text(folder_.path() + "/out/results.json"));
    return results["iterations"].back()["time_ps"];
  }
  std::string explain(const std::string& more = "") {
    const ToolResult result = run_tool("explain --quick " + folder_.path() + "/out " + more);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return result.out;
  }
  /// What each category would gain, as it is printed.
  std::map<std::string, std::string> gains_of(const std::vector<Nodes>& ranks, const std::string& more = "") {
    trace(ranks);
    run(more);
    std::map<std::string, std::string> gains;
    const std::string text = explain();
    const std::regex line("  [0-9]\\. (.*): ([0-9.]+ [a-z]+) ");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
      gains[(*at)[1]] = (*at)[2];
    return gains;
  }
};

/// 20 us of rank 0 and 19.5 us of rank 1, then an all-reduce in a ring of two: 2 (5 us + 20 ns).
Nodes chain(TimePs compute_ps, TimePs cpu_ps, std::uint64_t bytes) {
  return {test::compute(1, compute_ps), test::cpu(2, cpu_ps, {1}),
          with_bytes(test::load(3, 0, {2}), 1'000'000),
          test::make_node(4, chakra::NodeType::Metadata, 0, {3}), test::all_reduce(5, 0, {4}, bytes)};
}

TEST_F(Explain, AChainGainsWhatTheSlowerRankLoses) {
  const std::string barrier = "--set barrier=true";
  // What a rerun makes of the job, spelled out.
  trace({chain(5'000'000, 3'000'000, 1), chain(4'000'000, 3'500'000, 1)});
  const TimePs without_dp = run(barrier);
  trace({chain(5'000'000, 3'000'000, 1'000'000), chain(4'000'000, 3'500'000, 1'000'000)});
  EXPECT_EQ(run(barrier), 30'040'000U);
  EXPECT_LT(without_dp, 20'100'000U);
  const auto saved = static_cast<TimePs>(30'040'000) - without_dp;
  const std::string remains = "-" + format_time(10'040'000 - saved);
  const auto gain = [](int number, const char* name, TimePs most, TimePs on_path) {
    return fmt::format("  {}. {}: {} ({:.2f} %), {} of the critical path\n", number, name, format_time(most),
                       100 * static_cast<double>(most) / 30.04e6, format_time(on_path));
  };
  const std::string text = explain("--rerun");
  const std::string expected =
      "two: the last iteration takes 30.04 us.\nIts critical path: memory 39.95 %, dp 33.42 %, compute 16.64 "
      "%, cpu 9.99 %.\nWhat it would save if it took no time and all were served in the recorded order (in "
      "another order it may be more):\n" +
      gain(1, "memory", 12'000'000, 12'000'000) + gain(2, "class dp", 10'040'000, 10'040'000) +
      fmt::format(
          "     a real run with it next to instant: {} (10.04 us in the recorded order). The "
          "difference of {}: {} because its latencies remain, 0 ps because others take another time "
          "beside it, 0 ps because the order of service changes.\n",
          format_time(saved), remains, remains) +
      gain(3, "compute", 4'500'000, 5'000'000) +
      "     a real run with it next to instant: 4.500 us (4.500 us in the recorded order). The difference of "
      "0 ps: 0 ps because its latencies remain, 0 ps because others take another time beside it, 0 ps "
      "because the order of service changes.\n" +
      gain(4, "the CPUs", 3'000'000, 3'000'000) + "What faster links save, ";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
}

TEST_F(Explain, FasterLinksAreARunWithThoseSettings) {
  trace({chain(5'000'000, 3'000'000, 1'000'000), chain(4'000'000, 3'500'000, 1'000'000)});
  const TimePs before = run();
  const std::string text = explain();
  const std::size_t settings = text.find("  (2 times:") + 11;
  const std::string twice = text.substr(settings, text.find(")\n", settings) - settings);
  EXPECT_EQ(twice,
            " --set 'wafer.fabric.link_bandwidth=200 GB/s' --set 'wafer.fabric.injection_bandwidth=6 TB/s' "
            "--set 'wafer.fabric.ejection_bandwidth=6 TB/s'");
  const auto line = [&](int factor, TimePs after) {
    return fmt::format("  {} times: {} ({:.2f} %), the iteration takes {} ps\n", factor,
                       format_time(before - after),
                       100 * static_cast<double>(before - after) / static_cast<double>(before), after);
  };
  // The keys of the experiment are those of the platform behind "platform.".
  const TimePs two = run(std::regex_replace(twice, std::regex("'wafer"), "'platform.wafer"));
  const TimePs hundred =
      run("--set 'platform.wafer.fabric.link_bandwidth=10 TB/s' --set "
          "'platform.wafer.fabric.injection_bandwidth=300 TB/s' --set "
          "'platform.wafer.fabric.ejection_bandwidth=300 TB/s'");
  EXPECT_EQ(text.substr(text.find("What faster links"), settings - 11 - text.find("What faster links")),
            "What faster links save, simulated with all of the fabric's bandwidths so many times as high:\n" +
                line(2, two) + line(100, hundred));
}

// 500 kB there and back: 10 us of the link between the routers, 333 ns of those of 3 TB/s to the NPUs.
TEST_F(Explain, TheBusiestLinksAreThoseOfTheLastIteration) {
  trace({chain(5'000'000, 3'000'000, 1'000'000), chain(4'000'000, 3'500'000, 1'000'000)});
  run();
  const std::string text = explain();
  const std::size_t from = text.find("Busiest links of the last iteration:\n");
  std::istringstream lines(text.substr(from + 37));
  const std::regex form("  (\\S+) +busy for ([0-9.]+) ([nu])s \\(([0-9.]+) %\\)");
  double last = 1e9;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::smatch found;
    ASSERT_TRUE(std::regex_match(line, found, form)) << line;
    const double ns = std::stod(found[2]) * (found[3] == "u" ? 1000 : 1);
    const double whole = count < 2 ? 10'000 : 333.3;
    EXPECT_GE(ns, whole) << line;
    EXPECT_LE(ns, 1.02 * whole) << line;
    EXPECT_NEAR(std::stod(found[4]), ns / 30'040 * 100, 0.02) << line;
    EXPECT_LE(ns, last);
    last = ns;
    EXPECT_EQ(std::string(found[1]).find("npu") == std::string::npos, count < 2) << line;
  }
  EXPECT_EQ(count, 5U);
}

// Without a barrier rank 1 is 20 ns ahead, and its 3.48 us of CPU take the place of 8 us.
TEST_F(Explain, ARankGoesOnWhenItsOwnIterationIsOver) {
  const auto gains =
      gains_of({chain(5'000'000, 3'000'000, 1'000'000), chain(4'000'000, 3'500'000, 1'000'000)});
  EXPECT_EQ(gains.at("compute"), "4.520 us");
}

// Two of a kind that do not depend on each other take turns: without them nothing of both is left.
TEST_F(Explain, WhatTakesTurnsIsGoneTogether) {
  struct Case {
    const char* category;
    std::function<chakra::Node(std::uint64_t id)> node;
    const char* gain;
  };
  const Case cases[] = {
      {"compute", [](std::uint64_t id) { return test::compute(id, id * 3'000'000); }, "9.000 us"},
      {"the CPUs", [](std::uint64_t id) { return test::cpu(id, id * 3'000'000); }, "9.000 us"},
      {"memory", [](std::uint64_t id) { return with_bytes(test::load(id, 0), id * 500'000); }, "19.00 us"},
      {"memory", [](std::uint64_t id) { return with_bytes(test::store(id, 0), id * 500'000); }, "19.00 us"},
  };
  for (const Case& each : cases) {
    const Nodes nodes = {each.node(1), each.node(2),
                         each.category == std::string("compute") ? test::cpu(3, 1'000'000, {1, 2})
                                                                 : test::compute(3, 1'000'000, {1, 2})};
    const auto gains = gains_of({nodes});
    EXPECT_EQ(gains.at(each.category), each.gain) << each.category;
    EXPECT_EQ(gains.size(), 2U);
  }
  // A load beside a store shares its bandwidth, and hides its own latency.
  const auto both =
      gains_of({{with_bytes(test::load(1, 0), 500'000), with_bytes(test::store(2, 0), 1'000'000),
                 test::compute(3, 1'000'000, {1, 2})}});
  EXPECT_EQ(both.at("memory"), "17.00 us");
  EXPECT_EQ(both.at("compute"), "1.000 us");
}

// 1 MB over the link: 10 us, its latency of 20 ns, and 1.4 ns in the last packet's 4 KiB out of the router.
TEST_F(Explain, AReceiveWaitsForItsSend) {
  const auto job = [](std::uint64_t bytes) {
    return std::vector<Nodes>{{test::compute(1, 30'000'000), with_bytes(test::send(2, 1, 7, 0, {1}), bytes)},
                              {test::compute(1, 1'000'000), with_bytes(test::receive(2, 0, 7, {1}), bytes),
                               test::compute(3, 2'000'000, {2})}};
  };
  const std::string barrier = "--set barrier=true";
  trace(job(1));
  const TimePs least = run(barrier);
  const auto gains = gains_of(job(1'000'000), barrier);
  EXPECT_EQ(gains.at("compute"), "32.00 us");
  EXPECT_EQ(gains.at("class pp").substr(0, 4), "10.0");
  EXPECT_EQ(gains.size(), 2U);
  // The rerun sends a byte.
  const TimePs saved = run(barrier) - least;
  EXPECT_NE(
      explain("--rerun").find(fmt::format("a real run with it next to instant: {} ({} in the recorded order)",
                                          format_time(saved), gains.at("class pp"))),
      std::string::npos)
      << explain("--rerun");
}

// 5 M operations at 1 TFLOPS, and 8 MB of operands at 1 TB/s: nothing of both is left in the rerun.
TEST_F(Explain, ARerunTakesTheWholeComputation) {
  for (const auto& [operations, bytes, time] :
       {std::tuple{5'000'000ULL, 1000ULL, "5.000 us"}, std::tuple{1000ULL, 8'000'000ULL, "8.000 us"}}) {
    chakra::Node work = test::compute(1, 0);
    work.num_ops = operations;
    work.tensor_size = bytes;
    trace({{work, test::cpu(2, 1'000'000, {1})}});
    run("--set 'platform.npu={peak: 1 TFLOPS, compute: {durations: roofline}, hbm: {read_bandwidth: 1 TB/s, "
        "write_bandwidth: 1 TB/s, latency: 0 ps}}'");
    const std::string text = explain("--rerun");
    EXPECT_NE(
        text.find(fmt::format("a real run with it next to instant: {0} ({0} in the recorded order)", time)),
        std::string::npos)
        << text;
  }
}

// The last of however many.
TEST_F(Explain, OneIterationIsTheLastOne) {
  const std::vector<Nodes> ranks = {chain(5'000'000, 3'000'000, 1'000'000),
                                    chain(4'000'000, 3'500'000, 1'000'000)};
  const auto one = gains_of(ranks, "--set iterations=1"),
             three = gains_of(ranks, "--set iterations=3 --set barrier=true");
  EXPECT_EQ(one.at("compute"), "4.500 us");
  EXPECT_EQ(one.at("class dp"), "10.04 us");
  EXPECT_EQ(three, one);
}

// 600 kB through each of six controllers at 10 GB/s are 10 us; one stream in comes after the other.
TEST_F(Explain, StreamsTakeTurns) {
  const auto stream = [](std::uint64_t id) {
    chakra::Node node = test::all_reduce(id, 0, {}, 600'000);
    node.comm_type = chakra::CollectiveType::Broadcast;
    node.io_stream = true;
    node.comm_class = "weights";
    return node;
  };
  const Nodes nodes = {stream(1), stream(2), test::compute(3, 1'000'000, {1, 2})};
  trace({nodes, nodes});
  const TimePs whole =
      run("--set 'platform.wafer.io={controllers: perimeter, bandwidth: 10 GB/s}' --set barrier=true");
  EXPECT_GT(whole, 21'000'000U);
  EXPECT_NE(explain().find(fmt::format("  1. {}: {} (", "class weights", format_time(whole - 1'000'000))),
            std::string::npos)
      << explain();
}

TEST_F(Explain, OfManySettingsFiveAreShown) {
  std::string dimensions;
  for (int k = 0; k < 3; ++k)
    dimensions +=
        std::string(k == 0 ? "" : ", ") + "{topology: ring, size: 2, bandwidth: 50 GB/s, latency: 500 ns}";
  const auto expected = [&](int other, const std::string& more) {
    const std::string experiment = folder_.write(
        "e.yaml",
        "experiment: many\nplatform: {platform: many, wafer: {fabric: {kind: dimensional, dimensions: [" +
            dimensions + "], other_links: [" +
            [&] {
              std::string links;
              for (int k = 0; k < other; ++k)
                links += std::string(k == 0 ? "" : ", ") + "{npu: " + std::to_string(k) +
                         ", dimension: 0, bandwidth: 20 GB/s, latency: 500 ns}";
              return links;
            }() +
            "]}}}\nworkload: {workload: w, chakra: job}\n");
    trace(std::vector<Nodes>(8, Nodes{test::all_reduce(1, 0, {}, 100'000)}));
    ASSERT_EQ(run_tool("run " + experiment + " --out " + folder_.path() + "/out").exit_code, 0);
    std::string line = "  (2 times:";
    for (int k = 0; k < 3; ++k)
      line += fmt::format(" --set 'wafer.fabric.dimensions[{}].bandwidth=100 GB/s'", k);
    for (int k = 0; k < std::min(other, 2); ++k)
      line += fmt::format(" --set 'wafer.fabric.other_links[{}].bandwidth=40 GB/s'", k);
    const std::string text = explain();
    EXPECT_NE(text.find(line + more + ")\n"), std::string::npos) << line << "\n" << text;
  };
  expected(2, "");
  expected(4, " and 2 more");
}

TEST_F(Explain, RefusesWhatIsNoRun) {
  const ToolResult none = run_tool("explain --quick " + folder_.path());
  EXPECT_EQ(none.exit_code, 2);
  trace({{test::compute(1, 5'000'000)}});
  run();
  // The traces have changed since.
  trace({{test::compute(1, 5'000'001)}});
  const ToolResult other = run_tool("explain --quick " + folder_.path() + "/out/results.json");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(
      other.error.find("/out was written by another version of the program, or its traces have changed"),
      std::string::npos)
      << other.error;
  trace({{test::compute(1, 5'000'000)}});
  EXPECT_EQ(run_tool("explain --quick " + folder_.path() + "/out/results.json").exit_code, 0);
  std::remove((folder_.path() + "/out/resolved.yaml").c_str());
  const ToolResult unresolved = run_tool("explain --quick " + folder_.path() + "/out");
  EXPECT_EQ(unresolved.exit_code, 2);
  EXPECT_NE(unresolved.error.find("resolved.yaml is not there; give a folder"), std::string::npos)
      << unresolved.error;
}

}  // namespace
}  // namespace wafertlm
