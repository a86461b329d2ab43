// SPDX-License-Identifier: Apache-2.0
// How cells are run: attempts, limits, order, and what is kept. (Slurm and MPI: tests/cluster.)
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/journal.h"
#include "platform/commands/study/sweep/sweep_plan.h"
#include "platform/host/digest.h"
#include "tests/support/running_tool.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/unit/platform/commands/study/small_experiment.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::read_text;
using test::run_tool;
using test::ToolResult;
using State = Attempt::State;

/// Cells that are done at once, unless a value of the axis says otherwise.
class StudySweep : public testing::Test {
 protected:
  StudySweep() { folder_.write("small.yaml", test::kSmallExperiment); }

  std::string study(const std::string& values, const std::string& more = "") const {
    return folder_.write("study.yaml", "study: sweep\nfile: small.yaml\naxes: [{axis: a, values: [" + values +
                                           "]}]\n" + more +
                                           "columns:\n  - {column: iteration, read: iteration_time_s}\n");
  }
  ToolResult run(const std::string& values, const std::string& options = "") const {
    return run_tool("study " + study(values) + " --out " + out() + " " + options);
  }
  ToolResult resume(const std::string& options = "") const {
    return run_tool("study resume " + out() + " " + options);
  }
  /// Stops (SIGSTOP) the process of the cell whose command has this word, as soon as there is one: however
  /// fast the computer is, it does not end before the test wants it to.
  pid_t stopped(const std::string& word) const {
    for (int i = 0; i < 20'000; ++i, usleep(1000)) {
      std::vector<pid_t> found = test::processes_with(out() + "/cells/");
      found.erase(std::remove_if(found.begin(), found.end(),
                                 [&](pid_t id) {
                                   const std::string line = "/proc/" + std::to_string(id) + "/cmdline";
                                   return read_text(line).find(word) == std::string::npos;
                                 }),
                  found.end());
      if (found.empty()) continue;  // it may have children
      const pid_t first = *std::min_element(found.begin(), found.end());
      kill(first, SIGSTOP);
      return first;
    }
    throw std::runtime_error("no process has " + word + " in its command line");
  }
  std::string out() const { return folder_.path() + "/out"; }
  json cells() const { return json::parse(read_text(out() + "/results.json"))["cells"]; }
  json status() const { return json::parse(run_tool("study status " + out() + " --json").out); }
  std::vector<Attempt> attempts() const { return read_journals(out() + "/cells/sweep/journal"); }
  /// Of the cell whose command has this word.
  std::vector<State> states(const std::string& word) const {
    std::vector<State> found;
    for (const Attempt& attempt : attempts())
      if (commands().at(attempt.id).find(word) != std::string::npos) found.push_back(attempt.state);
    return found;
  }
  std::map<std::string, std::string> commands() const {
    std::map<std::string, std::string> all;
    const json noted = json::parse(read_text(out() + "/cells/sweep/cells.json"));
    for (const json& cell : noted["cells"]) all[cell[0]] = cell[1];
    return all;
  }

  test::TempFolder folder_;
};

const std::string kGood = "{name: good}", kMore = "{name: more, set: iterations=2}",
                  kBadOption = "{name: bad, arguments: [--vcd, nowhere/x.vcd]}",
                  kFails = "{name: fails, set: run.watchdog=1us}",
                  kEndless = "{name: endless, set: iterations=1000000}";

TEST_F(StudySweep, AFailureHasASecondAttemptAndBadInputNone) {
  const ToolResult result = run(kGood + ", " + kBadOption + ", " + kFails);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(states("watchdog"), (std::vector<State>{State::failed, State::failed}));
  EXPECT_EQ(states("nowhere"), std::vector<State>{State::failed});
  const json all = cells();
  EXPECT_FALSE(all[0].contains("error"));
  EXPECT_EQ(all[1]["error"].get<std::string>().substr(0, 34), "exit code 2: wafertlm: --vcd nowhe");
  EXPECT_EQ(all[2]["error"].get<std::string>().substr(0, 22), "exit code 1: wafertlm:");
  EXPECT_NE(result.error.find("its output is in " + out() + "/cells/"), std::string::npos) << result.error;
  EXPECT_EQ(run(kFails, "--retries 0").exit_code, 1);
  EXPECT_EQ(states("watchdog").size(), 1U);
  EXPECT_EQ(run(kFails, "--retries 3").exit_code, 1);
  EXPECT_EQ(states("watchdog").size(), 4U);
}

TEST_F(StudySweep, AResumedStudyKnowsWhatFailed) {
  ASSERT_EQ(run(kGood + ", " + kFails).exit_code, 1);
  const std::string first = read_text(out() + "/results.json");
  EXPECT_EQ(attempts().size(), 3U);
  EXPECT_EQ(resume().exit_code, 1);
  EXPECT_EQ(attempts().size(), 3U);
  EXPECT_EQ(read_text(out() + "/results.json"), first);
  const json found = status();
  EXPECT_EQ(found["done"], 1);
  EXPECT_EQ(found["failed"][0]["error"], cells()[1]["error"]);
  EXPECT_EQ(run_tool("study status " + out()).exit_code, 1);
  EXPECT_EQ(resume("--failed-too --retries 0").exit_code, 1);
  EXPECT_EQ(attempts().size(), 1U);  // counted anew
  // What was wrong is mended.
  folder_.write("study.yaml", "study: sweep\nfile: small.yaml\naxes: [{axis: a, values: [" + kGood + ", " +
                                  kMore + "]}]\ncolumns: [{column: iteration, read: iteration_time_s}]\n");
  EXPECT_EQ(resume().exit_code, 0);
  EXPECT_EQ(attempts().size(), 2U);
}

TEST_F(StudySweep, LimitsEndACellAndNotTheOthers) {
  const ToolResult late = run(kEndless + ", " + kGood, "--time-limit 500ms --jobs 1");
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_EQ(cells()[0]["error"], "it took more than 1 s (--time-limit)");
  EXPECT_FALSE(cells()[1].contains("error"));
  EXPECT_EQ(states("1000000").size(), 1U);
  for (const Attempt& attempt : attempts())
    if (attempt.state == State::failed) {
      EXPECT_NEAR(attempt.processor_s, 1, 0.5);
    }
  const std::string large =
      "{name: large, set: [wafer.width=40, wafer.height=40, workload.parallelism=DP(1600)]}";
  EXPECT_EQ(run(kGood + ", " + large, "--memory-limit 96MiB").exit_code, 1);
  EXPECT_FALSE(cells()[0].contains("error"));
  const std::string error = cells()[1]["error"];
  EXPECT_NE(error.find("the run takes about 163.0 MB of memory, and "), std::string::npos) << error;
}

TEST_F(StudySweep, AKilledProcessRunsAgainAndTheTableIsTheSame) {
  const std::string values = "{name: a, set: iterations=5000}, " + kGood;
  test::RunningTool tool({"study", study(values), "--out", out(), "--jobs", "1"}, folder_.path());
  const pid_t cell = stopped("=5000");
  EXPECT_GE(status()["running"].size(), 1U);
  EXPECT_NE(status()["collector"], "");
  kill(cell, SIGKILL);
  EXPECT_EQ(tool.exit_code(), 0) << tool.errors();
  EXPECT_EQ(states("5000"), (std::vector<State>{State::failed, State::done}));
  EXPECT_EQ(attempts()[0].exit_code, 128 + SIGKILL);
  const std::string table = read_text(out() + "/results.json");
  ASSERT_EQ(run(values, "--fresh").exit_code, 0);
  EXPECT_EQ(attempts().size(), 2U);
  EXPECT_EQ(read_text(out() + "/results.json"), table);
}

TEST_F(StudySweep, KilledItGoesOnWithWhatIsLeft) {
  const std::string values = "{name: long, set: iterations=5000}, " + kGood + ", " + kMore;
  {
    test::RunningTool tool({"study", study(values), "--out", out(), "--jobs", "2"}, folder_.path());
    stopped("=5000");
    for (int i = 0; i < 2000 && CellFiles(out()).ended().done.size() < 2; ++i) usleep(5000);
    tool.send(SIGKILL);
    EXPECT_EQ(tool.exit_code(), 128 + SIGKILL);
  }
  const json found = status();
  EXPECT_EQ(found["done"], 2);
  EXPECT_EQ(found["collector"], "");
  EXPECT_NE(run_tool("study status " + out()).out.find("`wafertlm study resume "), std::string::npos);
  EXPECT_EQ(resume().exit_code, 0);
  EXPECT_EQ(states("5000"), (std::vector<State>{State::running, State::done}));
  EXPECT_EQ(attempts().size(), 4U);
  for (const auto& entry : fs::directory_iterator(out() + "/cells"))
    EXPECT_EQ(entry.path().string().find("running"), std::string::npos) << entry.path();
}

// A cell that takes its worker with it must not do so for ever.
TEST_F(StudySweep, ACellThatIsLostThreeTimesIsGivenUp) {
  ASSERT_EQ(run(kGood + ", " + kMore).exit_code, 0);
  const std::string id = attempts().front().id;
  fs::remove(CellFiles(out()).result(id));
  for (const int losses : {2, 1}) {
    Journal journal(out() + "/cells/sweep/journal/7-" + std::to_string(losses) + ".jsonl");
    for (int i = 0; i < losses; ++i) journal.begin(id);
  }
  EXPECT_EQ(resume().exit_code, 1);
  const std::string error = json::parse(read_text(CellFiles(out()).failure(id).string()))["error"];
  EXPECT_EQ(error, "whatever ran it ended 3 times before it did (out of memory?)");
}

TEST_F(StudySweep, TheLongestBeginsFirst) {
  const std::string values =
      "{name: '1'}, {name: '2', set: iterations=5}, {name: '3', set: iterations=600}, {name: '4', set: "
      "iterations=100}";
  ASSERT_EQ(run(values, "--jobs 1").exit_code, 0);
  std::vector<std::string> order;
  for (const Attempt& attempt : attempts()) {
    const std::string command = commands().at(attempt.id);
    order.push_back(command.substr(std::min(command.find("=") + 1, command.size())));
  }
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ(order[0], "600");
  EXPECT_EQ(order[1], "100");
  EXPECT_EQ(order[2], "5");
}

// The id is of the content of what a cell reads, not of names and times.
TEST_F(StudySweep, AFileThatACellReadsIsPartOfItsIdentity) {
  const std::string values = "{name: a, set: 'workload.placement=file:npus.txt'}";
  folder_.write("npus.txt", "0\n1\n");
  const ToolResult first = run(values);
  ASSERT_EQ(first.exit_code, 0) << first.error;
  const auto ids = [&] { return CellFiles(out()).ended().done; };
  const auto before = ids();
  ASSERT_EQ(before.size(), 1U);
  folder_.write("npus.txt", "0\n1\n");
  ASSERT_EQ(run(values).exit_code, 0);
  EXPECT_EQ(ids(), before);
  folder_.write("npus.txt", "1\n0\n");
  ASSERT_EQ(run(values).exit_code, 0);
  EXPECT_EQ(ids().size(), 2U);
}

TEST_F(StudySweep, ATaskDoesItsShareAndGoesOnWhereItWas) {
  ASSERT_EQ(run(kGood + ", " + kMore).exit_code, 0);
  SweepPlan plan;
  plan.program = test::tool_path();
  plan.program_digest = sha256_of_file(plan.program);
  plan.folder = folder_.path();
  plan.study_folder = folder_.path() + "/other";
  plan.columns.resize(1);
  plan.columns[0].read = "iteration_time_s";
  for (const int iterations : {1, 2, 3, 4, 5})
    plan.cells.push_back({"c" + std::to_string(iterations),
                          {"run", "small.yaml", "--set", "iterations=" + std::to_string(iterations)},
                          1,
                          0,
                          0});
  plan.round = 3;
  plan.tasks = 2;
  EXPECT_EQ(plan.cells_of_task(0), (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_EQ(plan.cells_of_task(1), (std::vector<std::size_t>{1, 3}));
  const CellFiles files(plan.study_folder);
  fs::create_directories(files.folder());
  const std::string file = folder_.path() + "/plan.json";
  write_plan(file, plan);
  const auto task = [&](const std::string& number) {
    return run_tool("study worker " + file + " --task " + number);
  };
  ASSERT_EQ(task("1").exit_code, 0);
  EXPECT_EQ(files.ended().done, (std::unordered_set<std::string>{"c2", "c4"}));
  EXPECT_EQ(task("1").exit_code, 0);  // requeued: nothing is left of it
  EXPECT_EQ(read_journals(files.sweep() / "journal").size(), 2U);
  // Two processes that run the same cell write the same bytes.
  const std::string bytes = text_of(files.result("c4"));
  fs::remove(files.result("c4"));
  EXPECT_EQ(task("1").exit_code, 0);
  EXPECT_EQ(text_of(files.result("c4")), bytes);
  // One that was lost twice before in this task, and once earlier, is not begun again.
  plan.cells[0].losses = 1;
  write_plan(file, plan);
  Journal journal(files.sweep() / "journal/3-0.jsonl");
  journal.begin("c1");
  journal.begin("c1");
  EXPECT_EQ(task("0").exit_code, 0);
  EXPECT_EQ(files.ended().failed, std::unordered_set<std::string>{"c1"});
  EXPECT_EQ(files.ended().done.size(), 4U);
  EXPECT_EQ(run_tool("study worker " + file + " --task 0 <" + file).exit_code, 0);
  // Another program would give the cells' ids to other results.
  plan.program_digest = sha256("another");
  write_plan(file, plan);
  const ToolResult other = task("0");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.error.find("is not the program that the study began with"), std::string::npos)
      << other.error;
}

TEST_F(StudySweep, AJournalThatIsCutShortIsReadAsFarAsItGoes) {
  const std::string file = folder_.path() + "/j/1.jsonl";
  Journal journal(file);
  Attempt a = journal.begin("a");
  a.state = State::failed;
  a.error = "why\xff";
  a.exit_code = 7;
  a.seconds = 1.5;
  journal.end(a);
  journal.begin("b");
  folder_.write("j/1.jsonl", read_text(file) + "{\"end\": \"b\", \"wor");
  const std::vector<Attempt> found = read_journal(file);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].state, State::failed);
  EXPECT_EQ(found[0].exit_code, 7);
  EXPECT_EQ(found[0].seconds, 1.5);
  EXPECT_EQ(found[0].error, "why\xEF\xBF\xBD");
  EXPECT_EQ(found[1].state, State::running);
  EXPECT_EQ(found[1].worker, worker_name());
}

TEST_F(StudySweep, OptionsThatDoNotFitAreRefused) {
  const auto refused = [&](const std::string& options, const std::string& words) {
    const ToolResult result = run(kGood, options);
    EXPECT_EQ(result.exit_code, 2) << options;
    EXPECT_NE(result.error.find(words), std::string::npos) << result.error;
    EXPECT_FALSE(fs::exists(out())) << options;
  };
  refused("--engine slrum", "there is no engine 'slrum'; did you mean 'slurm'?");
  refused("--sbatch --partition=p", "--sbatch is for --engine slurm");
  refused("--no-wait --engine mpi", "--no-wait is for --engine slurm");
  refused("--launcher mpirun", "--launcher is for --engine mpi");
  refused("--cells-per-task 4", "--cells-per-task is for --engine slurm");
  refused("--memory-limit 3", "--memory-limit 3: ");
  refused("--memory-limit 3MiB", "at least 64 MiB");
  refused("--time-limit 0s", "at least 1 s");
  refused("--launcher no-such-launcher --engine mpi", "--engine mpi: there is no ");
  EXPECT_EQ(run_tool("study").error, "wafertlm: STUDY is required\n");
  EXPECT_EQ(
      run_tool("study x.yaml --jbos 2").error,
      "wafertlm: there is no option --jbos; did you mean '--jobs'? (`wafertlm study --help` lists them)\n");
  const ToolResult nothing = resume();
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.error.find("no study was started there"), std::string::npos) << nothing.error;
}

}  // namespace
}  // namespace wafertlm
