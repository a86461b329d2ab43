// SPDX-License-Identifier: Apache-2.0
// What is written of traces: statistics, synthesis, timelines and imports, of values that are set by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/commands/trace/chrome_trace.h"
#include "platform/commands/trace/import_report.h"
#include "platform/commands/trace/synthesis_text.h"
#include "platform/commands/trace/trace_stats.h"
#include "tests/support/command_run.h"
#include "tests/support/squeezed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

using ParsedJson = nlohmann::json;

struct MicrosRow {
  TimePs start, end;
  const char *ts, *dur;
};

class ChromeTraceTimes : public testing::TestWithParam<MicrosRow> {};

TEST_P(ChromeTraceTimes, HaveAllTheirDigits) {
  std::ostringstream text;
  ChromeTrace trace(text, ChromeTrace::Json::object());
  trace.add(3, 7, "kernel", "n", GetParam().start, GetParam().end);
  trace.finish();
  EXPECT_EQ(text.str(),
            std::string("{\n\"schemaVersion\": 1,\n\"traceEvents\": [\n"
                        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"n\",\"pid\":3,\"tid\":7,\"ts\":") +
                GetParam().ts + ",\"dur\":" + GetParam().dur + "}\n]\n}\n");
}

INSTANTIATE_TEST_SUITE_P(Times, ChromeTraceTimes,
                         testing::Values(MicrosRow{0, 0, "0", "0"}, MicrosRow{1, 1'000'001, "0.000001", "1"},
                                         MicrosRow{2'000'000, 3'500'000, "2", "1.500000"},
                                         MicrosRow{999'999, 1'000'000, "0.999999", "0.000001"},
                                         // Two days and a picosecond: beyond the digits of a double.
                                         MicrosRow{172'800'000'000'000'001, 172'800'000'000'000'002,
                                                   "172800000000.000001", "0.000001"}));

TEST(ChromeTraces, HoldNamesAndArgumentsOneEventALine) {
  std::ostringstream text;
  ChromeTrace trace(text, {{"distributedInfo", {{"rank", 1}}}});
  trace.name_process(1, "rank 1 \"CPU\"");
  trace.name_thread(1, 2, "thread");
  trace.add(1, 2, "cpu_op", "a\nb", 0, 1'000'000, {{"node", 5}});
  trace.add(1, 2, "cpu_op", "bad \xff", 0, 0);
  trace.finish();
  const ParsedJson parsed = ParsedJson::parse(text.str());
  EXPECT_EQ(parsed["distributedInfo"]["rank"], 1);
  ASSERT_EQ(parsed["traceEvents"].size(), 4U);
  EXPECT_EQ(parsed["traceEvents"][0],
            ParsedJson::parse(
                R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "rank 1 \"CPU\""}})"));
  EXPECT_EQ(parsed["traceEvents"][1],
            ParsedJson::parse(
                R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "thread"}})"));
  EXPECT_EQ(parsed["traceEvents"][2]["name"], "a\nb");
  EXPECT_EQ(parsed["traceEvents"][2]["args"]["node"], 5);
  EXPECT_FALSE(parsed["traceEvents"][3].contains("args"));
  EXPECT_EQ(parsed["traceEvents"][3]["name"], "bad \uFFFD");
  const std::string whole = text.str();
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1 + 1 + 1 + 1 + 4 + 2);
}

struct ModelTextRow {
  const char* name;
  std::uint32_t ranks, behaviours, slots, families, layers, layer_nodes;
  const char* text;
};

class ModelText : public testing::TestWithParam<ModelTextRow> {};

TEST_P(ModelText, CountsWhatItHolds) {
  const ModelTextRow& row = GetParam();
  trace_model::Model model;
  model.ranks = row.ranks;
  model.behaviours.resize(row.behaviours);
  model.behaviours[0].slots.resize(row.slots - 1);
  model.behaviours[0].side_slots.resize(1);
  model.families.resize(row.families);
  model.layers = row.layers;
  model.layer_nodes = row.layer_nodes;
  EXPECT_EQ(model_text(model), row.text);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ModelText,
    testing::Values(ModelTextRow{"One", 1, 1, 1, 1, 1, 1,
                                 "learned of 1 rank: 1 behaviour, 1 node in the pattern, 1 family of groups\n"
                                 "  layers: 1 of 1 node on a rank\n"},
                    ModelTextRow{"Several", 8, 2, 30, 3, 24, 12,
                                 "learned of 8 ranks: 2 behaviours, 30 nodes in the pattern, 3 families of "
                                 "groups\n  layers: 24 of 12 nodes on a rank\n"},
                    ModelTextRow{"NoLayers", 2, 1, 5, 0, 0, 0,
                                 "learned of 2 ranks: 1 behaviour, 5 nodes in the pattern, 0 families of "
                                 "groups\n  layers: none found, nothing repeats\n"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(SynthesisText, HasPercentsOfWhatTheAttackFound) {
  SynthesisCheck check;
  check.most_identical = 1;
  check.layers = {200, 30, 50, 10, 45.5};
  check.largest_size_change = 0.0486;
  check.differences = {{"duration of kernel", 10, 20, 0.25, 5, 200, 100},
                       {"size of send", 0, 0, 1, 1, 1, 1},
                       {"size of memory", 0, 3, 1, 0, 0, 7}};
  const std::string expected =
      "  no connected part that is as in the source has more than 1 node\n"
      "  largest difference of a size from that at its place in the source: 4.86 %\n"
      "  nearest-neighbour attack on 200 nodes: 15.0 % of the layers guessed right (most frequent one: 5.0 "
      "%), "
      "25.0 % of the operators (22.8 %)\n"
      "  distance from the source         count     count   Kolmogorov-Smirnov    earth mover's\n"
      "  duration of kernel                  10        20               0.2500           2.50 %\n"
      "  size of memory                       0         3               1.0000           0.00 %\n";
  EXPECT_EQ(test::squeezed(check_text(check, false)), test::squeezed(expected));
  const std::string line = "  largest difference of a size from that at its place in the source: 4.86 %\n";
  std::string scaled = expected;
  EXPECT_EQ(test::squeezed(check_text(check, true)),
            test::squeezed(scaled.erase(scaled.find(line), line.size())));
}

TEST(SynthesisText, TheLargestChangeOfASizeIsRelativeToItsPlaceInTheSource) {
  const auto graph = [](std::vector<chakra::Node> nodes) {
    chakra::VectorSource source("rank", std::move(nodes));
    return statistics::read_graph(source);
  };
  // The file has a child before its parent: the order of the graph is 2, 1.
  const trace_model::Ranks source = {
      graph({test::all_reduce(1, 0, {2}, 1000), test::all_reduce(2, 0, {}, 500), test::compute(3, 9)})};
  trace_model::Generated made;
  made.ranks = {{test::all_reduce(1, 0, {}, 510), test::all_reduce(2, 0, {}, 900), test::compute(3, 9)}};
  made.source = {{0, 1, 2}};
  made.source_rank = {0};
  const trace_model::Ranks graphs = {graph(made.ranks[0])};
  EXPECT_DOUBLE_EQ(check_synthesis(source, {}, made, graphs, false).largest_size_change, 0.1);
  EXPECT_EQ(check_synthesis(source, {}, made, graphs, true).largest_size_change, 0);
  EXPECT_EQ(check_synthesis(source, {}, made, graphs, false).most_identical, 1U);  // the computation
}

/// A rank with two device events and a communication, as an import leaves it.
pytorch::ImportedRank imported_rank(std::uint32_t rank) {
  pytorch::ImportedRank made;
  made.rank = rank;
  made.name = "k" + std::to_string(rank) + ".json";
  made.graph.units = {"thread 1", "stream 7"};
  made.graph.names.number("ncclAllReduce");
  made.graph.start_ns = 1000;
  made.graph.end_ns = 6000;
  made.graph.summary.operators = 4;
  made.graph.summary.kernels = 2;
  made.graph.summary.copies = 1;
  made.graph.summary.launches.given = made.graph.summary.launches.used = 2;
  made.graph.summary.collectives = 1;
  made.delay_ns = 20 * rank;
  pytorch::Item sum;
  sum.start_ns = 2000;
  sum.end_ns = 2500;
  sum.communication = 1;
  sum.unit = 2;
  sum.on_device = true;
  made.graph.items = {sum};
  made.graph.order = {0};
  pytorch::Communication from;
  from.name = "allreduce";
  from.in_bytes = 64;
  from.out_bytes = 65;
  made.graph.communications = {from};
  made.in_order = {0};
  pytorch::PlacedCommunication placed;
  placed.kind.type = chakra::NodeType::CommColl;
  placed.kind.collective = chakra::CollectiveType::AllReduce;
  placed.bytes = 64;
  placed.group = "tp";
  made.placed = {placed};
  return made;
}

pytorch::ImportedJob imported_job() {
  pytorch::ImportedJob job;
  job.world_size = 4;
  job.groups = {{"tp", {0, 1}}};
  job.ranks = {imported_rank(0), imported_rank(1)};
  job.ranks[0].notes = {"common", "alone"};
  job.ranks[1].notes = {"common"};
  pytorch::LinkSummary link;
  link.linked = 3;
  link.nodes = 5;
  job.ranks[1].link = link;
  return job;
}

TEST(ImportReport, IsATableOfRanksAndNotes) {
  EXPECT_EQ(
      test::squeezed(import_text(imported_job())),
      test::squeezed("Imported 2 ranks of a job of 4\n"
                     "  rank     measured operators   linked  kernels    launches    comms  starts later by\n"
                     "     0     5.000 us         4        -        3         2/3        1  0 ps\n"
                     "     1     5.000 us         4      3/5        3         2/3        1  20.00 ns\n"
                     "  host_operators: 5 given, 3 used; errors: 2 operator without event\n"
                     "  launches: 4 given, 4 used\n"
                     "  note, rank 0: alone\n"
                     "  note, 2 ranks: common\n"
                     "  rank 0: 1 x ALL_REDUCE of 64 B\n"));
}

TEST(ImportReport, AsJsonHasEveryCommunication) {
  pytorch::ImportedJob job = imported_job();
  job.ranks[1].placed[0].is_uneven = true;
  job.ranks[1].graph.communications[0].in_split = {1, 2};
  job.ranks[1].graph.communications[0].out_split = {3, 4};
  const ParsedJson parsed = ParsedJson::parse(import_json(job));
  EXPECT_EQ(parsed["world_size"], 4);
  EXPECT_EQ(parsed["groups"]["tp"], (ParsedJson{0, 1}));
  const ParsedJson &first = parsed["ranks"][0], &second = parsed["ranks"][1];
  EXPECT_EQ(first["file"], "k0.json");
  EXPECT_FALSE(first.contains("operators_linked"));
  EXPECT_EQ(second["operators_linked"]["linked"], 3);
  EXPECT_EQ(second["operators_linked"]["of"], 5);
  EXPECT_EQ(first["measured_ps"], 5'000'000);
  EXPECT_EQ(second["starts_later_by_ns"], 20);
  EXPECT_EQ(first["units"], ParsedJson::parse(R"({"1": "thread 1", "2": "stream 7"})"));
  EXPECT_EQ(first["communications"][0], ParsedJson::parse(R"({"type": "ALL_REDUCE", "name": "allreduce",
      "group": "tp", "bytes": 64, "input_bytes": 64, "output_bytes": 65, "recorded_ps": 500000})"));
  EXPECT_EQ(second["communications"][0]["input_split"], (ParsedJson{1, 2}));
  EXPECT_EQ(second["communications"][0]["output_split"], (ParsedJson{3, 4}));
  EXPECT_EQ(first["notes"], (ParsedJson{"common", "alone"}));
}

TEST(ImportReport, TimelineHasWhatWasMeasuredBesideTheGraph) {
  pytorch::ImportedJob job = imported_job();
  job.ranks.erase(job.ranks.begin());
  const ParsedJson parsed = ParsedJson::parse(import_timeline(job));
  std::vector<ParsedJson> events;
  std::vector<std::string> processes;
  for (const ParsedJson& event : parsed["traceEvents"]) {
    if (event["ph"] == "X") events.push_back(event);
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"rank 1 measured", "rank 1 imported graph"}));
  ASSERT_EQ(events.size(), 2U);
  for (const ParsedJson& event : events) {
    EXPECT_EQ(event["cat"], "kernel");
    EXPECT_EQ(event["name"], "ncclAllReduce");
    EXPECT_EQ(event["tid"], 2);
    EXPECT_EQ(event["dur"].get<double>(), 0.5);
  }
  EXPECT_EQ(events[0]["pid"], 0);
  EXPECT_EQ(events[1]["pid"], 1);
  EXPECT_EQ(events[0]["ts"].get<double>(),
            1.02);  // 1000 ns behind the start, 20 ns later than the first rank
  EXPECT_EQ(events[1]["ts"].get<double>(), 1.02);
}

/// What `trace stats` prints of a rank, and of it against another one.
std::string stats_of(const std::vector<chakra::Node>& nodes, const std::string& options,
                     const std::vector<chakra::Node>& other = {}) {
  const test::TempFolder folder;
  chakra::VectorSource source("rank", nodes), second("rank", other);
  chakra::write_trace_file(source, folder.path() + "/a.0.et");
  if (!other.empty()) chakra::write_trace_file(second, folder.path() + "/b.0.et");
  const test::CommandRun run =
      test::run_command(add_trace_stats, "stats " + folder.path() + "/a " + options +
                                             (other.empty() ? "" : " --against " + folder.path() + "/b"));
  EXPECT_EQ(run.refusal, "");
  return run.out;
}

std::vector<chakra::Node> measured_nodes() {
  chakra::Node work = test::compute(1, 4'000'000);
  work.num_ops = 600;
  work.tensor_size = 100;
  return {work,
          test::compute(2, 2'000'000, {1}),
          test::all_reduce(3, 1'000'000, {1}, 1024),
          test::load(4, 400, {2, 3}),
          test::send(5, 0, 0, 0),
          test::receive(6, 0, 0)};
}

// Counted by hand; a quantile is the smallest value that this part does not exceed.
TEST(TraceStats, IsATableOfDistributions) {
  EXPECT_EQ(
      test::squeezed(stats_of(measured_nodes(), "")),
      test::squeezed(
          "1 rank, 6 nodes, 4 dependencies\n"
          "  depth 3, critical path 6.000 us, with units one node at a time 6.000 us, work 6.000 us in all\n"
          "  duration                  count        least         10 %       median         90 %         "
          "most    "
          "      sum\n"
          "  ALL_REDUCE                    1     1.000 us     1.000 us     1.000 us     1.000 us     1.000 "
          "us    "
          " 1.000 us\n"
          "  kernel                        2     2.000 us     2.000 us     2.000 us     4.000 us     4.000 "
          "us    "
          " 6.000 us\n"
          "  memory                        1       400 ps       400 ps       400 ps       400 ps       400 "
          "ps    "
          "   400 ps\n"
          "  receive                       1         0 ps         0 ps         0 ps         0 ps         0 "
          "ps    "
          "     0 ps\n"
          "  send                          1         0 ps         0 ps         0 ps         0 ps         0 "
          "ps    "
          "     0 ps\n"
          "  size                      count        least         10 %       median         90 %         "
          "most    "
          "      sum\n"
          "  ALL_REDUCE                    1        1 KiB        1 KiB        1 KiB        1 KiB        1 "
          "KiB    "
          "    1 KiB\n"
          "  memory                        1         64 B         64 B         64 B         64 B         64 "
          "B    "
          "     64 B\n"
          "  receive                       1         64 B         64 B         64 B         64 B         64 "
          "B    "
          "     64 B\n"
          "  send                          1         64 B         64 B         64 B         64 B         64 "
          "B    "
          "     64 B\n"
          "  number                    count        least         10 %       median         90 %         "
          "most    "
          "      sum\n"
          "  parents                       6            0            0            0            2            "
          "2    "
          "        4\n"
          "  children                      6            0            0            0            2            "
          "2    "
          "        4\n"
          "  operations per byte           1            6            6            6            6            "
          "6    "
          "        6\n"
          "  collective                     size group         count\n"
          "  ALL_REDUCE                    1 KiB all               1\n"
          "  class    sizes                     messages        bytes    share\n"
          "  dp       1 KiB to below 2 KiB             1        1 KiB  100.00 %\n"
          "  pp       64 B to below 128 B              1         64 B  100.00 %\n"));
}

TEST(TraceStats, AsJsonHasTheSame) {
  const ParsedJson parsed = ParsedJson::parse(stats_of(measured_nodes(), "--json"));
  EXPECT_EQ(parsed["critical_path_ps"], 6'000'400);
  EXPECT_EQ(parsed["scheduled_ps"], 6'000'400);
  EXPECT_EQ(parsed["work_ps"], 6'000'000);
  EXPECT_EQ(parsed["depth"], 3);
  EXPECT_EQ(parsed["duration_ps"]["kernel"],
            ParsedJson::parse(R"({"count": 2, "least": 2000000.0, "q10": 2000000.0, "median": 2000000.0,
                "q90": 4000000.0, "most": 4000000.0, "mean": 3000000.0, "sum": 6000000.0})"));
  EXPECT_EQ(parsed["bytes"]["send"]["sum"], 64);
  EXPECT_EQ(parsed["collectives"],
            ParsedJson::parse(R"([{"type": "ALL_REDUCE", "bytes": 1024, "group": "", "count": 1}])"));
  EXPECT_EQ(parsed["sizes"]["pp"], ParsedJson::parse(R"([{"from_bytes": 64, "messages": 1, "bytes": 64}])"));
}

TEST(TraceStats, AgainstAnotherTraceHasTheDistances) {
  std::vector<chakra::Node> other = measured_nodes();
  other[1].duration_ps = 3'000'000;
  other[2].comm_size = 2048;
  const std::string text = stats_of(measured_nodes(), "", other);
  EXPECT_EQ(test::squeezed(text.substr(text.find("Kolmogorov"))),
            test::squeezed("Kolmogorov-Smirnov and earth mover's distance\n"
                           "                                   count     count      KS     moved by         "
                           "mean         mean\n"
                           "  duration of ALL_REDUCE               1         1  0.0000         0 ps     "
                           "1.000 us     1.000 us\n"
                           "  duration of kernel                   2         2  0.5000     500.0 ns     "
                           "3.000 us     3.500 us\n"
                           "  duration of memory                   1         1  0.0000         0 ps       "
                           "400 ps       400 ps\n"
                           "  duration of receive                  1         1  0.0000         0 ps         "
                           "0 ps         0 ps\n"
                           "  duration of send                     1         1  0.0000         0 ps         "
                           "0 ps         0 ps\n"
                           "  size of ALL_REDUCE                   1         1  1.0000        1 KiB        1 "
                           "KiB        2 KiB\n"
                           "  size of memory                       1         1  0.0000          0 B         "
                           "64 B         64 B\n"
                           "  size of receive                      1         1  0.0000          0 B         "
                           "64 B         64 B\n"
                           "  size of send                         1         1  0.0000          0 B         "
                           "64 B         64 B\n"
                           "  parents of a node                    6         6  0.0000            0       "
                           "0.6667       0.6667\n"
                           "  children of a node                   6         6  0.0000            0       "
                           "0.6667       0.6667\n"
                           "  operations per byte                  1         1  0.0000            0          "
                           "  6            6\n"));
}

}  // namespace
}  // namespace wafertlm
