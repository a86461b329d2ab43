// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/describe/origins.h"

namespace wafertlm::config {

/// Names of axes (in tables also columns) with the values that are meant: {fabric: [mesh, FRED-D]}.
using Selection = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// One value of an axis, and what it adds to the commands of its cells.
struct AxisValueSpec {
  std::string name;
  std::string file;  ///< absolute; empty: the study's
  std::vector<std::string> arguments, overrides;
};

/// `{}` in arguments and overrides of an axis stands for the name of its value.
struct AxisSpec {
  std::string name;
  std::vector<AxisValueSpec> values;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> parallelisms;  ///< in place of values
  /// In place of values: 1 to so many, over which figures are means. 0: none.
  std::uint32_t seeds = 0;
  std::vector<std::string> arguments, overrides;
  /// A column: what is read is on the straight line through the axis' first two values (numbers), at the
  /// value of this column; more values are to show how straight it is. Empty: every value is a case of its
  /// own.
  std::string line_to;
};

enum class Taken : std::uint8_t { only, last, sum, mean, least, most };
enum class ShownAs : std::uint8_t { number, time, bytes, bandwidth, rate, percent };
/// As files write them, by value.
inline const std::vector<std::string> kShownAsNames = {"number",    "time", "bytes",
                                                       "bandwidth", "rate", "percent"};

/// All of them, those of `parallelisms` and `seeds` too.
std::vector<AxisValueSpec> values_of(const AxisSpec& axis);

/// A figure of every cell: read from its results, or made of other columns.
struct ColumnSpec {
  enum class Kind : std::uint8_t { read, quotient, sum, share };
  std::string name;
  Kind kind = Kind::read;
  std::string read;  ///< "iterations[-1].breakdown_s.compute"; [*]: every item
  Taken taken = Taken::only;
  std::optional<double> if_failed;  ///< of a cell without results
  std::string dividend, divisor;    ///< names of columns
  Selection dividend_at, divisor_at;
  std::vector<std::string> terms;
  std::string of;                           ///< share: the column
  std::optional<double> at_least, at_most;  ///< the limit: one of them
  ShownAs shown_as = ShownAs::number;
};

/// A published value that is printed beside ours.
struct ReferenceSpec {
  std::string column;
  Selection at;
  double value = 0;
};

/// The value of a key at which a column has a given value in one cell, found by bisection.
struct CalibrationSpec {
  std::string name;
  Selection at;    ///< the cells that get the value
  Selection cell;  ///< with `at` the one cell that is looked at
  std::string key;
  std::vector<std::string> between;  ///< "1 PFLOPS", "100 PFLOPS"
  std::string column;
  double target = 0;
  double within_percent = 0.1;
};

struct TableSpec {
  std::string name;
  Selection where;
  std::vector<std::string> columns;  ///< empty: all
  std::string sort;                  ///< a column, ascending; empty: order of the grid
  std::uint32_t first = 0;           ///< so many rows; 0: all
};

/// One figure over many cells.
struct SummarySpec {
  enum class Kind : std::uint8_t { mean, ratio_of_means, least, most, count };
  std::string name;
  std::string column;
  Selection where;
  Kind kind = Kind::mean;
  std::optional<double> reference;
};

/// Many runs side by side: every combination of the axes' values is a cell, a command of its own.
struct StudySpec {
  std::string name;
  std::string command = "run";
  std::string file;  ///< absolute; empty: an axis gives it
  std::vector<std::string> arguments, overrides;
  std::vector<AxisSpec> axes;
  std::vector<Selection> except;
  std::vector<ColumnSpec> columns;
  std::vector<ReferenceSpec> references;
  std::vector<CalibrationSpec> calibrations;
  std::vector<TableSpec> tables;
  std::vector<SummarySpec> summaries;
  std::vector<std::string> notes;  ///< printed above the tables: what is assumed
  Origins origins;
};

}  // namespace wafertlm::config
