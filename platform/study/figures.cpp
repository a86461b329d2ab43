// SPDX-License-Identifier: Apache-2.0
#include "platform/study/figures.h"

#include <algorithm>

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

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

Figures::Figures(const StudySpec& study, const std::vector<Cell>& cells,
                 const std::vector<CellOutcome>& outcomes)
    : study_(study), cells_(cells), outcomes_(outcomes) {
  for (std::size_t i = 0; i < cells.size(); ++i) index_[cells[i].values] = i;
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
  const auto found = index_.find(cell);
  if (found == index_.end()) return nullptr;
  const auto& values = outcomes_[found->second].values;
  const auto read = values.find(name);
  return read == values.end() ? json() : read->second;
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
        std::find(values.begin(), values.end(), text_of(value(cell.values, name))) == values.end())
      return false;
  }
  return true;
}

json Figures::summary(const SummarySpec& spec) const {
  const ColumnSpec& column = this->column(spec.column);
  std::vector<double> values;
  double dividends = 0, divisors = 0;
  for (const Cell& cell : cells_) {
    if (!is_in(cell, spec.where)) continue;
    const json figure = value(cell.values, spec.column);
    if (!figure.is_number()) continue;
    values.push_back(figure.get<double>());
    if (spec.kind != SummarySpec::Kind::ratio_of_means) continue;
    dividends += value(moved(study_, cell, column.dividend_at), column.dividend).get<double>();
    divisors += value(moved(study_, cell, column.divisor_at), column.divisor).get<double>();
  }
  if (spec.kind == SummarySpec::Kind::count) return values.size();
  if (values.empty()) return nullptr;
  switch (spec.kind) {
    case SummarySpec::Kind::least:
      return *std::min_element(values.begin(), values.end());
    case SummarySpec::Kind::most:
      return *std::max_element(values.begin(), values.end());
    case SummarySpec::Kind::ratio_of_means:
      return dividends / divisors;
    case SummarySpec::Kind::mean:
    case SummarySpec::Kind::count:
      break;
  }
  double sum = 0;
  for (const double each : values) sum += each;
  return sum / static_cast<double>(values.size());
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
