// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/commands/study/figures.h"
#include "platform/commands/study/study_table.h"
#include "platform/describe/table.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using config::ColumnSpec;
using config::ReferenceSpec;
using config::StudySpec;
using Json = nlohmann::ordered_json;

std::string provenance_of(const StudySpec& study, const std::string& path) {
  const config::Origin* origin = study.origins.find(path);
  return origin == nullptr ? "" : origin->provenance;
}

std::size_t count_of(const StudyResult& result, CellStatus status) {
  return static_cast<std::size_t>(
      std::count_if(result.outcomes.begin(), result.outcomes.end(),
                    [&](const CellOutcome& outcome) { return outcome.status == status; }));
}

Json references_json(const StudyResult& result, const Figures& figures, const Cell& cell) {
  Json references = Json::object();
  for (const ColumnSpec& column : result.study.columns) {
    const ReferenceSpec* reference = reference_of(result.study, cell, column.name);
    if (reference == nullptr) continue;
    const auto at = static_cast<std::size_t>(reference - result.study.references.data());
    Json& row = references[column.name] = {
        {"value", reference->value},
        {"provenance", provenance_of(result.study, fmt::format("references[{}].value", at))}};
    const Json ours = figures.value(cell.values, column.name);
    if (ours.is_number() && reference->value != 0)
      row["difference"] = ours.get<double>() / reference->value - 1;
  }
  return references;
}

Json calibrated_json(const StudySpec& study, const Calibrated& found, std::size_t at) {
  Json row = {{"calibration", found.spec->name},
              {"key", found.spec->key},
              {"column", found.spec->column},
              {"target", found.spec->target},
              {"target_provenance", provenance_of(study, fmt::format("calibrate[{}].target", at))},
              {"steps", found.steps}};
  if (found.error.empty()) {
    row["value"] = found.value;
    row["reached"] = found.column;
  } else {
    row["error"] = found.error;
  }
  return row;
}

}  // namespace

const ReferenceSpec* reference_of(const StudySpec& study, const Cell& cell, const std::string& column) {
  for (const ReferenceSpec& reference : study.references)
    if (reference.column == column && is_in(study, cell, reference.at)) return &reference;
  return nullptr;
}

Json study_json(const StudyResult& result) {
  const StudySpec& study = result.study;
  const Figures figures(study, result.cells, result.outcomes);
  Json json = {{"study", study.name},
               {"notes", study.notes},
               {"complete", count_of(result, CellStatus::not_run) == 0},
               {"calibrations", Json::array()},
               {"cells", Json::array()},
               {"summaries", Json::array()}};
  for (std::size_t i = 0; i < result.calibrated.size(); ++i)
    json["calibrations"].push_back(calibrated_json(study, result.calibrated[i], i));
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.cells[i];
    Json row = {{"at", Json::object()}, {"command", command_line(result.jobs[i].words)}};
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
      row["at"][study.axes[axis].name] = cell.values[axis];
    row["values"] = Json::object();
    for (const ColumnSpec& column : study.columns) {
      const Figure figure = figures.figure(cell.values, column.name);
      row["values"][column.name] = figure.value;
      if (figure.half_width != 0) row["half_widths"][column.name] = figure.half_width;
      if (figure.range) row["ranges"][column.name] = {figure.range->first, figure.range->second};
    }
    if (std::any_of(study.axes.begin(), study.axes.end(),
                    [](const auto& axis) { return !axis.line_to.empty() || axis.seeds != 0; }))
      for (const ColumnSpec& column : study.columns)
        if (column.kind == ColumnSpec::Kind::read)
          row["measured"][column.name] = figures.measured(cell.values, column.name);
    row["references"] = references_json(result, figures, cell);
    row["status"] = name_of(result.outcomes[i].status);
    if (!result.outcomes[i].error.empty()) row["error"] = result.outcomes[i].error;
    json["cells"].push_back(row);
  }
  for (const config::AxisSpec& axis : study.axes)
    if (!axis.line_to.empty()) json["lines"].push_back({{"axis", axis.name}, {"to", axis.line_to}});
  for (const Straightness& each : straightness(study, result.cells, figures))
    json["straightness"].push_back({{"axis", study.axes[each.axis].name},
                                    {"column", each.column},
                                    {"checked_cells", each.checks},
                                    {"worst_cell", each.cell},
                                    {"line_over_measured_less_1", each.off}});
  for (std::size_t i = 0; i < study.summaries.size(); ++i) {
    const Figure summary = figures.summary(study.summaries[i]);
    Json row = {{"summary", study.summaries[i].name}, {"value", summary.value}};
    if (summary.half_width != 0) row["half_width"] = summary.half_width;
    if (study.summaries[i].reference)
      row["reference"] = {{"value", *study.summaries[i].reference},
                          {"provenance", provenance_of(study, fmt::format("summaries[{}].reference", i))}};
    json["summaries"].push_back(row);
  }
  json["simulation"] = {{"version", WAFERTLM_VERSION}};
  return json;
}

std::string study_csv(const StudyResult& result) {
  const StudyTable table = study_table(result);
  Json rows = Json::array();
  for (const auto& values : table.rows) {
    Json& row = rows.emplace_back(Json::object());
    for (std::size_t i = 0; i < values.size(); ++i) row[table.columns[i]] = values[i];
  }
  return csv(rows);
}

namespace {

using config::ShownAs;
using config::TableSpec;
using nlohmann::json;

/// In place of a figure.
const std::map<CellStatus, std::string> kNoFigure = {
    {CellStatus::failed, "failed"}, {CellStatus::bad_input, "bad input"}, {CellStatus::not_run, "not run"}};

std::string value_text(const json& value, ShownAs as) {
  static const std::map<ShownAs, Format> formats = {{ShownAs::time, shown::seconds()},
                                                    {ShownAs::bytes, shown::bytes()},
                                                    {ShownAs::bandwidth, shown::bandwidth()},
                                                    {ShownAs::percent, shown::percent()}};
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (const auto format = formats.find(as); value.is_number() && format != formats.end())
    return shown::cell(format->second, value);
  if (as == ShownAs::rate && value.is_number())
    return fmt::format("{:.4g} TFLOPS", value.get<double>() / 1e12);
  return value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : value.dump();
}

/// "1.2 ms ± 3 us" of what was sampled, with " (1.1 ms to 1.3 ms)" of what has seeds.
std::string value_text(const Figure& figure, ShownAs as) {
  std::string text = value_text(figure.value, as);
  if (figure.half_width != 0) text += " ± " + value_text(json(figure.half_width), as);
  if (figure.range)
    text += fmt::format(" ({} to {})", value_text(json(figure.range->first), as),
                        value_text(json(figure.range->second), as));
  return text;
}

class Text {
 public:
  explicit Text(const StudyResult& result)
      : result_(result), study_(result.study), figures_(study_, result.cells, result.outcomes) {}

  std::string all() {
    std::string text = study_.name + '\n';
    for (const std::string& note : study_.notes) text += "  " + note + '\n';
    if (const std::size_t left = count_of(result_, CellStatus::not_run); left > 0)
      text +=
          fmt::format("  Not complete: {} of {} have not run\n", left, counted(result_.cells.size(), "cell"));
    text += sampled() + seeds() + lines() + calibrations();
    TableSpec everything;
    for (const TableSpec& spec : study_.tables.empty() ? std::vector<TableSpec>{everything} : study_.tables)
      text += table(spec);
    text += summaries();
    return text + sources();  // of all that stands before
  }

 private:
  std::string sampled() const {
    const bool is = std::any_of(result_.outcomes.begin(), result_.outcomes.end(),
                                [](const CellOutcome& outcome) { return !outcome.half_widths.empty(); });
    return is ? "  Sampled (run.acceleration): figures are ± at 95 %\n" : "";
  }

  std::string seeds() const {
    for (const config::AxisSpec& axis : study_.axes)
      if (axis.seeds != 0)
        return fmt::format("  Means over {} values of {}, ± at 95 % (least to most)\n", axis.seeds,
                           axis.name);
    return "";
  }

  std::string lines() const {
    std::string text;
    for (const config::AxisSpec& axis : study_.axes)
      if (!axis.line_to.empty())
        text += fmt::format("  Straight lines: cells ran with two values of {}, figures are those at '{}'\n",
                            axis.name, axis.line_to);
    for (const Straightness& each : straightness(study_, result_.cells, figures_))
      text += fmt::format("    more of {}: in {} the line misses '{}' by at most {:+.3f} % ({})\n",
                          study_.axes[each.axis].name, counted(each.checks, "cell"), each.column,
                          100 * each.off, each.cell);
    return text;
  }

  std::string calibrations() {
    std::string text;
    for (std::size_t i = 0; i < result_.calibrated.size(); ++i) {
      const Calibrated& found = result_.calibrated[i];
      text +=
          found.error.empty()
              ? fmt::format("  {}: {} = {} makes {} {:.5g} (target {:.5g}), {} steps\n", found.spec->name,
                            found.spec->key, found.value, found.spec->column, found.column,
                            found.spec->target, found.steps)
              : fmt::format("  {}: {}: no value found: {}\n", found.spec->name, found.spec->key, found.error);
      note_source(found.spec->name + " target", found.spec->target, fmt::format("calibrate[{}].target", i));
    }
    return text.empty() ? "" : "\nCalibration\n" + text;
  }

  std::vector<std::size_t> cells_of(const TableSpec& spec) const {
    std::vector<std::size_t> cells;
    for (std::size_t i = 0; i < result_.cells.size(); ++i)
      if (figures_.is_shown(result_.cells[i]) && figures_.is_in(result_.cells[i], spec.where))
        cells.push_back(i);
    if (!spec.sort.empty()) {
      const auto key = [&](std::size_t i) {
        const json value = figures_.value(result_.cells[i].values, spec.sort);
        return value.is_number() ? value.get<double>() : HUGE_VAL;
      };
      std::stable_sort(cells.begin(), cells.end(),
                       [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    }
    if (spec.first != 0 && cells.size() > spec.first) cells.resize(spec.first);
    return cells;
  }

  std::string table(const TableSpec& spec) {
    const std::vector<std::size_t> cells = cells_of(spec);
    if (cells.empty()) return '\n' + spec.name + "\n  no cells\n";
    std::vector<std::size_t> axes;  // those that differ; a figure is of all seeds
    const auto differs = [&](std::size_t axis) {
      return std::any_of(cells.begin(), cells.end(), [&](std::size_t i) {
        return result_.cells[i].values[axis] != result_.cells[cells.front()].values[axis];
      });
    };
    for (std::size_t axis = 0; axis < study_.axes.size(); ++axis)
      if (study_.axes[axis].seeds == 0 && (cells.size() == 1 || differs(axis))) axes.push_back(axis);
    TextRows rows(cells.size() + 1);
    for (const std::size_t axis : axes) {
      rows[0].push_back(study_.axes[axis].name);
      for (std::size_t i = 0; i < cells.size(); ++i)
        rows[i + 1].push_back(result_.cells[cells[i]].values[axis]);
    }
    for (const ColumnSpec& column : study_.columns)
      if (spec.columns.empty() ||
          std::find(spec.columns.begin(), spec.columns.end(), column.name) != spec.columns.end())
        add_column(column, cells, rows);
    return (spec.name.empty() ? "\n" : '\n' + spec.name + '\n') +
           aligned(rows, std::string(axes.size(), 'l') + "r");
  }

  void add_column(const ColumnSpec& column, const std::vector<std::size_t>& cells, TextRows& rows) {
    const auto reference = [&](std::size_t i) {
      return reference_of(study_, result_.cells[cells[i]], column.name);
    };
    bool has_references = false;
    for (std::size_t i = 0; i < cells.size(); ++i) has_references |= reference(i) != nullptr;
    rows[0].push_back(column.name);
    if (has_references) rows[0].insert(rows[0].end(), {"published", "off by"});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const CellOutcome& outcome = result_.outcomes[cells[i]];
      const Figure figure = figures_.figure(result_.cells[cells[i]].values, column.name);
      const json& ours = figure.value;
      rows[i + 1].push_back(outcome.status == CellStatus::done ? value_text(figure, column.shown_as)
                                                               : kNoFigure.at(outcome.status));
      if (!has_references) continue;
      const ReferenceSpec* published = reference(i);
      rows[i + 1].push_back(published == nullptr ? "" : value_text(published->value, column.shown_as));
      rows[i + 1].push_back(
          published == nullptr || !ours.is_number() || published->value == 0
              ? ""
              : fmt::format("{:+.2f} %", 100 * (ours.get<double>() / published->value - 1)));
      if (published != nullptr)
        note_source(column.name, published->value,
                    fmt::format("references[{}].value", published - study_.references.data()));
    }
  }

  std::string summaries() {
    if (study_.summaries.empty()) return "";
    TextRows rows{{"", "", "published"}};
    for (std::size_t i = 0; i < study_.summaries.size(); ++i) {
      const config::SummarySpec& spec = study_.summaries[i];
      const ShownAs as = spec.kind == config::SummarySpec::Kind::count
                             ? ShownAs::number
                             : figures_.column(spec.column).shown_as;
      rows.push_back({spec.name, value_text(figures_.summary(spec), as),
                      spec.reference ? value_text(*spec.reference, as) : ""});
      if (spec.reference) note_source(spec.name, *spec.reference, fmt::format("summaries[{}].reference", i));
    }
    return "\nOver all cells\n" + aligned(rows, "lr");
  }

  /// Where published values come from, by provenance.
  std::string sources() const {
    std::string text;
    for (const auto& [provenance, what] : sources_) text += fmt::format("  {}: {}\n", provenance, what);
    return text.empty() ? "" : "\nPublished values\n" + text;
  }

  void note_source(const std::string& what, double value, const std::string& path) {
    const std::string given = provenance_of(study_, path);
    const std::string provenance = given.empty() ? "no provenance given" : given;
    const std::string entry = fmt::format("{} {:.5g}", what, value);
    for (auto& [known, entries] : sources_)
      if (known == provenance) {
        if (entries.find(entry) == std::string::npos) entries += ", " + entry;
        return;
      }
    sources_.emplace_back(provenance, entry);
  }

  const StudyResult& result_;
  const StudySpec& study_;
  Figures figures_;
  std::vector<std::pair<std::string, std::string>> sources_;
};

}  // namespace

std::string study_text(const StudyResult& result) { return Text(result).all(); }

}  // namespace wafertlm
