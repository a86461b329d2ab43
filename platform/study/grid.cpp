// SPDX-License-Identifier: Apache-2.0
#include "platform/study/grid.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {
namespace {

using config::AxisSpec;
using config::AxisValueSpec;
using config::Selection;
using config::StudySpec;

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// With the value's name for every {}.
std::vector<std::string> filled(std::vector<std::string> texts, const std::string& name) {
  for (std::string& text : texts)
    for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += name.size())
      text.replace(at, 2, name);
  return texts;
}

void add_value(const AxisSpec& axis, const AxisValueSpec& value, Cell& cell) {
  cell.values.push_back(value.name);
  if (!value.file.empty()) cell.file = value.file;
  append(cell.arguments, filled(axis.arguments, value.name));
  append(cell.arguments, value.arguments);
  append(cell.overrides, filled(axis.overrides, value.name));
  append(cell.overrides, value.overrides);
}

const std::vector<std::string>* chosen(const Selection& selection, const std::string& axis) {
  for (const auto& [name, values] : selection)
    if (name == axis) return &values;
  return nullptr;
}

}  // namespace

std::vector<Cell> grid_of(const StudySpec& study) {
  std::vector<Cell> cells{{{}, study.file, study.arguments, {}}};
  for (const AxisSpec& axis : study.axes) {
    std::vector<Cell> more;
    for (const Cell& cell : cells)
      for (const AxisValueSpec& value : config::values_of(axis)) {
        more.push_back(cell);
        add_value(axis, value, more.back());
      }
    cells = std::move(more);
  }
  // Behind those of the axes: one of them may have named another platform or workload.
  for (Cell& cell : cells) append(cell.overrides, study.overrides);
  const auto is_excepted = [&](const Cell& cell) {
    return std::any_of(study.except.begin(), study.except.end(),
                       [&](const Selection& selection) { return is_in(study, cell, selection); });
  };
  cells.erase(std::remove_if(cells.begin(), cells.end(), is_excepted), cells.end());
  if (cells.empty()) throw std::invalid_argument(study.name + ": 'except' leaves no cell");
  return cells;
}

bool is_in(const StudySpec& study, const Cell& cell, const Selection& selection) {
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
    const std::vector<std::string>* values = chosen(selection, study.axes[axis].name);
    if (values != nullptr && std::find(values->begin(), values->end(), cell.values[axis]) == values->end())
      return false;
  }
  return true;
}

std::vector<std::string> moved(const StudySpec& study, const Cell& cell, const Selection& to) {
  std::vector<std::string> values = cell.values;
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
    if (const auto* other = chosen(to, study.axes[axis].name)) values[axis] = other->front();
  return values;
}

std::string name_of(const StudySpec& study, const Cell& cell) {
  std::string name;
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
    name += (name.empty() ? "" : ", ") + study.axes[axis].name + " " + cell.values[axis];
  return name.empty() ? study.name : name;
}

}  // namespace wafertlm
