// SPDX-License-Identifier: Apache-2.0
// Variables of an optimisation: what they are written as, what runs they make, which files are refused.
#include <gtest/gtest.h>

#include "platform/commands/optimize/request.h"
#include "platform/commands/optimize/spec.h"
#include "platform/describe/document.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::optimize {
namespace {

using Words = std::vector<std::string>;
using Sense = libra::LinearConstraint::Sense;

VariableSpec numbers_named(const std::string& name, double from, double to, double step = 0) {
  VariableSpec variable;
  variable.name = name;
  variable.from = from;
  variable.to = to;
  variable.step = step;
  return variable;
}

VariableSpec texts_named(const std::string& name, Words values) {
  VariableSpec variable;
  variable.name = name;
  variable.values = std::move(values);
  return variable;
}

OptimizeSpec spec_of(std::vector<VariableSpec> variables) {
  OptimizeSpec spec;
  spec.variables = std::move(variables);
  return spec;
}

struct NumberText {
  double value;
  const char *unit, *text;
};

class OptimizeNumber : public testing::TestWithParam<NumberText> {};

TEST_P(OptimizeNumber, IsWrittenWithSixDigits) {
  VariableSpec variable = numbers_named("x", 0, 1);
  variable.unit = GetParam().unit;
  EXPECT_EQ(variable.text(GetParam().value), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Values, OptimizeNumber,
                         testing::Values(NumberText{300, "GB/s", "300 GB/s"},
                                         NumberText{1.0 / 3, "", "0.333333"},
                                         NumberText{99'999.94, "", "99999.9"},
                                         NumberText{123'456.7, "B", "123457 B"},  // no exponent
                                         NumberText{12'345'678, "", "12345678"},
                                         NumberText{-0.5, "ns", "-0.5 ns"}, NumberText{1e-7, "", "1e-07"}));

struct StandsRow {
  const char* text;
  bool stands;
};

class OptimizePlaceholder : public testing::TestWithParam<StandsRow> {};

TEST_P(OptimizePlaceholder, IsTheNameOrAPartOfIt) {
  EXPECT_EQ(numbers_named("bw", 1, 2).stands_in(GetParam().text), GetParam().stands) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(Texts, OptimizePlaceholder,
                         testing::Values(StandsRow{"k={bw}", true}, StandsRow{"k={bw/2}", true},
                                         StandsRow{"k={bw*0.5} GB/s", true}, StandsRow{"k={a} {bw}", true},
                                         StandsRow{"k={bw2}", false}, StandsRow{"k={b}", false},
                                         StandsRow{"k=bw", false}, StandsRow{"k={bw", false},
                                         StandsRow{"k={bw/0}", false}, StandsRow{"k={bw/x}", false},
                                         StandsRow{"k={bw*-1}", false}, StandsRow{"k={bw+1}", false},
                                         StandsRow{"k={ bw}", false}, StandsRow{"k={bw/2", false}));

struct CellRow {
  const char* name;
  Words set, coarse;
  bool is_coarse;
  Words overrides;
};

class OptimizeCell : public testing::TestWithParam<CellRow> {};

// Variables: number "bw" 300 with a key, text "alg" ring with a key, number "n" 8 in texts only.
TEST_P(OptimizeCell, HasTheOverridesInOrder) {
  OptimizeSpec spec =
      spec_of({numbers_named("bw", 1, 1000), texts_named("alg", {"tree", "ring"}), numbers_named("n", 1, 9)});
  spec.variables[0].key = "link.bandwidth";
  spec.variables[0].unit = "GB/s";
  spec.variables[1].key = "algorithm";
  spec.base = {{}, "e.yaml", {"--quick"}, {"first=1"}};
  spec.last_overrides = {"last=2"};
  spec.set = GetParam().set;
  spec.coarse = GetParam().coarse;
  const Cell cell = spec.cell({300, 1, 8}, 0, GetParam().is_coarse);
  Words expected = {"first=1", "link.bandwidth=300 GB/s", "algorithm=ring", "last=2"};
  expected.insert(expected.end(), GetParam().overrides.begin(), GetParam().overrides.end());
  EXPECT_EQ(cell.overrides, expected);
  EXPECT_EQ(cell.file, "e.yaml");
  EXPECT_EQ(cell.arguments, Words{"--quick"});
}

INSTANTIATE_TEST_SUITE_P(
    Texts, OptimizeCell,
    testing::Values(
        CellRow{"None", {}, {}, false, {}}, CellRow{"OneValue", {"a={n}"}, {}, false, {"a=8"}},
        CellRow{"Parts", {"a={n/2} {n*2} {n}"}, {}, false, {"a=4 16 8"}},
        CellRow{"NoUnitInTexts", {"a={bw} TB/s"}, {}, false, {"a=300 TB/s"}},
        CellRow{"SeveralVariables", {"a=[{alg}, {n}]", "b={alg}"}, {}, false, {"a=[ring, 8]", "b=ring"}},
        CellRow{"OthersStay", {"a={x: {n}}"}, {}, false, {"a={x: 8}"}},
        CellRow{"CoarseOnly", {"a=1"}, {"p={n}"}, true, {"a=1", "p=8"}},
        CellRow{"NotCoarse", {"a=1"}, {"p={n}"}, false, {"a=1"}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(OptimizeCells, CasesAndAxesAddToTheBase) {
  OptimizeSpec spec = spec_of({numbers_named("x", 1, 9), texts_named("f", {"a", "b"})});
  spec.base = {{}, "base.yaml", {}, {}};
  spec.cases = {{"w1", "", {"--one"}, {"workload={}"}}, {"w2", "two.yaml", {}, {}}};
  spec.variables[0].adds = {{"", "", {"--x={}"}, {"k={},{}"}}};
  spec.variables[1].adds = {{"a", "", {}, {"f=1"}}, {"b", "other.yaml", {}, {"f=2"}}};
  Cell cell = spec.cell({5, 0}, 0, false);
  EXPECT_EQ(cell.file, "base.yaml");
  EXPECT_EQ(cell.arguments, (Words{"--one", "--x=5"}));
  EXPECT_EQ(cell.overrides, (Words{"workload=w1", "k=5,5", "f=1"}));
  cell = spec.cell({5, 1}, 1, false);
  EXPECT_EQ(cell.file, "other.yaml");
  EXPECT_EQ(cell.overrides, (Words{"k=5,5", "f=2"}));
}

TEST(OptimizePoint, IsWrittenPricedAndReadAsNumbers) {
  OptimizeSpec spec =
      spec_of({numbers_named("inner", 1, 9), texts_named("size", {"4 KiB", "16 KiB", "none"})});
  EXPECT_FALSE(spec.has_prices());
  spec.variables[0].price = 2.5;
  spec.fixed_price = 100;
  EXPECT_TRUE(spec.has_prices());
  EXPECT_DOUBLE_EQ(spec.cost({4, 1}), 110);
  EXPECT_EQ(spec.text({4, 1}), "inner 4, size 16 KiB");
  EXPECT_EQ(spec.numbers({4, 1}), (Point{4, 16}));
  EXPECT_EQ(spec.numbers({4, 2}), (Point{4, 2}));  // no number: its place
}

struct ConstraintRow {
  const char* text;
  std::vector<double> coefficients;
  Sense sense;
  double limit;
  bool is_budget;
};

class OptimizeConstraint : public testing::TestWithParam<ConstraintRow> {};

TEST_P(OptimizeConstraint, GoesOverVariablesByName) {
  const OptimizeSpec spec = spec_of({numbers_named("inner", 1, 900), numbers_named("out_2", 1, 900)});
  const libra::LinearConstraint found = spec.constraint(GetParam().text);
  EXPECT_EQ(found.coefficients, GetParam().coefficients);
  EXPECT_EQ(found.sense, GetParam().sense);
  EXPECT_EQ(found.limit, GetParam().limit);
  EXPECT_EQ(found.text, GetParam().text);
  EXPECT_EQ(spec.is_budget(found), GetParam().is_budget);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, OptimizeConstraint,
    testing::Values(ConstraintRow{"inner + out_2 = 400", {1, 1}, Sense::equal, 400, true},
                    ConstraintRow{"2*inner + 0.5*out_2 = 40", {2, 0.5}, Sense::equal, 40, true},
                    ConstraintRow{"inner + out_2 <= 400", {1, 1}, Sense::at_most, 400, false},
                    ConstraintRow{"inner >= out_2", {1, -1}, Sense::at_least, 0, false},
                    ConstraintRow{"inner = 400", {1, 0}, Sense::equal, 400, false},
                    ConstraintRow{"inner = out_2", {1, -1}, Sense::equal, 0, false}));

TEST(OptimizeConstraints, AreBudgetsOnlyOfNumbersWithoutSteps) {
  OptimizeSpec spec = spec_of({numbers_named("a", 1, 90), numbers_named("b", 1, 90)});
  spec.constraints = {"a + 2*b = 60", "a <= 40"};
  ASSERT_TRUE(spec.space().budget);
  EXPECT_EQ(spec.space().budget->coefficients, (std::vector<double>{1, 2}));
  EXPECT_EQ(spec.space().middle(), (Point{30, 15}));
  ASSERT_EQ(spec.rest().size(), 1U);
  EXPECT_EQ(spec.rest()[0].text, "a <= 40");
  spec.variables[1].step = 1;
  EXPECT_FALSE(spec.space().budget);
  EXPECT_EQ(spec.rest().size(), 2U);
  spec.constraints = {"a + b <= 60"};
  EXPECT_EQ(spec.space().middle(), (Point{30, 30}));  // equal shares of the limit
  spec.variables[0] = texts_named("a", {"1", "2", "3"});
  EXPECT_FALSE(spec.space().limit);
  EXPECT_EQ(spec.space().axes[0].to, 2);
  EXPECT_EQ(spec.space().axes[0].step, 1);
}

TEST(OptimizeConstraints, NameVariables) {
  const OptimizeSpec spec = spec_of({numbers_named("inner", 1, 900), numbers_named("outer", 1, 900)});
  EXPECT_EQ(test::refusal_of([&] { spec.constraint("iner + outer = 3"); }),
            "the constraint 'iner + outer = 3' names 'iner', which is no variable; did you mean 'inner'? "
            "variables: inner, outer");
}

TEST(OptimizeExceptions, HoldWhereAllOfTheirAxesDo) {
  OptimizeSpec spec = spec_of({texts_named("fabric", {"mesh", "fred"}), numbers_named("n", 1, 9)});
  spec.variables[0].axis = "fabric";
  spec.variables[1].axis = "npus";
  spec.over = "workload";
  spec.except = {{{"fabric", {"fred"}}, {"npus", {"2", "3"}}}, {{"workload", {"w"}}, {"npus", {"7"}}}};
  EXPECT_FALSE(spec.is_excepted({0, 2}));
  EXPECT_TRUE(spec.is_excepted({1, 2}));
  EXPECT_TRUE(spec.is_excepted({1, 3}));
  EXPECT_FALSE(spec.is_excepted({1, 4}));
  EXPECT_TRUE(spec.is_excepted({0, 7}));
}

struct VaryRow {
  const char* text;
  const char* yaml;  // the variable, as a file would have it
};

class OptimizeVary : public testing::TestWithParam<VaryRow> {};

std::string node_text(const config::Node& node) {
  std::string text;
  for (const auto& [key, place, value] : node.entries) {
    text += (text.empty() ? "" : ", ") + key + ": ";
    if (value.kind == config::Node::Kind::list) {
      std::string items;
      for (const config::Node& item : value.items) items += (items.empty() ? "" : "|") + item.text;
      text += items;
    } else {
      text += value.text;
    }
  }
  return text;
}

TEST_P(OptimizeVary, IsAVariable) { EXPECT_EQ(node_text(variable_of(GetParam().text)), GetParam().yaml); }

INSTANTIATE_TEST_SUITE_P(
    Texts, OptimizeVary,
    testing::Values(VaryRow{"a.b=1..5", "variable: b, key: a.b, from: 1, to: 5"},
                    VaryRow{"a.b=50..1500:50 GB/s",
                            "variable: b, key: a.b, from: 50, to: 1500, step: 50, unit: GB/s"},
                    VaryRow{"x:a.b=1 ns..5 ns", "variable: x, key: a.b, from: 1, to: 5, unit: ns"},
                    VaryRow{"b=1..5:1", "variable: b, key: b, from: 1, to: 5, step: 1"},
                    VaryRow{"b=-1.5..2e3", "variable: b, key: b, from: -1.5, to: 2e3"},
                    VaryRow{" b = 1 .. 5 ", "variable: b, key: b, from: 1, to: 5"},
                    VaryRow{"b=4 KiB,16 KiB", "variable: b, key: b, values: 4 KiB|16 KiB"},
                    VaryRow{"b= ring , tree ", "variable: b, key: b, values: ring|tree"},
                    VaryRow{"n:b=1,2,3", "variable: n, key: b, values: 1|2|3"}));

struct VaryMistake {
  const char *text, *reason;
};

class OptimizeVaryMistake : public testing::TestWithParam<VaryMistake> {};

TEST_P(OptimizeVaryMistake, ShowsTheForm) {
  EXPECT_EQ(
      test::refusal_of([] { variable_of(GetParam().text); }),
      std::string("--vary ") + GetParam().text + ": " + GetParam().reason +
          "; expected [NAME:]KEY=FROM..TO[:STEP] [UNIT] such as wafer.fabric.link_bandwidth=50..1500:50 "
          "GB/s, or KEY=VALUE,VALUE");
}

INSTANTIATE_TEST_SUITE_P(Texts, OptimizeVaryMistake,
                         testing::Values(VaryMistake{"link", "there is no key"},
                                         VaryMistake{"=1..2", "there is no key"},
                                         VaryMistake{"b=7", "one value varies nothing"},
                                         VaryMistake{"b=", "one value varies nothing"},
                                         VaryMistake{"b=1..", "no range of numbers"},
                                         VaryMistake{"b=..3", "no range of numbers"},
                                         VaryMistake{"b=a..c", "no range of numbers"},
                                         VaryMistake{"b=1 GB/s..2 MB/s", "write one unit, not GB/s and MB/s"},
                                         VaryMistake{"b=1..2 ns:1 us", "write one unit, not ns and us"}));

struct FileMistake {
  const char* name;
  std::string yaml;
  const char* message;
};

class OptimizeFileMistake : public testing::TestWithParam<FileMistake> {};

TEST_P(OptimizeFileMistake, IsRefusedAtItsPlace) {
  const test::TempFolder folder;
  folder.write("e.yaml", "experiment: e\n");
  for (const char* file : {"n.yml", "w.txt", "c.yml"}) folder.write(file, "");
  const std::string file = folder.write("o.yaml", "optimize: o\n" + GetParam().yaml);
  std::string why = test::refusal_of<std::exception>([&] { load_optimize(file); });
  if (why.rfind(file, 0) == 0) why = why.substr(file.size());
  EXPECT_EQ(why, GetParam().message);
}

const std::string kOfExperiment = "experiment: e.yaml\n";
const std::string kOne = "variables: [{variable: a, key: k, from: 1, to: 5}]\n";
const std::string kTwo =
    "variables: [{variable: a, key: k, from: 1, to: 5}, {variable: b, key: l, from: 1, to: 5}]\n";

INSTANTIATE_TEST_SUITE_P(
    Files, OptimizeFileMistake,
    testing::Values(
        FileMistake{"None", kOfExperiment + kOne, ""},
        FileMistake{"NoExperiment", kOne, ":1:11: optimize: give 'experiment' or 'study', one of them"},
        FileMistake{"EmptyRange", kOfExperiment + "variables: [{variable: a, key: k, from: 5, to: 5}]\n",
                    ":3:48: variables[0].to: a variable needs 'from' below 'to', or 'values'"},
        FileMistake{"RangeAndValues",
                    kOfExperiment + "variables: [{variable: a, key: k, to: 5, values: [x, y]}]\n",
                    ":3:39: variables[0].to: has no effect beside 'values'"},
        FileMistake{"PriceOfTexts",
                    kOfExperiment + "variables: [{variable: a, key: k, price: 5, values: [x, y]}]\n",
                    ":3:42: variables[0].price: has no effect beside 'values'"},
        FileMistake{
            "ChangesNothing", kOfExperiment + "variables: [{variable: a, from: 1, to: 5}]\n",
            ":3:24: variables[0].variable: changes nothing: give its 'variables[0].key', or {a} in 'set'"},
        FileMistake{"StandsInSet",
                    kOfExperiment + "variables: [{variable: a, from: 1, to: 5}]\nset: [\"k={a/2}\"]\n", ""},
        FileMistake{
            "UnitWithoutKey",
            kOfExperiment + "variables: [{variable: a, from: 1, to: 5, unit: ns}]\nset: [\"k={a}\"]\n",
            ":3:49: variables[0].unit: has no effect without 'variables[0].key'"},
        FileMistake{"UnitOfTexts",
                    kOfExperiment + "variables: [{variable: a, key: k, unit: ns, values: [x, y]}]\n",
                    ":3:41: variables[0].unit: has no effect beside 'values'"},
        FileMistake{"TwoOfAName",
                    kOfExperiment + "variables: [{variable: a, key: k, from: 1, to: 5}, {variable: a, "
                                    "key: l, from: 1, to: 5}]\n",
                    ":3:24: variables[0].variable: a second variable 'a'; names must differ"},
        FileMistake{"TwoBudgets", kOfExperiment + kTwo + "constraints: [a + b = 6, a + 2*b = 6]\n",
                    ":4:14: constraints: two budgets over all variables; leave one out"},
        FileMistake{"EqualOfSome", kOfExperiment + kTwo + "constraints: [a = 6]\n",
                    ":4:14: constraints: 'a = 6' can be met only if it goes over all variables with positive "
                    "factors, and none has steps; write <= or >="},
        FileMistake{"NoConstraint", kOfExperiment + kTwo + "constraints: [a plus c]\n",
                    ":4:14: constraints: the constraint 'a plus c' names 'plus', which is no variable; "
                    "variables: a, b"},
        FileMistake{"ThreeGoals", kOfExperiment + kOne + "goals: [time, cost, energy]\n",
                    ":4:8: goals: expected a list of 1 to 2 values, got 3"},
        FileMistake{"ExplainNothing", kOfExperiment + kOne + "explain: true\n",
                    ":4:10: explain: has no effect without 'libra', whose model is explained"},
        FileMistake{"LibraOfOthers",
                    kOfExperiment + kOne +
                        "libra: {network: n.yml, workload: w.txt, communicator: c.yml, dimensions: [b]}\n",
                    ":4:75: libra.dimensions: there is no variable 'b'"},
        FileMistake{"OverNothing", kOfExperiment + kOne + "over: x\n",
                    "'over' names an axis of a study; there is none"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace wafertlm::optimize
