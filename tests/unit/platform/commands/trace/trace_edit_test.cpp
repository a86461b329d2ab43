// SPDX-License-Identifier: Apache-2.0
// `wafertlm trace edit`, `obfuscate` and `synthesize` on small jobs: what they say, what they refuse.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "platform/commands/trace/trace_edit.h"
#include "platform/commands/trace/trace_obfuscate.h"
#include "platform/commands/trace/trace_synthesize.h"
#include "tests/support/command_run.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/json_trace.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

using test::CommandRun;
using NodeLists = std::vector<std::vector<chakra::Node>>;

/// A job in a folder of its own. In command lines JOB is its prefix, OUT another one, DIR the folder.
class ChangedJob {
 public:
  explicit ChangedJob(const NodeLists& ranks) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      chakra::VectorSource source("rank", ranks[rank]);
      chakra::write_trace_file(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
    }
  }
  CommandRun run(std::function<int()> (*add)(CLI::App&), std::string line) const {
    replace(line, "JOB", folder_.path() + "/job");
    replace(line, "OUT", folder_.path() + "/out/job");
    replace(line, "DIR", folder_.path());
    CommandRun result = test::run_command(add, line);
    replace(result.out, folder_.path() + "/", "");
    replace(result.refusal, folder_.path() + "/", "");
    return result;
  }
  std::vector<chakra::Node> made(std::uint32_t rank) const {
    std::vector<chakra::Node> nodes;
    const auto source = chakra::open_trace(folder_.path() + "/out/job." + std::to_string(rank) + ".et");
    for (chakra::Node node; source->next(node);) nodes.push_back(node);
    return nodes;
  }
  bool has_output() const { return std::filesystem::exists(folder_.path() + "/out/job.0.et"); }
  const test::TempFolder& folder() const { return folder_; }

 private:
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  }
  test::TempFolder folder_;
};

/// Two ranks: a computation, a sum of 1000 bytes behind it, one of 500 that waits for nothing, a computation.
NodeLists two_ranks() {
  const std::vector<chakra::Node> nodes = {test::compute(1, 100'000), test::all_reduce(2, 40'000, {1}, 1000),
                                           test::all_reduce(3, 10'000, {}, 500),
                                           test::compute(4, 7000, {2, 3})};
  return {nodes, nodes};
}

struct EditRow {
  const char *name, *options, *out;
};

class TraceEdit : public testing::TestWithParam<EditRow> {};

TEST_P(TraceEdit, SaysWhatItDid) {
  const ChangedJob job(two_ranks());
  const CommandRun run = job.run(add_trace_edit, std::string("edit JOB --out OUT ") + GetParam().options);
  EXPECT_EQ(run.refusal, "");
  EXPECT_EQ(run.out, GetParam().out);
}

INSTANTIATE_TEST_SUITE_P(
    Options, TraceEdit,
    testing::Values(
        EditRow{"Scale", "--scale kernel=0.5", "  scaled kernel=0.5: 4 nodes\nout/job: 2 ranks, 8 nodes\n"},
        EditRow{"ScaleTwice", "--scale kernel=2 --scale ALL_REDUCE=0",
                "  scaled kernel=2: 4 nodes\n  scaled ALL_REDUCE=0: 4 nodes\nout/job: 2 ranks, 8 nodes\n"},
        EditRow{"Precision", "--precision 16:8", "  bytes changed of 4 nodes\nout/job: 2 ranks, 8 nodes\n"},
        EditRow{"Fuse", "--fuse 1500", "  2 collectives became part of another\nout/job: 2 ranks, 6 nodes\n"},
        EditRow{"Split", "--split 999", "  2 collectives split\nout/job: 2 ranks, 10 nodes\n"},
        EditRow{"FuseThenSplit", "--split 750 --fuse 1500",
                "  2 collectives became part of another\n  2 collectives split\nout/job: 2 ranks, 8 nodes\n"},
        // First the precision: nothing is larger than 500 bytes then.
        EditRow{"PrecisionThenFuse", "--precision 16:8 --fuse 750",
                "  bytes changed of 4 nodes\n  2 collectives became part of another\nout/job: 2 ranks, 6 "
                "nodes\n"},
        EditRow{"SliceThenScale", "--slice 3:4 --scale kernel=3",
                "  scaled kernel=3: 2 nodes\nout/job: 2 ranks, 2 nodes\n"},
        EditRow{"Repeat", "--repeat 3", "out/job: 2 ranks, 28 nodes\n"},
        EditRow{"Ranks", "--renumber 1,0", "out/job: 2 ranks, 8 nodes\n"}),
    [](const auto& each) { return std::string(each.param.name); });

class TraceEditRefusal : public testing::TestWithParam<EditRow> {};

TEST_P(TraceEditRefusal, NamesTheOptionAndWritesNothing) {
  const ChangedJob job(two_ranks());
  const CommandRun run = job.run(add_trace_edit, std::string("edit JOB ") + GetParam().options);
  EXPECT_EQ(run.refusal, GetParam().out);
  EXPECT_FALSE(job.has_output());
}

INSTANTIATE_TEST_SUITE_P(
    Options, TraceEditRefusal,
    testing::Values(
        EditRow{"Nothing", "--out OUT", "trace edit needs something to do; see --help"},
        EditRow{"OverItself", "--out DIR/./job --repeat 2",
                "--out ./job would be written over the traces themselves"},
        EditRow{"ScaleWithoutFactor", "--out OUT --scale kernel",
                "--scale kernel: expected CLASS=FACTOR, kernel=0.5"},
        EditRow{"ScaleWithoutClass", "--out OUT --scale =2", "--scale =2: expected CLASS=FACTOR, kernel=0.5"},
        EditRow{"ScaleWithoutNumber",
                "--out OUT --scale kernel=", "--scale kernel=: expected CLASS=FACTOR, kernel=0.5"},
        EditRow{"ScaleWithUnit", "--out OUT --scale kernel=2x",
                "--scale kernel=2x: expected CLASS=FACTOR, kernel=0.5"},
        EditRow{"ScaleBelowNothing", "--out OUT --scale kernel=-1",
                "--scale kernel=-1: expected CLASS=FACTOR, kernel=0.5"},
        EditRow{"ScaleNoNumber", "--out OUT --scale kernel=nan",
                "--scale kernel=nan: expected CLASS=FACTOR, kernel=0.5"},
        EditRow{"ScaleOfNone", "--out OUT --scale cpu=2",
                "--scale cpu=2 changes nothing: no node of the traces is concerned"},
        EditRow{"ScaleTooLong", "--out OUT --scale kernel=1e18",
                "node 1 \"n1\" takes longer than 106 days then"},
        EditRow{"PrecisionOfOne", "--out OUT --precision 16",
                "--precision 16: expected two whole numbers, A:B"},
        EditRow{"PrecisionOfThree", "--out OUT --precision 16:8:4",
                "--precision 16:8:4: expected two whole numbers, A:B"},
        EditRow{"PrecisionOfNothing", "--out OUT --precision 0:8",
                "--precision 0:8: bits of an element, 1 to 1024"},
        EditRow{"PrecisionToNothing", "--out OUT --precision 8:0",
                "--precision 8:0: bits of an element, 1 to 1024"},
        EditRow{"PrecisionTooWide", "--out OUT --precision 8:1025",
                "--precision 8:1025: bits of an element, 1 to 1024"},
        EditRow{"SliceOfWords", "--out OUT --slice a:b", "--slice a:b: expected two whole numbers, A:B"},
        EditRow{"SliceOfNothing", "--out OUT --slice 4:9", "no node is left of 4"},
        EditRow{"SplitOfNone", "--out OUT --split 1000",
                "--split 1000 changes nothing: no node of the traces is concerned"},
        EditRow{"FuseOfNone", "--out OUT --fuse 1499",
                "--fuse 1499 changes nothing: no node of the traces is concerned"},
        EditRow{"RanksTooFew", "--out OUT --renumber 0",
                "--renumber: expected the numbers 0 to 1, each once, for 2 ranks"},
        EditRow{"RanksTwice", "--out OUT --renumber 1,1",
                "--renumber: expected the numbers 0 to 1, each once, for 2 ranks"},
        EditRow{"RanksBeyond", "--out OUT --renumber 1,2",
                "--renumber: expected the numbers 0 to 1, each once, for 2 ranks"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TraceEditOrder, RanksTakeTheirTracesAlong) {
  const ChangedJob job({{test::compute(1, 10), test::send(2, 1, 0, 0)},
                        {test::compute(1, 20), test::receive(2, 0, 0), test::send(3, 2, 0, 0)},
                        {test::compute(1, 30), test::receive(2, 1, 0)}});
  const CommandRun run = job.run(add_trace_edit, "edit JOB --out OUT --renumber 2,0,1");
  EXPECT_EQ(run.refusal, "");
  EXPECT_EQ(job.made(2)[0].duration_ps, 10U);
  EXPECT_EQ(job.made(2)[1].comm_dst, 0U);
  EXPECT_EQ(job.made(0)[1].comm_src, 2U);
  EXPECT_EQ(job.made(0)[2].comm_dst, 1U);
  EXPECT_EQ(job.made(1)[0].duration_ps, 30U);
  EXPECT_EQ(job.made(1)[1].comm_src, 0U);
}

TEST(TraceEditGroups, ThatTracesDefineAreWritten) {
  const ChangedJob job({});
  const std::string file = job.folder().path() + "/out/job.comm_groups.json";
  chakra::Node definition, sum = test::all_reduce(1, 10, {}, 8);
  definition.id = 9;
  definition.name = "## process_group:init ##";
  definition.type = chakra::NodeType::Metadata;
  const chakra::NodeIo groups{{R"([{"pg_name": "7", "ranks": [0, 2]}])", "", ""}, {}};
  sum.pg_name = "7";
  for (const int rank : {0, 1, 2})
    job.folder().write("job." + std::to_string(rank) + ".json",
                       "{\"workload_graph\": [" + chakra::to_json(definition, groups) + "," +
                           chakra::to_json(rank == 1 ? test::compute(1, 10) : sum) + "]}");
  CommandRun run = job.run(add_trace_edit, "edit JOB --out OUT --renumber 1,2,0");
  EXPECT_EQ(run.refusal, "");
  EXPECT_EQ(run.out, "out/job: 3 ranks, 6 nodes\nout/job.comm_groups.json: the communicator groups\n");
  EXPECT_EQ(test::read_text(file), "{\"7\":[1,0]}\n");
  run = job.run(add_trace_obfuscate, "obfuscate JOB --out OUT");
  EXPECT_EQ(run.refusal, "");
  EXPECT_EQ(test::read_text(file), "{\"7\":[0,2]}\n");
}

TEST(TraceObfuscate, SaysWhatIsLeftToGuess) {
  const ChangedJob job(two_ranks());
  const CommandRun run = job.run(add_trace_obfuscate, "obfuscate JOB --out OUT --bound 10");
  EXPECT_EQ(run.refusal, "");
  // n1 and n4, n2 and n3: names that no other node of the class has are guessed by duration and size.
  EXPECT_EQ(
      run.out.rfind("out/job: 2 ranks, 8 nodes; everything within 10 % of the source, durations within "
                    "2.000 ns where that is more\n"
                    "  longest run of nodes that are as in the source: 0\n"
                    "  rounding to 1.000 ns, on which the source counts, gives 0.0 % of 8 durations back\n",
                    0),
      0U)
      << run.out;
  EXPECT_NE(run.out.find("  nearest-neighbour attack: 100.0 % of 8 names guessed right; the most frequent "
                         "name of each class alone: 50.0 %\n  Kolmogorov-Smirnov distances: duration of "
                         "ALL_REDUCE "),
            std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.substr(run.out.size() - 2), "0\n");  // in place of a semicolon
  for (const chakra::Node& node : job.made(1)) EXPECT_NE(node.name[0], 'n');
}

struct SynthesizeRow {
  const char *name, *options, *refusal;
};

class TraceSynthesizeRefusal : public testing::TestWithParam<SynthesizeRow> {};

TEST_P(TraceSynthesizeRefusal, NamesWhatDoesNotGoTogether) {
  const ChangedJob job(two_ranks());
  job.folder().write("no.json", "{}");
  const CommandRun run = job.run(add_trace_synthesize, std::string("synthesize ") + GetParam().options);
  EXPECT_EQ(run.refusal, GetParam().refusal);
  EXPECT_FALSE(job.has_output());
}

INSTANTIATE_TEST_SUITE_P(
    Options, TraceSynthesizeRefusal,
    testing::Values(
        SynthesizeRow{"Nothing", "--out OUT", "nothing to learn of: give PREFIX of traces, or --model FILE"},
        SynthesizeRow{"NoOutput", "JOB",
                      "nothing to write: give --out PREFIX for traces, or --learn FILE for the model"},
        SynthesizeRow{"ModelAndLearn", "--model DIR/no.json --learn DIR/x --out OUT",
                      "--learn is about learning, and --model has been learned"},
        SynthesizeRow{"ModelAndBound", "--model DIR/no.json --bound 1 --out OUT",
                      "--bound is about learning, and --model has been learned"},
        SynthesizeRow{"ModelAndJobs", "--model DIR/no.json JOB JOB --out OUT",
                      "with --model one PREFIX can be given, to compare with"},
        SynthesizeRow{"LayersOfNothing", "JOB --learn DIR/x --layers 3",
                      "--layers is about traces: give --out PREFIX"},
        SynthesizeRow{"FormOfNothing", "JOB --learn DIR/x --form json",
                      "--form is about traces: give --out PREFIX"},
        SynthesizeRow{"IdenticalOfNothing", "JOB --learn DIR/x --identical 9",
                      "--identical is about traces: give --out PREFIX"},
        SynthesizeRow{
            "OutIsAFolder", "JOB --out DIR/out/",
            "--out is the common start of the files to write, PREFIX for PREFIX.<rank>.et, not out/"},
        SynthesizeRow{"OutIsAFile", "JOB --out DIR/a.0.et --form json",
                      "--out is the common start of the files to write, PREFIX for PREFIX.<rank>.json, not "
                      "a.0.et"},
        SynthesizeRow{"GroupsOfNothing", "--model DIR/no.json --out OUT --comm-groups x",
                      "--comm-groups, --dependencies and --suspects are about PREFIX, which is missing"},
        SynthesizeRow{"OverItself", "JOB --out JOB", "--out job would be written over the traces themselves"},
        SynthesizeRow{"NoModel", "--model DIR/none.json --out OUT",
                      "--model none.json: cannot be read: No such file or directory"},
        SynthesizeRow{"EmptyModel", "--model DIR/no.json --out OUT", "no.json: \"trace_model\" is missing"},
        SynthesizeRow{"Layers", "JOB --out OUT --layers 5",
                      "the model has no layers: nothing repeats in what it was learned from"},
        SynthesizeRow{"Ranks", "JOB --out OUT --ranks 3",
                      "3 ranks cannot be made of 2: their number must be a multiple or a divisor"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TraceSynthesize, LearnsAModelAndMakesTheTracesAgain) {
  const ChangedJob job(two_ranks());
  CommandRun run = job.run(add_trace_synthesize, "synthesize JOB --learn DIR/m.json --bound 0");
  EXPECT_EQ(run.refusal, "");
  EXPECT_EQ(run.out.rfind("learned of 2 ranks: 1 behaviour, 4 nodes in the pattern, 1 family of groups\n"
                          "  layers: none found, nothing repeats\nm.json: the model, ",
                          0),
            0U)
      << run.out;
  run = job.run(add_trace_synthesize, "synthesize --model DIR/m.json --out OUT --ranks 4");
  EXPECT_EQ(run.refusal, "");
  EXPECT_EQ(run.out.substr(run.out.find("out/job")), "out/job: 4 ranks, 16 nodes\n");
  const auto nodes = job.made(3);
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].duration_ps, 100'000U);
  EXPECT_EQ(nodes[1].comm_size, 1000U);
  EXPECT_EQ(nodes[3].data_deps, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(nodes[3].name, "kernel");
}

TEST(TraceSynthesize, ComparesWithASourceOfAsManyRanks) {
  const ChangedJob job(two_ranks());
  job.run(add_trace_synthesize, "synthesize JOB --learn DIR/m.json");
  chakra::VectorSource source("rank", two_ranks()[0]);
  chakra::write_trace_file(source, job.folder().path() + "/one.0.et");
  EXPECT_EQ(job.run(add_trace_synthesize, "synthesize --model DIR/m.json DIR/one --out OUT").refusal,
            "one has 1 rank, and the model 2");
  EXPECT_FALSE(job.has_output());
  const CommandRun run =
      job.run(add_trace_synthesize, "synthesize --model DIR/m.json JOB --out OUT --suspects DIR/one JOB");
  EXPECT_EQ(run.refusal, "");
  EXPECT_NE(run.out.find("  no connected part that is as in the source has more than 0 nodes\n"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("  most like one, of 2 suspects\n"), std::string::npos)
      << run.out;  // alike: the first
}

}  // namespace
}  // namespace wafertlm
