// SPDX-License-Identifier: Apache-2.0
#include "platform/study/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/study/figures.h"

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

std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>();
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
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
               {"calibrations", Json::array()},
               {"cells", Json::array()},
               {"summaries", Json::array()}};
  for (std::size_t i = 0; i < result.calibrated.size(); ++i)
    json["calibrations"].push_back(calibrated_json(study, result.calibrated[i], i));
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.cells[i];
    Json row = {{"at", Json::object()}, {"command", result.jobs[i].command_line()}};
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
      row["at"][study.axes[axis].name] = cell.values[axis];
    row["values"] = Json::object();
    for (const ColumnSpec& column : study.columns)
      row["values"][column.name] = figures.value(cell.values, column.name);
    if (std::any_of(study.axes.begin(), study.axes.end(),
                    [](const auto& axis) { return !axis.line_to.empty(); }))
      for (const ColumnSpec& column : study.columns)
        if (column.kind == ColumnSpec::Kind::read)
          row["measured"][column.name] = figures.measured(cell.values, column.name);
    row["references"] = references_json(result, figures, cell);
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
    Json row = {{"summary", study.summaries[i].name}, {"value", figures.summary(study.summaries[i])}};
    if (study.summaries[i].reference)
      row["reference"] = {{"value", *study.summaries[i].reference},
                          {"provenance", provenance_of(study, fmt::format("summaries[{}].reference", i))}};
    json["summaries"].push_back(row);
  }
  json["simulation"] = {{"version", WAFERTLM_VERSION}};
  return json;
}

std::string study_csv(const StudyResult& result) {
  const Json json = study_json(result);
  std::string text;
  const auto add = [&](const Json& value) {
    text += (text.empty() || text.back() == '\n' ? "" : ",") + csv_field(value);
  };
  for (const config::AxisSpec& axis : result.study.axes) add(axis.name);
  for (const ColumnSpec& column : result.study.columns) {
    add(column.name);
    add(column.name + " (reference)");
  }
  add("error");
  text += '\n';
  for (const Json& cell : json["cells"]) {
    for (const auto& value : cell["at"]) add(value);
    for (const ColumnSpec& column : result.study.columns) {
      add(cell["values"][column.name]);
      const auto reference = cell["references"].find(column.name);
      add(reference == cell["references"].end() ? Json() : (*reference)["value"]);
    }
    add(cell.contains("error") ? cell["error"] : Json(""));
    text += '\n';
  }
  return text;
}

}  // namespace wafertlm
