// SPDX-License-Identifier: Apache-2.0
#include "platform/optimize/spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "platform/config/document.h"
#include "platform/config/struct_type.h"
#include "platform/config/suggest.h"
#include "platform/config/value_types.h"
#include "platform/libra/inputs.h"

namespace wafertlm::optimize {
namespace {

using namespace config;

constexpr double kLargest = 1e15;

std::string value_text(const VariableSpec& variable, double value) {
  if (!variable.is_number()) return variable.values[static_cast<std::size_t>(std::lround(value))];
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
      char* end = nullptr;
      factor = std::strtod(text.c_str() + behind + 1, &end);
      if (end != text.c_str() + close || !(factor > 0)) return;
      if (text[behind] == '/') factor = 1 / factor;
    }
    length = close + 1 - at;
  }
  std::size_t length = 0;  ///< 0: it is none
  double factor = 1;
};

bool stands_in(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1))
    if (Placeholder(text, at, name).length != 0) return true;
  return false;
}

std::string filled(std::string text, const VariableSpec& variable, double value) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const Placeholder place(text, at, variable.name);
    if (place.length == 0) continue;
    text.replace(at, place.length, value_text(variable, variable.is_number() ? value * place.factor : value));
  }
  return text;
}

std::shared_ptr<const Struct<VariableSpec>> variable_type() {
  using V = VariableSpec;
  auto type = std::make_shared<Struct<V>>("variable");
  type->required("variable", &V::name, word(),
                 "Its name; in 'set' {name}, {name/2} or {name*2} stand for its value")
      .optional("from", &V::from, number(-kLargest, kLargest), "Least value")
      .optional("to", &V::to, number(-kLargest, kLargest), "Greatest value")
      .optional("step", &V::step, number(0, kLargest),
                "Only from + n steps, for instance whole links; 0: any")
      .optional("values", &V::values, list_of<std::string>(text(), 0, 1000),
                "In place of numbers: one of these")
      .optional("price", &V::price, number(0, kLargest), "What one unit of it costs");
  return type;
}

std::shared_ptr<const Struct<LibraModelSpec>> libra_model_type() {
  using L = LibraModelSpec;
  auto type = std::make_shared<Struct<L>>("libra_model");
  type->required("network", &L::network, file_path("a network file"), "LIBRA's network file")
      .required("workload", &L::workload, file_path("a workload file"), "In ASTRA-sim 1.0's text form")
      .required("communicator", &L::communicator, file_path("a communicator file"),
                "LIBRA's communicator file")
      .required("dimensions", &L::dimensions, list_of<std::string>(word(), 1, 16),
                "For each dimension the variable that is its bandwidth in GB/s");
  return type;
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

libra::LinearConstraint constraint_of(const OptimizeSpec& spec, const std::string& text) {
  libra::LinearConstraint constraint =
      libra::parse_constraint(with_numbers(spec, text), spec.variables.size());
  constraint.text = text;
  return constraint;
}

/// Σ positive·variable = limit over all variables, which are numbers.
bool goes_over_all(const OptimizeSpec& spec, const libra::LinearConstraint& constraint) {
  if (constraint.limit <= 0) return false;
  for (std::size_t i = 0; i < spec.variables.size(); ++i)
    if (constraint.coefficients[i] <= 0 || !spec.variables[i].is_number()) return false;
  return true;
}

/// The same that is to be met; without steps.
bool is_budget(const OptimizeSpec& spec, const libra::LinearConstraint& constraint) {
  if (constraint.sense != libra::LinearConstraint::Sense::equal) return false;
  return goes_over_all(spec, constraint) &&
         std::all_of(spec.variables.begin(), spec.variables.end(),
                     [](const VariableSpec& each) { return each.step == 0; });
}

void check_variables(const OptimizeSpec& spec, const Check& check) {
  for (const VariableSpec& each : spec.variables) {
    if (each.is_number() && !(each.from < each.to))
      check.fail({&each.to, &each.from}, "a variable needs 'from' below 'to', or 'values'");
    if (!each.is_number() && (each.to != 0 || each.from != 0 || each.step != 0 || each.price != 0))
      check.fail({&each.from, &each.to, &each.step, &each.price}, "has no effect beside 'values'");
    const bool used = std::any_of(spec.set.begin(), spec.set.end(),
                                  [&](const std::string& text) { return stands_in(text, each.name); });
    if (!used)
      check.fail({&each.name}, "changes nothing: no text of '{}' has {{{}}}", check.path(&spec.set),
                 each.name);
    for (const VariableSpec& other : spec.variables)
      if (&other != &each && other.name == each.name)
        check.fail({&each.name}, "a second variable {}; names must differ", quoted(each.name));
  }
  try {
    std::size_t budgets = 0;
    for (const std::string& text : spec.constraints)
      if (is_budget(spec, constraint_of(spec, text))) ++budgets;
    if (budgets > 1) check.fail({&spec.constraints}, "two budgets over all variables; leave one out");
    for (const libra::LinearConstraint& each : spec.rest())
      if (each.sense == libra::LinearConstraint::Sense::equal)
        check.fail({&spec.constraints},
                   "'{}' can be met only if it goes over all variables with positive factors, and none has "
                   "steps; write <= or >=",
                   each.text);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.constraints}, error.what());
  }
}

void check_goals(const OptimizeSpec& spec, const Check& check) {
  const bool has_cost = std::any_of(spec.goals.begin(), spec.goals.end(),
                                    [](Goal goal) { return goal == Goal::cost || goal == Goal::time_cost; });
  const bool has_price = std::any_of(spec.variables.begin(), spec.variables.end(),
                                     [](const VariableSpec& each) { return each.price > 0; });
  if ((has_cost || spec.most_cost > 0) && !has_price)
    check.fail({&spec.goals, &spec.most_cost}, "a cost needs the 'price' of a variable");
  if (spec.goals.size() > 2) check.fail({&spec.goals}, "one goal, or two for a Pareto front");
  if (spec.libra)
    for (const std::string& name : spec.libra->dimensions)
      if (std::none_of(spec.variables.begin(), spec.variables.end(),
                       [&](const VariableSpec& each) { return each.name == name && each.is_number(); }))
        check.fail({&spec.libra->dimensions}, "there is no variable {}", quoted(name));
}

std::shared_ptr<const Struct<OptimizeSpec>> optimize_type() {
  using O = OptimizeSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<O>>("optimize");
    const auto texts = list_of<std::string>(text(), 0, 1000);
    made->required("optimize", &O::name, text(), "Name of what is optimised")
        .required("experiment", &O::experiment, file_path("an experiment"),
                  "What is run, relative to this file")
        .required("variables", &O::variables, list_of<VariableSpec>(variable_type(), 1, 16), "What may vary")
        .required("set", &O::set, texts, "Keys to change; {variable} is its value")
        .optional("coarse", &O::coarse, texts,
                  "Keys to change besides for runs that cost little: larger packets, fewer layers")
        .optional("constraints", &O::constraints, texts, "\"inner + outer = 400\", \"inner >= outer\"")
        .optional("goals", &O::goals,
                  list_of<Goal>(one_of<Goal>({"time", "cost", "time_cost", "energy"}), 1, 2),
                  "What is to be least; two: a Pareto front")
        .optional("fixed_price", &O::fixed_price, number(0, kLargest), "What costs besides the variables")
        .optional("cost_at_most", &O::most_cost, number(0, kLargest), "A limit; 0: none")
        .optional("libra", &O::libra, maybe<LibraModelSpec>(libra_model_type()),
                  "LIBRA's model of the same as a first fidelity: the search starts at its optimum")
        .optional("evaluations", &O::evaluations, integer<std::uint32_t>(1, 100'000), "Simulations at most")
        .optional("coarse_evaluations", &O::coarse_evaluations, integer<std::uint32_t>(1, 100'000),
                  "Cheap runs at most, before the others")
        .optional("falls_with_bandwidth", &O::falls_with_bandwidth, boolean(),
                  "With a budget: time falls with every variable, as with bandwidths (cutting planes)")
        .check(check_variables)
        .check(check_goals);
    return made;
  }();
  return type;
}

}  // namespace

double OptimizeSpec::cost(const Point& point) const {
  double sum = fixed_price;
  for (std::size_t i = 0; i < variables.size(); ++i) sum += variables[i].price * point[i];
  return sum;
}

std::vector<std::string> OptimizeSpec::overrides(const Point& point, bool coarse_run) const {
  std::vector<std::string> texts = set;
  if (coarse_run) texts.insert(texts.end(), coarse.begin(), coarse.end());
  for (std::string& each : texts)
    for (std::size_t i = 0; i < variables.size(); ++i) each = filled(std::move(each), variables[i], point[i]);
  return texts;
}

std::string OptimizeSpec::text(const Point& point) const {
  std::string words;
  for (std::size_t i = 0; i < variables.size(); ++i)
    words +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", variables[i].name, value_text(variables[i], point[i]));
  return words;
}

Space OptimizeSpec::space() const {
  Space space;
  for (const VariableSpec& each : variables)
    if (each.is_number())
      space.axes.push_back({each.name, each.from, each.to, each.step});
    else
      space.axes.push_back({each.name, 0, static_cast<double>(each.values.size() - 1), 1});
  for (const std::string& text : constraints) {
    const libra::LinearConstraint constraint = constraint_of(*this, text);
    if (is_budget(*this, constraint)) space.budget = Budget{constraint.coefficients, constraint.limit};
    if (constraint.sense == libra::LinearConstraint::Sense::at_most && goes_over_all(*this, constraint))
      space.limit = Budget{constraint.coefficients, constraint.limit};
  }
  return space;
}

std::vector<libra::LinearConstraint> OptimizeSpec::rest() const {
  std::vector<libra::LinearConstraint> others;
  for (const std::string& text : constraints) {
    libra::LinearConstraint constraint = constraint_of(*this, text);
    if (!is_budget(*this, constraint)) others.push_back(std::move(constraint));
  }
  return others;
}

OptimizeSpec load_optimize(const std::string& path) {
  const Node root = load_document(path);
  if (root.find("optimize") == nullptr)
    throw ConfigError(root.place,
                      "expected a file with the top-level key 'optimize', which names an experiment and what "
                      "of it may vary (platform/optimize/README.md)");
  Origins origins;
  OptimizeSpec spec = optimize_type()->read(Reader(root, "", origins));
  spec.origins = std::move(origins);
  return spec;
}

}  // namespace wafertlm::optimize
