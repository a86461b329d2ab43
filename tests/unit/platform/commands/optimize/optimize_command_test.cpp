// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A workload in ASTRA-sim 1.0's text form on a ring of 2 and switches of 4, as an experiment.
class OptimizeCommand : public ::testing::Test {
 protected:
  OptimizeCommand() {
    folder_.write("network.yml", "Topology: [Ring, Switch]\nNpusCount: [2, 4]\nCostDimension: [A, B]\n");
    folder_.write("communicator.yml", "Forward: [2, -1]\nInputGrad: [2, -1]\nWeightGrad: [-1, 4]\n");
    folder_.write("workload.txt",
                  "one -1 20000 ALLREDUCE 4194304 20000 ALLREDUCE 4194304 20000 ALLREDUCE 8388608 0\n");
    folder_.write("experiment.yaml",
                  "experiment: small\nplatform:\n  platform: two dimensions\n  wafer:\n    fabric:\n"
                  "      kind: dimensional\n      transport: messages\n      dimensions:\n"
                  "        - {topology: ring, size: 2, bandwidth: 1 GB/s, latency: 500 ns}\n"
                  "        - {topology: switch, size: 4, bandwidth: 1 GB/s, latency: 500 ns}\n"
                  "workload: {workload: one layer, chakra: job.et, replicate: 8}\n");
  }
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  test::ToolResult write_trace() const {
    return test::run_tool("libra --network " + file("network.yml") + " --workload " + file("workload.txt") +
                          " --communicator " + file("communicator.yml") + " --budget 300 --json --chakra " +
                          file("job.et"));
  }
  test::ToolResult optimize(const std::string& more, const std::string& out) {
    folder_.write(
        "optimize.yaml",
        "optimize: two dimensions\nexperiment: experiment.yaml\nvariables:\n"
        "  - {variable: ring, from: 1, to: 300, price: 4}\n"
        "  - {variable: switch, from: 1, to: 300, price: 57.4}\nset:\n"
        "  - \"wafer.fabric.dimensions=[{topology: ring, size: 2, bandwidth: {ring} GB/s, latency: 500 "
        "ns}, {topology: switch, size: 4, bandwidth: {switch} GB/s, latency: 500 ns}]\"\n"
        "libra: {network: network.yml, workload: workload.txt, communicator: communicator.yml, "
        "dimensions: [ring, switch]}\n" +
            more);
    return test::run_tool("optimize " + file("optimize.yaml") + " --out " + file(out));
  }
  std::size_t cells(const std::string& out) const {
    std::size_t count = 0;
    for (const auto& each : fs::directory_iterator(file(out) + "/cells"))
      count += each.is_regular_file() ? 1 : 0;
    return count;
  }

  test::TempFolder folder_;
};

TEST_F(OptimizeCommand, FindsTheOptimumOfTheModelAndChecksItBySimulation) {
  const test::ToolResult libra = write_trace();
  ASSERT_EQ(libra.exit_code, 0) << libra.error;
  const double model = json::parse(libra.out)["optimum"]["time_s"];
  const std::string more = "constraints: [\"ring + switch = 300\"]\nevaluations: 8\n";
  const test::ToolResult result = optimize(more, "out");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json found = json::parse(test::read_text(file("out/results.json")));
  // One direction of a ring and latency of switches: near the model, never below it.
  EXPECT_NEAR(found["libra_bound_s"].get<double>() / model, 1, 1e-6);
  EXPECT_GE(found["optimum"]["time_s"].get<double>(), model);
  EXPECT_LE(found["optimum"]["time_s"].get<double>(), 1.1 * model);
  EXPECT_LT(found["optimum"]["time_s"].get<double>(), found["middle"]["time_s"].get<double>());
  EXPECT_LE(found["simulated"], 9);
  EXPECT_NE(test::read_text(file("out/report.html")).find("\"optimize\":{"), std::string::npos);
  // Again: nothing is simulated, the path is the same.
  const std::size_t before = cells("out");
  ASSERT_EQ(optimize(more, "out").exit_code, 0);
  EXPECT_EQ(cells("out"), before);
  EXPECT_EQ(json::parse(test::read_text(file("out/results.json"))), found);
}

constexpr const char* kVary =
    " --vary 'ring:wafer.fabric.dimensions[0].bandwidth=1..300 GB/s' --vary "
    "'switch:wafer.fabric.dimensions[1].bandwidth=1..300 GB/s' ";

TEST_F(OptimizeCommand, ExplainsTheDifferenceToTheModel) {
  ASSERT_EQ(write_trace().exit_code, 0);
  const test::ToolResult result =
      optimize("constraints: [\"ring + switch = 300\"]\nevaluations: 4\nexplain: true\n", "out");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json found = json::parse(test::read_text(file("out/results.json")));
  const json difference = found["difference"];
  EXPECT_EQ(difference["problem"], "");
  EXPECT_EQ(found["corner_bound"]["problem"], "LIBRA's model has one");
  EXPECT_EQ(difference["simulated_s"], found["optimum"]["time_s"]);
  EXPECT_NEAR(difference["model_s"].get<double>(), found["optimum"]["libra_s"].get<double>(), 1e-12);
  std::int64_t sum = 0;
  std::map<std::string, std::int64_t> parts;
  for (const json& part : difference["parts"]) sum += parts[part["part"]] = part["time_ps"];
  EXPECT_EQ(sum, difference["difference_ps"]);
  // Two all-reduces of two rounds in the ring of 2, one of four rounds of two hops through the switch.
  EXPECT_NEAR(static_cast<double>(parts["latency"]), 500e3 * (2 * 2 + 4 * 2), 5);  // rates are whole B/s
  EXPECT_NEAR(static_cast<double>(parts["contention"]), 0, 2000);
  EXPECT_NE(result.out.find("Themis off"), std::string::npos);
  // Pairs that the model puts the other way round, counted anew.
  std::size_t swapped = 0;
  for (const json& a : found["candidates"])
    for (const json& b : found["candidates"])
      if (!a["time_s"].is_null() && !b["time_s"].is_null() &&
          a["libra_s"].get<double>() < b["libra_s"].get<double>() * (1 - 1e-9) &&
          b["time_s"].get<double>() < a["time_s"].get<double>() * (1 - 1e-9))
        ++swapped;
  EXPECT_EQ(found["swaps"]["libra"]["swapped"], swapped);
  EXPECT_EQ(result.out.find("the other way round") != std::string::npos, swapped > 0);
  // Nothing to explain without a model.
  EXPECT_EQ(test::run_tool("optimize " + file("experiment.yaml") + kVary + "--explain --out " + file("none"))
                .exit_code,
            2);
}

/// A chain of computations and collectives without contention takes what is predicted.
TEST_F(OptimizeCommand, PredictsWithoutSimulating) {
  ASSERT_EQ(write_trace().exit_code, 0);
  const auto run = [&](const std::string& more, const std::string& out) {
    const auto result =
        test::run_tool("optimize " + file("experiment.yaml") + kVary + more + " --out " + file(out));
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return json::parse(test::read_text(file(out + "/results.json")));
  };
  const std::string budget = "--constraint 'ring + switch = 300' ";
  const json found = run(budget + "--evaluations 3 --predictions", "out");
  EXPECT_EQ(found["methods"][0].get<std::string>().rfind("predictions: ", 0), 0U);
  for (const json& each : found["candidates"]) {
    if (each["time_s"].is_null()) continue;
    EXPECT_NEAR(each["predicted_s"].get<double>(), each["time_s"].get<double>(), 1e-10) << each;
  }
  EXPECT_EQ(found["swaps"]["predictions"]["swapped"], 0);
  const json plain = run(budget + "--evaluations 12", "plain");
  EXPECT_LE(found["optimum"]["time_s"].get<double>(), 1.001 * plain["optimum"]["time_s"].get<double>());
}

TEST_F(OptimizeCommand, BoundsTheWholeSpaceAtItsBestCorner) {
  ASSERT_EQ(write_trace().exit_code, 0);
  const auto bound = [&](const std::string& more) {
    const auto result = test::run_tool("optimize " + file("experiment.yaml") + more +
                                       " --evaluations 3 --method direct --out " + file("out"));
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const json found = json::parse(test::read_text(file("out/results.json")));
    const json corner = found["corner_bound"];
    for (const json& each : found["candidates"])
      if (!corner["time_s"].is_null() && !each["time_s"].is_null()) {
        EXPECT_LE(corner["time_s"].get<double>(), each["time_s"].get<double>());
      }
    return corner;
  };
  // Three computations of 20 us.
  const json fast = bound(kVary);
  EXPECT_DOUBLE_EQ(fast["time_s"], 60e-6);
  EXPECT_EQ(fast["at"], "ring 300 GB/s, switch 300 GB/s");
  // On slow links the all-reduce of 8 MiB through the switch takes longer: at least 2 · 8 MiB · 3/4 at 2
  // GB/s.
  const json slow = bound(
      " --vary 'ring:wafer.fabric.dimensions[0].bandwidth=1..2 GB/s' --vary "
      "'switch:wafer.fabric.dimensions[1].bandwidth=1..2 GB/s' --vary "
      "'delay:wafer.fabric.dimensions[1].latency=1..100 ns'");
  EXPECT_GE(slow["time_s"], 2 * 8388608 * 0.75 / 6e9);
  EXPECT_LE(slow["time_s"], 1.01 * 2 * 8388608 * 0.75 / 6e9);
  EXPECT_EQ(slow["at"], "ring 2 GB/s, switch 2 GB/s, delay 1 ns");
  // Texts: the best of all. Chunks: nobody knows which number is best.
  const json texts = bound(std::string(kVary) + "--vary 'collectives.dimensions.order=themis,ascending'");
  EXPECT_DOUBLE_EQ(texts["time_s"], 60e-6);
  const json chunks = bound(std::string(kVary) + "--vary 'collectives.chunks=1..8:1'");
  EXPECT_TRUE(chunks["time_s"].is_null());
  EXPECT_NE(chunks["problem"].get<std::string>().find("chunks"), std::string::npos);
}

TEST_F(OptimizeCommand, GivesAFrontOfTimeAndCost) {
  ASSERT_EQ(write_trace().exit_code, 0);
  const test::ToolResult result =
      optimize("constraints: [\"ring + switch <= 300\"]\ngoals: [time, cost]\nevaluations: 9\n", "out");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json found = json::parse(test::read_text(file("out/results.json")));
  ASSERT_GE(found["front"].size(), 3U);
  for (std::size_t i = 1; i < found["front"].size(); ++i) {
    EXPECT_GT(found["front"][i]["time_s"], found["front"][i - 1]["time_s"]);
    EXPECT_LT(found["front"][i]["cost"], found["front"][i - 1]["cost"]);
  }
  // Its fast end is LIBRA's optimum, faster than equal shares.
  EXPECT_LT(found["front"][0]["time_s"], found["middle"]["time_s"]);
}

/// No file but the experiment: the same problem, found without LIBRA's model.
TEST_F(OptimizeCommand, TakesAnExperimentAsItIs) {
  ASSERT_EQ(write_trace().exit_code, 0);
  ASSERT_EQ(optimize("constraints: [\"ring + switch = 300\"]\nevaluations: 8\n", "own").exit_code, 0);
  const double own = json::parse(test::read_text(file("own/results.json")))["optimum"]["time_s"];
  const auto run = [&](const std::string& more, const std::string& out) {
    return test::run_tool("optimize " + file("experiment.yaml") + kVary + more + " --out " + file(out));
  };
  const std::string budget = "--constraint 'ring + switch = 300' ";
  ASSERT_EQ(run(budget + "--evaluations 10", "out").exit_code, 0);
  const json found = json::parse(test::read_text(file("out/results.json")));
  EXPECT_NEAR(found["optimum"]["time_s"].get<double>() / own, 1, 0.01);
  // From its optimum a second search needs no first points of its own.
  ASSERT_EQ(run(budget + "--evaluations 2 --warm-start " + file("out"), "warm").exit_code, 0);
  const json warm = json::parse(test::read_text(file("warm/results.json")));
  EXPECT_LE(warm["optimum"]["time_s"], found["optimum"]["time_s"]);
  // A limit of the power, and a price, by a table of costs.
  folder_.write("costs.yaml", "costs: table\nlinks:\n  - {links: \"*\", price: 2, power: 0.5}\n");
  const std::string costs = " --costs " + file("costs.yaml");
  ASSERT_EQ(run("--goal time_cost --evaluations 8 --power-at-most 300" + costs, "costs").exit_code, 0);
  const json best = json::parse(test::read_text(file("costs/results.json")))["optimum"];
  EXPECT_LE(best["power_w"], 300.0);
  EXPECT_DOUBLE_EQ(best["cost"].get<double>(), 4 * best["power_w"].get<double>());
  EXPECT_EQ(run("--power-at-most 300 --evaluations 2", "none").exit_code, 2);
  EXPECT_NE(run("--vary ring=5", "none").error.find("FROM..TO"), std::string::npos);
  EXPECT_NE(test::run_tool("optimize " + file("experiment.yaml")).error.find("--vary"), std::string::npos);
}

/// Its axes vary; one of them can be gone over by every candidate, with what each of its values loses.
TEST_F(OptimizeCommand, TakesAStudyAsItIs) {
  ASSERT_EQ(write_trace().exit_code, 0);
  folder_.write(
      "study.yaml",
      "study: bandwidths\nfile: experiment.yaml\naxes:\n"
      "  - {axis: ring, values: [20, 80, 160], set: \"wafer.fabric.dimensions[0].bandwidth={} GB/s\"}\n"
      "  - {axis: switch, values: [40, 140], set: \"wafer.fabric.dimensions[1].bandwidth={} GB/s\"}\n"
      "  - {axis: latency, values: [1, 90000], set: \"wafer.fabric.dimensions[0].latency={} ns\"}\n"
      "except: [{ring: '160', switch: '140'}]\ncolumns: [{column: t, read: iteration_time_s}]\n");
  const auto run = [&](const std::string& more) {
    const auto result = test::run_tool("optimize " + file("study.yaml") + " --out " + file("out") + more);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return json::parse(test::read_text(file("out/results.json")));
  };
  ASSERT_EQ(test::run_tool("study " + file("study.yaml") + " --out " + file("grid")).exit_code, 0);
  double least = 1;
  const json grid = json::parse(test::read_text(file("grid/results.json")));
  for (const json& cell : grid["cells"]) least = std::min(least, cell["values"]["t"].get<double>());
  const json all = run(" --evaluations 12");
  EXPECT_EQ(all["optimum"]["time_s"], least);
  EXPECT_EQ(all["optimum"]["at"]["latency"], "1");
  const json over = run(" --over latency --evaluations 6");
  EXPECT_EQ(over["regret"]["workloads"], (json{"1", "90000"}));
  for (const json& loss : over["regret"]["joint"]) EXPECT_GE(loss, 0.0);
  EXPECT_EQ(over["regret"]["by_own"][0][0], 0.0);
  const json range = run(" --vary 'ring=20..220' --constraint 'ring + switch <= 300' --evaluations 12");
  EXPECT_LE(range["optimum"]["time_s"], least);
}

TEST_F(OptimizeCommand, RefusesWhatMakesNoSense) {
  ASSERT_EQ(write_trace().exit_code, 0);
  const auto refusal = [&](const std::string& more) {
    const test::ToolResult result = optimize(more, "out");
    EXPECT_EQ(result.exit_code, 2) << more;
    return result.error;
  };
  EXPECT_NE(refusal("constraints: [\"ring + swich = 300\"]\n").find("did you mean 'switch'"),
            std::string::npos);
  EXPECT_NE(refusal("constraints: [\"ring = 30\"]\n").find("write <= or >="), std::string::npos);
  EXPECT_NE(refusal("evaluation: 3\n").find("evaluations"), std::string::npos);
  refusal("constraints: [\"ring + switch <= -5\"]\n");
  EXPECT_FALSE(fs::exists(file("out")));
  EXPECT_NE(refusal("coarse: [\"wafer.fabric.packets=1\"]\nlibra: {}\n").find("libra"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm
