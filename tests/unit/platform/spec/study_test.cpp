// SPDX-License-Identifier: Apache-2.0
// Study files: what is read, and what is refused with which words.
#include <gtest/gtest.h>

#include "platform/spec/load.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/platform/spec/bad_input.h"

namespace wafertlm::config {
namespace {

const std::string kExperiment = "experiment: none\n";
const std::string kHead = "study: s\nfile: e.yaml\n";
const std::string kAxes = "axes:\n  - {axis: a, values: [x, y]}\n  - {axis: n, values: ['1', '2', '3']}\n";
const std::string kReads =
    "columns:\n  - {column: t, read: iteration_time_s}\n  - {column: u, read: seed, take: last, as: time}\n";
const std::string kColumns =
    kReads + "  - {column: q, divide: t, by: u, by_at: {a: x}}\n  - {column: both, sum: [t, u]}\n";

StudySpec loaded(const std::string& text) {
  const test::TempFolder folder;
  folder.write("e.yaml", kExperiment);
  return load_study(folder.write("study.yaml", text));
}

TEST(Study, IsReadAsItIsWritten) {
  const StudySpec study =
      loaded(kHead + kAxes + kColumns +
             "except: [{a: y, n: ['2', '3']}]\n"
             "references: [{column: t, at: {a: x}, value: -2.5}]\n"
             "calibrate: [{calibration: c, at: {a: x}, in: {n: '1'}, key: k, between: [1 s, 2 s], column: q, "
             "target: 3}]\n"
             "tables: [{table: best, where: {q: '1'}, columns: [t], sort: u, first: 3}]\n"
             "summaries: [{summary: m, column: q, take: ratio_of_means, reference: 1.25}]\n");
  EXPECT_EQ(study.axes[1].values[2].name, "3");
  EXPECT_EQ(study.columns[1].taken, Taken::last);
  EXPECT_EQ(study.columns[1].shown_as, ShownAs::time);
  EXPECT_EQ(study.columns[2].kind, ColumnSpec::Kind::quotient);
  EXPECT_EQ(study.columns[2].divisor_at, (Selection{{"a", {"x"}}}));
  EXPECT_TRUE(study.columns[2].dividend_at.empty());
  EXPECT_EQ(study.columns[3].terms, (std::vector<std::string>{"t", "u"}));
  EXPECT_EQ(study.except[0], (Selection{{"a", {"y"}}, {"n", {"2", "3"}}}));
  EXPECT_EQ(study.references[0].value, -2.5);
  EXPECT_EQ(study.calibrations[0].target, 3);
  EXPECT_EQ(study.calibrations[0].within_percent, 0.1);
  EXPECT_EQ(study.tables[0].first, 3U);
  EXPECT_EQ(study.summaries[0].reference, 1.25);
  EXPECT_EQ(study.summaries[0].kind, SummarySpec::Kind::ratio_of_means);
}

// MP x DP x PP between 3 and 4 NPUs: 3 as one of them in three places, 4 in three, 2 x 2 in three.
TEST(Study, EveryParallelism) {
  const StudySpec study = loaded(kHead + "axes: [{axis: p, parallelisms: 3-4}]\n" + kReads);
  std::vector<std::string> names;
  for (const AxisValueSpec& value : values_of(study.axes[0])) names.push_back(value.name);
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(names.front(), "MP(1)-DP(1)-PP(3)");
  EXPECT_EQ(names.back(), "MP(4)-DP(1)-PP(1)");
  const StudySpec one = loaded(kHead + "axes: [{axis: p, parallelisms: 2}]\n" + kReads);
  EXPECT_EQ(values_of(one.axes[0]).size(), 3U);
}

TEST(Study, LinesGoThroughRisingNumbers) {
  const auto with_line = [](const std::string& values, const std::string& to) {
    return kHead + "axes: [{axis: n, values: " + values + ", line_to: " + to + "}]\n" + kReads;
  };
  EXPECT_EQ(loaded(with_line("['1', '2']", "u")).axes[0].line_to, "u");
  const StudySpec three = loaded(with_line("['3', '20', '100000000']", "u"));
  ASSERT_EQ(values_of(three.axes[0]).size(), 3U);
  EXPECT_EQ(values_of(three.axes[0])[2].name, "100000000");
}

void expect_refused(const std::string& text, const std::string& words) {
  const test::TempFolder folder;
  folder.write("e.yaml", kExperiment);
  const std::string path = folder.write("study.yaml", text);
  expect_error({text, "", {words}}, path, [&] { load_study(path); });
}

TEST(Study, LinesThatAreNone) {
  const auto refused = [](const std::string& values, const std::string& to, const std::string& words) {
    expect_refused(kHead + "axes: [{axis: n, values: " + values + ", line_to: " + to + "}]\n" + kColumns,
                   words);
  };
  refused("['2', '2']", "u", "a second");
  refused("['2', '1']", "u", "each above the one before, not '1'");
  refused("['0', '1']", "u", "each above the one before, not '0'");
  refused("['1', 2x]", "u", "whole numbers");
  refused("['1', '1000000000']", "u", "not '1000000000'");
  refused("['1']", "u", "a line needs two values");
  refused("['1', '2']", "q", "must be a column that reads, and 'q' does not");
  refused("['1', '2']", "v", "there is no column 'v'");
}

TEST(Study, SeedsThatNothingDrawsFrom) {
  const auto refused = [](const std::string& axes, const std::string& words) {
    expect_refused(kHead + "axes: [" + axes + "]\n" + kColumns, words);
  };
  refused("{axis: s, seeds: 1, set: 'run.seed={}'}", "a spread needs two seeds or more");
  refused("{axis: s, seeds: 3}", "nothing takes them; give 'axes[0].set', for instance wafer.fabric.seed={}");
  refused("{axis: s, seeds: 3, set: run.seed=4}", "nothing takes them");
  refused("{axis: s, seeds: 3, values: [a], set: 'run.seed={}'}", "one of them");
  refused("{axis: s, seeds: 3, set: 'run.seed={}'}, {axis: t, seeds: 3, set: 'run.seed={}'}",
          "axis 't' has seeds already");
}

TEST(Study, AxesAndColumnsThatDoNotGoTogether) {
  const auto refused = [](const std::string& more, const std::string& words) {
    expect_refused(kHead + kAxes + kColumns + more, words);
  };
  expect_refused(kHead + "axes: [{axis: a}]\n" + kColumns, "one of them");
  expect_refused(kHead + "axes: [{axis: a, values: [x], parallelisms: 3-4}]\n" + kColumns, "one of them");
  expect_refused(kHead + "axes: [{axis: a, values: [x, x]}]\n" + kColumns, "a second 'x'");
  expect_refused(
      kHead + "axes: [{axis: a, parallelisms: 1-400}, {axis: n, parallelisms: 1-400}]\n" + kColumns,
      "together have more than 100000 cells");
  expect_refused(kHead + "axes: [{axis: t, values: [x]}]\n" + kColumns, "there is a column of the same name");
  expect_refused(kHead + kAxes + kColumns + "  - {column: t, read: x}\n", "a second 't'");
  // A column is made of those before it.
  refused("  - {column: s, sum: [t, s]}\n", "the column 's' must stand before this one");
  refused("  - {column: s, divide: s, by: t}\n", "the column 's' must stand before this one");
  refused("  - {column: s, divide: t, by: later}\n  - {column: later, read: x}\n",
          "the column 'later' must stand before this one");
  refused("  - {column: s, divide: t, by: u, divide_at: {b: x}}\n", "there is no axis 'b'");
  refused("  - {column: s, divide: t, by: u, by_at: {a: z}}\n", "axis 'a' has no value 'z'");
  refused("except: [{q: '1'}]\n", "there is no axis 'q'");
  refused("references: [{column: t, at: {t: 1}, value: 1}]\n", "there is no axis 't'");
  refused("references: [{column: z, at: {}, value: 1}]\n", "there is no column 'z'");
  refused("tables: [{table: x, where: {z: '1'}}]\n", "there is no axis 'z'");
  refused("tables: [{table: x, columns: [z]}]\n", "there is no column 'z'");
  refused("tables: [{table: x, sort: z}]\n", "there is no column 'z'");
  refused("summaries: [{summary: m, column: z}]\n", "there is no column 'z'");
  refused("summaries: [{summary: m, column: t, take: ratio_of_means}]\n",
          "needs a column that divides, and 't' does not");
}

TEST(Study, CalibrationsOfOneCell) {
  const auto refused = [](const std::string& cell, const std::string& between, const std::string& words) {
    expect_refused(kHead + kAxes + kColumns + "calibrate: [{calibration: c, key: k, column: q, target: 3, " +
                       cell + ", between: [" + between + "]}]\n",
                   words);
  };
  refused("at: {a: x}, in: {}", "1, 2", "must name one value of axis 'n', they name 0");
  refused("at: {a: x}, in: {a: y, n: '1'}", "1, 2", "must name one value of axis 'a', they name 2");
  refused("at: {a: x}, in: {n: ['1', '2']}", "1, 2", "must name one value of axis 'n', they name 2");
  refused("at: {a: x}, in: {n: '1'}", "1", "expected two values");
  refused("at: {a: x}, in: {n: '1'}", "1, 2, 3", "expected two values");
  const auto of_column = [](const std::string& name, const std::string& cell, const std::string& words) {
    expect_refused(kHead + kAxes + kColumns + "calibrate: [{calibration: c, key: k, column: " + name +
                       ", target: 3, " + cell + ", between: [1, 2]}]\n",
                   words);
  };
  of_column("zz", "at: {a: x}, in: {n: '1'}", "there is no column 'zz'");
  of_column("q", "at: {a: x, z: y}, in: {n: '1'}", "there is no axis 'z'");
  of_column("q", "at: {a: x}, in: {n: '1', z: y}", "there is no axis 'z'");
}

TEST(Study, WithoutAFile) {
  const test::TempFolder folder;
  folder.write("e.yaml", kExperiment);
  const std::string study = "study: s\n", column = "columns: [{column: t, read: x}]\n";
  const auto path = [&](const std::string& axes) {
    return folder.write("study.yaml", study + axes + column);
  };
  const StudySpec of_values =
      load_study(path("axes: [{axis: a, values: [{name: x, file: e.yaml}, {name: y, file: e.yaml}]}]\n"));
  EXPECT_EQ(of_values.file, "");
  for (const AxisValueSpec& value : values_of(of_values.axes[0]))
    EXPECT_EQ(value.file, folder.path() + "/e.yaml");
  for (const std::string axes : {"", "axes: [{axis: a, values: [{name: x, file: e.yaml}, y]}]\n"}) {
    try {
      load_study(path(axes));
      ADD_FAILURE() << axes;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("nothing says what the command takes"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace wafertlm::config
