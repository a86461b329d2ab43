// SPDX-License-Identifier: Apache-2.0
// A model as JSON: what is written, what is read, and where a mistake is.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/refusal.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/trace_model/model_file.h"

namespace wafertlm::trace_model {
namespace {

using FileJson = nlohmann::json;

/// Four ranks that compute once, and sum in pairs three times; two messages go beside.
const char* const kSmallModel = R"({
 "trace_model": 1, "ranks": 4, "bound": 0.1, "layers": 0, "layer_nodes": 0,
 "kinds": [{"type": "COMP"}, {"type": "COMM_COLL", "collective": "ALL_REDUCE", "family": 0},
           {"type": "COMM_SEND", "peer": 1}],
 "families": [{"size": 2, "stride": 2}],
 "behaviours": [{"ranks": [[0, 3]],
   "steps": [{"kind": 0, "ps": [5]},
             {"times": 3, "of": [{"kind": 1, "after": [[0, 1]], "bytes": [[100, 3]]}]}],
   "side_nodes": [{"kind": 2}], "sides": [[1, 0, 2]]}]})";

/// The small model with a value at a JSON pointer; "" removes it.
std::string with_value(const std::string& pointer, const std::string& value) {
  FileJson json = FileJson::parse(kSmallModel);
  const FileJson::json_pointer place(pointer);
  if (value.empty())
    json[place.parent_pointer()].erase(place.back());
  else
    json[place] = FileJson::parse(value);
  return json.dump();
}

struct Mistake {
  const char *pointer, *value, *message;
};

class ModelFileMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ModelFileMistake, IsRefusedAtItsPlace) {
  const Mistake& mistake = GetParam();
  EXPECT_EQ(test::refusal_of<chakra::TraceError>(
                [&] { from_json(with_value(mistake.pointer, mistake.value), "m"); }),
            mistake.message);
}

INSTANTIATE_TEST_SUITE_P(
    OfTheModel, ModelFileMistake,
    testing::Values(Mistake{"/ranks", "", "m: \"ranks\" is missing"},
                    Mistake{"/ranks", "0", "m.ranks: must be from 1 to 1000000"},
                    Mistake{"/ranks", "1000001", "m.ranks: must be from 1 to 1000000"},
                    Mistake{"/ranks", "-1", "m.ranks: must be a whole number"},
                    Mistake{"/ranks", "4.0", "m.ranks: must be a whole number"},
                    Mistake{"/trace_model", "2", "m.trace_model: must be from 1 to 1"},
                    Mistake{"/bound", "0.51", "m.bound: is beyond what is possible"},
                    Mistake{"/bound", "-0.1", "m.bound: is beyond what is possible"},
                    Mistake{"/bound", "\"5 %\"", "m.bound: must be a number"},
                    Mistake{"/layers", "4294967296", "m.layers: must be from 0 to 4294967295"},
                    Mistake{"/more", "1",
                            "m: unknown key \"more\"; there are trace_model, ranks, bound, grid_ps, layers, "
                            "layer_nodes, kinds, "
                            "families, behaviours"},
                    Mistake{"/kinds", "[]", "m.kinds: is empty"},        //
                    Mistake{"/kinds", "{}", "m.kinds: must be a list"},  //
                    Mistake{"/families", "[]", "m.kinds[1]: there are no families of groups"},
                    Mistake{"/behaviours", "[]", "m.behaviours: rank 0 is missing"}));

INSTANTIATE_TEST_SUITE_P(
    OfAKind, ModelFileMistake,
    testing::Values(
        Mistake{"/kinds/0", "3", "m.kinds[0]: must be an object"},
        Mistake{"/kinds/0/type", "", "m.kinds[0]: \"type\" is missing"},
        Mistake{"/kinds/0/type", "4", "m.kinds[0].type: must be a text"},
        Mistake{"/kinds/0/type", "\"COMPUTE\"", "m.kinds[0].type: no such type: COMPUTE"},
        Mistake{"/kinds/0/type", "\"INVALID\"", "m.kinds[0].type: no such type: INVALID"},
        Mistake{"/kinds/0/collective", "\"ALL_REDUCE\"", "m.kinds[0]: only a COMM_COLL is a collective"},
        Mistake{"/kinds/0/cpu", "1", "m.kinds[0].cpu: must be true or false"},
        Mistake{"/kinds/0/delay", "0", "m.kinds[0].delay: must be true or false"},
        Mistake{"/kinds/0/io_stream", "\"\"", "m.kinds[0].io_stream: must be true or false"},
        Mistake{"/kinds/0/unit", "4294967296", "m.kinds[0].unit: must be from 0 to 4294967295"},
        Mistake{"/kinds/0/dims", "[true, 0]", "m.kinds[0].dims[1]: must be true or false"},
        Mistake{"/kinds/0/traffic", "7", "m.kinds[0].traffic: must be a text"},
        Mistake{"/kinds/1/collective", "\"SUM\"", "m.kinds[1].collective: no such type: SUM"},
        Mistake{"/kinds/1/family", "", "m.kinds[1]: \"family\" is missing"},
        Mistake{"/kinds/1/family", "1", "m.kinds[1].family: must be from 0 to 0"},
        Mistake{"/kinds/2/peer", "", "m.kinds[2]: \"peer\" is missing"},
        Mistake{"/kinds/2/peer", "4", "m.kinds[2].peer: must be from 0 to 3"},
        Mistake{"/kinds/2/tag", "4",
                "m.kinds[2]: unknown key \"tag\"; there are type, collective, cpu, delay, io_stream, unit, "
                "traffic, family, nth, peer, lane, priority, dims"}));

INSTANTIATE_TEST_SUITE_P(
    OfAFamily, ModelFileMistake,
    testing::Values(Mistake{"/families/0/size", "1", "m.families[0].size: must be from 2 to 4"},
                    Mistake{"/families/0/stride", "0", "m.families[0].stride: must be from 1 to 4"},
                    Mistake{"/families/0/stride", "4", "m.families[0]: does not divide the ranks"},
                    Mistake{"/families/0/size", "3", "m.families[0]: does not divide the ranks"},
                    Mistake{"/families/0/ranks", "[]", "m.families[0]: is empty"},
                    Mistake{"/families/0/ranks", "[[0], []]", "m.families[0].ranks[1]: is empty"},
                    Mistake{"/families/0/ranks", "[[0, 4]]",
                            "m.families[0].ranks[0][1]: must be from 0 to 3"},
                    Mistake{"/families/0/ranks", "[[0, 1, 0]]", "m.families[0].ranks[0][2]: is there twice"},
                    Mistake{"/families/0/name", "1",
                            "m.families[0]: unknown key \"name\"; there are size, stride, ranks"}));

INSTANTIATE_TEST_SUITE_P(
    OfABehaviour, ModelFileMistake,
    testing::Values(
        Mistake{"/behaviours/0/ranks", "[]", "m.behaviours[0]: has no ranks"},
        Mistake{"/behaviours/0/ranks", "[[0, 2]]", "m.behaviours: rank 3 is missing"},
        Mistake{"/behaviours/0/ranks", "[[0, 3], 2]", "m.behaviours[0].ranks[1]: rank 2 is there twice"},
        Mistake{"/behaviours/0/ranks", "[[3, 0]]", "m.behaviours[0].ranks[0][1]: must be from 3 to 3"},
        Mistake{"/behaviours/0/ranks", "[4]", "m.behaviours[0].ranks[0]: must be from 0 to 3"},
        Mistake{"/behaviours/0/ranks", "[[0, 1, 3]]",
                "m.behaviours[0].ranks[0]: must be a rank or [first, last]"},
        Mistake{"/behaviours/0/pace", "[1, 1, 1]", "m.behaviours[0].pace: must have a number for each rank"},
        Mistake{"/behaviours/0/pace", "[1, 0, 1, 1]", "m.behaviours[0].pace[1]: is beyond what is possible"},
        Mistake{"/behaviours/0/nodes", "[]",
                "m.behaviours[0]: unknown key \"nodes\"; there are ranks, pace, steps, side_nodes, sides"},
        Mistake{"/behaviours/0/sides", "[[1, 0]]",
                "m.behaviours[0].sides[0]: must be [skip, side node, times]"},
        Mistake{"/behaviours/0/sides", "[[2, 0, 2], [1, 0, 1]]",
                "m.behaviours[0].sides[1]: comes behind the end of the steps"},
        Mistake{"/behaviours/0/sides", "[[1, 1, 1]]", "m.behaviours[0].sides[0][1]: must be from 0 to 0"},
        Mistake{"/behaviours/0/sides", "[[1, 0, 0]]",
                "m.behaviours[0].sides[0][2]: must be from 1 to 4294967295"},
        Mistake{"/behaviours/0/sides", "[[0, 0, 100000001]]",
                "m.behaviours[0].sides[0]: more than 10^8 nodes"},
        Mistake{"/behaviours/0/side_nodes", "[]", "m.behaviours[0].sides[0]: there are no side nodes"},
        Mistake{"/behaviours/0/steps/1/times", "0",
                "m.behaviours[0].steps[1].times: must be from 1 to 4294967295"},
        Mistake{"/behaviours/0/steps/1/times", "100000000", "m.behaviours[0].steps: more than 10^8 nodes"},
        Mistake{"/behaviours/0/steps/1/layers", "0",
                "m.behaviours[0].steps[1].layers: must be from 1 to 4294967295"},
        Mistake{"/behaviours/0/steps/1/of", "[]", "m.behaviours[0].steps[1]: an empty loop"},
        Mistake{"/behaviours/0/steps/1/kind", "0",
                "m.behaviours[0].steps[1]: unknown key \"kind\"; there are times, layers, of"}));

INSTANTIATE_TEST_SUITE_P(
    OfANode, ModelFileMistake,
    testing::Values(
        Mistake{"/behaviours/0/steps/0/kind", "3", "m.behaviours[0].steps[0].kind: must be from 0 to 2"},
        Mistake{"/behaviours/0/steps/0/kind", "", "m.behaviours[0].steps[0]: \"kind\" is missing"},
        Mistake{"/behaviours/0/steps/0/name", "1",
                "m.behaviours[0].steps[0]: unknown key \"name\"; there are kind, after, ps, spread, ranks, "
                "bytes, operations, touched, products"},
        Mistake{"/behaviours/0/steps/1/of/0/after", "[[]]",
                "m.behaviours[0].steps[1].of[0].after[0]: must be [kind] or [kind, how many before]"},
        Mistake{"/behaviours/0/steps/1/of/0/after", "[[0, 1], [0, 1, 1]]",
                "m.behaviours[0].steps[1].of[0].after[1]: must be [kind] or [kind, how many before]"},
        Mistake{"/behaviours/0/steps/1/of/0/after", "[[0, 0]]",
                "m.behaviours[0].steps[1].of[0].after[0][1]: must be from 1 to 4294967295"},
        Mistake{"/behaviours/0/steps/1/of/0/after", "[[3]]",
                "m.behaviours[0].steps[1].of[0].after[0][0]: must be from 0 to 2"},
        Mistake{"/behaviours/0/steps/0/ps", "[1, 9223372036854775808]",
                "m.behaviours[0].steps[0].ps[1]: must be from 0 to 9223372036854775807"},
        Mistake{"/behaviours/0/steps/0/spread", "[1, -0.5]",
                "m.behaviours[0].steps[0].spread[1]: is beyond what is possible"},
        Mistake{"/behaviours/0/steps/0/ranks", "[2e9]",
                "m.behaviours[0].steps[0].ranks[0]: is beyond what is possible"},
        Mistake{"/behaviours/0/steps/0/bytes", "[]", "m.behaviours[0].steps[0].bytes: is empty"},
        Mistake{"/behaviours/0/steps/0/bytes", "[[1]]",
                "m.behaviours[0].steps[0].bytes[0]: must be [value, times]"},
        Mistake{"/behaviours/0/steps/0/bytes", "[[1, 1], [2, 0]]",
                "m.behaviours[0].steps[0].bytes[1][1]: must be from 1 to 4294967295"},
        Mistake{"/behaviours/0/steps/0/bytes", "[[1125899906842625, 1]]",
                "m.behaviours[0].steps[0].bytes: more than 2^50 B"},
        Mistake{"/behaviours/0/steps/0/operations", "[[4611686018427387905, 1]]",
                "m.behaviours[0].steps[0].operations[0][0]: must be from 0 to 4611686018427387904"},
        Mistake{"/behaviours/0/steps/0/touched", "7", "m.behaviours[0].steps[0].touched: must be a list"},
        Mistake{"/behaviours/0/steps/0/products", "[[[[1, 2, 3]], 1]]",
                "m.behaviours[0].steps[0].products[0][0][0]: must be [m, n, k, count]"},
        Mistake{"/behaviours/0/steps/0/products", "[[[[1, 2, 0, 1]], 1]]",
                "m.behaviours[0].steps[0].products[0][0][0][2]: must be from 1 to 1099511627776"}));

TEST(ModelFile, RefusesWhatIsNoJson) {
  const std::string why = test::refusal_of<chakra::TraceError>([] { from_json("{\"ranks\": ", "m.json"); });
  EXPECT_EQ(why.rfind("m.json:1:", 0), 0U) << why;
}

TEST(ModelFile, HoldsLoopsFiftyDeep) {
  const auto nested = [](int depth) {
    std::string steps = "{\"kind\": 0}";
    for (int i = 0; i < depth; ++i) steps = "{\"times\": 1, \"of\": [" + steps + "]}";
    FileJson json = FileJson::parse(with_value("/behaviours/0/steps", "[" + steps + "]"));
    json["behaviours"][0]["sides"] = FileJson::array();
    return json.dump();
  };
  EXPECT_EQ(length(from_json(nested(50), "m").behaviours[0].steps), 1U);
  const std::string why = test::refusal_of<chakra::TraceError>([&] { from_json(nested(51), "m"); });
  EXPECT_NE(why.find(".of: more than 50 loops within each other"), std::string::npos) << why;
}

struct Accepted {
  const char *pointer, *value;
};

class ModelFileLimit : public testing::TestWithParam<Accepted> {};

// The last value before the mistakes above; it is written as it was read.
TEST_P(ModelFileLimit, IsStillRead) {
  const auto& [pointer, value] = GetParam();
  const FileJson written = FileJson::parse(to_json(from_json(with_value(pointer, value), "m")));
  EXPECT_EQ(written[FileJson::json_pointer(pointer)], FileJson::parse(value)) << pointer;
}

INSTANTIATE_TEST_SUITE_P(
    All, ModelFileLimit,
    testing::Values(Accepted{"/bound", "0.5"}, Accepted{"/bound", "0.0"}, Accepted{"/layers", "4294967295"},
                    Accepted{"/layer_nodes", "17"}, Accepted{"/kinds/0/unit", "4294967295"},
                    Accepted{"/kinds/2/peer", "3"}, Accepted{"/kinds/2/lane", "9"},
                    Accepted{"/kinds/1/nth", "2"}, Accepted{"/families/0/stride", "1"},
                    Accepted{"/kinds/0/priority", "0"}, Accepted{"/kinds/0/dims", "[true, false]"},
                    Accepted{"/behaviours/0/sides", "[[2, 0, 2]]"},
                    Accepted{"/behaviours/0/pace", "[1e-6, 1e6, 1.5, 1]"},
                    Accepted{"/behaviours/0/steps/1/times", "99999999"},
                    Accepted{"/behaviours/0/steps/1/layers", "2"},
                    Accepted{"/behaviours/0/steps/0/ps", "[9223372036854775807, 0]"},
                    Accepted{"/behaviours/0/steps/0/bytes", "[[1125899906842624, 1]]"},
                    Accepted{"/behaviours/0/steps/0/operations", "[[4611686018427387904, 4294967295]]"},
                    Accepted{"/behaviours/0/steps/0/touched", "[[0, 1], [1, 1], [0, 2]]"},
                    Accepted{"/behaviours/0/steps/0/products", "[[[[1, 2, 1099511627776, 4]], 1], [[], 2]]"},
                    Accepted{"/behaviours/0/steps/0/spread", "[0.5, 1e9]"},
                    Accepted{"/behaviours/0/steps/1/of/0/after", "[[0], [1, 7]]"}));

/// A model that uses every field.
Model full_model() {
  Model model;
  model.ranks = 4;
  model.bound = 0.05;
  model.layers = 3;
  model.layer_nodes = 2;
  model.families = {{{0, 1}, {2, 3}}, {{0, 2}, {3, 1}}};
  Kind kernel;
  kernel.type = chakra::NodeType::Comp;
  kernel.unit = 7;
  Kind waiting = kernel;
  waiting.cpu = waiting.delay = true;
  waiting.unit = 0;
  Kind sum;
  sum.type = chakra::NodeType::CommColl;
  sum.collective = chakra::CollectiveType::ReduceScatter;
  sum.family = 1;
  sum.nth = 1;
  sum.traffic_class = "mp";
  sum.priority = 0;
  sum.dims = {false, true};
  sum.io_stream = true;
  Kind received;
  received.type = chakra::NodeType::CommRecv;
  received.peer = 3;
  received.lane = 2;
  model.kinds = {kernel, waiting, sum, received};
  Behaviour& of = model.behaviours.emplace_back();
  of.ranks = {0, 2, 3};
  of.pace = {0.5, 1, 1.5};
  of.slots.resize(3);
  of.slots[0].durations.stretches_ps = {0};
  of.slots[1].after = {{0, Reference::kOpen}, {2, 4}};
  of.slots[1].durations = {{10, 20}, {0.5, 1.5}, {0.25, 1.75}};
  of.slots[1].operations = {{300, 2}};
  of.slots[1].touched = {{400, 1}, {401, 1}};
  of.slots[1].products = {{{{1, 2, 3, 4}, {5, 6, 7, 8}}, 2}};
  of.slots[2].kind = 2;
  of.slots[2].bytes = {{1000, 6}};
  of.steps = {{0, 1, 0, {}}, {0, 3, 1, {{1, 1, 0, {}}, {2, 1, 0, {}}}}};
  of.side_slots.resize(1);
  of.side_slots[0].kind = 3;
  of.sides = {{2, 0, 1}, {1, 0, 3}};
  model.behaviours.emplace_back().ranks = {1};
  return model;
}

// Spelled out by hand from the description in model_file.h.
TEST(ModelFile, WritesEveryField) {
  EXPECT_EQ(to_json(full_model()), R"({
 "trace_model": 1,
 "ranks": 4,
 "bound": 0.05,
 "layers": 3,
 "layer_nodes": 2,
 "kinds": [
  {"type":"COMP","unit":7},
  {"type":"COMP","cpu":true,"delay":true},
  {"type":"COMM_COLL","collective":"REDUCE_SCATTER","io_stream":true,"traffic":"mp","family":1,"nth":1,)"
                                   R"("priority":0,"dims":[false,true]},
  {"type":"COMM_RECV","peer":3,"lane":2}
 ],
 "families": [
  {"size":2,"stride":1},
  {"ranks":[[0,2],[3,1]]}
 ],
 "behaviours": [
  {"ranks": [0,[2,3]],
   "pace": [0.5,1.0,1.5],
   "steps": [
    {"kind":0},
    {"times":3,"layers":1,"of":[
     {"kind":0,"after":[[0],[2,4]],"ps":[10,20],"spread":[0.5,1.5],"ranks":[0.25,1.75],)"
                                   R"("operations":[[300,2]],"touched":[[400,1],[401,1]],)"
                                   R"("products":[[[[1,2,3,4],[5,6,7,8]],2]]},
     {"kind":2,"bytes":[[1000,6]]}
    ]}
   ],
   "side_nodes": [
    {"kind":3}
   ],
   "sides": [[2,0,1],[1,0,3]]},
  {"ranks": [1],
   "steps": [
   ],
   "side_nodes": [
   ],
   "sides": []}
 ]
}
)");
}

TEST(ModelFile, ReadsBackEveryField) {
  const Model made = full_model(), read = from_json(to_json(made), "m");
  EXPECT_EQ(std::tie(read.ranks, read.bound, read.grid_ps, read.layers, read.layer_nodes, read.families),
            std::tie(made.ranks, made.bound, made.grid_ps, made.layers, made.layer_nodes, made.families));
  ASSERT_EQ(read.kinds.size(), made.kinds.size());
  for (std::size_t i = 0; i < made.kinds.size(); ++i)
    EXPECT_FALSE(made.kinds[i] < read.kinds[i] || read.kinds[i] < made.kinds[i]) << i;
  EXPECT_EQ(read.slot_count(), 4U);
  const Behaviour &of = read.behaviours[0], &expected = made.behaviours[0];
  EXPECT_EQ(std::tie(of.ranks, of.pace), std::tie(expected.ranks, expected.pace));
  EXPECT_EQ(read.behaviours[1].ranks, std::vector<std::uint32_t>{1});
  const Slot &slot = of.slots[1], &as_made = expected.slots[1];
  EXPECT_EQ(std::tie(slot.after, slot.operations, slot.touched, slot.products),
            std::tie(as_made.after, as_made.operations, as_made.touched, as_made.products));
  EXPECT_EQ(slot.durations.stretches_ps, as_made.durations.stretches_ps);
  EXPECT_EQ(slot.durations.spread, as_made.durations.spread);
  EXPECT_EQ(slot.durations.ranks, as_made.durations.ranks);
  EXPECT_EQ(of.slots[2].bytes, expected.slots[2].bytes);
  EXPECT_EQ(length(of.steps), 7U);
  EXPECT_EQ(float_length(of.steps), 7.0);
  EXPECT_EQ(of.steps[1].layers, 1U);
  EXPECT_EQ(of.steps[1].body[1].slot, 2U);
  ASSERT_EQ(of.sides.size(), 2U);
  EXPECT_EQ(of.sides[1].skip, 1U);
  EXPECT_EQ(of.sides[1].times, 3U);
  EXPECT_EQ(of.side_slots[0].kind, 3U);
}

struct WrittenFamily {
  std::uint32_t ranks;
  Family family;
  const char* json;
};

class ModelFileFamily : public testing::TestWithParam<WrittenFamily> {};

TEST_P(ModelFileFamily, IsWrittenShortWhereItIsRegular) {
  Model model = full_model();
  model.ranks = GetParam().ranks;
  model.families = {GetParam().family};
  EXPECT_EQ(FileJson::parse(to_json(model))["families"][0], FileJson::parse(GetParam().json));
}

INSTANTIATE_TEST_SUITE_P(
    All, ModelFileFamily,
    testing::Values(WrittenFamily{4, {{0, 1}, {2, 3}}, R"({"size": 2, "stride": 1})"},
                    WrittenFamily{4, {{0, 2}, {1, 3}}, R"({"size": 2, "stride": 2})"},
                    WrittenFamily{4, {{0, 1, 2, 3}}, R"({"size": 4, "stride": 1})"},
                    WrittenFamily{8, {{0, 2}, {1, 3}, {4, 6}, {5, 7}}, R"({"size": 2, "stride": 2})"},
                    WrittenFamily{6, {{0, 2, 4}, {1, 3, 5}}, R"({"size": 3, "stride": 2})"},
                    WrittenFamily{4, {{1, 3}, {0, 2}}, R"({"ranks": [[1, 3], [0, 2]]})"},  // another order
                    WrittenFamily{4, {{1, 0}, {2, 3}}, R"({"ranks": [[1, 0], [2, 3]]})"},
                    WrittenFamily{4, {{0, 3}, {1, 2}}, R"({"ranks": [[0, 3], [1, 2]]})"},
                    WrittenFamily{5, {{0, 1}, {2, 3}}, R"({"ranks": [[0, 1], [2, 3]]})"},  // not all ranks
                    WrittenFamily{2, {{0}, {1}}, R"({"ranks": [[0], [1]]})"}));

// Each rank is in one group, whose members have the same rank within their block and the same remainder.
TEST(ModelFile, RegularFamiliesDivideTheRanks) {
  for (const std::uint32_t size : {2U, 3U, 4U})
    for (const std::uint32_t stride : {1U, 2U, 5U}) {
      const std::uint32_t ranks = 3 * size * stride;
      std::vector<std::uint32_t> seen(ranks);
      const Family family = regular_family(ranks, size, stride);
      EXPECT_EQ(family.size(), ranks / size);
      for (const auto& group : family) {
        EXPECT_EQ(group.size(), size);
        for (const std::uint32_t rank : group) {
          ++seen.at(rank);
          EXPECT_EQ(rank / (size * stride), group.front() / (size * stride));
          EXPECT_EQ(rank % stride, group.front() % stride);
        }
      }
      EXPECT_EQ(seen, std::vector<std::uint32_t>(ranks, 1)) << size << " " << stride;
    }
}

}  // namespace
}  // namespace wafertlm::trace_model
