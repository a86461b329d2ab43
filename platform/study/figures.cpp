// SPDX-License-Identifier: Apache-2.0
#include "platform/study/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wafertlm {
namespace {

using config::ColumnSpec;
using config::StudySpec;
using config::SummarySpec;
using nlohmann::json;

Cell at(const std::vector<std::string>& values) { return {values, "", {}, {}}; }

const ColumnSpec& find_column(const StudySpec& study, const std::string& name) {
  return *std::find_if(study.columns.begin(), study.columns.end(),
                       [&](const ColumnSpec& each) { return each.name == name; });
}

bool is_line(const config::AxisSpec& axis) { return !axis.line_to.empty(); }

/// A number of a line axis, and what was found there.
struct Point {
  double x;
  json y;
};

/// What is the same at both points is kept, whatever it is.
json line_through(const Point& a, const Point& b, double x) {
  if (a.y == b.y) return a.y;
  if (!a.y.is_number() || !b.y.is_number()) return nullptr;
  return a.y.get<double>() + (b.y.get<double>() - a.y.get<double>()) / (b.x - a.x) * (x - a.x);
}

/// Without the values of axes that are lines.
std::vector<std::string> group_of(const StudySpec& study, std::vector<std::string> cell) {
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
    if (is_line(study.axes[axis])) cell[axis].clear();
  return cell;
}

std::string json_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Figures::Figures(const StudySpec& study, const std::vector<Cell>& cells,
                 const std::vector<CellOutcome>& outcomes)
    : study_(study), cells_(cells), outcomes_(outcomes) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    index_[cells[i].values] = i;
    first_.emplace(group_of(study, cells[i].values), i);
  }
}

const ColumnSpec& Figures::column(const std::string& name) const { return find_column(study_, name); }

json Figures::value(const std::vector<std::string>& cell, const std::string& name) const {
  const ColumnSpec& column = this->column(name);
  if (column.kind == ColumnSpec::Kind::quotient) return quotient(cell, column);
  if (column.kind == ColumnSpec::Kind::sum) {
    double sum = 0;
    for (const std::string& term : column.terms) {
      const json part = value(cell, term);
      if (!part.is_number()) return nullptr;
      sum += part.get<double>();
    }
    return sum;
  }
  return on_line(cell, name, 0);
}

json Figures::measured(const std::vector<std::string>& cell, const std::string& name) const {
  const auto found = index_.find(cell);
  if (found == index_.end()) return nullptr;
  const auto& values = outcomes_[found->second].values;
  const auto read = values.find(name);
  return read == values.end() ? json() : read->second;
}

bool Figures::is_shown(const Cell& cell) const {
  return cells_[first_.at(group_of(study_, cell.values))].values == cell.values;
}

json Figures::on_line(std::vector<std::string> cell, const std::string& name, std::size_t axis) const {
  while (axis < study_.axes.size() && !is_line(study_.axes[axis])) ++axis;
  if (axis == study_.axes.size()) return measured(cell, name);
  const auto group = first_.find(group_of(study_, cell));
  if (group == first_.end()) return nullptr;
  const json to = measured(cells_[group->second].values, study_.axes[axis].line_to);
  if (!to.is_number()) return nullptr;
  std::vector<Point> points;
  for (const config::AxisValueSpec& value : study_.axes[axis].values) {
    cell[axis] = value.name;
    const json found = on_line(cell, name, axis + 1);
    if (found.is_null()) continue;
    points.push_back({std::stod(value.name), found});
    if (to.get<double>() <= points.front().x) return found;  // this is all there is
    if (points.size() == 2) return line_through(points[0], points[1], to.get<double>());
  }
  return nullptr;
}

json Figures::quotient(const std::vector<std::string>& cell, const ColumnSpec& column) const {
  const json dividend = value(moved(study_, at(cell), column.dividend_at), column.dividend);
  const json divisor = value(moved(study_, at(cell), column.divisor_at), column.divisor);
  if (!dividend.is_number() || !divisor.is_number() || divisor.get<double>() == 0) return nullptr;
  return dividend.get<double>() / divisor.get<double>();
}

bool Figures::is_in(const Cell& cell, const config::Selection& selection) const {
  if (!wafertlm::is_in(study_, cell, selection)) return false;
  for (const auto& [name, values] : selection) {
    const auto is_column = std::any_of(study_.columns.begin(), study_.columns.end(),
                                       [&, &key = name](const ColumnSpec& each) { return each.name == key; });
    if (is_column &&
        std::find(values.begin(), values.end(), json_text(value(cell.values, name))) == values.end())
      return false;
  }
  return true;
}

json Figures::summary(const SummarySpec& spec) const {
  const ColumnSpec& column = this->column(spec.column);
  std::vector<double> values;
  double dividends = 0, divisors = 0;
  for (const Cell& cell : cells_) {
    if (!is_in(cell, spec.where) || !is_shown(cell)) continue;
    const json figure = value(cell.values, spec.column);
    if (!figure.is_number()) continue;
    values.push_back(figure.get<double>());
    if (spec.kind != SummarySpec::Kind::ratio_of_means) continue;
    dividends += value(moved(study_, cell, column.dividend_at), column.dividend).get<double>();
    divisors += value(moved(study_, cell, column.divisor_at), column.divisor).get<double>();
  }
  if (spec.kind == SummarySpec::Kind::count) return values.size();
  if (values.empty()) return nullptr;
  if (spec.kind == SummarySpec::Kind::least) return *std::min_element(values.begin(), values.end());
  if (spec.kind == SummarySpec::Kind::most) return *std::max_element(values.begin(), values.end());
  if (spec.kind == SummarySpec::Kind::ratio_of_means) return dividends / divisors;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<Straightness> straightness(const StudySpec& study, const std::vector<Cell>& cells,
                                       const Figures& figures) {
  const auto read = std::find_if(study.columns.begin(), study.columns.end(), [](const ColumnSpec& column) {
    return column.kind == ColumnSpec::Kind::read;
  });
  std::vector<Straightness> all;
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
    if (!is_line(study.axes[axis])) continue;
    Straightness worst{axis, read->name, "", 0, 0};
    for (const Cell& cell : cells) {
      std::vector<Point> points;  // the first two, and this one if it is another
      for (const config::AxisValueSpec& value : study.axes[axis].values) {
        if (points.size() >= 2 && value.name != cell.values[axis]) continue;
        std::vector<std::string> at = cell.values;
        at[axis] = value.name;
        const json y = figures.measured(at, read->name);
        if (y.is_number()) points.push_back({std::stod(value.name), y});
      }
      if (points.size() < 3 || points[2].y == 0) continue;
      ++worst.checks;
      const double off =
          line_through(points[0], points[1], points[2].x).get<double>() / points[2].y.get<double>() - 1;
      if (!worst.cell.empty() && std::abs(off) <= std::abs(worst.off)) continue;
      worst.off = off;
      worst.cell = name_of(study, cell);
    }
    if (worst.checks > 0) all.push_back(worst);
  }
  return all;
}

std::vector<std::vector<std::string>> needed_for(const StudySpec& study, const Cell& cell,
                                                 const std::string& name) {
  const ColumnSpec& column = find_column(study, name);
  std::vector<std::vector<std::string>> needed;
  const auto add = [&](const std::vector<std::string>& values, const std::string& of) {
    for (auto& each : needed_for(study, at(values), of))
      if (std::find(needed.begin(), needed.end(), each) == needed.end()) needed.push_back(each);
  };
  switch (column.kind) {
    case ColumnSpec::Kind::read:
      needed = {cell.values};
      for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        if (!is_line(study.axes[axis])) continue;
        const auto one = std::move(needed);
        needed.clear();
        for (auto values : one)
          for (const config::AxisValueSpec& value : study.axes[axis].values) {
            values[axis] = value.name;
            needed.push_back(values);
          }
      }
      break;
    case ColumnSpec::Kind::quotient:
      add(moved(study, cell, column.dividend_at), column.dividend);
      add(moved(study, cell, column.divisor_at), column.divisor);
      break;
    case ColumnSpec::Kind::sum:
      for (const std::string& term : column.terms) add(cell.values, term);
      break;
  }
  return needed;
}

}  // namespace wafertlm
