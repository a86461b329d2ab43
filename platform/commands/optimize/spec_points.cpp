// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "platform/commands/libra/inputs.h"
#include "platform/commands/optimize/spec.h"
#include "platform/text/suggest.h"
#include "tlm/input/number.h"

namespace wafertlm::optimize {
namespace {

using config::AxisValueSpec;
using config::quoted;
using config::Selection;
using config::suggestion;

std::size_t place_of(double value) { return static_cast<std::size_t>(std::lround(value)); }

std::string number_text(double value) {
  return std::abs(value) < 1e5 ? fmt::format("{:.6g}", value) : fmt::format("{:.0f}", value);
}

/// What stands in braces for a variable: its value, or of a number "{name/2}" and "{name*2}".
class Placeholder {
 public:
  Placeholder(const std::string& text, std::size_t at, const std::string& name) {
    const std::size_t behind = at + 1 + name.size();
    if (text.compare(at + 1, name.size(), name) != 0 || behind >= text.size()) return;
    const std::size_t close = text.find('}', behind);
    if (close == std::string::npos || (text[behind] != '}' && text[behind] != '/' && text[behind] != '*'))
      return;
    if (text[behind] != '}') {
      factor = finite_number(std::string_view(text).substr(behind + 1, close - behind - 1)).value_or(0);
      if (factor <= 0) return;
      if (text[behind] == '/') factor = 1 / factor;
    }
    length = close + 1 - at;
  }
  std::size_t length = 0;  ///< 0: it is none
  double factor = 1;
};

std::string filled(std::string text, const VariableSpec& variable, double value) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const Placeholder place(text, at, variable.name);
    if (place.length == 0) continue;
    text.replace(at, place.length,
                 variable.is_number() ? number_text(value * place.factor) : variable.text(value));
  }
  return text;
}

/// Names in constraints become B0, B1 …
std::string with_numbers(const OptimizeSpec& spec, const std::string& text) {
  std::string numbered;
  for (std::size_t i = 0; i < text.size();) {
    const auto is_letter = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    if (std::isalpha(static_cast<unsigned char>(text[i])) == 0) {
      numbered += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string name = text.substr(i, end - i);
    std::vector<std::string> names;
    for (const VariableSpec& each : spec.variables) names.push_back(each.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw std::invalid_argument(fmt::format("the constraint '{}' names {}, which is no variable{}", text,
                                              quoted(name), suggestion(name, names, "variables")));
    numbered += fmt::format("B{}", found - names.begin());
    i = end;
  }
  return numbered;
}

/// Σ positive·variable = limit over all variables, which are numbers.
bool goes_over_all(const OptimizeSpec& spec, const libra::LinearConstraint& constraint) {
  if (constraint.limit <= 0) return false;
  for (std::size_t i = 0; i < spec.variables.size(); ++i)
    if (constraint.coefficients[i] <= 0 || !spec.variables[i].is_number()) return false;
  return true;
}

}  // namespace

libra::LinearConstraint OptimizeSpec::constraint(const std::string& text) const {
  libra::LinearConstraint constraint = libra::parse_constraint(with_numbers(*this, text), variables.size());
  constraint.text = text;
  return constraint;
}

bool OptimizeSpec::is_budget(const libra::LinearConstraint& constraint) const {
  if (constraint.sense != libra::LinearConstraint::Sense::equal) return false;
  return goes_over_all(*this, constraint) &&
         std::all_of(variables.begin(), variables.end(),
                     [](const VariableSpec& each) { return each.step == 0; });
}

bool VariableSpec::stands_in(const std::string& text) const {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1))
    if (Placeholder(text, at, name).length != 0) return true;
  return false;
}

std::string VariableSpec::text(double value) const {
  if (!is_number()) return values[place_of(value)];
  return unit.empty() ? number_text(value) : number_text(value) + " " + unit;
}

bool OptimizeSpec::has_prices() const {
  return std::any_of(variables.begin(), variables.end(),
                     [](const VariableSpec& each) { return each.price > 0; });
}

double OptimizeSpec::cost(const Point& point) const {
  double sum = fixed_price;
  for (std::size_t i = 0; i < variables.size(); ++i) sum += variables[i].price * point[i];
  return sum;
}

void add_to(Cell& cell, const AxisValueSpec& adds, const std::string& value) {
  if (!adds.file.empty()) cell.file = adds.file;
  const auto append = [&](std::vector<std::string>& to, const std::vector<std::string>& from) {
    for (std::string text : from) {
      for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += value.size())
        text.replace(at, 2, value);
      to.push_back(std::move(text));
    }
  };
  append(cell.arguments, adds.arguments);
  append(cell.overrides, adds.overrides);
}

Cell OptimizeSpec::cell(const Point& point, std::size_t number, bool coarse_run) const {
  Cell cell = base;
  if (!cases.empty()) add_to(cell, cases[number], cases[number].name);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const VariableSpec& each = variables[i];
    if (!each.adds.empty())
      add_to(cell, each.adds[each.is_number() ? 0 : place_of(point[i])], each.text(point[i]));
    if (!each.key.empty()) cell.overrides.push_back(each.key + "=" + each.text(point[i]));
  }
  cell.overrides.insert(cell.overrides.end(), last_overrides.begin(), last_overrides.end());
  for (const auto* texts : {&set, &coarse}) {
    if (texts == &coarse && !coarse_run) continue;
    for (std::string text : *texts) {
      for (std::size_t i = 0; i < variables.size(); ++i)
        text = filled(std::move(text), variables[i], point[i]);
      cell.overrides.push_back(std::move(text));
    }
  }
  return cell;
}

bool OptimizeSpec::is_excepted(const Point& point) const {
  const auto has_value = [&](const std::string& axis, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (variables[i].axis == axis)
        return std::find(values.begin(), values.end(), variables[i].text(point[i])) != values.end();
    return axis == over;  // of some of its cases: the whole candidate
  };
  return std::any_of(except.begin(), except.end(), [&](const Selection& selection) {
    return std::all_of(selection.begin(), selection.end(),
                       [&](const auto& each) { return has_value(each.first, each.second); });
  });
}

std::string OptimizeSpec::text(const Point& point) const {
  std::string words;
  for (std::size_t i = 0; i < variables.size(); ++i)
    words += fmt::format("{}{} {}", i == 0 ? "" : ", ", variables[i].name, variables[i].text(point[i]));
  return words;
}

Point OptimizeSpec::numbers(Point point) const {
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (!variables[i].is_number())
      point[i] = leading_number(variables[i].text(point[i])).value_or(LeadingNumber{point[i]}).value;
  return point;
}

Space OptimizeSpec::space() const {
  Space space;
  for (const VariableSpec& each : variables)
    if (each.is_number())
      space.axes.push_back({each.name, each.from, each.to, each.step});
    else
      space.axes.push_back({each.name, 0, static_cast<double>(each.values.size() - 1), 1});
  for (const std::string& text : constraints) {
    const libra::LinearConstraint each = constraint(text);
    if (is_budget(each)) space.budget = Budget{each.coefficients, each.limit};
    if (each.sense == libra::LinearConstraint::Sense::at_most && goes_over_all(*this, each))
      space.limit = Budget{each.coefficients, each.limit};
  }
  return space;
}

std::vector<libra::LinearConstraint> OptimizeSpec::rest() const {
  std::vector<libra::LinearConstraint> others;
  for (const std::string& text : constraints) {
    libra::LinearConstraint each = constraint(text);
    if (!is_budget(each)) others.push_back(std::move(each));
  }
  return others;
}

}  // namespace wafertlm::optimize
