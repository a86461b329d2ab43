// SPDX-License-Identifier: Apache-2.0
// What the commands leave in folders: all files or none, no ranks of another job, no results of another run.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::test {
namespace {

class TraceFolders : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::vector<chakra::Node>& nodes = {compute(1, 10)}) {
    chakra::VectorSource source("rank", nodes);
    chakra::write_trace_file(source, folder_.path() + "/" + name);
  }
  std::set<std::string> files(const std::string& folder = "") {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/" + folder))
      if (entry.path().filename().string()[0] != '.') names.insert(entry.path().filename().string());
    return names;
  }
  ToolResult tool(const std::string& arguments) {
    std::string text = arguments;
    for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos;)
      text.replace(at, 1, folder_.path() + "/");
    return run_tool(text);
  }
  static void expect_refused(const ToolResult& result, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
    for (const std::string& part : parts)
      EXPECT_NE(result.error.find(part), std::string::npos) << part << " is not in " << result.error;
  }
  TempFolder folder_;
};

TEST_F(TraceFolders, AConversionWithOneBadRankLeavesNothing) {
  for (const std::string rank : {"0", "1", "2"}) write("job." + rank + ".et");
  const std::string bytes = read_text(folder_.path() + "/job.2.et");
  folder_.write("job.2.et", bytes.substr(0, bytes.size() - 3));
  const auto before = files();
  for (const std::string form : {"json", "et.gz"}) {
    expect_refused(tool("trace convert @job --to " + form + " --out @new"), {"job.2.et", "byte"});
    EXPECT_EQ(files(), before) << form;
    expect_refused(tool("trace convert @job --to " + form), {"job.2.et", "byte"});
    EXPECT_EQ(files(), before) << form;
  }
}

TEST_F(TraceFolders, RanksOfAnEarlierConversionAreRefusedOrRemoved) {
  for (const std::string rank : {"0", "1"}) write("job." + rank + ".et");
  std::filesystem::create_directory(folder_.path() + "/new");
  for (const std::string rank : {"0", "5"}) {
    write("new/job." + rank + ".json");
    expect_refused(tool("trace convert @job --to json --out @new --force"),
                   {"new: job." + rank + ".json is there, and is not what wafertlm wrote"});
    std::filesystem::remove(folder_.path() + "/new/job." + rank + ".json");
  }
  std::filesystem::create_directory(folder_.path() + "/six");
  for (const std::string rank : {"0", "1", "2", "3", "4", "5"}) write("six/job." + rank + ".et");
  ASSERT_EQ(tool("trace convert @six/job --to json --out @new").exit_code, 0);
  write("new/other.0.json");
  expect_refused(tool("trace convert @job --to json --out @new"), {"4 traces", "new/job.2.json", "--force"});
  EXPECT_EQ(files("new").size(), 7U);
  const ToolResult forced = tool("trace convert @job --to json --out @new --force");
  EXPECT_EQ(forced.exit_code, 0) << forced.error;
  EXPECT_NE(forced.out.find("removed 4 traces of an earlier job"), std::string::npos) << forced.out;
  EXPECT_EQ(files("new"), (std::set<std::string>{"job.0.json", "job.1.json", "other.0.json"}));
  EXPECT_EQ(tool("trace convert @job --to json --out @new").exit_code, 0) << "the same ranks again";
  expect_refused(tool("trace convert @job --to et.gz --out @new"), {"2 traces", "new/job.0.json"});
}

TEST_F(TraceFolders, ConvertedBesideTheOriginalsIsSaidToBeAmbiguous) {
  write("job.0.et");
  write("job.1.et");
  const ToolResult converted = tool("trace convert @job --to json");
  EXPECT_EQ(converted.exit_code, 0) << converted.error;
  EXPECT_NE(converted.out.find("ambiguous"), std::string::npos) << converted.out;
  expect_refused(tool("trace check @job"), {"is ambiguous", "job.0.et", "job.0.json"});
  ToolResult result;
  run_traces(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/job", "", result);
  expect_refused(result, {"is ambiguous"});
  EXPECT_EQ(tool("trace check @job.0.et @job.1.et").exit_code, 0);
}

TEST_F(TraceFolders, TwoSourcesOfOneNameAreRefused) {
  write("job.0.et");
  write("job.0.et.gz");
  expect_refused(tool("trace convert @job.0.et @job.0.et.gz --to json --out @new"), {"job.0.et"});
  write("a.et");
  write("a.et.gz");
  expect_refused(tool("trace convert @a.et @a.et.gz --to json --out @new"), {"a.et.gz", "both become"});
}

TEST_F(TraceFolders, GeneratedRanksDoNotMixWithOlderOnes) {
  const std::string command =
      "workload generate " WAFERTLM_SOURCE_DIR "/configs/workloads/resnet50_dp20.yaml --out @made ";
  ASSERT_EQ(tool(command + "--set data_parallel=6").exit_code, 0);
  expect_refused(tool(command + "--set data_parallel=4"), {"2 traces", "resnet50_dp20.4.et", "--force"});
  EXPECT_EQ(files("made").size(), 6U);
  expect_refused(tool(command + "--set data_parallel=6 --form json"), {"6 traces", "--force"});
  const ToolResult forced = tool(command + "--set data_parallel=4 --force");
  EXPECT_EQ(forced.exit_code, 0) << forced.error;
  EXPECT_NE(forced.out.find("removed 2 traces"), std::string::npos) << forced.out;
  EXPECT_EQ(files("made").size(), 4U);
  EXPECT_EQ(tool("trace check @made/resnet50_dp20").exit_code, 0);
}

TEST_F(TraceFolders, ANumberThatIsNoRankIsAnError) {
  write("j.01.et");
  write("j.0.et");
  expect_refused(tool("trace check @j"), {"j.01.et", "rename"});
  expect_refused(tool("trace info @j.01.et"), {"j.01.et", "rename"});
  ToolResult result;
  run_traces(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/j", "", result);
  expect_refused(result, {"j.01.et"});
}

TEST_F(TraceFolders, AFailedRunLeavesTheResultsOfTheOneBefore) {
  write("job.0.et", {compute(1, 10)});
  write("job.1.et", {compute(1, 10)});
  ToolResult result;
  const std::string workload = "chakra: " + folder_.path() + "/job";
  run_traces(folder_, "wafer_mesh_5x4", workload, "", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const std::set<std::string> all{"results.json", "results.csv", "resolved.yaml"};
  EXPECT_EQ(files("out"), all);
  // Bad input does not touch them.
  run_traces(folder_, "wafer_mesh_5x4", workload, "--set npu.compute.jitter=normal", result);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(files("out"), all);
  write("job.0.et", {receive(1, 1, 0), send(2, 1, 0, 0, {1})});
  write("job.1.et", {receive(1, 0, 0), send(2, 0, 0, 0, {1})});
  run_traces(folder_, "wafer_mesh_5x4", workload, "", result);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(files("out"), all);
  std::set<std::string> kept;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path() + "/out"))
    if (entry.path().parent_path() != folder_.path() + "/out") kept.insert(entry.path().filename().string());
  EXPECT_EQ(kept, std::set<std::string>{"resolved.yaml"});
}

// Before anything is simulated or written; `check` says the same (run_tool).
TEST_F(TraceFolders, CollectivesThatCannotBePlannedAreRefused) {
  for (const std::string rank : {"0", "1", "2", "3", "4", "5"})
    write("job." + rank + ".et", {compute(1, 10), all_reduce(2, 0, {1}, 4096)});
  const auto before = files();
  ToolResult result;
  const std::string workload = "chakra: " + folder_.path() + "/job";
  run_traces(folder_, "wafer_mesh_5x4", workload, "--set collectives.algorithm=hierarchical_2d", result);
  expect_refused(result, {"job.0.et: node 2", "cannot run as 'hierarchical_2d'"});
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out"));
  chakra::Node barrier = all_reduce(2, 0, {1}, 4096);
  barrier.comm_type = chakra::CollectiveType::Barrier;
  for (const std::string rank : {"0", "1", "2", "3", "4", "5"})
    write("job." + rank + ".et", {compute(1, 10), barrier});
  run_traces(folder_, "wafer_mesh_5x4", workload, "", result);
  expect_refused(result, {"job.0.et: node 2", "barrier"});
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out"));
}

TEST_F(TraceFolders, AFolderOfTracesIsToldWithItsPrefix) {
  std::filesystem::create_directory(folder_.path() + "/deep");
  write("deep/job.0.et");
  write("deep/job.1.et");
  expect_refused(tool("trace check @deep"), {folder_.path() + "/deep: there is no file ",
                                             "; did you mean " + folder_.path() + "/deep/job?"});
}

TEST_F(TraceFolders, OneOfAThingIsNotCalledSeveral) {
  write("job.0.et");
  EXPECT_EQ(tool("trace check @job").out, folder_.path() + "/job: ok, 1 rank, 1 node\n");
  EXPECT_NE(tool("trace convert @job --to json --out @new").out.find(": 1 node\n"), std::string::npos);
}

TEST_F(TraceFolders, JsonOfNewerConvertersGivesDurationMicros) {
  folder_.write("a.0.json", R"({"workload_graph": [{"Id": 1, "NodeType": 4, "duration_micros": 7}]})");
  ToolResult result;
  const auto results = run_traces(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/a", "", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(results["iterations"][0]["time_ps"], 7'000'000);
  folder_.write("b.0.json",
                R"({"workload_graph": [{"Id": 1, "NodeType": 4, "duration_micros": 7, "runtime": 8}]})");
  expect_refused(tool("trace check @b"), {"b.0.json", "node 1", "contradicts"});
}

TEST_F(TraceFolders, ReplicatedTracesUseTheGroupFile) {
  chakra::Node node = all_reduce(1, 0, {}, 4096);
  node.pg_name = "7";
  write("one.et", {node});
  const std::string workload = "chakra: " + folder_.path() + "/one.et, replicate: 4";
  ToolResult result;
  run_traces(folder_, "wafer_mesh_5x4", workload, "", result);
  expect_refused(result, {"one.et", "node 1", "group \"7\" is not defined"});
  const std::string all = folder_.write("all.json", R"({"7": [3, 1, 0, 2]})");
  const auto results = run_traces(folder_, "wafer_mesh_5x4", workload + ", comm_groups: " + all,
                                  "--set run.functional=true", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(results["collectives"].size(), 1U);
  EXPECT_EQ(results["collectives"][0]["group_size"], 4);
  EXPECT_EQ(results["collectives"][0]["group"], "7");
  EXPECT_TRUE(results["values_proven"].get<bool>());
  const std::string some = folder_.write("some.json", R"({"7": [0, 1, 2]})");
  run_traces(folder_, "wafer_mesh_5x4", workload + ", comm_groups: " + some, "", result);
  expect_refused(result, {"node 1", "does not hold rank 3"});
  const std::string more = folder_.write("more.json", R"({"7": [0, 1, 2, 3, 4]})");
  run_traces(folder_, "wafer_mesh_5x4", workload + ", comm_groups: " + more, "", result);
  expect_refused(result, {"more.json", "group \"7\"", "4 is not a rank of this job (0 to 3)"});
  node.pg_name = "0";
  write("one.et", {node});
  run_traces(folder_, "wafer_mesh_5x4", workload + ", comm_groups: " + all, "", result);
  expect_refused(result, {"all.json", "no node of the traces names a group of it"});
}

TEST_F(TraceFolders, HelpOfEveryCommandShowsExamplesAndDefaults) {
  for (const std::string command : {"trace info", "trace check", "trace convert", "workload generate"}) {
    const ToolResult help = tool(command + " --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("Examples:\n  wafertlm " + command), std::string::npos) << help.out;
  }
  for (const std::string command :
       {"run", "collective", "traffic", "check", "schema", "trace", "workload", "study", "compare", "explain",
        "astra-sim", "model", "model fred routes", "model memory", "model memory-engine", "rtl"}) {
    const ToolResult help = tool(command + " --help");
    EXPECT_EQ(help.exit_code, 0);
    const std::size_t example = help.out.find("Example");
    ASSERT_NE(example, std::string::npos) << help.out;
    EXPECT_NE(help.out.find("\n  wafertlm " + command, example), std::string::npos) << help.out;
  }
  const std::string run = tool("run --help").out;
  for (const std::string option :
       {"EXPERIMENT FILE REQUIRED", "-o,--out PATH", "--set KEY=VALUE ...", "--vcd FILE",
        "--signals GLOB ...", "--trace GLOB[@CLASS][:FROM-TO] ...", "--trace-file FILE", "--log GLOB ...",
        "--report{report.html}", "--critical-path"})
    EXPECT_NE(run.find("\n  " + option), std::string::npos) << option;
  EXPECT_NE(tool("trace check --help").out.find("=all"), std::string::npos);
  EXPECT_NE(tool("trace convert --help").out.find("--force"), std::string::npos);
  EXPECT_NE(tool("workload generate --help").out.find("=et"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::test
