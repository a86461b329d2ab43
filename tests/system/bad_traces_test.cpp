// SPDX-License-Identifier: Apache-2.0
// Traces that must not be run: exit code 2, the place is named, nothing is written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_reader.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::test {
namespace {

using Nodes = std::vector<chakra::Node>;

class BadTraces : public ::testing::Test {
 protected:
  void write_rank(std::size_t rank, const Nodes& nodes) {
    chakra::VectorSource source("rank", nodes);
    chakra::write_trace(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
  }
  void expect_refused(const std::vector<std::string>& parts, const std::string& more = "") {
    const std::string workload = "chakra: " + folder_.path() + "/job" + more;
    ToolResult result;
    run_traces(folder_, "wafer_mesh_5x4", workload, "", result);
    check(result, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out"));
    if (more.empty()) check(run_tool("trace check " + folder_.path() + "/job"), parts);
  }
  static void check(const ToolResult& result, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
    for (const std::string& part : parts)
      EXPECT_NE(result.error.find(part), std::string::npos) << part << " is not in " << result.error;
  }

  TempFolder folder_;
};

TEST_F(BadTraces, ACycleASelfDependencyAndATwiceUsedId) {
  write_rank(0, {compute(1, 10, {3}), compute(2, 10, {1}), compute(3, 10, {2})});
  expect_refused({"job.0.et", "cycle of 3 nodes", "node 1 \"n1\" needs node 3 \"n3\" needs node 2 \"n2\""});
  write_rank(0, {compute(1, 10, {1})});
  expect_refused({"needs itself: node 1 \"n1\""});
  write_rank(0, {compute(7, 10), compute(7, 20)});
  expect_refused({"two nodes have the id 7"});
}

TEST_F(BadTraces, AMissingNodeAndATraceInWhichNothingRuns) {
  write_rank(0, {compute(1, 10), compute(2, 10, {9})});
  expect_refused({"1 dependency", "node 2 \"n2\" needs 9", "dependencies: existing"});
  write_rank(0, {compute(1, 0)});
  expect_refused({"nothing runs"});
}

TEST_F(BadTraces, RanksThatDisagree) {
  write_rank(0, {all_reduce(1, 0)});
  write_rank(1, {all_reduce(5, 0, {}, 128)});
  expect_refused({"rank 0", "node 1 \"n1\"", "64 B", "rank 1", "node 5 \"n5\"", "128 B"});
  chakra::Node gather = all_reduce(5, 0);
  gather.comm_type = chakra::CollectiveType::AllGather;
  write_rank(1, {gather});
  expect_refused({"rank 0", "node 1 \"n1\"", "ALL_REDUCE", "rank 1", "node 5 \"n5\"", "ALL_GATHER"});
  write_rank(0, {all_reduce(1, 0), all_reduce(2, 0, {1}, 128)});
  write_rank(1, {all_reduce(1, 0, {}, 128), all_reduce(2, 0, {1})});
  expect_refused({"collective 0", "rank 0", "node 1", "64 B", "rank 1", "128 B"});
  write_rank(1, {all_reduce(1, 0)});
  expect_refused({"rank 0", "node 2 \"n2\"", "rank 1", "has only 1"});
}

TEST_F(BadTraces, AReceiveWithoutItsSendAndTheReverse) {
  write_rank(0, {compute(1, 10)});
  write_rank(1, {receive(4, 0, 3)});
  expect_refused({"rank 1", "node 4 \"n4\"", "receive (source 0, destination 1, tag 3)", "send from rank 0"});
  write_rank(0, {send(1, 1, 2, 0)});
  write_rank(1, {compute(4, 10)});
  expect_refused({"rank 0", "node 1 \"n1\"", "receive at rank 1"});
}

TEST_F(BadTraces, AMissingRankAndAGroupThatDoesNotHoldTheRank) {
  write_rank(0, {compute(1, 10)});
  write_rank(2, {compute(1, 10)});
  expect_refused({"2 of 3", "job.1.et"});
  write_rank(1, {compute(1, 10)});
  chakra::Node node = all_reduce(1, 0);
  node.pg_name = "5";
  write_rank(2, {node});
  expect_refused({"node 1 \"n1\"", "group \"5\" is not defined"});
  expect_refused({"node 1 \"n1\"", "group \"5\" does not hold rank 2"},
                 ", comm_groups: " + folder_.write("groups.json", R"({"5": [0, 1]})"));
}

TEST_F(BadTraces, AFileWithoutMetadataAndOneThatIsNoTrace) {
  folder_.write("job.0.et", "");
  expect_refused({"job.0.et", "empty"});
  folder_.write("job.0.et", "experiment: not a trace\n");
  expect_refused({"job.0.et", "byte"});
  write_rank(0, {compute(1, 10)});
  const std::string bytes = read_text(folder_.path() + "/job.0.et");
  folder_.write("job.0.et", bytes.substr(1 + static_cast<unsigned char>(bytes[0])));  // starts with a node
  expect_refused({"job.0.et", "byte 0"});
}

/// Every cut of a file is refused by reading it, or by the checks that need all of it.
template <typename Check>
std::size_t refused_cuts(const std::string& bytes, const std::string& path, const TempFolder& folder,
                         Check check) {
  std::size_t refused = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    folder.write(path, bytes.substr(0, length));
    try {
      check(folder.path() + "/" + path);
    } catch (const chakra::TraceError& error) {
      ++refused;
      const std::string text = error.what();
      EXPECT_NE(text.find(path), std::string::npos) << text;
      EXPECT_NE(text.find("byte "), std::string::npos) << text;
    }
  }
  return refused;
}

TEST_F(BadTraces, TruncationAtEveryByteInEveryForm) {
  const Nodes nodes{compute(1, 1234), all_reduce(2, 0, {1}), send(3, 1, 0, 5, {2})};
  for (const std::string form : {"et", "et.gz", "json"}) {
    chakra::VectorSource source("rank", nodes);
    const std::string path = folder_.path() + "/whole." + form;
    chakra::write_trace_file(source, path);
    const auto check = [](const std::string& file) {
      const auto cut = chakra::open_trace(file);
      for (chakra::Node node; cut->next(node);) continue;
    };
    EXPECT_NO_THROW(check(path));
    std::string bytes = read_text(path);
    if (form == "json") bytes.pop_back();  // the line's end is no part of the text
    EXPECT_EQ(refused_cuts(bytes, "cut." + form, folder_, check), bytes.size()) << form;
  }
}

TEST_F(BadTraces, ZeroWorkAndHugeSizesNameTheNode) {
  write_rank(0, {all_reduce(1, 0, {}, 0)});
  write_rank(1, {all_reduce(1, 0, {}, 0)});
  expect_refused({"job.0.et", "nothing runs", "node 1 \"n1\"", "ALL_REDUCE of 0 B"});
  write_rank(0, {all_reduce(1, 0, {}, std::uint64_t{1} << 62)});
  write_rank(1, {all_reduce(1, 0, {}, std::uint64_t{1} << 62)});
  expect_refused({"job.0.et", "node 1 \"n1\"", "4611686018427387904 B"});
  write_rank(0, {compute(1, std::uint64_t{1} << 62), compute(2, std::uint64_t{1} << 62)});
  write_rank(1, {compute(1, 5)});
  expect_refused({"job.0.et", "node 2 \"n2\"", "106 days"});
}

TEST_F(BadTraces, WhatThePlatformDoesNotHaveIsFoundByCheck) {
  const auto refused = [&](const std::vector<std::string>& parts) {
    const std::string experiment =
        trace_experiment(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/job");
    const ToolResult checked = run_tool("check " + experiment);
    EXPECT_EQ(checked.exit_code, 2);
    for (const std::string& part : parts)
      EXPECT_NE(checked.error.find(part), std::string::npos) << part << " is not in " << checked.error;
    check(run_tool("run " + experiment + " --out " + folder_.path() + "/out"), parts);
  };
  chakra::Node node = all_reduce(1, 0);
  node.comm_class = "best";
  write_rank(0, {node});
  write_rank(1, {node});
  refused({"job.0.et", "node 1 \"n1\"", "no traffic class \"best\""});
  write_rank(0, {all_reduce(1, 0, {}, std::uint64_t{1} << 40)});
  write_rank(1, {all_reduce(1, 0, {}, std::uint64_t{1} << 40)});
  refused({"job.0.et", "node 1 \"n1\"", "npu.hbm.capacity"});
}

TEST_F(BadTraces, GzipPositionsAreOfTheUnpackedData) {
  chakra::VectorSource source("rank", {compute(1, 10), compute(2, 10, {1})});
  chakra::write_trace_file(source, folder_.path() + "/job.0.et");
  const std::string bytes = read_text(folder_.path() + "/job.0.et");
  folder_.write("job.0.et", bytes.substr(0, bytes.size() - 3));
  ASSERT_EQ(std::system(("gzip " + folder_.path() + "/job.0.et").c_str()), 0);
  check(run_tool("trace check " + folder_.path() + "/job"),
        {"job.0.et.gz: byte " + std::to_string(bytes.size() - 3) + " of the unpacked data: "});
}

TEST_F(BadTraces, ANameThatIsNoTextIsOneErrorAndOurs) {
  write_rank(0, {compute(1, 10)});
  std::string bytes = read_text(folder_.path() + "/job.0.et");
  bytes[bytes.find("n1")] = '\xff';
  folder_.write("job.0.et", bytes);
  expect_refused({"job.0.et: byte"});  // libprotobuf would print a line of its own
}

TEST_F(BadTraces, AFlippedBitOfAGzipFileIsNoticed) {
  chakra::VectorSource source("rank", {compute(1, 1234), compute(2, 99, {1})});
  const std::string path = folder_.path() + "/job.0.et.gz";
  chakra::write_trace_file(source, path);
  std::string bytes = read_text(path);
  bytes[bytes.size() - 12] = static_cast<char>(bytes[bytes.size() - 12] ^ 1);  // data or check sum
  folder_.write("job.0.et.gz", bytes);
  check(run_tool("trace check " + folder_.path() + "/job"), {"job.0.et.gz", "byte"});
}

TEST_F(BadTraces, TheExecutableNamesTheByteOfATruncation) {
  write_rank(0, {compute(1, 10), compute(2, 10, {1})});
  const std::string bytes = read_text(folder_.path() + "/job.0.et");
  folder_.write("job.0.et", bytes.substr(0, bytes.size() - 3));
  expect_refused({"job.0.et: byte " + std::to_string(bytes.size() - 3), "3 bytes before the end"});
}

TEST_F(BadTraces, ConversionOfABadFileWritesNothing) {
  write_rank(0, {compute(1, 10), compute(2, 10, {1})});
  const std::string bytes = read_text(folder_.path() + "/job.0.et");
  folder_.write("job.0.et", bytes.substr(0, bytes.size() - 3));
  for (const std::string form : {"json", "et.gz"}) {
    check(run_tool("trace convert " + folder_.path() + "/job.0.et --to " + form), {"byte"});
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      EXPECT_EQ(entry.path().filename().string().find("job.0." + form), std::string::npos) << entry.path();
  }
}

// Found when the second rank enters: the same operation in another class would share no channel.
TEST_F(BadTraces, RanksThatDisagreeOnTheClass) {
  chakra::Node other = all_reduce(1, 0);
  other.comm_class = "mp";
  write_rank(0, {all_reduce(1, 0)});
  write_rank(1, {other});
  const std::string workload = "chakra: " + folder_.path() + "/job";
  ToolResult result;
  run_traces(folder_, "wafer_mesh_5x4", workload, "", result);
  EXPECT_NE(result.exit_code, 0);
  for (const char* part : {"rank 0", "rank 1", "dp", "mp"})
    EXPECT_NE(result.error.find(part), std::string::npos) << part << " is not in " << result.error;
}

}  // namespace
}  // namespace wafertlm::test
