// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <set>

#include "platform/describe/preset_files.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/study_spec.h"
#include "platform/text/suggest.h"
#include "workloads/parallelism/parallelism.h"

namespace wafertlm::config {
namespace {

class Texts : public TypeOf<std::vector<std::string>> {
 public:
  std::vector<std::string> read(const Reader& in) const override {
    if (in.node().kind == Node::Kind::scalar) return {text()->read(in)};
    return list_->read(in);
  }
  Node write(const std::vector<std::string>& texts) const override { return list_->write(texts); }
  bool has_value(const std::vector<std::string>& texts) const override { return !texts.empty(); }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"anyOf", {text()->schema(style, defs), list_->schema(style, defs)}}};
  }
  bool may_be_annotated() const override { return false; }

 private:
  TypePtr<std::vector<std::string>> list_ = list_of<std::string>(text(), 0, 100'000);
};

/// A list of texts; one text stands for a list of one.
TypePtr<std::vector<std::string>> texts() { return std::make_shared<Texts>(); }

class SelectionType : public TypeOf<Selection> {
 public:
  Selection read(const Reader& in) const override {
    in.require_map("a map such as {fabric: mesh}");
    Selection selection;
    for (const Node::Entry& entry : in.node().entries)
      selection.emplace_back(entry.key, texts()->read(in.child(entry.key, entry.value)));
    return selection;
  }
  Node write(const Selection& selection) const override {
    Node map;
    map.kind = Node::Kind::map;
    for (const auto& [name, values] : selection) map.add(name, texts()->write(values));
    return map;
  }
  bool has_value(const Selection& selection) const override { return !selection.empty(); }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"type", "object"}, {"additionalProperties", texts()->schema(style, defs)}};
  }
  bool may_be_annotated() const override { return false; }
};

class Range : public TypeOf<std::pair<std::uint32_t, std::uint32_t>> {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  Range(std::uint32_t least, std::uint32_t most) : least_(least), most_(most) {}
  Pair read(const Reader& in) const override {
    const std::string expected =
        "a range such as 18-20, from " + std::to_string(least_) + " to " + std::to_string(most_);
    const std::string& text = in.scalar(expected);
    const std::size_t dash = text.find('-');
    const auto number = [&](const std::string& digits) {
      std::uint32_t value = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc() || end != digits.data() + digits.size()) in.fail_type(expected);
      return value;
    };
    const std::uint32_t first = number(text.substr(0, dash));
    const std::uint32_t last = dash == std::string::npos ? first : number(text.substr(dash + 1));
    if (first > last || first < least_ || last > most_) in.fail_type(expected);
    return {first, last};
  }
  Node write(const Pair& value) const override {
    return Node::scalar(std::to_string(value.first) + "-" + std::to_string(value.second));
  }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"anyOf", {{{"type", "string"}, {"pattern", "^[0-9]+(-[0-9]+)?$"}}, {{"type", "integer"}}}}};
  }

 private:
  std::uint32_t least_, most_;
};

class AxisValue : public TypeOf<AxisValueSpec> {
 public:
  AxisValue() {
    using V = AxisValueSpec;
    map_->required("name", &V::name, text(), "Name of the value in tables and selections")
        .optional("file", &V::file, file_path("what the command takes", kAnyPresets),
                  "What the command takes, relative to this file")
        .optional("arguments", &V::arguments, texts(), "More words for the command")
        .optional("set", &V::overrides, texts(), "Keys to change: wafer.fabric.link_latency=10ns");
  }
  AxisValueSpec read(const Reader& in) const override {
    if (in.node().kind == Node::Kind::map) return map_->read(in);
    AxisValueSpec value;
    value.name = text()->read(in);
    return value;
  }
  Node write(const AxisValueSpec& value) const override {
    const bool is_a_name = value.file.empty() && value.arguments.empty() && value.overrides.empty();
    return is_a_name ? text()->write(value.name) : map_->write(value);
  }
  std::optional<std::string> locate(const AxisValueSpec& value, const void* address) const override {
    return map_->locate(value, address);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"anyOf", {text()->schema(style, defs), map_->schema(style, defs)}}};
  }
  bool may_be_annotated() const override { return false; }

 private:
  std::shared_ptr<Struct<AxisValueSpec>> map_ = std::make_shared<Struct<AxisValueSpec>>("axis_value");
};

/// {axis: value, axis: [value, value]}.
TypePtr<Selection> selection() { return std::make_shared<SelectionType>(); }
/// "18-20" or "18".
TypePtr<std::pair<std::uint32_t, std::uint32_t>> range(std::uint32_t least, std::uint32_t most) {
  return std::make_shared<Range>(least, most);
}
/// A value of an axis: its name alone, or a map.
TypePtr<AxisValueSpec> axis_value() { return std::make_shared<AxisValue>(); }

constexpr double kMaxNumber = 1e18;

/// All degrees whose product is in the range, MP first.
std::vector<AxisValueSpec> all_parallelisms(std::uint32_t least, std::uint32_t most) {
  std::vector<AxisValueSpec> values;
  for (std::uint32_t mp = 1; mp <= most; ++mp)
    for (std::uint32_t dp = 1; mp * dp <= most; ++dp)
      for (std::uint32_t pp = 1; mp * dp * pp <= most; ++pp)
        if (mp * dp * pp >= least) values.push_back({to_string(Parallelism{mp, dp, pp}), "", {}, {}});
  return values;
}

std::shared_ptr<const Struct<AxisSpec>> axis_type() {
  using A = AxisSpec;
  auto type = std::make_shared<Struct<A>>("axis");
  type->required("axis", &A::name, text(), "Name of the axis")
      .optional("values", &A::values, list_of<AxisValueSpec>(axis_value(), 0, 100'000),
                "Values: a name, or a map of name, file, arguments and set")
      .optional("parallelisms", &A::parallelisms, maybe(range(1, 4096)),
                "In place of values: every MP x DP x PP that uses so many NPUs, for instance 18-20")
      .optional("seeds", &A::seeds, integer<std::uint32_t>(0, 10'000),
                "In place of values: 1 to so many, set by {}; figures are the mean over them, ± half of its "
                "95 % confidence interval, with the least and the most")
      .optional("arguments", &A::arguments, texts(), "More words for the command; {} is the value's name")
      .optional("set", &A::overrides, texts(), "Keys to change; {} is the value's name")
      .optional("line_to", &A::line_to, text(),
                "A column that reads: the others are on the straight line through the axis' first two "
                "values, at the value of this column; where it is not above the first value, that cell "
                "counts; more values show how straight the line is");
  return type;
}

std::shared_ptr<const Struct<ColumnSpec>> column_type() {
  using C = ColumnSpec;
  auto type = std::make_shared<Struct<C>>("column");
  type->required("column", &C::name, text(), "Name of the column")
      .optional("as", &C::shown_as, one_of<ShownAs>(kShownAsNames),
                "How it is printed: a time is in seconds, bytes, bytes/s, operations/s, a part of 1");
  type->alternative(&C::kind, C::Kind::read)
      .required("read", &C::read, text(),
                "Where it stands in results.json (or the JSON of the command): "
                "iterations[-1].breakdown_s.compute, rows[0].time_s, links[*].busy_fraction")
      .optional("take", &C::taken, one_of<Taken>({"only", "last", "sum", "mean", "least", "most"}),
                "What to take of several ([*])")
      .optional("if_failed", &C::if_failed, maybe(number(-kMaxNumber, kMaxNumber)),
                "The value of a cell that fails: 0 for the throughput of a wafer that does not work");
  type->alternative(&C::kind, C::Kind::quotient)
      .required("divide", &C::dividend, text(), "A column")
      .required("by", &C::divisor, text(), "The column that it is divided by")
      .optional("divide_at", &C::dividend_at, selection(), "Taken from the cell with these values instead")
      .optional("by_at", &C::divisor_at, selection(), "Taken from the cell with these values instead");
  type->alternative(&C::kind, C::Kind::sum).required("sum", &C::terms, texts(), "Columns");
  type->alternative(&C::kind, C::Kind::share)
      .required("share_of", &C::of, text(),
                "A column: 1 where it keeps the limit, 0 where it does not or the cell fails; over seeds the "
                "share that does")
      .optional("at_least", &C::at_least, maybe(number(-kMaxNumber, kMaxNumber)),
                "The limit, in the unit of the column")
      .optional("at_most", &C::at_most, maybe(number(-kMaxNumber, kMaxNumber)),
                "The limit, in the unit of the column");
  return type;
}

std::shared_ptr<const Struct<ReferenceSpec>> reference_type() {
  using R = ReferenceSpec;
  auto type = std::make_shared<Struct<R>>("reference");
  type->required("column", &R::column, text(), "Beside which column")
      .required("at", &R::at, selection(), "In which cells")
      .required("value", &R::value, number(-kMaxNumber, kMaxNumber), "The published value");
  return type;
}

std::shared_ptr<const Struct<CalibrationSpec>> calibration_type() {
  using C = CalibrationSpec;
  auto type = std::make_shared<Struct<C>>("calibration");
  type->required("calibration", &C::name, text(), "Its name")
      .required("at", &C::at, selection(), "The cells that get the value that is found")
      .required("key", &C::key, text(), "The key to set")
      .required("between", &C::between, texts(), "Two values with the same unit: [1 PFLOPS, 100 PFLOPS]")
      .required("column", &C::column, text(), "What must reach the target")
      .required("in", &C::cell, selection(), "In which of the cells")
      .required("target", &C::target, number(-kMaxNumber, kMaxNumber), "Its value there")
      .optional("within_percent", &C::within_percent, number(1e-6, 100),
                "How near the key and the column must come");
  return type;
}

std::shared_ptr<const Struct<TableSpec>> table_type() {
  using T = TableSpec;
  auto type = std::make_shared<Struct<T>>("table");
  type->required("table", &T::name, text(), "Its title")
      .optional("where", &T::where, selection(), "Which cells, by axes and columns")
      .optional("columns", &T::columns, texts(), "Which columns; all if not given")
      .optional("sort", &T::sort, text(), "By this column, smallest first")
      .optional("first", &T::first, integer<std::uint32_t>(0, 100'000), "So many rows; 0: all");
  return type;
}

std::shared_ptr<const Struct<SummarySpec>> summary_type() {
  using S = SummarySpec;
  auto type = std::make_shared<Struct<S>>("summary");
  type->required("summary", &S::name, text(), "Its name")
      .required("column", &S::column, text(), "Of which column")
      .optional("where", &S::where, selection(), "Over which cells, by axes and columns")
      .optional("take", &S::kind, one_of<S::Kind>({"mean", "ratio_of_means", "least", "most", "count"}),
                "ratio_of_means: of a column that divides: mean of the dividends / mean of the divisors")
      .optional("reference", &S::reference, maybe(number(-kMaxNumber, kMaxNumber)), "The published value");
  return type;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& items) {
  std::vector<std::string> names;
  for (const Named& item : items) names.push_back(item.name);
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Named>
void check_unique(const std::vector<Named>& items, const Check& check) {
  std::set<std::string> seen;
  for (const Named& item : items)
    if (!seen.insert(item.name).second)
      check.fail({&item.name}, "a second {}; names must differ", quoted(item.name));
}

/// What is the same for all rules about names.
class Names {
 public:
  Names(const StudySpec& study, const Check& check) : study_(study), check_(check) {}

  void require_column(const std::string& name, const void* culprit) const {
    const std::vector<std::string> columns = names_of(study_.columns);
    if (!has(columns, name))
      check_.fail({culprit}, "there is no column {}{}", quoted(name), suggestion(name, columns, "columns"));
  }
  void require_axes(const Selection& selection, bool or_columns) const {
    std::vector<std::string> known = names_of(study_.axes);
    for (const auto& [name, values] : selection) {
      const auto axis = std::find_if(study_.axes.begin(), study_.axes.end(),
                                     [&, &key = name](const AxisSpec& each) { return each.name == key; });
      if (axis == study_.axes.end()) {
        const std::vector<std::string> columns = names_of(study_.columns);
        if (or_columns && has(columns, name)) continue;
        if (or_columns) known.insert(known.end(), columns.begin(), columns.end());
        check_.fail({&selection}, "there is no axis {}{}", quoted(name), suggestion(name, known, "axes"));
      }
      const std::vector<std::string> all = names_of(values_of(*axis));
      for (const std::string& value : values)
        if (!has(all, value))
          check_.fail({&selection}, "axis {} has no value {}{}", quoted(name), quoted(value),
                      suggestion(value, all, "values"));
    }
  }

 private:
  const StudySpec& study_;
  const Check& check_;
};

/// Two or more rising whole numbers, and a column that reads.
void check_line(const StudySpec& study, const AxisSpec& axis, const Check& check) {
  if (axis.line_to.empty()) return;
  Names(study, check).require_column(axis.line_to, &axis.line_to);
  for (const ColumnSpec& column : study.columns)
    if (column.name == axis.line_to && column.kind != ColumnSpec::Kind::read)
      check.fail({&axis.line_to}, "must be a column that reads, and {} does not", quoted(column.name));
  std::uint64_t last = 0;
  for (const AxisValueSpec& value : axis.values) {
    const bool is_number = !value.name.empty() && value.name.size() < 10 &&
                           value.name.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || std::stoull(value.name) <= last)
      check.fail({&axis.line_to},
                 "goes with values that are whole numbers, each above the one before, not {}",
                 quoted(value.name));
    last = std::stoull(value.name);
  }
  if (axis.values.size() < 2) check.fail({&axis.line_to}, "a line needs two values");
}

/// Two or more, which something draws from.
void check_seeds(const StudySpec& study, const AxisSpec& axis, const Check& check) {
  if (axis.seeds == 0) return;
  if (axis.seeds == 1) check.fail({&axis.seeds}, "a spread needs two seeds or more");
  const auto takes_name = [](const std::vector<std::string>& texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [](const std::string& each) { return each.find("{}") != std::string::npos; });
  };
  if (!takes_name(axis.overrides) && !takes_name(axis.arguments))
    check.fail({&axis.seeds}, "nothing takes them; give '{}', for instance wafer.fabric.seed={{}}",
               check.path(&axis.overrides));
  for (const AxisSpec& other : study.axes)
    if (&other != &axis && other.seeds != 0)
      check.fail({&axis.seeds}, "axis {} has seeds already", quoted(other.name));
}

/// All of them are in memory.
constexpr std::size_t kMostCells = 100'000;

void check_axes(const StudySpec& study, const Check& check) {
  check_unique(study.axes, check);
  check_unique(study.columns, check);
  check_unique(study.calibrations, check);
  for (const AxisSpec& axis : study.axes) {
    if (!axis.values.empty() + axis.parallelisms.has_value() + (axis.seeds != 0) != 1)
      check.fail({&axis.name}, "an axis needs '{}', '{}' or '{}', one of them", check.path(&axis.values),
                 check.path(&axis.parallelisms), check.path(&axis.seeds));
    check_seeds(study, axis, check);
    check_unique(axis.values, check);
    check_line(study, axis, check);
    const std::vector<std::string> columns = names_of(study.columns);
    if (has(columns, axis.name)) check.fail({&axis.name}, "there is a column of the same name");
  }
  std::size_t cells = 1;
  for (const AxisSpec& axis : study.axes)
    if ((cells *= values_of(axis).size()) > kMostCells)
      check.fail({&study.axes}, "together have more than {} cells; leave values out", kMostCells);
  for (const AxisSpec& axis : study.axes)
    if (study.file.empty() && std::all_of(axis.values.begin(), axis.values.end(),
                                          [](const AxisValueSpec& value) { return !value.file.empty(); }))
      return;
  if (study.file.empty())
    check.fail({&study.name},
               "nothing says what the command takes; give '{}', or a file with every value of an axis",
               check.path(&study.file));
}

void check_columns(const StudySpec& study, const Check& check) {
  const Names names(study, check);
  for (auto column = study.columns.begin(); column != study.columns.end(); ++column) {
    const auto require_earlier = [&](const std::string& name, const void* culprit) {
      names.require_column(name, culprit);
      if (std::any_of(column, study.columns.end(), [&](const ColumnSpec& each) { return each.name == name; }))
        check.fail({culprit}, "the column {} must stand before this one", quoted(name));
    };
    if (column->kind == ColumnSpec::Kind::quotient) {
      require_earlier(column->dividend, &column->dividend);
      require_earlier(column->divisor, &column->divisor);
    }
    for (const std::string& term : column->terms) require_earlier(term, &column->terms);
    if (column->kind == ColumnSpec::Kind::share) {
      require_earlier(column->of, &column->of);
      if (column->at_least.has_value() == column->at_most.has_value())
        check.fail({&column->of}, "give one limit, '{}' or '{}'", check.path(&column->at_least),
                   check.path(&column->at_most));
    }
    names.require_axes(column->dividend_at, false);
    names.require_axes(column->divisor_at, false);
  }
}

/// One value for every axis.
void require_one_cell(const StudySpec& study, const CalibrationSpec& calibration, const Check& check) {
  for (const AxisSpec& axis : study.axes) {
    std::size_t values = 0;
    for (const Selection* of : {&calibration.at, &calibration.cell})
      for (const auto& [name, chosen] : *of)
        if (name == axis.name) values += chosen.size();
    if (values != 1 && !(values == 0 && (!axis.line_to.empty() || axis.seeds != 0)))
      check.fail({&calibration.cell}, "'{}' and this must name one value of axis {}, they name {}",
                 check.path(&calibration.at), quoted(axis.name), values);
  }
}

void check_names(const StudySpec& study, const Check& check) {
  const Names names(study, check);
  for (const Selection& selection : study.except) names.require_axes(selection, false);
  for (const ReferenceSpec& reference : study.references) {
    names.require_column(reference.column, &reference.column);
    names.require_axes(reference.at, false);
  }
  for (const CalibrationSpec& calibration : study.calibrations) {
    names.require_column(calibration.column, &calibration.column);
    names.require_axes(calibration.at, false);
    names.require_axes(calibration.cell, false);
    require_one_cell(study, calibration, check);
    if (calibration.between.size() != 2)
      check.fail({&calibration.between}, "expected two values such as [1 PFLOPS, 100 PFLOPS]");
  }
  for (const TableSpec& table : study.tables) {
    names.require_axes(table.where, true);
    for (const std::string& column : table.columns) names.require_column(column, &table.columns);
    if (!table.sort.empty()) names.require_column(table.sort, &table.sort);
  }
  for (const SummarySpec& summary : study.summaries) {
    names.require_column(summary.column, &summary.column);
    names.require_axes(summary.where, true);
    const auto column = std::find_if(study.columns.begin(), study.columns.end(),
                                     [&](const ColumnSpec& each) { return each.name == summary.column; });
    if (summary.kind == SummarySpec::Kind::ratio_of_means && column->kind != ColumnSpec::Kind::quotient)
      check.fail({&summary.kind}, "needs a column that divides, and {} does not", quoted(column->name));
  }
}

}  // namespace

std::vector<AxisValueSpec> values_of(const AxisSpec& axis) {
  std::vector<AxisValueSpec> seeds;
  for (std::uint32_t seed = 1; seed <= axis.seeds; ++seed)
    seeds.push_back({std::to_string(seed), "", {}, {}});
  if (axis.seeds != 0) return seeds;
  return axis.parallelisms ? all_parallelisms(axis.parallelisms->first, axis.parallelisms->second)
                           : axis.values;
}

std::shared_ptr<const Struct<StudySpec>> study_type() {
  static const auto type = [] {
    using S = StudySpec;
    auto study = std::make_shared<Struct<S>>("study");
    study->presets_in("studies");
    study->required("study", &S::name, text(), "Name of the study")
        .optional("command", &S::command, one_of({"run", "collective", "traffic", "comet"}),
                  "What a cell runs")
        .optional("file", &S::file, file_path("what the command takes", kAnyPresets),
                  "What the command takes: an experiment, a platform or a cluster, relative to this file")
        .optional("arguments", &S::arguments, texts(), "More words for every command")
        .optional("set", &S::overrides, texts(),
                  "Keys to change in every cell; paths in them are relative to this file")
        .optional("axes", &S::axes, list_of<AxisSpec>(axis_type(), 0, 100),
                  "Every combination of their values is a cell")
        .optional("except", &S::except, list_of<Selection>(selection(), 0, 10'000),
                  "Combinations that are left out")
        .required("columns", &S::columns, list_of<ColumnSpec>(column_type(), 1, 1000),
                  "Figures of every cell")
        .optional("references", &S::references, list_of<ReferenceSpec>(reference_type(), 0, 100'000),
                  "Published values that are printed beside ours")
        .optional("calibrate", &S::calibrations, list_of<CalibrationSpec>(calibration_type(), 0, 1000),
                  "Keys whose value is found by bisection before the cells run")
        .optional("tables", &S::tables, list_of<TableSpec>(table_type(), 0, 1000),
                  "What is printed; not given: one table of everything")
        .optional("summaries", &S::summaries, list_of<SummarySpec>(summary_type(), 0, 1000),
                  "Figures over many cells")
        .optional("notes", &S::notes, texts(), "Printed above the tables: what is assumed")
        .check(check_axes)
        .check(check_columns)
        .check(check_names);
    return study;
  }();
  return type;
}

}  // namespace wafertlm::config
