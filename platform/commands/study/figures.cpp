// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/machine/sampled/estimate.h"

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
/// Cells that differ in it alone have one figure.
bool is_folded(const config::AxisSpec& axis) { return is_line(axis) || axis.seeds != 0; }

/// A number of a line axis, and what was found there.
struct Point {
  double x;
  json y;
  double half_width = 0;
};

/// What is the same at both points is kept, whatever it is.
json line_through(const Point& a, const Point& b, double x) {
  if (a.y == b.y) return a.y;
  if (!a.y.is_number() || !b.y.is_number()) return nullptr;
  return a.y.get<double>() + (b.y.get<double>() - a.y.get<double>()) / (b.x - a.x) * (x - a.x);
}

Figure figure_on_line(const Point& a, const Point& b, double x) {
  const double part = (x - a.x) / (b.x - a.x);
  return {line_through(a, b, x), std::abs(1 - part) * a.half_width + std::abs(part) * b.half_width};
}

/// Off in the worst direction.
Figure quotient_of(double dividend, double dividend_off, double divisor, double divisor_off) {
  const double quotient = dividend / divisor;
  return {quotient, std::abs(dividend_off / divisor) + std::abs(quotient * divisor_off / divisor)};
}

/// Without the values of axes that are lines or seeds.
std::vector<std::string> group_of(const StudySpec& study, std::vector<std::string> cell) {
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
    if (is_folded(study.axes[axis])) cell[axis].clear();
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

Figure Figures::figure(const std::vector<std::string>& cell, const std::string& name) const {
  const auto seeds = std::find_if(study_.axes.begin(), study_.axes.end(),
                                  [](const config::AxisSpec& axis) { return axis.seeds != 0; });
  if (seeds == study_.axes.end()) return of_one_seed(cell, name);
  std::vector<std::string> one = cell;
  MeanEstimate mean;
  double least = HUGE_VAL, most = -HUGE_VAL, sampled = 0;
  json first;
  bool differ = false;
  for (const config::AxisValueSpec& seed : config::values_of(*seeds)) {
    one[static_cast<std::size_t>(seeds - study_.axes.begin())] = seed.name;
    const Figure found = of_one_seed(one, name);
    if (found.value.is_null()) return {};
    if (first.is_null()) first = found.value;
    differ |= found.value != first;
    if (!found.value.is_number()) continue;
    const auto value = found.value.get<double>();
    mean.add(value);
    least = std::min(least, value);
    most = std::max(most, value);
    sampled += found.half_width / seeds->seeds;
  }
  if (!differ) return {first, sampled};
  if (mean.count() != seeds->seeds) return {};  // texts that differ have no mean
  const double spread = student_t_95(mean.count() - 1) * std::sqrt(mean.variance() / seeds->seeds);
  return {mean.mean(), spread + sampled, std::pair{least, most}};
}

Figure Figures::of_one_seed(const std::vector<std::string>& cell, const std::string& name) const {
  const ColumnSpec& column = this->column(name);
  if (column.kind == ColumnSpec::Kind::quotient) return quotient(cell, column);
  if (column.kind == ColumnSpec::Kind::sum) {
    double sum = 0, half_width = 0;
    for (const std::string& term : column.terms) {
      const Figure part = of_one_seed(cell, term);
      if (!part.value.is_number()) return {};
      sum += part.value.get<double>();
      half_width += part.half_width;
    }
    return {sum, half_width};
  }
  if (column.kind == ColumnSpec::Kind::share) {
    const Figure of = of_one_seed(cell, column.of);
    if (of.value.is_null()) return is_over(cell) ? Figure{0.0, 0} : Figure{};
    if (!of.value.is_number()) return {};
    const auto value = of.value.get<double>();
    return {
        column.at_least ? (value >= *column.at_least ? 1.0 : 0.0) : (value <= *column.at_most ? 1.0 : 0.0),
        0};
  }
  return on_line(cell, name, 0);
}

/// It has been run, and there is nothing to read.
bool Figures::is_over(const std::vector<std::string>& cell) const {
  const auto found = index_.find(cell);
  return found != index_.end() && (outcomes_[found->second].status == CellStatus::failed ||
                                   outcomes_[found->second].status == CellStatus::bad_input);
}

json Figures::measured(const std::vector<std::string>& cell, const std::string& name) const {
  const auto found = index_.find(cell);
  if (found == index_.end()) return nullptr;
  const auto& values = outcomes_[found->second].values;
  const auto read = values.find(name);
  if (read != values.end()) return read->second;
  const ColumnSpec& column = this->column(name);
  return column.if_failed && is_over(cell) ? json(*column.if_failed) : json();
}

double Figures::measured_half_width(const std::vector<std::string>& cell, const std::string& name) const {
  const auto found = index_.find(cell);
  if (found == index_.end()) return 0;
  const auto& widths = outcomes_[found->second].half_widths;
  const auto width = widths.find(name);
  return width == widths.end() ? 0 : width->second;
}

bool Figures::is_shown(const Cell& cell) const {
  return cells_[first_.at(group_of(study_, cell.values))].values == cell.values;
}

Figure Figures::on_line(std::vector<std::string> cell, const std::string& name, std::size_t axis) const {
  while (axis < study_.axes.size() && !is_line(study_.axes[axis])) ++axis;
  if (axis == study_.axes.size()) return {measured(cell, name), measured_half_width(cell, name)};
  const auto group = first_.find(group_of(study_, cell));
  if (group == first_.end()) return {};
  const json to = measured(cells_[group->second].values, study_.axes[axis].line_to);
  if (!to.is_number()) return {};
  std::vector<Point> points;
  for (const config::AxisValueSpec& value : study_.axes[axis].values) {
    cell[axis] = value.name;
    const Figure found = on_line(cell, name, axis + 1);
    if (found.value.is_null()) continue;
    points.push_back({std::stod(value.name), found.value, found.half_width});
    if (to.get<double>() <= points.front().x) return found;  // this is all there is
    if (points.size() == 2) return figure_on_line(points[0], points[1], to.get<double>());
  }
  return {};
}

Figure Figures::quotient(const std::vector<std::string>& cell, const ColumnSpec& column) const {
  const auto above = moved(study_, at(cell), column.dividend_at);
  const auto below = moved(study_, at(cell), column.divisor_at);
  const Figure dividend = of_one_seed(above, column.dividend), divisor = of_one_seed(below, column.divisor);
  if (!dividend.value.is_number() || !divisor.value.is_number() || divisor.value.get<double>() == 0)
    return {};
  if (above == below && column.dividend == column.divisor) return {1.0, 0};  // the same figure
  return quotient_of(dividend.value.get<double>(), dividend.half_width, divisor.value.get<double>(),
                     divisor.half_width);
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

Figure Figures::summary(const SummarySpec& spec) const {
  const ColumnSpec& column = this->column(spec.column);
  std::vector<double> values;
  Figure dividends{0.0, 0}, divisors{0.0, 0};
  const auto add = [&](Figure& sum, const std::vector<std::string>& cell, const std::string& name) {
    const Figure part = figure(cell, name);
    sum.value = sum.value.get<double>() + part.value.get<double>();
    sum.half_width += part.half_width;
  };
  double widest = 0, widths = 0;
  for (const Cell& cell : cells_) {
    if (!is_in(cell, spec.where) || !is_shown(cell)) continue;
    const Figure each = figure(cell.values, spec.column);
    if (!each.value.is_number()) continue;
    values.push_back(each.value.get<double>());
    widest = std::max(widest, each.half_width);
    widths += each.half_width;
    if (spec.kind != SummarySpec::Kind::ratio_of_means) continue;
    add(dividends, moved(study_, cell, column.dividend_at), column.dividend);
    add(divisors, moved(study_, cell, column.divisor_at), column.divisor);
  }
  if (spec.kind == SummarySpec::Kind::count) return {values.size(), 0};
  if (values.empty()) return {};
  if (spec.kind == SummarySpec::Kind::least) return {*std::min_element(values.begin(), values.end()), widest};
  if (spec.kind == SummarySpec::Kind::most) return {*std::max_element(values.begin(), values.end()), widest};
  if (spec.kind == SummarySpec::Kind::ratio_of_means)
    return quotient_of(dividends.value.get<double>(), dividends.half_width, divisors.value.get<double>(),
                       divisors.half_width);
  const auto count = static_cast<double>(values.size());
  return {std::accumulate(values.begin(), values.end(), 0.0) / count, widths / count};
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
        if (!is_folded(study.axes[axis])) continue;
        const auto one = std::move(needed);
        needed.clear();
        for (auto values : one)
          for (const config::AxisValueSpec& value : config::values_of(study.axes[axis])) {
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
    case ColumnSpec::Kind::share:
      add(cell.values, column.of);
      break;
  }
  return needed;
}

}  // namespace wafertlm
