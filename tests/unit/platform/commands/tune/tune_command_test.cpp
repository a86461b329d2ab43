// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;

const std::string kConfigs = std::string(WAFERTLM_SOURCE_DIR) + "/configs/";

class TuneCommand : public ::testing::Test {
 protected:
  test::ToolResult tune(const std::string& text, const std::string& options = "") const {
    return test::run_tool("tune " + folder_.write("tune.yaml", text) + " " + options);
  }
  /// A 2x2 wafer, and all-reduces on three algorithms of two backends.
  std::string measured() const {
    folder_.write("mesh.yaml",
                  "extends: " + kConfigs +
                      "platforms/wafer_mesh_5x4.yaml\nplatform: small\nwafer: {width: 2, height: 2}\n");
    return "tune: small\nplatform: mesh.yaml\nbackends:\n"
           "  - {name: a, algorithms: [ring], launch: 1 us}\n"
           "  - {name: b, algorithms: [direct, bidirectional_ring]}\n"
           "measure:\n  - {types: [all_reduce], sizes: \"4KiB,64KiB\"}\n";
  }
  std::string mesh() const { return folder_.path() + "/mesh.yaml"; }
  std::string table() const { return folder_.path() + "/table.yaml"; }

  test::TempFolder folder_;
};

void expect_refused(const test::ToolResult& result, const std::string& part) {
  EXPECT_EQ(result.exit_code, 2) << part;
  EXPECT_NE(result.error.find(part), std::string::npos) << part << " is not in " << result.error;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(TuneCommand, GoldenIteration) {  // ../shared/reference/tuning.md, section 1
  const auto result = test::run_tool("tune --json " + kConfigs + "studies/tune_golden.yaml");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json report = json::parse(result.out);
  const json& choices = report["sequence"]["choices"];
  ASSERT_EQ(choices.size(), 4U);
  const auto ms = [&](std::size_t i) { return choices[i]["iteration_ps"].get<double>() / 1e9; };
  EXPECT_NEAR(ms(0), 115.515, 5e-4);
  EXPECT_NEAR(ms(1), 88.444, 5e-4);
  EXPECT_NEAR(ms(2), 85.652, 5e-4);
  EXPECT_EQ(choices[2]["iteration_ps"], choices[3]["iteration_ps"]);
  EXPECT_EQ(choices[3]["changes"], 1);
  EXPECT_EQ(report["sequence"]["operations"], 60);
  EXPECT_EQ(report["sequence"]["best_single"], "Y");
  EXPECT_NEAR(report["sequence"]["throughput_gain"], 88.444 / 85.652 - 1, 1e-5);
  EXPECT_EQ(report["sequence"]["path"],
            (json{"24 x all_to_all 2 MiB: X", "24 x all_reduce 64 KiB: X", "12 x all_reduce 32 MiB: Y"}));
  ASSERT_EQ(report["cross_overs"].size(), 1U);
  EXPECT_EQ(report["cross_overs"][0]["type"], "all_reduce");
  EXPECT_EQ(report["cross_overs"][0]["small"], "X");
  EXPECT_EQ(report["cross_overs"][0]["bytes"], 373'333);
}

TEST_F(TuneCommand, APriceForEachChangeOfBackend) {
  const std::string text = "tune: x\nextends: " + kConfigs +
                           "studies/tune_golden.yaml\nrepeat: 2\nsequence:\n"
                           "  - {type: all_to_all, size: 1 MiB}\n  - {type: all_reduce, size: 1 MiB}\n";
  const auto path = [&](const std::string& price) {
    const auto result = tune(text + "change: " + price + "\n", "--json");
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return json::parse(result.out)["sequence"]["choices"][3];
  };
  const json free = path("0 us"), some = path("10 us"), dear = path("1 ms");
  EXPECT_EQ(free["changes"], 3);
  EXPECT_EQ(some["changes"], 3);
  EXPECT_EQ(dear["changes"], 0);
  EXPECT_EQ(some["iteration_ps"].get<std::uint64_t>(),
            free["iteration_ps"].get<std::uint64_t>() + 30'000'000);
}

TEST_F(TuneCommand, ADeadlockIsPrintedAndEndsIt) {
  const auto result = test::run_tool("tune " + kConfigs + "studies/tune_deadlock.yaml");
  EXPECT_EQ(result.exit_code, 1);
  for (const std::string part :
       {"A on X waits for rank 1, whose engine 'gpu' holds B on Y", "B on Y waits for rank 0",
        "One issue order on all ranks cures it; an engine for each backend cures it."})
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  const std::string orders =
      "operations:\n  - {name: A, backend: X, ranks: [0, 1]}\n  - {name: B, backend: Y, ranks: [0, "
      "1]}\norders:\n"
      "  - {rank: 0, issues: [A, B]}\n  - {rank: 1, issues: [B, A], blocking: [B]}\n";
  const auto cured = tune("tune: x\nbackends: [{name: X}, {name: Y}]\n" + orders);
  EXPECT_EQ(cured.exit_code, 0) << cured.error;
  EXPECT_NE(cured.out.find("No deadlock"), std::string::npos) << cured.out;
  const auto stands = tune("tune: x\nbackends: [{name: X}, {name: Y}]\n" +
                           replaced(orders, "[A, B]}", "[A, B], blocking: [A]}"));
  EXPECT_EQ(stands.exit_code, 1);
  EXPECT_NE(stands.out.find("stands still"), std::string::npos) << stands.out;
}

TEST_F(TuneCommand, AMeasuredTableIsWhatACollectiveTakes) {
  const auto result = tune(measured(), "--json --jobs 2 --out " + table());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json rows = json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  for (const json& row : rows) {
    ASSERT_EQ(row["all"].size(), 3U);
    std::uint64_t least = ~std::uint64_t{0};
    for (const json& each : row["all"]) least = std::min(least, each["time_ps"].get<std::uint64_t>());
    EXPECT_EQ(row["time_ps"], least);
    const std::string run = "collective --json " + mesh() + " --type all_reduce --size " +
                            std::to_string(row["bytes"].get<std::uint64_t>()) + "B";
    const auto by_table = test::run_tool(run + " --algorithm " + table());
    const auto by_key = test::run_tool(run + " --set collectives.algorithm=" + table());
    ASSERT_EQ(by_table.exit_code, 0) << by_table.error;
    EXPECT_EQ(json::parse(by_table.out)["algorithm"], row["algorithm"]);
    EXPECT_EQ(json::parse(by_key.out)["rows"][0]["time_ps"], json::parse(by_table.out)["rows"][0]["time_ps"]);
    for (const json& each : row["all"]) {
      const auto alone = test::run_tool(run + " --algorithm " + each["algorithm"].get<std::string>());
      const json time = json::parse(alone.out)["rows"][0]["time_ps"];
      EXPECT_EQ(each["time_ps"], time.get<std::uint64_t>() + (each["backend"] == "a" ? 1'000'000 : 0));
    }
  }
  const auto checked = test::run_tool("check " + table());
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_NE(checked.out.find("2 rows"), std::string::npos) << checked.out;
  const auto between = test::run_tool("collective --json --choices " + mesh() +
                                      " --type all_reduce --size 1B,5000B --algorithm " + table());
  const json choices = json::parse(between.out)["rows"];
  EXPECT_EQ(choices[0]["algorithm"], rows[0]["algorithm"]);
  EXPECT_EQ(choices[1]["algorithm"], rows[1]["algorithm"]);
}

TEST_F(TuneCommand, ASequenceTakesMeasuredTimes) {
  const std::string more =
      "  - {types: [all_reduce], sizes: 64KiB, npus: 0-1}\nsequence:\n"
      "  - {type: all_reduce, size: 5000 B}\n  - {type: all_reduce, size: 4 KiB, npus: 0-1}\n";
  const auto result = tune(measured() + more, "--json");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json report = json::parse(result.out);
  const auto best_of = [&](std::size_t row, const std::string& backend) {
    std::uint64_t least = ~std::uint64_t{0};
    for (const json& each : report["rows"][row]["all"])
      if (each["backend"] == backend) least = std::min(least, each["time_ps"].get<std::uint64_t>());
    return least;
  };
  // All NPUs at the nearest larger size, then the named group.
  EXPECT_EQ(report["sequence"]["choices"][0]["communication_ps"], best_of(1, "a") + best_of(2, "a"));
  EXPECT_EQ(report["sequence"]["choices"][1]["communication_ps"], best_of(1, "b") + best_of(2, "b"));
  expect_refused(tune(measured() + "sequence: [{type: all_reduce, size: 1 MiB}]\n"),
                 "no backend can do all_reduce 1 MiB");
  expect_refused(tune(measured() + "sequence: [{type: all_reduce, size: 1 KiB, npus: 0-2}]\n"),
                 "of NPUs 0-2");
}

TEST_F(TuneCommand, HostBackendsWaitForTheDeviceAndABarrier) {
  const std::string costs = "costs: [{type: all_reduce, alpha: 5 us, bandwidth: 1 GB/s}]";
  const std::string steps =
      "sequence:\n  - {compute: 10 us}\n  - {type: all_reduce, call: asynchronous}\n  - {compute: 2 us}\n  - "
      "{wait: true}\n";
  const auto iteration = [&](const std::string& backend) {
    const auto result =
        tune("tune: x\nbackends:\n  - {name: X, " + backend + costs + "}\n" + steps, "--json");
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return json::parse(result.out)["sequence"]["choices"][0]["iteration_ps"].get<std::uint64_t>();
  };
  EXPECT_EQ(iteration(""), 15'000'000U);
  EXPECT_EQ(iteration("progress: host, barrier: 3 us, "), 18'000'000U);
}

/// Rings up to a size, another algorithm above.
std::string rows_text(const std::string& algorithm, const std::string& size = "4 KiB") {
  return "tuning_table: t\nplatform: small\nrows:\n"
         "  - {type: all_reduce, npus: \"0-3\", size: " +
         size +
         ", algorithm: ring, backend: a, time: 1 us}\n"
         "  - {type: all_reduce, npus: \"0-3\", size: 1 GiB, algorithm: " +
         algorithm + ", backend: a, time: 1 us}\n";
}

TEST_F(TuneCommand, ARunTakesTheTable) {
  measured();
  const std::string experiment =
      folder_.write("run.yaml",
                    "experiment: x\nplatform: mesh.yaml\nworkload:\n  layers: resnet50\n  data_parallel: 4\n"
                    "  batch_per_npu: 1\n  effective_rate: 400 TFLOPS\n");  // buckets of 28.26 and 22.86 MB
  const std::string out = folder_.path() + "/out";
  const std::string run = "run " + experiment + " --out " + out + " --set collectives.algorithm=" + table();
  const std::string text = rows_text("direct", "24 MiB");
  folder_.write("table.yaml", text);
  const auto result = test::run_tool(run);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  std::set<std::string> used;
  const json results = json::parse(test::read_text(out + "/results.json"));
  for (const json& each : results["collectives"])
    used.insert(each["algorithm"].get<std::string>() + (each["bytes"] > (24 << 20) ? " large" : " small"));
  EXPECT_EQ(used, (std::set<std::string>{"ring small", "direct large"}));
  folder_.write("table.yaml", text.substr(0, text.rfind("  - ")));
  expect_refused(test::run_tool(run), "the table has all_reduce of 4 NPUs up to 25165824 B, not ");
  expect_refused(test::run_tool(run + " --set collectives.by_type.all_reduce=ring"),
                 "no collective takes its algorithm from this table");
}

TEST_F(TuneCommand, TablesAreRefusedWithTheirPlace) {
  measured();
  const std::string run = "collective " + mesh() + " --type all_reduce --size 1KiB --algorithm " + table();
  const std::string by_key = "collective " + mesh() + " --size 1KiB --set collectives.algorithm=" + table();
  const auto refused = [&](const std::string& text, const std::string& part) {
    folder_.write("table.yaml", text);
    expect_refused(test::run_tool(run), part);
  };
  refused(rows_text("rings"), "table.yaml:5:");
  refused(rows_text("ring") + "unknown: 1\n", "table.yaml:6:");
  refused(replaced(rows_text("ring"), "1 GiB", "4 KiB"), "two rows of all_reduce on NPUs 0-3 of 4096 B");
  refused(replaced(rows_text("ring"), "0-3", "3-0"), "table.yaml:4:");
  folder_.write("table.yaml", rows_text("ring"));
  expect_refused(test::run_tool(by_key + " --type all_to_all"), "the table has no all_to_all");
  expect_refused(test::run_tool(by_key + " --type weight_load"), "leave it out");
  expect_refused(test::run_tool(by_key + " --type all_reduce --set collectives.by_type.all_reduce=ring"),
                 "no collective takes its algorithm from this table");
  std::filesystem::remove(table());
  expect_refused(test::run_tool(by_key + " --type all_reduce"), "there is no file");
  expect_refused(test::run_tool(run), "table.yaml");
}

TEST_F(TuneCommand, BadInputIsRefusedWithItsPlace) {
  const std::string costs = "costs: [{type: all_reduce, alpha: 1 us, bandwidth: 1 GB/s}]";
  const std::string head = "tune: x\nbackends:\n  - {name: X, " + costs + "}\n";
  const auto refused = [&](const std::string& text, const std::string& part,
                           const std::string& options = "") { expect_refused(tune(text, options), part); };
  refused(head, "nothing to do");
  refused(head + "sequence: [{type: all_to_all, size: 1 KiB}]\n", "no backend can do all_to_all 1 KiB");
  refused(head + "sequence: [{size: 1 KiB}]\n", "tune.yaml:4:");
  refused(head + "sequence: [{wait: true, compute: 1 us}]\n", "a step is one of");
  refused(head + "change: 1 us\n", "tune.yaml:4:");
  refused(head + "sequence: [{compute: 1 us}]\nplatform: x.yaml\n", "tune.yaml:5:");
  refused(head + "sequence: [{compute: 1 us}]\nmeasure: [{types: [all_reduce]}]\n", "tune.yaml:5:");
  refused(head + "sequence: [{compute: 1 us}]\n", "--out: a table holds", "--out " + table());
  refused(head + "sequence: [{compute: 1 us}]\n", "--set", "--set wafer.width=2");
  refused("tune: x\nbackends:\n  - {name: X, algorithms: [ring], " + costs + "}\n", "tune.yaml:3:");
  refused("tune: x\nbackends:\n  - {name: X, launch: 1 us}\n", "tune.yaml:3:");
  refused("tune: x\nbackends:\n  - {name: X, barrier: 1 us}\n", "tune.yaml:3:");
  refused("tune: x\nbackends:\n  - {name: X}\n  - {name: X}\n", "tune.yaml:4:");
  refused("tune: x\nbackends:\n  - {name: X, algorithms: [ring]}\n", "name a 'platform'");
  refused("comet: x\n", "tune");
  const std::string ab =
      "tune: x\nbackends: [{name: X}]\noperations: [{name: A, backend: X, ranks: [0, 1]}]\n";
  refused(ab, "'operations' and 'orders' go together");
  refused(ab + "orders: [{rank: 0, issues: [A]}]\n", "rank 1 issues nothing");
  refused(ab + "orders: [{rank: 0, issues: [A]}, {rank: 1, issues: [B]}]\n", "there is no operation 'B'");
  refused(ab + "orders: [{rank: 0, issues: [A, A]}, {rank: 1, issues: [A]}]\n", "rank 0 issues it twice");
  refused(replaced(ab, "backend: X", "backend: Y") + "orders: [{rank: 0, issues: [A]}]\n",
          "there is no backend 'Y'");
  EXPECT_FALSE(std::filesystem::exists(table()));
}

TEST_F(TuneCommand, WhatCannotBeMeasuredIsRefused) {
  const std::string text = measured(), out = "--out " + table();
  expect_refused(tune(replaced(text, "4KiB,64KiB", "4KiB:1"), out), "tune.yaml:7:");
  expect_refused(tune(replaced(replaced(text, "[all_reduce]", "[all_to_all]"), "direct, ", ""), out),
                 "no backend can do all_to_all of 4096 B on NPUs 0-3");
  expect_refused(tune(replaced(text, "sizes:", "npus: 0-9, sizes:"), out), "0 to 3");
  expect_refused(tune(replaced(text, "mesh.yaml", "mash.yaml"), out), "tune.yaml:2:");
  expect_refused(tune(replaced(text, "sizes:", "class: mp, sizes:"), out), "tune.yaml:7:");
  EXPECT_FALSE(std::filesystem::exists(table()));
}

TEST_F(TuneCommand, GroupsOfAClassAreMeasuredAtOnce) {
  const auto result =
      tune(replaced(measured(), "sizes: \"4KiB,64KiB\"", "sizes: 64KiB, parallelism: MP(2)-DP(2), class: mp"),
           "--json");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json row = json::parse(result.out)["rows"][0];
  const auto alone =
      test::run_tool("collective --json " + mesh() +
                     " --type all_reduce --size 64KiB --parallelism \"MP(2)-DP(2)\" --class mp "
                     "--algorithm " +
                     row["algorithm"].get<std::string>());
  EXPECT_EQ(row["time_ps"], json::parse(alone.out)["rows"][0]["time_ps"].get<std::uint64_t>() +
                                (row["backend"] == "a" ? 1'000'000 : 0));
}

}  // namespace
}  // namespace wafertlm
