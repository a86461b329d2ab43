// SPDX-License-Identifier: Apache-2.0
// `wafertlm trace info`, `check` and `workload show`, on jobs whose sums are known.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "platform/commands/trace/numbered_groups.h"
#include "platform/text/format.h"
#include "tests/support/squeezed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

using nlohmann::json;
using test::run_tool;
using test::ToolResult;
using Nodes = std::vector<chakra::Node>;

class TraceCommand : public testing::Test {
 protected:
  test::TempFolder folder_;
  const std::string job_ = folder_.path() + "/job";

  void write(const std::string& name, Nodes nodes) {
    chakra::VectorSource source("rank", std::move(nodes));
    chakra::write_trace_file(source, folder_.path() + "/" + name);
  }
  std::string out(const std::string& arguments) {
    const ToolResult result = run_tool("trace " + arguments);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return result.out;
  }
};

chakra::Node launch(std::uint64_t id, std::uint64_t duration_ps) {
  chakra::Node node = test::all_reduce(id, duration_ps);
  node.comm_type.reset();
  node.is_cpu_op = true;
  return node;
}
chakra::Node stream(std::uint64_t id, chakra::CollectiveType type, std::uint64_t bytes) {
  chakra::Node node = test::all_reduce(id, 0, {}, bytes);
  node.comm_type = type;
  node.io_stream = true;
  return node;
}

TEST_F(TraceCommand, InfoCountsWhatIsThere) {
  chakra::Node work = test::compute(1, 5'000'000), in = test::load(3, 0, {2}),
               out_of = test::store(4, 0, {3});
  work.num_ops = 100;
  in.tensor_size = 1000;
  out_of.tensor_size = 234;
  chakra::Node sum = test::all_reduce(5, 0, {4}, 4096);
  sum.ctrl_deps = {1, 2};
  chakra::Node sent = test::send(7, 1, 0, 0), received = test::receive(7, 0, 0);
  sent.comm_size = 300;
  received.comm_size = 500;
  write("job.0.et", {work, test::cpu(2, 3'000'000, {1}), in, out_of, sum, launch(6, 2'000'000), sent,
                     stream(8, chakra::CollectiveType::Broadcast, 11),
                     test::make_node(9, chakra::NodeType::Metadata, 0, {})});
  write("job.1.et",
        {test::compute(1, 4'000'000), test::compute(2, 3'500'000), test::all_reduce(5, 0, {2}, 1000),
         received, stream(8, chakra::CollectiveType::Reduce, 13)});
  EXPECT_EQ(test::squeezed(out("info " + job_)),
            test::squeezed(job_ + "\n"
                                  "  ranks            2\n"
                                  "  nodes            14 (5 to 9 per rank), 7 dependencies\n"
                                  "  METADATA         1\n"
                                  "  MEM_LOAD         1\n"
                                  "  MEM_STORE        1\n"
                                  "  COMP             4\n"
                                  "  COMM_SEND        1\n"
                                  "  COMM_RECV        1\n"
                                  "  COMM_COLL        5\n"
                                  "    ALL_REDUCE     2, 5096 B in all\n"
                                  "    BROADCAST (streams in) 1, 11 B in all\n"
                                  "    REDUCE (streams out) 1, 13 B in all\n"
                                  "    launches       1 (CPU side of a collective)\n"
                                  "  CPU operations   2, 5.000 us in all\n"
                                  "  compute          5000000 to 7500000 ps per rank (7.500 us)\n"
                                  "  operations       100\n"
                                  "  messages         300 B sent, 500 B received\n"
                                  "  memory           1234 B\n"));
  write("one.3.et", {test::compute(1, 5)});
  EXPECT_EQ(test::squeezed(out("info " + folder_.path() + "/one.3.et")),
            test::squeezed(folder_.path() + "/one\n"
                                            "  ranks            1 file, of rank 3\n"
                                            "  nodes            1 (1 per rank), 0 dependencies\n"
                                            "  COMP             1\n"
                                            "  compute          5 ps per rank (5 ps)\n"));
  // Only received.
  write("two.0.et", {received});
  EXPECT_NE(
      test::squeezed(out("info " + folder_.path() + "/two.0.et")).find("messages 0 B sent, 500 B received\n"),
      std::string::npos);
}

TEST_F(TraceCommand, CheckSaysWhatWasLeftOut) {
  chakra::Node node = test::compute(2, 10, {1, 77});
  node.ctrl_deps = {1, 88, 99};
  for (const char* const rank : {"0", "1", "2"})
    write("job." + std::string(rank) + ".et", {test::compute(1, 10), node});
  EXPECT_EQ(out("check --dependencies existing " + job_),
            job_ + ": ok, 3 ranks, 6 nodes\n  9 dependencies are on nodes that are not there\n");
  for (const char* const rank : {"0", "1", "2"})
    write("job." + std::string(rank) + ".et", {test::compute(1, 10), [&] {
                                                 chakra::Node of = node;
                                                 of.data_deps = {1};
                                                 return of;
                                               }()});
  EXPECT_EQ(out("check --dependencies data " + job_),
            job_ +
                ": ok, 3 ranks, 6 nodes\n  9 control dependencies were left out\n"
                "  6 dependencies are on nodes that are not there\n");
  EXPECT_EQ(run_tool("trace check " + job_).exit_code, 2);
  const std::string file = folder_.path() + "/one.0.et";
  write("one.0.et", {test::compute(1, 10)});
  EXPECT_EQ(out("check " + file),
            folder_.path() +
                "/one: ok, 1 rank, 1 node\n  one rank by itself: nothing was compared with other ranks\n");
  EXPECT_EQ(out("check --replicate 1 " + file), folder_.path() + "/one: ok, 1 rank, 1 node\n");
  EXPECT_EQ(out("check --replicate 5 " + file), folder_.path() + "/one: ok, 5 ranks, 5 nodes\n");
  const ToolResult many = run_tool("trace check --replicate 5 " + job_);
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_NE(many.error.find("--replicate goes with one trace file, and " + job_ + " has 3"),
            std::string::npos)
      << many.error;
}

// All numbers have equally many digits: as names they have the same order.
TEST(NumberedGroups, KeepTheOrderOfTheirNames) {
  for (const auto& [count, first] : {std::pair{1U, 1U}, {9U, 1U}, {10U, 10U}, {90U, 10U}, {91U, 100U}}) {
    NumberedGroups::Groups groups;
    for (std::uint32_t k = 0; k < count; ++k) groups[fmt::format("g{:03}", k)] = {k, k + 1};
    const auto all = nlohmann::ordered_json::parse(NumberedGroups(groups).json());
    ASSERT_EQ(all.size(), count);
    std::uint32_t k = 0;
    for (const auto& [name, ranks] : all.items()) {
      EXPECT_EQ(name, std::to_string(first + k));
      EXPECT_EQ(ranks, (nlohmann::ordered_json{k, k + 1}));
      ++k;
    }
  }
}

TEST(NumberedGroups, ReplaceTheNamesInNodes) {
  const NumberedGroups groups({{"a", {0, 1}}, {"b", {2}}});
  std::vector<chakra::Node> nodes;
  for (const char* const name : {"b", "", "other", "a"}) {
    nodes.push_back(test::all_reduce(nodes.size(), 0));
    nodes.back().pg_name = name;
  }
  chakra::VectorSource source("rank", nodes);
  const auto named = groups.named(source);
  std::vector<std::string> names;
  for (chakra::Node node; named->next(node);) names.push_back(node.pg_name);
  EXPECT_EQ(names, (std::vector<std::string>{"2", "", "other", "1"}));
}

TEST_F(TraceCommand, ConvertSaysWhatBecameOfWhat) {
  write("job.0.et", {test::compute(1, 10)});
  write("job.1.et", {test::compute(1, 10), test::compute(2, 10)});
  const std::string to = folder_.path() + "/new/job.";
  EXPECT_EQ(out("convert " + job_ + " --to json --out " + folder_.path() + "/new"),
            job_ + ".0.et -> " + to + "0.json: 1 node\n" + job_ + ".1.et -> " + to + "1.json: 2 nodes\n");
  EXPECT_EQ(out("convert " + job_ + ".1.et " + to + "9.et.gz"),
            job_ + ".1.et -> " + to + "9.et.gz: 2 nodes\n");
  // Ranks of the same job stay beside one that is converted alone.
  EXPECT_EQ(out("convert " + job_ + ".1.et --to et.gz --out " + folder_.path() + "/new"),
            job_ + ".1.et -> " + to + "1.et.gz: 2 nodes\n");
  for (const std::string& arguments : {job_, job_ + ".0.et " + job_ + ".1.et " + job_ + ".2.et",
                                       job_ + ".0.et somewhere", job_ + ".0.et b.et --out c"}) {
    const ToolResult result = run_tool("trace convert " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_NE(result.error.find("trace convert needs --form et, et.gz or json, or two file names: FROM TO"),
              std::string::npos)
        << result.error;
  }
  const ToolResult twice = run_tool("trace check " + job_ + ".0.et " + to + "0.json " + job_ + ".0.et");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.error.find(job_ + ": rank 0 is given twice: " + job_ + ".0.et and " + job_ + ".0.et"),
            std::string::npos)
      << twice.error;
  const ToolResult hole = run_tool("trace check " + job_ + ".0.et " + to + "9.et.gz " + to + "1.json");
  EXPECT_EQ(hole.exit_code, 2);
}

class WorkloadText : public TraceCommand {
 protected:
  /// `show` of a workload, as text and as JSON.
  std::pair<std::string, json> show(const std::string& yaml) {
    const std::string file = folder_.write("w.yaml", yaml);
    const ToolResult text = run_tool("workload show " + file),
                     data = run_tool("workload show --json " + file);
    EXPECT_EQ(text.exit_code, 0) << text.error;
    return {text.out, json::parse(data.out)};
  }
  struct Spread {
    std::uint64_t least = ~std::uint64_t{0}, most = 0, sum = 0;
    void add(const json& value) {
      const auto number = value.get<std::uint64_t>();
      least = std::min(least, number), most = std::max(most, number), sum += number;
    }
  };
  template <typename Value>
  static Spread spread(const json& ranks, const Value& value) {
    Spread of;
    for (const json& rank : ranks) of.add(value(rank));
    return of;
  }
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(test::squeezed(text).find(test::squeezed(part)), std::string::npos) << part << " is not in:\n"
                                                                                << text;
}

// Two of four experts on each rank of DP(4); its optimizer is elsewhere.
TEST_F(WorkloadText, HasTheLeastTheMeanAndTheMostOfTheRanks) {
  const auto [text, all] = show(
      "workload: w\nmodel: {model: m, transformer: {layers: 4, hidden: 48, heads: 4, sequence: 48, "
      "vocabulary: 96, "
      "experts: 4, experts_per_token: 2}}\nparallelism: DP(4)-PP(2)\nexpert_parallel: "
      "2\nsamples_per_replica: 4\n"
      "microbatches: 2\nzero_stage: 2\noffload_optimizer: true\noffload_gradients: true\n"
      "effective_flops: 1 TFLOPS\n");
  const json& ranks = all["ranks"];
  ASSERT_EQ(ranks.size(), 8U);
  const auto key = [](const char* name) { return [name](const json& rank) { return rank[name]; }; };
  const Spread nodes = spread(ranks, key("nodes")), operations = spread(ranks, key("operations"));
  EXPECT_LT(nodes.least, nodes.most);
  // At 1 TFLOPS an operation takes a picosecond.
  expect_part(
      text,
      fmt::format("\n  ranks       8; each {} to {} nodes, {} to {} operations, computes for {} to {}\n",
                  nodes.least, nodes.most, format_count(operations.least), format_count(operations.most),
                  format_time(operations.least), format_time(operations.most)));
  EXPECT_EQ(all["minibatch"], 16);
  EXPECT_EQ(all["microbatches"], 2);
  EXPECT_EQ(all["samples_per_microbatch"], 2);
  expect_part(text, fmt::format("\n  iteration   16 samples on {}: 2 microbatches of 2\n",
                                all["parallelism"].get<std::string>()));
  const json& model = all["model"];
  const auto count = [&](const char* name) { return format_count(model[name].get<std::uint64_t>()); };
  expect_part(text,
              fmt::format("  model       m: {} parameters, {} operations forward and {} in all per sample (a "
                          "sequence of 48 tokens)\n",
                          count("parameters"), count("forward_operations_per_sample"),
                          count("step_operations_per_sample")));
  std::string expected =
      "\nCommunication of an NPU in an iteration (bytes that leave it with ring algorithms)\n" +
      fmt::format("  {} {} {} {} {}\n", "class", "least", "mean", "most", "most operations");
  std::string sizes = "\nSizes of collectives and messages, all ranks\n";
  for (const char* const name : {"dp", "ep", "pp"}) {
    const auto of = [&](const char* what) {
      return spread(ranks, [&](const json& rank) { return rank["classes"][name][what]; });
    };
    const Spread bytes = of("sent_bytes");
    expected += fmt::format("  {} {} {} {} {}\n", name, format_bytes(bytes.least),
                            format_bytes(bytes.sum / 8), format_bytes(bytes.most), of("operations").most);
    std::map<std::uint64_t, std::uint64_t> by_size;
    for (const json& rank : ranks)
      for (const json& each : rank["classes"][name]["sizes"])
        by_size[each["at_least_bytes"].get<std::uint64_t>()] += each["count"].get<std::uint64_t>();
    for (const auto& [size, messages] : by_size)
      sizes += fmt::format("  {} {} to {} {}\n", name, format_bytes(size), format_bytes(2 * size), messages);
  }
  std::string remote = fmt::format("\nRemote memory, an NPU in an iteration\n  {} {} {} {} {}\n", "", "least",
                                   "mean", "most", "all NPUs");
  const auto remote_line = [&](const char* name, const Spread& of) {
    remote += fmt::format("  {} {} {} {} {}\n", name, format_bytes(of.least), format_bytes(of.sum / 8),
                          format_bytes(of.most), format_bytes(of.sum));
  };
  remote_line("loaded",
              spread(ranks, [](const json& rank) { return rank["remote_memory"]["loaded_bytes"]; }));
  remote_line("stored",
              spread(ranks, [](const json& rank) { return rank["remote_memory"]["stored_bytes"]; }));
  remote_line("kept there",
              spread(ranks, [](const json& rank) { return rank["memory_bytes"]["offloaded"]; }));
  std::size_t needs_most = 0;
  const auto total = [&](std::size_t rank) {
    return ranks[rank]["memory_bytes"]["total"].get<std::uint64_t>();
  };
  for (std::size_t rank = 1; rank < 8; ++rank)
    if (total(rank) > total(needs_most)) needs_most = rank;
  std::string memory = fmt::format("\nMemory of the NPU that needs most, rank {}\n", needs_most);
  std::uint64_t sum = 0;
  for (const char* const part :
       {"parameters", "gradients", "optimizer", "activations", "gathered", "streaming"}) {
    const auto bytes = ranks[needs_most]["memory_bytes"][part].get<std::uint64_t>();
    sum += bytes;
    if (bytes != 0) memory += fmt::format("  {} {}\n", part, format_bytes(bytes));
  }
  EXPECT_EQ(sum, total(needs_most));
  memory += fmt::format("  {} {}\n", "total", format_bytes(sum));
  EXPECT_EQ(test::squeezed(text.substr(text.find("\nCommunication"))),
            test::squeezed(expected + sizes + remote + memory));
}

// What is generated runs as the workload would: its groups, its placement, and the memory that it needs.
TEST_F(WorkloadText, GenerateSaysWhatItWrote) {
  const auto [text, all] = show(
      "workload: w\nmodel: {model: m, transformer: {layers: 2, hidden: 48, heads: 4, sequence: 48, "
      "vocabulary: 96}}\n"
      "parallelism: MP(2)-DP(2)\nplacement: row_major\nsamples_per_replica: 4\neffective_flops: 1 TFLOPS\n");
  const std::string to = folder_.path() + "/made";
  const ToolResult result =
      run_tool("workload generate " + folder_.path() + "/w.yaml --form json --out " + to);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  std::uint64_t nodes = 0, most = 0;
  for (const json& rank : all["ranks"]) {
    nodes += rank["nodes"].get<std::uint64_t>();
    most = std::max(most, rank["memory_bytes"]["total"].get<std::uint64_t>());
  }
  EXPECT_EQ(result.out, to + "/w.comm_groups.json: the communicator groups\n" + to +
                            "/w.traces.yaml: the workload to run, with placement row_major\n" + to +
                            "/w.<rank>.json: 4 ranks, " + std::to_string(nodes) + " nodes\n");
  const std::string yaml = test::read_text(to + "/w.traces.yaml");
  EXPECT_EQ(yaml.rfind(
                "workload: \"w\"\nchakra: w\ncomm_groups: w.comm_groups.json\nplacement: \"row_major\"\n", 0),
            0U)
      << yaml;
  const json groups = json::parse(test::read_text(to + "/w.comm_groups.json"));
  EXPECT_GE(groups.size(), 4U) << "two of MP, two of DP";
  EXPECT_EQ(out("check " + to + "/w --comm-groups " + to + "/w.comm_groups.json"),
            to + "/w: ok, 4 ranks, " + std::to_string(nodes) + " nodes\n  a rank needs up to " +
                format_bytes(most) + " of memory\n");
}

TEST_F(WorkloadText, HasTheStreamsThroughTheControllers) {
  const auto [text, all] = show(
      "workload: w\nmodel: {model: m, transformer: {layers: 4, hidden: 48, heads: 4, sequence: 48, "
      "vocabulary: 96}}\n"
      "parallelism: DP(4)\nsamples_per_replica: 4\nweights: streamed\nschedule: "
      "resident_loop\neffective_flops: 1 TFLOPS\n");
  const json& ranks = all["ranks"];
  std::string expected = "\nStreams of an iteration through the I/O controllers\n" +
                         fmt::format("  {} {} {} {} {}\n", "class", "in, all", "out, all", "in, most at one",
                                     "out, most at one");
  std::uint64_t everything = 0;
  for (const auto& [name, volume] : ranks[0]["classes"].items()) {
    if (!volume.contains("io_in_bytes")) continue;
    const auto of = [&, key = name](const char* what) {
      return spread(ranks, [&](const json& rank) { return rank["classes"][key].value(what, json(0)); });
    };
    expected += fmt::format("  {} {} {} {} {}\n", name, format_bytes(of("io_in_bytes").sum),
                            format_bytes(of("io_out_bytes").sum), format_bytes(of("streamed_in_bytes").most),
                            format_bytes(of("streamed_out_bytes").most));
    everything += of("io_in_bytes").sum;
  }
  EXPECT_GT(everything, 0U);
  expect_part(text, expected);
  EXPECT_EQ(text.find("Remote memory"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm
