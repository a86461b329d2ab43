// SPDX-License-Identifier: Apache-2.0
// Traces made of models that are written by hand: sizes, times, groups and peers in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/refusal.h"
#include "workloads/trace_model/generate.h"
#include "workloads/trace_model/model_file.h"

namespace wafertlm::trace_model {
namespace {

/// A model whose ranks all do the same: these kinds, families and steps.
Model model_of(std::uint32_t ranks, const std::string& kinds, const std::string& families,
               const std::string& steps, const std::string& more = "") {
  return from_json("{\"trace_model\": 1, \"ranks\": " + std::to_string(ranks) +
                       ", \"bound\": 0, \"layers\": 2, \"layer_nodes\": 1, \"kinds\": [" + kinds +
                       "], \"families\": [" + families + "], \"behaviours\": [{\"ranks\": [[0, " +
                       std::to_string(ranks - 1) + "]], \"steps\": [" + steps +
                       "], \"side_nodes\": [], \"sides\": []" + more + "}]}",
                   "model");
}

const char* const kAllRanks = R"({"ranks": [[0, 1, 2, 3]]})";

struct SizeRow {
  const char *name, *kind;
  std::uint64_t bytes;  // of 1000 with width times 2 and 3 times the samples
};

class TraceModelSize : public testing::TestWithParam<SizeRow> {};

// Parameters grow with the square of the width, activations with width and samples.
TEST_P(TraceModelSize, GrowsByWhatItIs) {
  const Model model =
      model_of(4, GetParam().kind, kAllRanks, R"({"kind": 0, "ps": [700], "bytes": [[1000, 1]]})");
  GenerateOptions options;
  options.hidden = 2;
  options.batch = 3;
  const chakra::Node node = generate(model, options).ranks[0][0];
  const bool is_memory = node.type == chakra::NodeType::MemLoad || node.type == chakra::NodeType::MemStore;
  EXPECT_EQ(is_memory ? node.tensor_size : node.comm_size, GetParam().bytes);
  EXPECT_FALSE((is_memory ? node.comm_size : node.tensor_size).has_value());
  EXPECT_EQ(node.duration_ps, 700U);  // it does not compute
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TraceModelSize,
    testing::Values(
        SizeRow{"Gradients", R"({"type": "COMM_COLL", "collective": "ALL_REDUCE", "family": 0})", 4000},
        SizeRow{"ClassDp",
                R"({"type": "COMM_COLL", "collective": "ALL_GATHER", "family": 0, "traffic": "dp"})", 4000},
        SizeRow{"ClassMp",
                R"({"type": "COMM_COLL", "collective": "ALL_REDUCE", "family": 0, "traffic": "mp"})", 6000},
        SizeRow{"ClassEp",
                R"({"type": "COMM_COLL", "collective": "ALL_TO_ALL", "family": 0, "traffic": "ep"})", 6000},
        SizeRow{"ClassWeights",
                R"({"type": "COMM_COLL", "collective": "BROADCAST", "family": 0, "traffic": "weights"})",
                4000},
        SizeRow{"Message", R"({"type": "COMM_SEND", "peer": 1})", 6000},
        SizeRow{"MessageOfDp", R"({"type": "COMM_SEND", "peer": 1, "traffic": "dp"})", 4000},
        SizeRow{"Received", R"({"type": "COMM_RECV", "peer": 1})", 6000},
        SizeRow{"Load", R"({"type": "MEM_LOAD"})", 4000}, SizeRow{"Store", R"({"type": "MEM_STORE"})", 4000}),
    [](const auto& each) { return std::string(each.param.name); });

struct WorkRow {
  double hidden, batch;
  std::uint64_t duration, operations, touched, dimension;  // of 1000 each
};

class TraceModelWork : public testing::TestWithParam<WorkRow> {};

TEST_P(TraceModelWork, GrowsWithTheSquareOfTheWidth) {
  const WorkRow& row = GetParam();
  for (const char* kind :
       {R"({"type": "COMP"})", R"({"type": "COMP", "cpu": true})", R"({"type": "COMM_COLL", "cpu": true})"}) {
    const Model model = model_of(1, kind, "",
                                 R"({"kind": 0, "ps": [1000], "operations": [[1000, 1]],
                                     "touched": [[1000, 1]], "products": [[[[1000, 1000, 1000, 7]], 1]]})");
    GenerateOptions options;
    options.hidden = row.hidden;
    options.batch = row.batch;
    const chakra::Node node = generate(model, options).ranks[0][0];
    EXPECT_EQ(node.duration_ps, row.duration) << kind;
    EXPECT_EQ(node.num_ops, row.operations) << kind;
    EXPECT_EQ(node.tensor_size, row.touched) << kind;
    ASSERT_EQ(node.products.size(), 1U);
    EXPECT_EQ(node.products[0], (MatrixProduct{row.dimension, row.dimension, row.dimension, 7})) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, TraceModelWork,
                         testing::Values(WorkRow{1, 1, 1000, 1000, 1000, 1000},
                                         WorkRow{2, 1, 4000, 4000, 2000, 1587},  // cube root of 4
                                         WorkRow{1, 8, 8000, 8000, 8000, 2000},
                                         WorkRow{2, 2, 8000, 8000, 4000, 2000},
                                         WorkRow{0.5, 0.5, 125, 125, 250, 500},
                                         WorkRow{0.01, 1, 1, 1, 10, 46}));  // 0.1 stays something

struct ScaledRow {
  const char* name;
  const char* family;
  const char* traffic;
  std::uint32_t ranks;
  std::map<std::string, std::vector<std::uint32_t>> groups;
};

class TraceModelScaledGroups : public testing::TestWithParam<ScaledRow> {};

Model one_sum(const std::string& family, const std::string& traffic) {
  return model_of(
      4, R"({"type": "COMM_COLL", "collective": "ALL_REDUCE", "family": 0, "traffic": ")" + traffic + "\"}",
      family, R"({"kind": 0, "bytes": [[8, 1]]})");
}

TEST_P(TraceModelScaledGroups, HoldTheRanksOfTheCopies) {
  const ScaledRow& row = GetParam();
  GenerateOptions options;
  options.ranks = row.ranks;
  const Generated made = generate(one_sum(row.family, row.traffic), options);
  EXPECT_EQ(made.groups, row.groups);
  ASSERT_EQ(made.ranks.size(), row.ranks);
  for (std::uint32_t rank = 0; rank < row.ranks; ++rank) {
    EXPECT_EQ(made.source_rank[rank], rank % 4);
    const std::string& name = made.ranks[rank][0].pg_name;
    if (name.empty()) continue;  // all ranks
    const auto& group = made.groups.at(name);
    EXPECT_NE(std::find(group.begin(), group.end(), rank), group.end()) << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, TraceModelScaledGroups,
    testing::Values(
        ScaledRow{"AsTheyWere", R"({"size": 2, "stride": 1})", "mp", 4, {{"1", {0, 1}}, {"2", {2, 3}}}},
        ScaledRow{"ModelParallelTwice",
                  R"({"size": 2, "stride": 1})",
                  "mp",
                  8,
                  {{"1", {0, 1}}, {"2", {4, 5}}, {"3", {2, 3}}, {"4", {6, 7}}}},
        ScaledRow{"DataParallelTwice",
                  R"({"size": 2, "stride": 2})",
                  "dp",
                  8,
                  {{"1", {0, 2, 4, 6}}, {"2", {1, 3, 5, 7}}}},
        ScaledRow{"NoClassIsDataParallel",
                  R"({"size": 2, "stride": 1})",
                  "",
                  12,
                  {{"1", {0, 1, 4, 5, 8, 9}}, {"2", {2, 3, 6, 7, 10, 11}}}},
        ScaledRow{"AllRanksStayAllRanks", R"({"size": 4, "stride": 1})", "mp", 8, {}},
        ScaledRow{"HalfOfTheModelParallel", R"({"size": 2, "stride": 1})", "mp", 2, {}},
        ScaledRow{"HalfOfTheDataParallel", R"({"size": 2, "stride": 2})", "dp", 2, {{"1", {0}}, {"2", {1}}}},
        ScaledRow{"OneOfAll", R"({"size": 4, "stride": 1})", "dp", 1, {}}),
    [](const auto& each) { return std::string(each.param.name); });

struct ScaleRefusal {
  const char *name, *kind, *family;
  std::uint32_t ranks;
  const char* message;
};

class TraceModelScaleRefusal : public testing::TestWithParam<ScaleRefusal> {};

TEST_P(TraceModelScaleRefusal, SaysWhatIsPossible) {
  const ScaleRefusal& row = GetParam();
  GenerateOptions options;
  options.ranks = row.ranks;
  const Model model = model_of(4, row.kind, row.family, R"({"kind": 0, "bytes": [[8, 1]]})");
  EXPECT_EQ(test::refusal_of([&] { generate(model, options); }), row.message);
}

const char* const kSumInPairs =
    R"({"type": "COMM_COLL", "collective": "ALL_REDUCE", "family": 0, "traffic": "mp"})";
const char* const kSecondPair =
    R"({"type": "COMM_COLL", "collective": "ALL_REDUCE", "family": 0, "traffic": "mp", "nth": 1})";
const char* const kNeighbours = R"({"size": 2, "stride": 1})";

INSTANTIATE_TEST_SUITE_P(
    Ranks, TraceModelScaleRefusal,
    testing::Values(
        ScaleRefusal{"None", kSumInPairs, kNeighbours, 0,
                     "0 ranks cannot be made of 4: their number must be a multiple or a divisor"},
        ScaleRefusal{"Three", kSumInPairs, kNeighbours, 3,
                     "3 ranks cannot be made of 4: their number must be a multiple or a divisor"},
        ScaleRefusal{"Six", kSumInPairs, kNeighbours, 6,
                     "6 ranks cannot be made of 4: their number must be a multiple or a divisor"},
        ScaleRefusal{"One", kSumInPairs, kNeighbours, 1,
                     "1 ranks cannot be made of 4: groups of ranks that work together would be cut"},
        ScaleRefusal{"ApartByTwo", kSumInPairs, R"({"size": 2, "stride": 2})", 2,
                     "2 ranks cannot be made of 4: groups of ranks that work together would be cut"},
        ScaleRefusal{"Messages", R"({"type": "COMM_SEND", "peer": 2})", "", 2,
                     "2 ranks cannot be made of 4: ranks that exchange messages would be cut"},
        ScaleRefusal{"TooFewGroups", kSecondPair, kNeighbours, 4,
                     "rank 0 is in too few groups of family 0 of the model"}),
    [](const auto& each) { return std::string(each.param.name); });

struct OptionRefusal {
  std::uint32_t layers;
  double hidden, batch;
  const char* message;
};

class TraceModelOptionRefusal : public testing::TestWithParam<OptionRefusal> {};

TEST_P(TraceModelOptionRefusal, SaysWhatIsWrong) {
  const Model model =
      model_of(1, R"({"type": "COMP"})", "",
               R"({"times": 2, "layers": 1, "of": [{"kind": 0, "ps": [4611686018427387904]}]})");
  GenerateOptions options;
  options.layers = GetParam().layers;
  options.hidden = GetParam().hidden;
  options.batch = GetParam().batch;
  EXPECT_EQ(test::refusal_of([&] { generate(model, options); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Options, TraceModelOptionRefusal,
                         testing::Values(OptionRefusal{2, 0, 1, "width and batch must be above 0"},
                                         OptionRefusal{2, 1, -1, "width and batch must be above 0"},
                                         OptionRefusal{2, std::nan(""), 1, "width and batch must be above 0"},
                                         OptionRefusal{2, 1, 1.5, "a size or duration would be beyond 2^62"},
                                         OptionRefusal{2, 1.01, 1, "a size or duration would be beyond 2^62"},
                                         OptionRefusal{2, 1, 0.5, ""}, OptionRefusal{0, 1, 1, ""},
                                         OptionRefusal{9, 1, 1, ""}));

TEST(TraceModelGenerate, RefusesLayersWhereNothingRepeats) {
  Model model = model_of(1, R"({"type": "COMP"})", "", R"({"kind": 0})");
  model.layers = 0;
  GenerateOptions options;
  options.layers = 1;
  EXPECT_EQ(test::refusal_of([&] { generate(model, options); }),
            "the model has no layers: nothing repeats in what it was learned from");
}

std::vector<std::uint64_t> durations_of(const std::vector<chakra::Node>& nodes) {
  std::vector<std::uint64_t> all;
  for (const chakra::Node& node : nodes) all.push_back(node.duration_ps);
  return all;
}

// Quantiles in a straight line from 0.5 to 1.5: of 101 durations the i-th is 0.5 + (i + 0.5) / 101 of 1 us.
TEST(TraceModelGenerate, EveryPartOfTheSpreadIsThereEquallyOften) {
  const Model model = model_of(
      1, R"({"type": "COMP"})", "",
      R"({"times": 101, "of": [{"kind": 0, "ps": [1000000], "spread": [0.5, 0.75, 1, 1.25, 1.5]}]})");
  GenerateOptions options;
  const auto unsorted = durations_of(generate(model, options).ranks[0]);
  auto sorted = unsorted;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    EXPECT_NEAR(static_cast<double>(sorted[i]), 1e6 * (0.5 + (static_cast<double>(i) + 0.5) / 101), 1) << i;
  EXPECT_NE(sorted, unsorted);
  EXPECT_EQ(durations_of(generate(model, options).ranks[0]), unsorted);  // the same seed
  options.seed = 2;
  auto other = durations_of(generate(model, options).ranks[0]);
  EXPECT_NE(other, unsorted);
  std::sort(other.begin(), other.end());
  EXPECT_EQ(other, sorted);
}

TEST(TraceModelGenerate, NoiseKeepsTheMeanAndTheBound) {
  Model model =
      model_of(1, R"({"type": "COMP"})", "", R"({"times": 500, "of": [{"kind": 0, "ps": [1000000]}]})");
  model.bound = 0.21;  // twice 10 %
  const auto durations = durations_of(generate(model).ranks[0]);
  double sum = 0;
  for (const std::uint64_t each : durations) {
    EXPECT_GE(each, 900'000U);
    EXPECT_LE(each, 1'100'000U);
    sum += static_cast<double>(each);
  }
  EXPECT_NEAR(sum / 500, 1e6, 500);
  EXPECT_LT(*std::min_element(durations.begin(), durations.end()), 905'000U);
  EXPECT_GT(*std::max_element(durations.begin(), durations.end()), 1'095'000U);
}

TEST(TraceModelGenerate, StretchesAndRunsKeepTheirOrder) {
  const Model model = model_of(1, R"({"type": "COMP"}, {"type": "MEM_LOAD"})", "",
                               R"({"times": 5, "of": [{"kind": 0, "ps": [10, 20, 30, 40, 50]},
                             {"kind": 1, "bytes": [[7, 2], [9, 3]]}]},
         {"times": 4, "of": [{"kind": 0, "ps": [1, 2]}]}, {"kind": 0, "operations": [[3, 1]]})");
  std::vector<std::uint64_t> durations, bytes;
  const Generated made = generate(model);
  for (const chakra::Node& node : made.ranks[0])
    if (node.tensor_size)
      bytes.push_back(*node.tensor_size);
    else
      durations.push_back(node.duration_ps);
  EXPECT_EQ(durations, (std::vector<std::uint64_t>{10, 20, 30, 40, 50, 1, 1, 2, 2, 0}));
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{7, 7, 9, 9, 9}));
}

TEST(TraceModelGenerate, ThePaceIsOfComputationsOnly) {
  const Model model = model_of(3, R"({"type": "COMP"}, {"type": "COMM_SEND", "peer": 1}, {"type": "COMM_RECV",
                                      "peer": 2})",
                               "", R"({"kind": 0, "ps": [1000]}, {"kind": 1, "ps": [1000]}, {"kind": 2})",
                               R"(, "pace": [0.5, 1, 1.5])");
  const Generated made = generate(model);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(made.ranks[rank][0].duration_ps, 500 * (rank + 1));
    EXPECT_EQ(made.ranks[rank][1].duration_ps, 1000U);
    EXPECT_EQ(made.ranks[rank][1].comm_src, rank);
    EXPECT_EQ(made.ranks[rank][1].comm_dst, (rank + 1) % 3);
    EXPECT_EQ(made.ranks[rank][2].comm_src, (rank + 2) % 3);
    EXPECT_EQ(made.ranks[rank][2].comm_dst, rank);
  }
  // In a job of twice as many ranks each copy is a ring of its own.
  GenerateOptions options;
  options.ranks = 6;
  EXPECT_EQ(generate(model, options).ranks[5][1].comm_dst, 3U);
  EXPECT_EQ(generate(model, options).ranks[4][0].duration_ps, 1000U);
}

TEST(TraceModelGenerate, CollectivesAgreeAndReceivesGetTheSizeOfTheirSends) {
  const Model model = from_json(
      R"({"trace_model": 1, "ranks": 2, "bound": 0, "layers": 0, "layer_nodes": 0,
          "kinds": [{"type": "COMM_COLL", "collective": "ALL_REDUCE", "family": 0},
                    {"type": "COMM_SEND", "peer": 1}, {"type": "COMM_RECV", "peer": 1}],
          "families": [{"ranks": [[0, 1]]}],
          "behaviours": [
           {"ranks": [0], "side_nodes": [], "sides": [], "steps": [
             {"kind": 0, "bytes": [[100, 1]]}, {"kind": 0, "bytes": [[200, 1]]},
             {"kind": 1, "bytes": [[10, 1]]}, {"kind": 1, "bytes": [[20, 1]]}]},
           {"ranks": [1], "side_nodes": [], "sides": [], "steps": [
             {"kind": 0, "bytes": [[101, 1]]}, {"kind": 2, "bytes": [[11, 1]]},
             {"kind": 2, "bytes": [[21, 1]]}, {"kind": 0, "bytes": [[201, 1]]}]}]})",
      "model");
  const Generated made = generate(model);
  const auto sizes = [&](std::size_t rank) {
    std::vector<std::uint64_t> all;
    for (const chakra::Node& node : made.ranks[rank]) all.push_back(*node.comm_size);
    return all;
  };
  EXPECT_EQ(sizes(0), (std::vector<std::uint64_t>{100, 200, 10, 20}));
  EXPECT_EQ(sizes(1), (std::vector<std::uint64_t>{100, 10, 20, 200}));
}

struct ParentsRow {
  const char *name, *after;
  std::vector<std::vector<std::uint64_t>> parents;  // of the four last nodes
};

class TraceModelParents : public testing::TestWithParam<ParentsRow> {};

// Nodes 1 to 3 of kind 0 (a COMP each), then twice one of kind 1 that needs some, and one of kind 0.
TEST_P(TraceModelParents, AreThoseThatTheReferencesName) {
  const Model model = model_of(
      1, R"({"type": "COMP"}, {"type": "COMP", "unit": 1})", "",
      std::string(R"({"times": 3, "of": [{"kind": 0}]}, {"times": 2, "of": [{"kind": 1, "after": )") +
          GetParam().after + R"(}, {"kind": 0}]})");
  const std::vector<chakra::Node> nodes = generate(model).ranks[0];
  ASSERT_EQ(nodes.size(), 7U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(nodes[3 + i].id, 4 + i);
    EXPECT_EQ(nodes[3 + i].data_deps, GetParam().parents[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(References, TraceModelParents,
                         testing::Values(ParentsRow{"None", "[]", {{}, {}, {}, {}}},
                                         ParentsRow{"TheLast", "[[0, 1]]", {{3}, {}, {5}, {}}},
                                         ParentsRow{"TheLastButTwo", "[[0, 3]]", {{1}, {}, {2}, {}}},
                                         ParentsRow{"AllOpen", "[[0]]", {{1, 2, 3}, {}, {5}, {}}},
                                         ParentsRow{"TwoKinds", "[[0, 2], [1, 1]]", {{2}, {}, {3, 4}, {}}},
                                         ParentsRow{
                                             "NoneThereIsTheNodeBefore", "[[1, 1]]", {{3}, {}, {4}, {}}}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace wafertlm::trace_model
