// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/running_tool.h"
#include "tests/support/squeezed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/unit/platform/commands/study/small_experiment.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::read_text;
using test::run_tool;
using test::TempFolder;
using test::ToolResult;

const std::string kStudy =
    "study: small\n"
    "file: small.yaml\n"
    "axes:\n"
    "  - axis: link\n"
    "    values: [100 GB/s, 50 GB/s]\n"
    "    set: \"wafer.fabric.link_bandwidth={}\"\n"
    "  - axis: rate\n"
    "    values:\n"
    "      - {name: slow}\n"
    "      - {name: fast, set: workload.effective_flops=10 TFLOPS}\n"
    "columns:\n"
    "  - {column: iteration, read: iteration_time_s, as: time}\n"
    "  - {column: compute, read: \"iterations[-1].breakdown_s.compute\", as: time}\n"
    "  - {column: dp, read: \"iterations[-1].breakdown_s.exposed_dp\"}\n"
    "  - {column: both, sum: [compute, dp]}\n"
    "  - {column: speedup, divide: iteration, divide_at: {rate: slow}, by: iteration}\n";

class StudyCommand : public testing::Test {
 protected:
  StudyCommand() { folder_.write("small.yaml", test::kSmallExperiment); }

  ToolResult run(const std::string& study, const std::string& more = "") const {
    return run_tool("study " + folder_.write("study.yaml", study) + " --out " + out() + " " + more);
  }
  std::string out() const { return folder_.path() + "/out"; }
  json results() const { return json::parse(read_text(out() + "/results.json")); }
  std::set<std::string> kept() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(out() + "/cells"))
      if (entry.path().extension() == ".json") names.insert(entry.path().filename().string());
    return names;
  }
  fs::file_time_type latest() const {
    fs::file_time_type time = fs::file_time_type::min();
    for (const auto& entry : fs::directory_iterator(out() + "/cells"))
      if (entry.path().extension() == ".json") time = std::max(time, entry.last_write_time());
    return time;
  }

  TempFolder folder_;
};

TEST_F(StudyCommand, GridAndColumns) {
  const ToolResult result = run(kStudy);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json cells = results()["cells"];
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[2]["at"], (json{{"link", "50 GB/s"}, {"rate", "slow"}}));
  for (const json& cell : cells) {
    const json& values = cell["values"];
    EXPECT_NEAR(values["both"].get<double>(), values["iteration"].get<double>(), 1e-15);
    EXPECT_DOUBLE_EQ(values["compute"], cell["at"]["rate"] == "fast" ? 2e-4 : 2e-3) << cell;
  }
  EXPECT_EQ(cells[1]["values"]["speedup"].get<double>(),
            cells[0]["values"]["iteration"].get<double>() / cells[1]["values"]["iteration"].get<double>());
  EXPECT_EQ(cells[0]["values"]["speedup"], 1);
  EXPECT_GT(cells[2]["values"]["dp"], 1.9 * cells[0]["values"]["dp"].get<double>());
  EXPECT_NE(test::squeezed(result.out).find("link rate "), std::string::npos) << result.out;
  EXPECT_EQ(cells[3]["command"],
            "wafertlm run small.yaml --set \"wafer.fabric.link_bandwidth=50 GB/s\" --set "
            "\"workload.effective_flops=10 TFLOPS\"");
}

TEST_F(StudyCommand, DoneCellsAreNotRunAgain) {
  ASSERT_EQ(run(kStudy, "--jobs 1").exit_code, 0);
  const auto before = latest();
  const std::set<std::string> names = kept();
  const std::string first = read_text(out() + "/results.json");
  ASSERT_EQ(run(kStudy, "--jobs 4").exit_code, 0);
  EXPECT_EQ(latest(), before);
  EXPECT_EQ(read_text(out() + "/results.json"), first);
  // Another name of the experiment's file is another input for all cells; a comment is none.
  folder_.write("small.yaml", "# a comment\n" + test::kSmallExperiment);
  ASSERT_EQ(run(kStudy).exit_code, 0);
  EXPECT_EQ(kept(), names);
  ASSERT_EQ(run(kStudy, "--set workload.samples_per_replica=2").exit_code, 0);
  EXPECT_EQ(kept().size(), 8U);
  ASSERT_EQ(run(kStudy, "--fresh").exit_code, 0);
  EXPECT_EQ(kept(), names);
  EXPECT_GT(latest(), before);
}

// What is kept counts only if it can be read and is of this very input.
TEST_F(StudyCommand, WhatIsKeptButOfNoUseRunsAgain) {
  std::string study = kStudy;
  study.replace(study.find("[100 GB/s, 50 GB/s]"), 19, "[100 GB/s]");
  study.replace(study.find("      - {name: slow}\n"), 21, "");
  study.erase(study.find("  - {column: speedup"));
  ASSERT_EQ(run(study).exit_code, 0);
  ASSERT_EQ(kept().size(), 1U);
  const std::string cell = out() + "/cells/" + *kept().begin(), good = read_text(cell);
  json other = json::parse(good), emptied = other;
  other["id"] = "another";
  other["values"].begin().value() = 77;
  emptied["values"] = json::object();
  const std::string first = read_text(out() + "/results.json");
  for (const std::string& bad : {std::string("{"), std::string("[]"), other.dump(), emptied.dump()}) {
    folder_.write("out/cells/" + *kept().begin(), bad);
    const ToolResult again = run(study);
    ASSERT_EQ(again.exit_code, 0) << bad << again.error;
    EXPECT_EQ(read_text(cell), good) << bad;
    EXPECT_EQ(read_text(out() + "/results.json"), first) << bad;
  }
}

TEST_F(StudyCommand, AFailingCellIsNamed) {
  const ToolResult result = run(kStudy + "  - {column: wrong, read: \"notes[99]\"}\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.error.find("link 50 GB/s, rate fast failed: read: 'notes[99]': the list has "),
            std::string::npos)
      << result.error;
  EXPECT_NE(result.error.find("wafertlm run small.yaml --set \"wafer.fabric.link_bandwidth=50 GB/s\""),
            std::string::npos);
  EXPECT_NE(result.error.find("4 of 4 cells failed"), std::string::npos);
}

// One cell, whose results are those of the run by itself.
TEST_F(StudyCommand, ColumnsReadWhatTheirPathsSay) {
  const std::string faster = "wafer.fabric.injection_bandwidth=200GB/s";  // so that links differ
  const std::string experiment = folder_.path() + "/small.yaml --set " + faster;
  ASSERT_EQ(run_tool("run " + experiment + " --out " + folder_.path() + "/alone").exit_code, 0);
  const json alone = json::parse(read_text(folder_.path() + "/alone/results.json"));
  std::vector<double> busy;
  for (const json& link : alone["links"]) busy.push_back(link["busy_fraction"]);
  const std::string one =
      "study: one\nfile: small.yaml\nset: " + faster + "\naxes: [{axis: a, values: [x]}]\ncolumns:\n";
  std::string columns;
  for (const char* const take : {"sum", "mean", "least", "most", "last"})
    columns +=
        std::string("  - {column: ") + take + ", read: \"links[*].busy_fraction\", take: " + take + "}\n";
  const ToolResult result = run(one + columns +
                                "  - {column: first, read: \"links[0].name\"}\n"
                                "  - {column: third, read: \"links[2].bytes\"}\n"
                                "  - {column: before the last, read: \"links[-2].name\"}\n"
                                "  - {column: only, read: \"iterations[*].time_ps\"}\n");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json values = results()["cells"][0]["values"];
  double sum = 0;
  for (const double each : busy) sum += each;
  EXPECT_DOUBLE_EQ(values["sum"], sum);
  EXPECT_DOUBLE_EQ(values["mean"], sum / static_cast<double>(busy.size()));
  EXPECT_EQ(values["least"], *std::min_element(busy.begin(), busy.end()));
  EXPECT_EQ(values["most"], *std::max_element(busy.begin(), busy.end()));
  EXPECT_EQ(values["last"], busy.back());
  EXPECT_NE(values["least"], values["most"]);
  EXPECT_EQ(values["first"], alone["links"][0]["name"]);
  EXPECT_EQ(values["third"], alone["links"][2]["bytes"]);
  EXPECT_EQ(values["before the last"], alone["links"][busy.size() - 2]["name"]);
  EXPECT_EQ(values["only"], alone["iterations"][0]["time_ps"]);
  const auto problem = [&](const std::string& column) {
    const std::string error = run(one + "  - {column: c, read: " + column + "}\n").error;
    EXPECT_NE(error.find("wafertlm: 1 of 1 cell failed\n"), std::string::npos) << error;
    const std::size_t at = error.find("read: ");
    return at == std::string::npos ? error : error.substr(at, error.find('\n', at) - at);
  };
  const std::string links = std::to_string(busy.size());
  EXPECT_EQ(problem("\"links[*].busy_fraction\""),
            "read: 'links[*].busy_fraction': there are several; say which "
            "with take: sum, mean, least, most or last");
  EXPECT_EQ(problem("\"links[*].name\", take: sum"), "read: 'links[*].name': not all of them are numbers");
  EXPECT_EQ(problem("\"memories[*].lost.x\"").substr(0, 48),
            "read: 'memories[*].lost.x': there is no 'x'; the");
  EXPECT_EQ(problem("\"notes[*]\""), "read: 'notes[*]': there is none");
  EXPECT_EQ(problem("\"links[" + links + "].name\""), "read: 'links[" + links + "].name': the list has " +
                                                          links + " items, there is no [" + links + "]");
  EXPECT_EQ(problem("\"links[-" + std::to_string(busy.size() + 1) + "].name\"").substr(0, 32),
            "read: 'links[-" + std::to_string(busy.size() + 1) + "].name': the list");
}

// Before any cell runs, and without running: what results.json never has.
TEST_F(StudyCommand, AColumnThatReadsWhatNoResultsHaveIsFoundAtOnce) {
  const auto refused = [&](const std::string& path) {
    const std::string text = kStudy + "  - {column: wrong, read: \"" + path + "\"}\n";
    const std::string file = folder_.write("study.yaml", text);
    const ToolResult checked = run_tool("check " + file), ran = run(text);
    EXPECT_EQ(checked.exit_code, 2) << checked.out;
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.error, checked.error);
    EXPECT_FALSE(fs::exists(out()));
    const auto line = std::count(text.begin(), text.end(), '\n');
    const std::string place =
        "wafertlm: " + file + ":" + std::to_string(line) + ":27: columns[5].read: '" + path + "': ";
    EXPECT_EQ(checked.error.substr(0, place.size()), place);
    return checked.error.substr(place.size(), checked.error.size() - place.size() - 1);
  };
  EXPECT_EQ(refused("iteration_tme_s").substr(0, 62),
            "there is no 'iteration_tme_s'; did you mean 'iteration_time_s'");
  EXPECT_EQ(refused("iterations[-1].breakdown_s.expsed_dp").substr(0, 51),
            "there is no 'expsed_dp'; did you mean 'exposed_dp'?");
  EXPECT_EQ(refused("collectives[*].rank[*]").substr(0, 23), "there is no 'rank'; the");
  EXPECT_EQ(refused("memories[*].bytes_rad").substr(0, 50),
            "there is no 'bytes_rad'; did you mean 'bytes_read'");
  EXPECT_EQ(refused("iterations"), "is no single value; name one below it");
  EXPECT_EQ(refused("iterations[0].breakdown_s"), "is no single value; name one below it");
  EXPECT_EQ(refused("links[x].name"), "'[x]' is no place in a list; write [0], [-1] or [*]");
  for (const std::string place : {"[]", "[-]", "[1-2]", "[0", "[0]]", "[99999999999999999999]"})
    EXPECT_EQ(refused("links" + place), "'" + place + "' is no place in a list; write [0], [-1] or [*]");
  EXPECT_EQ(refused("platform[0]"), "what stands before '[0]' is no list");
  EXPECT_EQ(refused("platform.name"), "what stands before 'name' has no names in it");
}

TEST_F(StudyCommand, ARunThatFailsIsNamedAndTheOthersAreShown) {
  std::string study = kStudy;
  study.replace(study.find("{name: slow}"), 12, "{name: slow, arguments: [--vcd, nowhere/x.vcd]}");
  const ToolResult result = run(study);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.error.find("link 100 GB/s, rate slow failed: exit code"), std::string::npos)
      << result.error;
  EXPECT_NE(result.error.find("nowhere/x.vcd"), std::string::npos);
  EXPECT_DOUBLE_EQ(results()["cells"][1]["values"]["compute"], 2e-4);
  EXPECT_EQ(results()["cells"][1]["values"]["speedup"], nullptr);
}

TEST_F(StudyCommand, BadInputRunsNothing) {
  const auto expect = [&](const std::string& study, const std::string& words) {
    const ToolResult result = run(study);
    EXPECT_EQ(result.exit_code, 2) << study;
    EXPECT_NE(result.error.find(words), std::string::npos) << result.error;
    EXPECT_FALSE(fs::exists(out() + "/results.json"));
  };
  expect(kStudy + "  - {column: x, sum: [compute, db]}\n", "there is no column 'db'; did you mean 'dp'?");
  expect(kStudy + "references:\n  - {column: dp, at: {rate: fats}, value: 1}\n", "did you mean 'fast'?");
  expect(kStudy + "tables:\n  - {table: x, where: {lnik: 1}}\n", "did you mean 'link'?");
  expect(kStudy + "set: wafer.widht=3\n", "did you mean 'wafer.width'?");
  expect(kStudy + "set: wafer.fabric.link_latency=3\n",
         "(cell: link 100 GB/s, rate slow, of " + folder_.path());
  expect(kStudy + "except: [{rate: [slow, fast]}]\n", "study.yaml:1:8: 'except' leaves no cell");
  expect(kStudy +
             "calibrate:\n  - {calibration: c, at: {rate: fast}, key: iterations, between: [1, 2], "
             "column: dp, in: {rate: fast}, target: 1}\n",
         "must name one value of axis 'link', they name 0");
  expect("study: x\ncolumns: [{column: a, read: b}]\n", "nothing says what the command takes");
}

TEST_F(StudyCommand, ABadCellIsARowAndTheOthersRun) {
  std::string study = kStudy;
  study.replace(study.find("[100 GB/s, 50 GB/s]"), 19, "[100 GB/s, fast, 50 GB/s]");
  const ToolResult result = run(study);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.error.find("warning: link fast, rate slow is bad input, and only the other cells run: "),
            std::string::npos)
      << result.error;
  EXPECT_NE(result.error.find("2 of 6 cells failed"), std::string::npos);
  const json found = results();
  EXPECT_EQ(found["complete"], true);
  std::vector<std::string> statuses;
  for (const json& cell : found["cells"]) statuses.push_back(cell["status"]);
  EXPECT_EQ(statuses, (std::vector<std::string>{"done", "done", "bad_input", "bad_input", "done", "done"}));
  EXPECT_NE(found["cells"][2]["error"].get<std::string>().find("link_bandwidth"), std::string::npos);
  EXPECT_EQ(found["cells"][2]["values"]["iteration"], nullptr);
  EXPECT_DOUBLE_EQ(found["cells"][5]["values"]["compute"], 2e-4);
  EXPECT_NE(result.out.find("bad input"), std::string::npos) << result.out;
  // Checked alone, the study is refused.
  EXPECT_EQ(run_tool("check " + folder_.path() + "/study.yaml").exit_code, 2);
}

// Found by the run, not by its description.
TEST_F(StudyCommand, WhereEveryCellIsBadInputSoIsTheStudy) {
  std::string study = kStudy + "set: workload.parallelism=DP(7)\n";
  const ToolResult result = run(study);
  EXPECT_EQ(result.exit_code, 2) << result.error;
}

TEST_F(StudyCommand, AStudyWithoutCellsSaysSo) {
  std::string study = kStudy;
  study.replace(study.find("[100 GB/s, 50 GB/s]"), 19, "[]");
  const ToolResult result = run(study);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("study.yaml:"), std::string::npos) << result.error;
  EXPECT_FALSE(fs::exists(out() + "/results.csv"));
}

class EndedStudy : public StudyCommand, public testing::WithParamInterface<const char*> {};

TEST_P(EndedStudy, LeavesTheTableOfWhatIsDone) {
  const std::string engine = GetParam();
  if (engine == "mpi" && (!fs::exists(fs::path(test::tool_path()).parent_path() / "wafertlm_mpi") ||
                          std::system("command -v mpirun >/dev/null") != 0))
    GTEST_SKIP() << "no MPI";
  std::string study = kStudy;
  study.replace(study.find("  - axis: rate"), study.find("columns:") - study.find("  - axis: rate"),
                "  - {axis: n, values: ['1', '200000'], set: \"iterations={}\"}\n");
  study.replace(study.find("[100 GB/s, 50 GB/s]"), 19, "[100 GB/s]");
  study.erase(study.find("  - {column: speedup"));
  const std::string file = folder_.write("study.yaml", study);
  test::RunningTool tool({"study", file, "--jobs", "2", "--engine", engine, "--out", out()}, folder_.path());
  const auto has_one = [&] { return fs::exists(out() + "/cells") && !kept().empty(); };
  for (int i = 0; i < 6000 && !has_one(); ++i) usleep(5000);
  tool.send(SIGTERM);
  EXPECT_EQ(tool.exit_code(), 143) << tool.errors();
  const json found = results();
  EXPECT_EQ(found["complete"], false);
  EXPECT_EQ(found["cells"][0]["status"], "done");
  EXPECT_EQ(found["cells"][1]["status"], "not_run");
  EXPECT_DOUBLE_EQ(found["cells"][0]["values"]["compute"], 2e-3);
  const std::string table = read_text(out() + "/results.csv");
  EXPECT_NE(table.find("\"done\",\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\"not_run\",\"it did not run\"\n"), std::string::npos) << table;
  EXPECT_NE(tool.errors().find("what is done is kept"), std::string::npos) << tool.errors();
  // It goes on from there.
  const json status = json::parse(run_tool("study status " + out() + " --json").out);
  EXPECT_EQ(status["done"], 1);
  EXPECT_EQ(status["cells"], 2);
}

INSTANTIATE_TEST_SUITE_P(Engines, EndedStudy, testing::Values("local", "mpi"),
                         [](const auto& each) { return std::string(each.param); });

// An iteration is linear in its samples: two measured parts tell all of it, a third one how well.
TEST_F(StudyCommand, LinesThroughMeasuredParts) {
  std::string study = kStudy;
  study.insert(study.find("columns:"),
               "  - axis: samples\n    values: ['1', '2', '4']\n    set: workload.samples_per_replica={}\n"
               "    line_to: all\nset: run.seed=10\n");
  study += "  - {column: all, read: simulation.seed}\n";
  const ToolResult result = run(study);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json found = results();
  ASSERT_EQ(found["cells"].size(), 12U);
  const json& first = found["cells"][0];
  EXPECT_NEAR(first["values"]["compute"], 2e-2, 1e-12);
  EXPECT_DOUBLE_EQ(first["measured"]["compute"], 2e-3);
  EXPECT_NEAR(first["values"]["dp"].get<double>(), first["measured"]["dp"].get<double>(), 1e-12);
  EXPECT_EQ(found["lines"][0]["to"], "all");
  EXPECT_EQ(found["straightness"][0]["checked_cells"], 4);
  EXPECT_NEAR(found["straightness"][0]["line_over_measured_less_1"], 0, 1e-9);
  EXPECT_NE(result.out.find("cells ran with two values of samples, figures are those at 'all'"),
            std::string::npos)
      << result.out;
  study.replace(study.find("'2', '4'"), 8, "'2', two");
  EXPECT_EQ(run(study).exit_code, 2);
}

// Two iterations' time is compute + communication: 2 ms x (1 TFLOPS / rate) + t, so the speedup of a link
// that is twice as fast tells the rate.
TEST_F(StudyCommand, CalibrationFindsTheValue) {
  const std::string calibrate =
      "  - {column: link gain, divide: iteration, divide_at: {link: 50 GB/s}, by: iteration}\n"
      "references:\n"
      "  - {column: link gain, at: {link: 100 GB/s, rate: fast}, value: {value: 1.5, provenance: made up}}\n"
      "calibrate:\n"
      "  - {calibration: it, at: {rate: fast}, key: workload.effective_flops, between: [1 TFLOPS, 1000 "
      "TFLOPS], column: link gain, in: {link: 100 GB/s}, target: {value: 1.5, provenance: made up}}\n";
  const ToolResult result = run(kStudy + calibrate);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json found = results();
  const json& fast = found["cells"][1]["values"];
  EXPECT_NEAR(fast["link gain"], 1.5, 0.0015);
  EXPECT_NEAR(found["cells"][1]["references"]["link gain"]["difference"], 0, 0.001);
  EXPECT_DOUBLE_EQ(found["cells"][0]["values"]["compute"], 2e-3);  // not calibrated
  // With 20 us and 40 us of communication the compute time is 20 us at this gain.
  const double dp = fast["dp"], slow_dp = found["cells"][3]["values"]["dp"];
  EXPECT_NEAR(fast["compute"].get<double>(), 2 * slow_dp - 3 * dp, 0.02 * dp);
  EXPECT_NE(result.out.find("made up: "), std::string::npos) << result.out;

  std::string out_of_reach = calibrate;
  out_of_reach.replace(out_of_reach.find("target: {value: 1.5"), 19, "target: {value: 3.5");
  const ToolResult refused = run(kStudy + out_of_reach);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.error.find("and is never 3.5"), std::string::npos) << refused.error;
}

TEST_F(StudyCommand, InterruptedItEndsItsCells) {
  const std::string study = folder_.write("study.yaml", kStudy + "set: iterations=200000\n");
  test::RunningTool tool({"study", study, "--jobs", "2", "--out", out()}, folder_.path());
  const auto running = [&] { return test::processes_with(out() + "/cells"); };
  for (int i = 0; i < 4000 && running().size() < 2; ++i) usleep(5000);
  tool.send(SIGINT);
  EXPECT_EQ(tool.exit_code(), 130);
  EXPECT_NE(tool.errors().find("ended by SIGINT; what is done is kept"), std::string::npos) << tool.errors();
  EXPECT_TRUE(running().empty());
}

}  // namespace
}  // namespace wafertlm
