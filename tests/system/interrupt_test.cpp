// SPDX-License-Identifier: Apache-2.0
// Commands that are ended from outside: earlier results stay whole, no process stays behind.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/support/random_cases.h"
#include "tests/support/running_tool.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

namespace fs = std::filesystem;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
const std::string kResNet = WAFERTLM_SOURCE_DIR "/configs/experiments/resnet50_dp20_mesh_5x4.yaml";

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Results and their neighbours, as one text.
std::string results_in(const std::string& folder) {
  std::string text;
  for (const char* name : {"results.json", "iterations.csv", "breakdown.csv", "links.csv", "resolved.yaml"})
    text += read_text(folder + "/" + name) + "\n--\n";
  return text;
}

/// Where a command works that writes into `out`; empty: nowhere.
std::string working_folder(const std::string& out) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(out, none))
    if (entry.path().filename().string().rfind(".wafertlm-incomplete-", 0) == 0) return entry.path();
  return "";
}

/// That of the next command, which removes what the one `before` has left.
std::string next_working_folder(const std::string& out, const std::string& before = "") {
  for (int turn = 0; turn < 20'000; ++turn) {
    if (const std::string now = working_folder(out); now != before && !now.empty()) return now;
    sleep_for(1e-3);
  }
  ADD_FAILURE() << "no command works in " << out;
  return "";
}

/// Ends `command` at random moments; `again` makes its results differ from the earlier ones.
void expect_earlier_results(const std::vector<std::string>& command, const std::string& again,
                            const std::string& out, const TempFolder& folder) {
  ASSERT_EQ(RunningTool(command, folder.path()).exit_code(), 0);
  const std::string before = results_in(out);
  ASSERT_NE(before.find("iteration"), std::string::npos);
  std::vector<std::string> changed = command;
  changed.insert(changed.end(), {"--set", again});
  std::mt19937_64 random(3);
  int ended = 0;
  for (int number = 0; number < random_cases(12, 4); ++number) {
    const int signal = kSignals[number % 4];
    const std::string left = working_folder(out);
    RunningTool tool(changed, folder.path());
    next_working_folder(out, left);
    sleep_for(static_cast<double>(random() % 1000) / 1e4);
    tool.send(signal);
    const int exit_code = tool.exit_code();
    if (exit_code == 0) continue;  // it was done
    ++ended;
    EXPECT_EQ(exit_code, 128 + signal) << tool.errors();
    EXPECT_EQ(results_in(out), before);
  }
  EXPECT_GT(ended, 0);
}

TEST(Interrupted, RunsLeaveEarlierResultsWhole) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out";
  expect_earlier_results({"run", kResNet, "--out", out}, "iterations=100", out, folder);
  EXPECT_TRUE(fs::exists(working_folder(out) + "/resolved.yaml"));
}

TEST(Interrupted, StudiesLeaveEarlierResultsWholeAndNoCells) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out",
                    study =
                        folder.write("study.yaml", "study: some\nfile: " + kResNet +
                                                       "\naxes:\n  - {axis: latency, values: [20 ns, 40 ns], "
                                                       "set: \"wafer.fabric.link_latency={}\"}\n"
                                                       "columns:\n  - {column: iteration, read: "
                                                       "iteration_time_s, as: time}\n");
  expect_earlier_results({"study", study, "--out", out, "--jobs", "2"}, "iterations=100", out, folder);
  sleep_for(0.1);
  EXPECT_TRUE(processes_with(folder.path()).empty());
}

TEST(Interrupted, RunsSayWhenAndCloseWhatTheyRecorded) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out", vcd = folder.path() + "/waves.vcd";
  RunningTool tool({"run", kResNet, "--out", out, "--vcd", vcd, "--trace", "npu0", "--set", "iterations=100"},
                   folder.path());
  next_working_folder(out);
  sleep_for(0.3);
  tool.send(SIGTERM);
  EXPECT_EQ(tool.exit_code(), 128 + SIGTERM);
  const std::string errors = tool.errors();
  EXPECT_NE(errors.find("wafertlm: ended by SIGTERM at "), std::string::npos) << errors;
  EXPECT_NE(errors.find(working_folder(out) + "/trace.perfetto-trace"), std::string::npos) << errors;
  EXPECT_FALSE(fs::exists(vcd));
  std::string incomplete;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (entry.path().extension() == ".vcd") incomplete = entry.path();
  EXPECT_NE(errors.find(incomplete), std::string::npos) << errors;
  // The last line of a VCD file that was closed is a time.
  const std::string waves = read_text(incomplete);
  ASSERT_GT(waves.size(), 1000U);
  EXPECT_EQ(waves[waves.rfind('\n', waves.size() - 2) + 1], '#');
}

TEST(Interrupted, ASecondCommandIsToldOfTheFirst) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out";
  RunningTool first({"run", kResNet, "--out", out, "--set", "iterations=100"}, folder.path());
  next_working_folder(out);
  const ToolResult second = run_tool("run " + kResNet + " --out " + out);
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_NE(second.error.find("another command writes there (wafertlm run " + kResNet + ", process "),
            std::string::npos)
      << second.error;
  first.send(SIGINT);
  EXPECT_EQ(first.exit_code(), 128 + SIGINT);
}

// A size that takes minutes, in a child process.
TEST(Interrupted, CollectivesLeaveNoProcess) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    const TempFolder folder;
    const std::string platform = folder.write(
        "platform.yaml", read_text(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml"));
    RunningTool tool(
        {"collective", platform, "--type", "all_reduce", "--size", "40GiB", "--set", "run.watchdog=1000s"},
        folder.path());
    for (int turn = 0; turn < 200 && processes_with(platform).size() < 2; ++turn) sleep_for(0.05);
    ASSERT_EQ(processes_with(platform).size(), 2U) << tool.errors();
    tool.send(signal);
    EXPECT_EQ(tool.exit_code(), 128 + signal);
    for (int turn = 0; turn < 100 && !processes_with(platform).empty(); ++turn) sleep_for(0.02);
    EXPECT_TRUE(processes_with(platform).empty());
  }
}

}  // namespace
}  // namespace wafertlm::test
