// SPDX-License-Identifier: Apache-2.0
// Figures and tables of studies, of made-up outcomes: no cell is run.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/commands/study/figures.h"
#include "platform/commands/study/report.h"
#include "tests/support/squeezed.h"

namespace wafertlm {
namespace {

using config::ColumnSpec;
using config::ShownAs;
using config::StudySpec;
using config::SummarySpec;
using nlohmann::json;

ColumnSpec read(const std::string& name, ShownAs as = ShownAs::number) {
  ColumnSpec column;
  column.name = name;
  column.read = name;
  column.shown_as = as;
  return column;
}

config::AxisSpec axis(const std::string& name, const std::vector<std::string>& values) {
  config::AxisSpec spec;
  spec.name = name;
  for (const std::string& value : values) spec.values.push_back({value, "", {}, {}});
  return spec;
}

/// A study with what its cells came to, in the order of the grid.
struct MadeUp {
  StudySpec study;
  std::vector<Cell> cells;
  std::vector<CellJob> jobs;
  std::vector<CellOutcome> outcomes;
  std::vector<Calibrated> calibrated;

  void have(const std::string& column, const std::vector<json>& values) {
    if (cells.empty()) {
      study.name = "made up";
      cells = grid_of(study);
      jobs.resize(cells.size());
      outcomes.resize(cells.size());
    }
    ASSERT_EQ(values.size(), cells.size());
    for (std::size_t i = 0; i < values.size(); ++i) outcomes[i].values[column] = values[i];
  }
  StudyResult result() const { return {study, cells, jobs, outcomes, calibrated}; }
  std::string text() const { return study_text(result()); }
  json document() const { return study_json(result()); }
  Figures figures() const { return {study, cells, outcomes}; }
};

/// fabric a, b × size 1, 2, 4.
MadeUp two_axes() {
  MadeUp made;
  made.study.axes = {axis("fabric", {"a", "b"}), axis("size", {"1", "2", "4"})};
  made.study.columns = {read("time", ShownAs::time), read("gain")};
  made.have("time", {4e-3, 2e-3, 1e-3, 3e-3, 6e-3, 5e-3});
  made.have("gain", {1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  return made;
}

/// In columns of any width.
bool contains(const std::string& text, const std::string& part) {
  return test::squeezed(text).find(test::squeezed(part)) != std::string::npos;
}

// Ours over theirs, less 1: with its sign.
TEST(StudyReport, DifferencesHaveASign) {
  MadeUp made = two_axes();
  made.study.references = {{"time", {{"fabric", {"a"}}, {"size", {"1"}}}, 5e-3},
                           {"time", {{"fabric", {"a"}}, {"size", {"2"}}}, 1.6e-3},
                           {"gain", {{"fabric", {"b"}}}, -8},
                           {"gain", {{"fabric", {"a"}}}, 0}};
  const json cells = made.document()["cells"];
  EXPECT_NEAR(cells[0]["references"]["time"]["difference"], -0.2, 1e-12);
  EXPECT_NEAR(cells[1]["references"]["time"]["difference"], 0.25, 1e-12);
  EXPECT_FALSE(cells[2]["references"].contains("time"));
  EXPECT_NEAR(cells[3]["references"]["gain"]["difference"], -1.5, 1e-12);
  EXPECT_FALSE(cells[0]["references"]["gain"].contains("difference"));  // of 0 there is none
  const std::string text = made.text();
  EXPECT_TRUE(contains(text, "4.000 ms   5.000 ms  -20.00 %")) << text;
  EXPECT_TRUE(contains(text, "2.000 ms   1.600 ms  +25.00 %")) << text;
  EXPECT_TRUE(contains(text, "-150.00 %")) << text;
  EXPECT_TRUE(contains(text, "no provenance given: time 0.005, gain 0, time 0.0016, gain -8\n") ||
              contains(text, "no provenance given: time 0.005, time 0.0016, gain 0, gain -8\n"))
      << text;
}

// Provenance of what is compared with: each value once, in the order in which they are shown.
TEST(StudyReport, SummariesBesideWhatWasPublished) {
  MadeUp made = two_axes();
  SummarySpec mean, most, plain;
  mean.name = "mean gain";
  mean.column = plain.column = "gain";
  mean.reference = 3.25;
  most.name = "longest";
  most.kind = SummarySpec::Kind::most;
  most.column = "time";
  most.reference = 7e-3;
  plain.name = "cells";
  plain.kind = SummarySpec::Kind::count;
  made.study.summaries = {mean, most, plain};
  const std::string text = made.text();
  EXPECT_TRUE(contains(text,
                       "\nOver all cells\n"
                       "                       published\n"
                       "  mean gain       3.5       3.25\n"
                       "  longest    6.000 ms   7.000 ms\n"
                       "  cells             6\n"
                       "\nPublished values\n"
                       "  no provenance given: mean gain 3.25, longest 0.007\n"))
      << text;
  made.study.summaries = {plain};
  EXPECT_FALSE(contains(made.text(), "Published values")) << made.text();
  EXPECT_EQ(made.text().find(" \n"), std::string::npos) << "no line ends with a space";
  made.study.summaries.clear();
  EXPECT_FALSE(contains(made.text(), "Over all cells"));
}

// Over seeds every figure is a mean with the half-width of its interval (Student) and its range; a quotient
// divides what has the same seed.
TEST(StudyReport, SeedsAreFoldedIntoAMean) {
  MadeUp made;
  config::AxisSpec seeds = axis("seed", {});
  seeds.seeds = 3;
  made.study.axes = {axis("fabric", {"a", "b"}), seeds};
  ColumnSpec slowdown;
  slowdown.name = "slowdown";
  slowdown.kind = ColumnSpec::Kind::quotient;
  slowdown.dividend = slowdown.divisor = "time";
  slowdown.divisor_at = {{"fabric", {"a"}}};
  made.study.columns = {read("time"), read("links"), slowdown};
  made.have("time", {1.0, 2.0, 3.0, 2.0, 4.0, 6.0});
  made.have("links", {7, 7, 7, 7, 8, 7});
  const Figure time = made.figures().figure({"a", "2"}, "time");
  EXPECT_DOUBLE_EQ(time.value, 2.0);
  EXPECT_NEAR(time.half_width, 4.302653 / std::sqrt(3.0), 1e-6);  // t of 2 degrees of freedom, variance 1
  EXPECT_EQ(time.range, std::pair(1.0, 3.0));
  const Figure twice = made.figures().figure({"b", "1"}, "slowdown");
  EXPECT_DOUBLE_EQ(twice.value, 2.0);
  EXPECT_EQ(twice.half_width, 0);
  EXPECT_FALSE(twice.range);
  EXPECT_EQ(made.figures().figure({"a", "1"}, "links").value, 7);
  EXPECT_EQ(made.figures().figure({"b", "1"}, "links").range, std::pair(7.0, 8.0));
  const std::string text = made.text();
  EXPECT_TRUE(contains(text, "Means over 3 values of seed, ± at 95 % (least to most)")) << text;
  EXPECT_TRUE(contains(text, "\n  a       2 ± 2.484 (1 to 3)  7  1\n")) << text;
  EXPECT_FALSE(contains(text, "seed  time")) << text;
  const json cell = made.document()["cells"][1];
  EXPECT_EQ(cell["at"]["seed"], "2");
  EXPECT_EQ(cell["measured"]["time"], 2.0);
  EXPECT_EQ(cell["ranges"]["time"], json({1.0, 3.0}));
  config::TableSpec of_a;
  of_a.where = {{"fabric", {"a"}}};
  made.study.tables = {of_a};
  EXPECT_FALSE(contains(made.text(), "seed  time")) << made.text();
  // One that is missing: there is no mean of ten.
  made.outcomes[1].values.erase("time");
  EXPECT_TRUE(made.figures().figure({"a", "1"}, "time").value.is_null());
  EXPECT_DOUBLE_EQ(made.figures().figure({"b", "1"}, "time").value, 4.0);
}

// Of three wafers one does not work: it counts as no throughput, and keeps no limit.
TEST(StudyReport, ACellThatFailsHasAValueIfTheColumnSaysSo) {
  MadeUp made;
  config::AxisSpec wafers = axis("wafer", {});
  wafers.seeds = 3;
  made.study.axes = {wafers};
  ColumnSpec throughput = read("throughput"), good, slow;
  good.name = "good";
  good.kind = slow.kind = ColumnSpec::Kind::share;
  good.of = slow.of = "throughput";
  slow.name = "slow";
  good.at_least = 3.0;
  slow.at_most = 2.5;
  made.study.columns = {throughput, good, slow};
  made.have("throughput", {2.0, 3.0, 4.0});
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "good").value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "slow").value, 1.0 / 3);
  made.outcomes[1].values.clear();
  EXPECT_TRUE(made.figures().figure({"1"}, "good").value.is_null()) << "not run yet";
  made.outcomes[1].status = CellStatus::bad_input;
  EXPECT_TRUE(made.figures().figure({"1"}, "throughput").value.is_null());
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "good").value, 1.0 / 3);
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "slow").value, 1.0 / 3);
  made.study.columns[0].if_failed = 0.0;
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "throughput").value, 2.0);
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "slow").value, 2.0 / 3);
}

// Of a line all its points, of a quotient both cells, of a sum the cells of all terms; each once.
TEST(StudyReport, CellsThatAFigureNeeds) {
  MadeUp made = two_axes();
  ColumnSpec ratio, sum;
  ratio.name = "ratio";
  ratio.kind = ColumnSpec::Kind::quotient;
  ratio.dividend = "time";
  ratio.divisor = "gain";
  ratio.divisor_at = {{"size", {"4"}}};
  sum.name = "sum";
  sum.kind = ColumnSpec::Kind::sum;
  sum.terms = {"time", "ratio", "gain"};
  made.study.columns.insert(made.study.columns.end(), {ratio, sum});
  using Cells = std::vector<std::vector<std::string>>;
  const auto needed = [&](const std::string& column) {
    return needed_for(made.study, made.cells[3], column);
  };
  EXPECT_EQ(needed("time"), (Cells{{"b", "1"}}));
  EXPECT_EQ(needed("ratio"), (Cells{{"b", "1"}, {"b", "4"}}));
  EXPECT_EQ(needed("sum"), (Cells{{"b", "1"}, {"b", "4"}}));
  made.study.axes[0].line_to = "gain";
  EXPECT_EQ(needed("time"), (Cells{{"a", "1"}, {"b", "1"}}));
  EXPECT_EQ(needed("ratio"), (Cells{{"a", "1"}, {"b", "1"}, {"a", "4"}, {"b", "4"}}));
  made.study.axes[1].line_to = "gain";
  EXPECT_EQ(needed("time"), (Cells{{"a", "1"}, {"a", "2"}, {"a", "4"}, {"b", "1"}, {"b", "2"}, {"b", "4"}}));
}

TEST(StudyReport, NegativeTimesAreShownWithTheirSign) {
  MadeUp made = two_axes();
  made.have("time", {-4e-3, 2e-3, 1e-3, 3e-3, 6e-3, nullptr});
  const std::string text = made.text();
  EXPECT_TRUE(contains(text, " -4.000 ms ")) << text;
  made.have("time", {0.0, 2e-3, 1e-3, 3e-3, 6e-3, nullptr});
  EXPECT_TRUE(contains(made.text(), "  a      1         0 ps ")) << made.text();
  EXPECT_TRUE(contains(text, "  -     6\n")) << text;
}

TEST(StudyReport, TablesAreSortedAndCut) {
  MadeUp made = two_axes();
  config::TableSpec table;
  table.name = "The best";
  table.sort = "time";
  table.first = 3;
  table.columns = {"time"};
  made.study.tables = {table};
  EXPECT_TRUE(contains(made.text(),
                       "\nThe best\n  fabric size      time\n  a      4     1.000 ms\n  a      2     2.000 "
                       "ms\n  b      1     3.000 ms\n"))
      << made.text();
  made.study.tables[0].where = {{"fabric", {"b"}}};
  made.study.tables[0].first = 0;
  EXPECT_TRUE(
      contains(made.text(), "  size      time\n  1     3.000 ms\n  4     5.000 ms\n  2     6.000 ms\n"))
      << made.text();  // an axis with one value has no column
  made.study.tables[0].where = {{"size", {"3"}}};
  EXPECT_TRUE(contains(made.text(), "The best\n  no cells\n"));
  made.have("time", {nullptr, 2e-3, 1e-3, 3e-3, 6e-3, 5e-3});
  made.study.tables[0].where = {{"fabric", {"a"}}};  // what has no figure comes last
  EXPECT_TRUE(contains(made.text(), "  4     1.000 ms\n  2     2.000 ms\n  1            -\n")) << made.text();
}

TEST(StudyReport, SummariesOverCells) {
  MadeUp made = two_axes();
  ColumnSpec ratio;
  ratio.name = "to the first";
  ratio.kind = ColumnSpec::Kind::quotient;
  ratio.dividend = ratio.divisor = "gain";
  ratio.divisor_at = {{"size", {"1"}}};
  made.study.columns.push_back(ratio);
  const auto summary = [&](SummarySpec::Kind kind, const std::string& column, config::Selection where = {}) {
    SummarySpec spec;
    spec.kind = kind;
    spec.column = column;
    spec.where = std::move(where);
    return made.figures().summary(spec).value;
  };
  using Kind = SummarySpec::Kind;
  EXPECT_DOUBLE_EQ(summary(Kind::mean, "gain"), 3.5);
  EXPECT_DOUBLE_EQ(summary(Kind::mean, "gain", {{"fabric", {"b"}}}), 5);
  EXPECT_EQ(summary(Kind::least, "time"), 1e-3);
  EXPECT_EQ(summary(Kind::most, "time"), 6e-3);
  EXPECT_EQ(summary(Kind::count, "time", {{"size", {"1", "4"}}}), 4);
  // Quotients are 1, 2, 3 and 1, 1.25, 1.5; of the means (1 + 2 + … + 6) / (3 · 1 + 3 · 4).
  EXPECT_DOUBLE_EQ(summary(Kind::mean, "to the first"), (6 + 3.75) / 6);
  EXPECT_DOUBLE_EQ(summary(Kind::ratio_of_means, "to the first"), 21.0 / 15.0);
  EXPECT_EQ(summary(Kind::mean, "gain", {{"size", {"3"}}}), nullptr);
  EXPECT_EQ(summary(Kind::count, "gain", {{"size", {"3"}}}), 0);
}

TEST(StudyReport, SumsAndQuotientsNeedAllTheirParts) {
  MadeUp made = two_axes();
  ColumnSpec sum, ratio;
  sum.name = "both";
  sum.kind = ColumnSpec::Kind::sum;
  sum.terms = {"time", "gain"};
  ratio.name = "ratio";
  ratio.kind = ColumnSpec::Kind::quotient;
  ratio.dividend = "time";
  ratio.divisor = "gain";
  made.study.columns.insert(made.study.columns.end(), {sum, ratio});
  made.have("gain", {1.0, 0.0, nullptr, 4.0, "x", 6.0});
  const Figures figures = made.figures();
  EXPECT_DOUBLE_EQ(figures.value({"a", "1"}, "both"), 1.004);
  EXPECT_DOUBLE_EQ(figures.value({"a", "2"}, "both"), 0.002);
  EXPECT_EQ(figures.value({"a", "4"}, "both"), nullptr);
  EXPECT_EQ(figures.value({"b", "2"}, "both"), nullptr);
  EXPECT_DOUBLE_EQ(figures.value({"b", "4"}, "ratio"), 5e-3 / 6);
  EXPECT_EQ(figures.value({"a", "2"}, "ratio"), nullptr);
  EXPECT_EQ(figures.value({"a", "4"}, "ratio"), nullptr);
  EXPECT_EQ(figures.value({"c", "4"}, "time"), nullptr);
}

// y = 3 x + 2 at x = 10 from x = 1 and 2; the third point says how straight it is.
TEST(StudyReport, LinesAndHowStraightTheyAre) {
  MadeUp made;
  made.study.axes = {axis("fabric", {"a", "b"}), axis("samples", {"1", "2", "4"})};
  made.study.axes[1].line_to = "all";
  made.study.columns = {read("time"), read("all"), read("kind")};
  made.have("time", {5, 8, 14, 5, 8, 17.5});
  made.have("all", {10, 10, 10, 10, 10, 10});
  made.have("kind", {"x", "x", "x", "x", "y", "x"});
  const Figures figures = made.figures();
  EXPECT_DOUBLE_EQ(figures.value({"a", "2"}, "time"), 32);
  EXPECT_EQ(figures.value({"a", "1"}, "kind"), "x");  // the same at both points
  EXPECT_EQ(figures.value({"b", "1"}, "kind"), nullptr);
  made.have("kind", {1, "y", "x", "x", 2, "x"});  // no line between a number and a word
  EXPECT_EQ(made.figures().value({"a", "1"}, "kind"), nullptr);
  EXPECT_EQ(made.figures().value({"b", "1"}, "kind"), nullptr);
  made.have("kind", {"x", "x", "x", "x", "y", "x"});
  EXPECT_TRUE(figures.is_shown(made.cells[0]));
  EXPECT_FALSE(figures.is_shown(made.cells[1]));
  // 14 on the line where 17.5 was measured: 20 % too low. It is the worse one, though the other is 0.
  const auto straight = straightness(made.study, made.cells, figures);
  ASSERT_EQ(straight.size(), 1U);
  EXPECT_DOUBLE_EQ(straight[0].off, -0.2);
  EXPECT_EQ(straight[0].cell, "fabric b, samples 4");
  EXPECT_EQ(straight[0].checks, 2U);
  EXPECT_TRUE(
      contains(made.text(), "in 2 cells the line misses 'time' by at most -20.000 % (fabric b, samples 4)"))
      << made.text();
  EXPECT_EQ(made.document()["lines"], json::parse(R"([{"axis": "samples", "to": "all"}])"));
  EXPECT_DOUBLE_EQ(made.document()["cells"][5]["measured"]["time"], 17.5);
  EXPECT_DOUBLE_EQ(made.document()["cells"][5]["values"]["time"], 32);
  // What is not longer than the first part is that part.
  made.have("all", {1, 1, 1, 1, 1, 1});
  EXPECT_DOUBLE_EQ(made.figures().value({"a", "2"}, "time"), 5);
}

// Off in the worst direction: 6 ± 0.3 over 2 ± 0.1 is 3 ± (0.15 + 3 · 0.05).
TEST(StudyReport, WhatWasSampledHasItsHalfWidth) {
  MadeUp made;
  made.study.axes = {axis("fabric", {"a", "b"})};
  made.study.columns = {read("time", ShownAs::time), read("exact")};
  ColumnSpec speedup, sum;
  speedup.name = "speedup";
  speedup.kind = ColumnSpec::Kind::quotient;
  speedup.dividend = speedup.divisor = "time";
  speedup.dividend_at = {{"fabric", {"a"}}};
  sum.name = "sum";
  sum.kind = ColumnSpec::Kind::sum;
  sum.terms = {"time", "exact"};
  made.study.columns.insert(made.study.columns.end(), {speedup, sum});
  SummarySpec mean;
  mean.name = "mean";
  mean.column = "time";
  made.study.summaries = {mean};
  made.have("time", {6.0, 2.0});
  made.have("exact", {1.0, 1.0});
  EXPECT_FALSE(contains(made.text(), "±"));
  EXPECT_FALSE(contains(study_csv(made.result()), "half_width"));
  made.outcomes[0].half_widths["time"] = 0.3;
  made.outcomes[1].half_widths["time"] = 0.1;
  const Figures figures = made.figures();
  EXPECT_DOUBLE_EQ(figures.figure({"b"}, "speedup").half_width, 0.3);
  EXPECT_EQ(figures.figure({"a"}, "speedup").half_width, 0);  // over itself
  EXPECT_DOUBLE_EQ(figures.figure({"b"}, "sum").half_width, 0.1);
  EXPECT_EQ(figures.figure({"b"}, "exact").half_width, 0);
  EXPECT_DOUBLE_EQ(figures.summary(mean).half_width, 0.2);
  EXPECT_TRUE(contains(made.text(), "6.000 s ± 300.0 ms")) << made.text();
  EXPECT_TRUE(contains(made.text(), "Sampled (run.acceleration): figures are ± at 95 %"));
  EXPECT_DOUBLE_EQ(made.document()["cells"][1]["half_widths"]["time"], 0.1);
  EXPECT_DOUBLE_EQ(made.document()["summaries"][0]["half_width"], 0.2);
  EXPECT_TRUE(contains(study_csv(made.result()), "\"time_s\",\"time_half_width_s\""))
      << study_csv(made.result());
  // y = 4 x - 2 through 6 ± 0.3 and 2 ± 0.1 at x = 2 and 1, at x = 3: 2 · 0.3 + 1 · 0.1.
  made.study.axes[0] = axis("samples", {"2", "1"});
  made.study.axes[0].line_to = "exact";
  made.cells = grid_of(made.study);
  made.have("exact", {3, 3});
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "time").value.get<double>(), 10);
  EXPECT_DOUBLE_EQ(made.figures().figure({"1"}, "time").half_width, 0.7);
}

TEST(StudyReport, CalibrationsInWordsAndAsData) {
  MadeUp made = two_axes();
  config::CalibrationSpec found, lost;
  found.name = "rate";
  found.key = lost.key = "workload.effective_flops";
  found.column = lost.column = "gain";
  found.target = lost.target = 1.5;
  lost.name = "other";
  made.calibrated = {{&found, "10.07 PFLOPS", 1.4999, 7, ""}, {&lost, "", 0, 2, "never 1.5"}};
  const std::string text = made.text();
  EXPECT_TRUE(contains(
      text, "  rate: workload.effective_flops = 10.07 PFLOPS makes gain 1.4999 (target 1.5), 7 steps\n"))
      << text;
  EXPECT_TRUE(contains(text, "  other: workload.effective_flops: no value found: never 1.5\n"));
  const json rows = made.document()["calibrations"];
  EXPECT_EQ(rows[0]["value"], "10.07 PFLOPS");
  EXPECT_EQ(rows[0]["reached"], 1.4999);
  EXPECT_EQ(rows[0]["steps"], 7);
  EXPECT_FALSE(rows[0].contains("error"));
  EXPECT_EQ(rows[1]["error"], "never 1.5");
  EXPECT_FALSE(rows[1].contains("reached"));
}

TEST(StudyReport, ARowOfTheTableForEveryCell) {
  MadeUp made = two_axes();
  made.study.references = {{"gain", {{"fabric", {"a"}}, {"size", {"2"}}}, 2.5}};
  made.outcomes[5] = {{}, {}, "it \"broke\", so", CellStatus::failed};
  EXPECT_EQ(study_csv(made.result()),
            "\"fabric\",\"size\",\"time_s\",\"gain\",\"gain_reference\",\"status\",\"error\"\n"
            "\"a\",1,0.004,1.0,,\"done\",\n\"a\",2,0.002,2.0,2.5,\"done\",\n\"a\",4,0.001,3.0,,\"done\",\n"
            "\"b\",1,0.003,4.0,,\"done\",\n\"b\",2,0.006,5.0,,\"done\",\n"
            "\"b\",4,,,,\"failed\",\"it \"\"broke\"\", so\"\n");
  EXPECT_TRUE(contains(made.text(), "failed")) << made.text();
  EXPECT_EQ(made.document()["cells"][5]["error"], "it \"broke\", so");
  EXPECT_FALSE(made.document()["cells"][4].contains("error"));
}

TEST(StudyGrid, LastAxisFastestWithWhatTheAxesAdd) {
  StudySpec study;
  study.file = "/base.yaml";
  study.arguments = {"--x"};
  study.overrides = {"last=1"};
  study.axes = {axis("fabric", {"a", "b"}), axis("size", {"1", "2"})};
  study.axes[0].values[1].file = "/b.yaml";
  study.axes[1].overrides = {"n={}", "m={}{}"};
  study.axes[1].values[0].overrides = {"one=yes"};
  study.axes[1].arguments = {"--size", "{}"};
  study.except = {{{"fabric", {"b"}}, {"size", {"2"}}}};
  const std::vector<Cell> cells = grid_of(study);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[1].values, (std::vector<std::string>{"a", "2"}));
  EXPECT_EQ(cells[0].overrides, (std::vector<std::string>{"n=1", "m=11", "one=yes", "last=1"}));
  EXPECT_EQ(cells[0].arguments, (std::vector<std::string>{"--x", "--size", "1"}));
  EXPECT_EQ(cells[0].file, "/base.yaml");
  EXPECT_EQ(cells[2].file, "/b.yaml");
  EXPECT_EQ(name_of(study, cells[2]), "fabric b, size 1");
  EXPECT_EQ(moved(study, cells[2], {{"size", {"2"}}}), (std::vector<std::string>{"b", "2"}));
  study.except = {{}};
  EXPECT_THROW(grid_of(study), config::ConfigError);
}

}  // namespace
}  // namespace wafertlm
